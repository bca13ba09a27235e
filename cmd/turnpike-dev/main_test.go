package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/program"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// TestMain makes the test binary the program too. The tests link it under the name turnpike-dev; then it does what the binary
// of `make build` does, and has the race detector if the tests have it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == rig.Dev {
		main()
		os.Exit(0)
	}
	pgtest.Main(m, removeTurnpike)
}

// turnpikeDir is a directory for buildTurnpike, which builds turnpike when a test first needs it.
var (
	turnpikeDir   = filepath.Join(os.TempDir(), fmt.Sprintf("turnpike-dev-test-%d", os.Getpid()))
	buildTurnpike = sync.OnceValues(func() (string, error) { return rig.Build(context.Background(), turnpikeDir, rig.Turnpike) })
)

func removeTurnpike() { _ = os.RemoveAll(turnpikeDir) }

// checkout has both programs, as after `make build`.
type checkout struct{ *program.Checkout }

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	turnpike, err := buildTurnpike()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &checkout{program.NewCheckout(t, map[string]string{rig.Turnpike: turnpike, rig.Dev: self})}
}

// with returns the checkout with more environment variables.
func (c *checkout) with(settings ...string) *checkout { return &checkout{c.With(settings...)} }
