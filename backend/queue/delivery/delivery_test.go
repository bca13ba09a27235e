package delivery

import (
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	waits := []time.Duration{time.Second, time.Minute}
	for _, tt := range []struct {
		name   string
		try    Try
		status string
		wait   time.Duration
	}{
		{"taken", Try{Taken: true, TriesMax: 3}, StatusDelivered, 0},
		{"taken at last", Try{Taken: true, Made: 2, TriesMax: 3}, StatusDelivered, 0},
		{"refused", Try{Refused: true, TriesMax: 3}, StatusFailed, 0},
		{"the first failure", Try{TriesMax: 3}, StatusPending, time.Second},
		{"the second", Try{Made: 1, TriesMax: 3}, StatusPending, time.Minute},
		{"the last", Try{Made: 2, TriesMax: 3}, StatusFailed, 0},
		{"to be left alone", Try{TriesMax: 3, RetryAfter: time.Hour}, StatusPending, time.Hour},
		{"a schedule that has become shorter", Try{Made: 5, TriesMax: 8}, StatusPending, time.Minute},
	} {
		if tt.try.judge(waits, 0.5); tt.try.Status != tt.status || tt.try.Wait != tt.wait {
			t.Errorf("%s: got %s and %s, want %s and %s", tt.name, tt.try.Status, tt.try.Wait, tt.status, tt.wait)
		}
	}
	for chance, want := range map[float64]time.Duration{0: 54 * time.Second, 1: 66 * time.Second} {
		if got := spread(time.Minute, chance); got != want {
			t.Errorf("a minute by chance %v: got %s, want %s", chance, got, want)
		}
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{StatusPending: "retried", StatusDelivered: "delivered", StatusFailed: "failed"} {
		if got := (&Try{Status: status}).Outcome(); got != want {
			t.Errorf("%s: got %s, want %s", status, got, want)
		}
	}
}

func TestLane(t *testing.T) {
	t.Parallel()
	lanes := map[string]bool{}
	for _, parts := range [][]string{{"team_a", "b"}, {"team_b", "b"}, {"team_a", "b", "c"}, {"team_a", "c", "b"}, {"team_a"}, {"team_a", "b"}} {
		lanes[Lane(parts[0], parts[1:]...)] = true
	}
	if len(lanes) != 5 {
		t.Errorf("got %d lanes, want 5", len(lanes))
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	s := newShare(2)
	first, _ := s.enter("team_a")
	_, second := s.enter("team_a")
	_, third := s.enter("team_a")
	_, other := s.enter("team_b")
	if !second || third || !other {
		t.Errorf("got %v, %v and %v, want two of the one team and one of the other", second, third, other)
	}
	first()
	if _, again := s.enter("team_a"); !again {
		t.Error("got no slot after one was left, want one")
	}
}

func TestNewNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Slots: -1})
	if err == nil {
		t.Fatal("got no error, want one")
	}
	for _, want := range []string{"Queue", "Carrier", "Pool", "Tasks", "Logger", "Now", "must not be negative"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}
