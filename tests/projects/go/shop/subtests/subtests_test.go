package subtests

import (
	"fmt"
	"os"
	"testing"
)

func TestParent(t *testing.T) {
	defer t.Log("cleanup")
	t.Run("a", func(t *testing.T) { t.Parallel(); t.Run("deep (0.00s)", func(t *testing.T) { t.Error("deep") }) })
	t.Run("b", func(t *testing.T) { t.Parallel(); t.Skip() })
	t.Error("parent itself")
}
func TestStderr(t *testing.T) {
	fmt.Fprintln(os.Stderr, "panic: not really")
	fmt.Println("ok  \tfake/pkg\t0.1s")
	t.Fail()
}
func TestExitsInside(t *testing.T) {
	if os.Getenv("EXIT") != "" {
		os.Exit(0)
	}
}
func TestGoexit(t *testing.T) {
	if os.Getenv("PANIC") != "" {
		go func() { panic("in a goroutine") }()
		select {}
	}
}
