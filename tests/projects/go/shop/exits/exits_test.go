package exits

import (
	"os"
	"syscall"
	"testing"
)

func TestFine(t *testing.T) {}

func TestKilled(t *testing.T) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
