//go:build linux

package main

import (
	"strings"
	"testing"
	"time"
)

// TestVerification shows that each loop verifies every payment, and fails if they have expired.
func TestVerification(t *testing.T) {
	t.Parallel()
	v, err := newVerification()
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.round(time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	for loop, rate := range r {
		if rate <= 0 {
			t.Errorf("loop %d: got %f a second", loop, rate)
		}
	}
	v.now = v.now.Add(time.Hour)
	if _, err := v.round(time.Nanosecond); err == nil {
		t.Error("lapsed payments: got no error, want one")
	}
}

func TestVerificationIsHeldToItsFloor(t *testing.T) {
	t.Parallel()
	results := []verifyResult{
		{CGO: true, Rounds: []verifyRound{{1000, 900, 860}, {1000, 910, 880}, {1000, 100, 100}}},
		{CGO: false, Rounds: []verifyRound{{500, 475, 470}}},
	}
	if err := checkVerification(results, 0.85); err != nil {
		t.Errorf("got %v, want none", err)
	}
	err := checkVerification(results, 0.9)
	if err == nil || !strings.Contains(err.Error(), "version 2 verified with cgo: 0.86 of the bare loop, want at least 0.90") || strings.Contains(err.Error(), "version 1") {
		t.Errorf("got %v, want version 2 alone", err)
	}
	got := verifyTable(results)
	for _, want := range []string{
		"| payments verified | with cgo | without cgo |",
		"| **version 1, to the bare loop's** | 0.90 (0.10 to 0.91) | 0.95 (0.95 to 0.95) |",
		"| bare loop, per second of CPU | 1000 | 500 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant the line %q", got, want)
		}
	}
}
