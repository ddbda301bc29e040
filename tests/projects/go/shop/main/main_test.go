package main

import (
	"fmt"
	"os"
	"testing"
)

func TestFine(t *testing.T) {}

func TestMain(m *testing.M) {
	m.Run()
	fmt.Println("the database is still open")
	os.Exit(3)
}
