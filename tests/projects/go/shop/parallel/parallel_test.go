package parallel

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestLeft(t *testing.T) {
	t.Parallel()
	t.Log("left 1")
	time.Sleep(20 * time.Millisecond)
	t.Error("left is wrong")
}

func TestRight(t *testing.T) {
	t.Parallel()
	t.Log("right 1")
	time.Sleep(30 * time.Millisecond)
	t.Log("right 2")
}

func TestNoNewline(t *testing.T) { fmt.Fprint(os.Stdout, "no newline at the end") }
