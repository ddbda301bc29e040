package bench

import "testing"

func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
func BenchmarkBad(b *testing.B) { b.Fatal("bad bench") }
