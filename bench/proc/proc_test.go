//go:build linux

package proc

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	line := "42 (a ) b) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 100"
	got, err := parseStat(line)
	if err != nil {
		t.Fatal(err)
	}
	if want := (processTimes{parent: 7, own: 2 * time.Second, ended: 500 * time.Millisecond}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, bad := range []string{"", "42 (x) S 1", "no parenthesis", strings.Replace(line, "150", "x", 1), strings.Replace(line, "S 7", "S x", 1)} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
	if own, err := CPUOf(os.Getpid()); err != nil || own < 0 {
		t.Errorf("this process: got %s and error %v", own, err)
	}
}

func TestResidentMost(t *testing.T) {
	t.Parallel()
	if got, err := ResidentMost(os.Getpid()); err != nil || got < 1<<20 {
		t.Errorf("this process: got %d bytes and error %v, want a few megabytes", got, err)
	}
	if _, err := ResidentMost(-1); err == nil {
		t.Error("no process: got no error, want one")
	}
}
