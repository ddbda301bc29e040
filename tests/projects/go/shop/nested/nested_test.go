package nested

import (
	"os"
	"os/exec"
	"testing"
)

// TestRunner tests a test runner: what the inner run prints belongs to this passing test.
func TestRunner(t *testing.T) {
	inner := exec.Command("go", "test", "-v", "../bad")
	inner.Stdout, inner.Stderr = os.Stdout, os.Stderr
	if inner.Run() == nil {
		t.Fatal("the inner run should fail")
	}
}

func TestAfter(t *testing.T) {}
