package rig

import (
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
)

func TestChildren(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	p := start(t, waits)
	if got := Children(os.Getpid()); !slices.Contains(got, p.PID()) {
		t.Errorf("got %v, want %d among them", got, p.PID())
	}
}

func TestSignalTree(t *testing.T) {
	t.Parallel()
	p := start(t, shrugs)
	if err := SignalTree(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if err := SignalTree(p.PID(), syscall.SIGKILL); err != nil {
		t.Errorf("one that has ended: got %v, want nil", err)
	}
}

func TestStableAddress(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 300 { // random draws from 6,000 would repeat one, but for a chance of 1 in 2,000
		address, err := StableAddress(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil || !at.Addr().IsLoopback() || at.Port() < stablePortMin || at.Port() >= stablePortMax {
			t.Fatalf("got %s, want a loopback address with a port from %d to %d", address, stablePortMin, stablePortMax)
		}
		if given[address] {
			t.Fatalf("%s was given twice", address)
		}
		given[address] = true
	}
}
