package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// TestMain makes the test binary the program too: under the name turnpike, to
// which the tests link it, it is what `make build` builds, and with the race
// detector wherever the tests have it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "turnpike" {
		main()
		os.Exit(0)
	}
	pgtest.Main(m)
}
