package panics

import "testing"

func TestBefore(t *testing.T) {}
func TestBoom(t *testing.T)   { var m map[string]int; m["a"] = 1 }
