package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// TestMain lets the test binary be its own upstream, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == upstreamCommand {
		if err := runUpstream(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if binaryDir != "" {
		_ = os.RemoveAll(binaryDir)
	}
	os.Exit(code)
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		args         []string
		wantDuration time.Duration
		wantError    bool
	}{
		{name: "no arguments", wantDuration: durationDefault},
		{name: "short", args: []string{"-short"}, wantDuration: durationShort},
		{name: "a duration", args: []string{"-duration", "7s"}, wantDuration: 7 * time.Second},
		{name: "no time", args: []string{"-duration", "0s"}, wantError: true},
		{name: "gaps the wrong way round", args: []string{"-gap-min", "3s", "-gap-max", "2s"}, wantError: true},
		{name: "no wallet", args: []string{"-payers", "0"}, wantError: true},
		{name: "an argument too many", args: []string{"short"}, wantError: true},
		{name: "an unknown flag", args: []string{"-gentle"}, wantError: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := parse(test.args, io.Discard)
			if (err != nil) != test.wantError {
				t.Fatalf("got error %v, want one: %t", err, test.wantError)
			}
			if err == nil && (cfg.duration != test.wantDuration || cfg.seed == 0) {
				t.Errorf("got %s and seed %d, want %s and one that is drawn", cfg.duration, cfg.seed, test.wantDuration)
			}
		})
	}
	t.Run("all faults at once", func(t *testing.T) {
		t.Parallel()
		_, err := parse([]string{"-keys", "0", "-workers", "0", "-duration", "0s"}, io.Discard)
		joined, ok := errors.AsType[interface {
			error
			Unwrap() []error
		}](err)
		if !ok || len(joined.Unwrap()) != 3 {
			t.Errorf("got %v, want three faults", err)
		}
	})
}
