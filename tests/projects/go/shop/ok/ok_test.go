package ok

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("wrong")
	}
}

func TestSub(t *testing.T) {
	t.Run("two words", func(t *testing.T) {})
	t.Run("skips", func(t *testing.T) { t.Skip("not today") })
}
