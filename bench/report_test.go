//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// made is a pair in which the metered edge makes the given share of 1,000
// requests a second at the given multiple of 100 ms CPU per 1,000.
func made(share, cpu float64) pair {
	plain := turn{loadResult: loadResult{Responses: 1000, Took: time.Second}, cpu: clocks{edge: 100 * time.Millisecond}}
	n := int(1000 * share)
	metered := turn{
		loadResult: loadResult{Responses: n, Took: time.Second},
		cpu:        clocks{edge: time.Duration(cpu * share * float64(100*time.Millisecond)), postgres: 50 * time.Millisecond},
	}
	return pair{plain: plain, metered: metered}
}

func TestFloors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		pairs []pair
		want  string
	}{
		{"reached", []pair{made(0.9, 1.1)}, ""},
		{"one bad round does not count", []pair{made(0.9, 1.1), made(0.1, 3), made(0.9, 1.1)}, ""},
		{"too few requests", []pair{made(0.8, 1.1)}, "0.80 of plain Caddy's requests"},
		{"too much CPU", []pair{made(0.9, 1.3)}, "1.30 of plain Caddy's CPU"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := floorsFull.check(modeResult{mode: modeHot, pairs: tc.pairs})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestTableHasRatiosAndParts(t *testing.T) {
	t.Parallel()
	pairs := []pair{made(0.8, 1.1), made(0.9, 1.2)}
	got := table([]modeResult{{modeRandom, pairs}, {modeHot, pairs[:1]}})
	for _, want := range []string{
		"| **requests per second, ratio** | 0.85 (0.80 to 0.90) | 0.80 (0.80 to 0.80) |",
		"| **edge CPU per request, ratio** | 1.15 (1.10 to 1.20) | 1.10 (1.10 to 1.10) |",
		"| requests per second | 850 : 1000 | 800 : 1000 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("table: got\n%s\nwant the line %q", got, want)
		}
	}
}

func TestRewriteKeepsWhatStandsAround(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("# Title\n\n"+markerBegin+"\nold\n"+markerEnd+"\n\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := rewrite(file, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Title\n\n" + markerBegin + "\n\nnew\n\n" + markerEnd + "\n\nend\n"; string(got) != want {
		t.Errorf("file: got %q, want %q", got, want)
	}
	if err := os.WriteFile(file, []byte("# Title\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file, "new"); err == nil {
		t.Error("file without markers: got no error, want one")
	}
}

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
	if own, err := cpuOf(os.Getpid()); err != nil || own < 0 {
		t.Errorf("this process: got %s and error %v", own, err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"-short"})
	if err != nil || !o.short || o.readme != "" || time.Duration(o.rounds)*o.turn > 10*time.Second {
		t.Errorf("short run: got %+v and error %v, want short turns and no table", o, err)
	}
	for _, bad := range [][]string{{"-rounds", "0"}, {"-conns", "0"}, {"-keys", "0"}, {"-turn", "1ms"}, {"what"}} {
		if _, err := parseOptions(bad); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}

// The two sides differ in the toll and in nothing else.
func TestCaddyfilesDifferInTheToll(t *testing.T) {
	t.Parallel()
	plain := caddyfile(sidePlain, "admin.sock", "127.0.0.1:8080", "127.0.0.1:9090")
	metered := caddyfile(sideMetered, "admin.sock", "127.0.0.1:8080", "127.0.0.1:9090")
	if strings.Contains(plain, "turnpike") || strings.Contains(plain, "meter") {
		t.Errorf("plain side: got\n%s\nwant no toll", plain)
	}
	if got := strings.NewReplacer(turnpikeOption, "", meteredRoute, "").Replace(metered); got != plain {
		t.Errorf("metered side without the toll: got\n%s\nwant\n%s", got, plain)
	}
}
