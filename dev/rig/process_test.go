package rig

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(exec.Command("/bin/sh", "-c", script), filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Neither command ends by itself. With exec, no child can outlive a signal to the process.
const (
	waits  = "exec tail -f /dev/null"
	shrugs = "trap '' TERM; echo ready; exec tail -f /dev/null"
)

func TestStopAndKill(t *testing.T) {
	t.Parallel()
	t.Run("stop ends it", func(t *testing.T) {
		t.Parallel()
		p := start(t, waits)
		if err := p.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Errorf("got %v, want the signal that ended it", err)
		}
		if err := p.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "already exited") {
			t.Errorf("stopped again: got %v, want that it had ended", err)
		}
	})
	t.Run("stop kills what does not end", func(t *testing.T) {
		t.Parallel()
		p := start(t, shrugs)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := p.Stop(ctx); err == nil {
			t.Error("got no error, want that it did not stop, or that a signal ended it")
		}
		<-p.Done()
	})
	t.Run("kill ends it", func(t *testing.T) {
		t.Parallel()
		p := start(t, shrugs)
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
		<-p.Done()
	})
	t.Run("no such program", func(t *testing.T) {
		t.Parallel()
		if _, err := Start(exec.Command("/no/such/program"), filepath.Join(t.TempDir(), "log")); err == nil {
			t.Error("got no error")
		}
	})
}

func TestAwaitGivesUpWhenTheProcessEnds(t *testing.T) {
	t.Parallel()
	address, err := StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, "exit 3")
	if err := Await(t.Context(), address, p.Done()); err == nil || !strings.Contains(err.Error(), "exited before it served requests") {
		t.Errorf("got %v, want that it ended", err)
	}
}
