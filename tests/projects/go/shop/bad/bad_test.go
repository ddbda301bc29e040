package bad

import "testing"

func TestFine(t *testing.T) {}

func TestPrice(t *testing.T) {
	t.Log("computing")
	t.Run("discount", func(t *testing.T) {
		t.Errorf("got %d, want %d", 9, 10)
	})
	t.Run("plain", func(t *testing.T) {})
}

func TestName(t *testing.T) { t.Fatal("no name\nsecond line") }
