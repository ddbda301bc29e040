package fuzz

import "testing"

func FuzzX(f *testing.F) {
	f.Add("a")
	f.Add("boom")
	f.Fuzz(func(t *testing.T, s string) {
		if s == "boom" {
			t.Fatal("boom found")
		}
	})
}
