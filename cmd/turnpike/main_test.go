package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// TestMain makes the test binary the program too. The tests link it under the name turnpike; then it does what the binary
// of `make build` does, and has the race detector if the tests have it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "turnpike" {
		main()
		os.Exit(0)
	}
	pgtest.Main(m)
}
