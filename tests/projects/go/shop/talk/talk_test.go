package talk

import (
	"fmt"
	"os"
	"testing"
)

func TestTalk(t *testing.T) {
	fmt.Println("--- FAIL: TestOther (0.00s)")
	fmt.Println("FAIL\texample.com/shop/other\t0.001s")
	fmt.Fprintln(os.Stderr, "FAIL")
	fmt.Println("FAIL")
	t.Log("--- FAIL: TestLogged (0.00s)")
}
