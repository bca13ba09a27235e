package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func TestLedgerTimes(t *testing.T) {
	t.Parallel()
	type times [3]time.Duration // heartbeat, lost_after, sweep_every
	const s = time.Second
	for _, test := range []struct {
		name      string
		in, want  times
		wantError string
	}{
		{name: "defaults", want: times{10 * s, 60 * s, 30 * s}},
		{name: "a short patience beats often", in: times{0, 6 * s, 0}, want: times{s, 6 * s, 3 * s}},
		{name: "a long patience beats as ever", in: times{0, 600 * s, 0}, want: times{10 * s, 600 * s, 300 * s}},
		{name: "a slow heart is waited for", in: times{60 * s, 0, 0}, want: times{60 * s, 360 * s, 180 * s}},
		{name: "all given", in: times{s, 3 * s, 7 * s}, want: times{s, 3 * s, 7 * s}},
		{name: "too few beats", in: times{2 * s, 5 * s, 0}, wantError: "at least three heartbeats"},
		{name: "negative", in: times{-s, 0, 0}, wantError: "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := Postgres{
				Heartbeat: caddy.Duration(test.in[0]), LostAfter: caddy.Duration(test.in[1]), SweepEvery: caddy.Duration(test.in[2]),
			}
			err := l.setTimes()
			if test.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantError) {
					t.Fatalf("got error %v, want one with %q", err, test.wantError)
				}
				return
			}
			got := times{time.Duration(l.Heartbeat), time.Duration(l.LostAfter), time.Duration(l.SweepEvery)}
			if err != nil || got != test.want {
				t.Errorf("got %v, error %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestLedgerLimits(t *testing.T) {
	t.Parallel()
	const ms = caddy.Duration(time.Millisecond)
	type limits struct {
		decision, commit caddy.Duration
		batch, keys      int
	}
	for _, tt := range []struct {
		name      string
		in, want  limits
		wantError string
	}{
		{name: "defaults", want: limits{200 * ms, 2000 * ms, 1000, 200_000}},
		{name: "a long wait", in: limits{decision: 3000 * ms}, want: limits{3000 * ms, 6000 * ms, 1000, 200_000}},
		{name: "short commits", in: limits{commit: 100 * ms}, want: limits{100 * ms, 100 * ms, 1000, 200_000}},
		{name: "all given", in: limits{ms, 2 * ms, 3, 4}, want: limits{ms, 2 * ms, 3, 4}},
		{name: "commits shorter than waits", in: limits{decision: 2 * ms, commit: ms}, wantError: "not shorter"},
		{name: "a batch too large", in: limits{batch: 10_001}, wantError: "batch_max"},
		{name: "negative", in: limits{keys: -1}, wantError: "key_cache_max"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := Postgres{DecisionTimeout: tt.in.decision, CommitTimeout: tt.in.commit, BatchMax: tt.in.batch, KeyCacheMax: tt.in.keys}
			err := l.setLimits()
			if tt.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantError) {
					t.Fatalf("got error %v, want one with %q", err, tt.wantError)
				}
				return
			}
			if got := (limits{l.DecisionTimeout, l.CommitTimeout, l.BatchMax, l.KeyCacheMax}); err != nil || got != tt.want {
				t.Errorf("got %v, error %v, want %v", got, err, tt.want)
			}
		})
	}
}
