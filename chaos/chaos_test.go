package main

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

func TestPlanHitsEachProcessOnceAndRepeatsItself(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		first := plan(rand.New(rand.NewPCG(seed, seed)))
		if again := plan(rand.New(rand.NewPCG(seed, seed))); !reflect.DeepEqual(first, again) {
			t.Fatalf("seed %d: got %v, then %v", seed, first, again)
		}
		var hit []victim
		for _, s := range first {
			hit = append(hit, s.victim)
		}
		slices.Sort(hit)
		if want := []victim{victimEdge0, victimEdge1, victimUpstream, victimPostgres}; !slices.Equal(hit, want) {
			t.Errorf("seed %d: got %v, want each of %v once", seed, first, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		args       []string
		wantRounds int
		wantError  bool
	}{
		{name: "no arguments", wantRounds: roundsDefault},
		{name: "short", args: []string{"-short"}, wantRounds: roundsShort},
		{name: "rounds", args: []string{"-rounds", "7"}, wantRounds: 7},
		{name: "no round", args: []string{"-rounds", "0"}, wantError: true},
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
			if err == nil && (cfg.rounds != test.wantRounds || cfg.seed == 0) {
				t.Errorf("got %d rounds and seed %d, want %d and one that is drawn", cfg.rounds, cfg.seed, test.wantRounds)
			}
		})
	}
}

func TestTimeWithDatabase(t *testing.T) {
	t.Parallel()
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return zero.Add(time.Duration(seconds * float64(time.Second))) }
	for _, test := range []struct {
		name     string
		outages  []outage
		from, to float64
		want     time.Duration
	}{
		{"no outage", nil, 1, 3, 2 * time.Second},
		{"one before", []outage{{at(1), at(2)}}, 5, 6, time.Second},
		{"one within", []outage{{at(2), at(4)}}, 1, 9, 5 * time.Second},
		{"one that goes on", []outage{{at(2), at(8)}}, 1, 3, time.Second},
		{"one that began before", []outage{{at(1), at(4)}}, 3, 6, time.Second},
		{"after the kill", nil, 3, 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := findings{outages: test.outages}
			if got := f.timeWithDatabase(at(test.from), at(test.to)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The audit must see what it is there to see.
func TestCheckServed(t *testing.T) {
	t.Parallel()
	killed := time.Date(2026, 1, 1, 0, 0, 9, 0, time.UTC)
	p := &place{teams: []team{{id: "team_a", account: 1}}}
	for _, test := range []struct {
		name           string
		hold           *db.ListHoldEndsRow
		killedAt       time.Time
		before         time.Duration
		wantViolations int
	}{
		{"charged", &db.ListHoldEndsRow{AccountID: 1, Amount: 1, Captured: true}, time.Time{}, 0, 0},
		{"twice as much held", &db.ListHoldEndsRow{AccountID: 1, Amount: 2, Captured: true}, time.Time{}, 0, 1},
		{"another team's hold", &db.ListHoldEndsRow{AccountID: 2, Amount: 1, Captured: true}, time.Time{}, 0, 1},
		{"no hold", nil, killed, 0, 1},
		{"given away at a kill", &db.ListHoldEndsRow{AccountID: 1, Amount: 1}, killed, time.Millisecond, 0},
		{"given away long before a kill", &db.ListHoldEndsRow{AccountID: 1, Amount: 1}, killed, time.Minute, 1},
		{"given away without a kill", &db.ListHoldEndsRow{AccountID: 1, Amount: 1}, time.Time{}, 0, 1},
		{"left open", &db.ListHoldEndsRow{AccountID: 1, Amount: 1, Open: true}, killed, time.Millisecond, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := new(findings)
			inc := &incarnation{killedAt: test.killedAt}
			f.checkServed(p, served{job: "a job", inc: inc, at: killed.Add(-test.before)}, test.hold)
			if len(f.violations) != test.wantViolations {
				t.Errorf("got %q, want %d violations", f.violations, test.wantViolations)
			}
		})
	}
}

func TestChildren(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	cmd := exec.CommandContext(t.Context(), "cat") // lives until its input ends
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got := children(os.Getpid()); !slices.Contains(got, cmd.Process.Pid) {
		t.Errorf("got %v, want %d among them", got, cmd.Process.Pid)
	}
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
