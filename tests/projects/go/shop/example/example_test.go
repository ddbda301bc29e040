package example

import "fmt"

func Example() {
	fmt.Println("hello")
	// Output: good bye
}

func Example_fine() {
	fmt.Println("hello")
	// Output: hello
}
