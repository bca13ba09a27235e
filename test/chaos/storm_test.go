package main

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestDrawHitsEveryProcessThatIsUp(t *testing.T) {
	t.Parallel()
	p := new(place)
	random := rand.New(rand.NewPCG(1, 2))
	hit := make(map[victim]bool)
	for range victims {
		v, ok := p.draw(random)
		if !ok || hit[v] {
			t.Fatalf("got %s (%t) after %v, want another that is up", v, ok, hit)
		}
		hit[v] = true
	}
	if v, ok := p.draw(random); ok {
		t.Errorf("all are away: got %s", v)
	}
	p.absences = []absence{{victim: victimBackend}, {victim: victimPostgres}}
	p.noteAbsence(victimPostgres, func(a *absence) { a.respawn = time.Now() })
	p.noteAbsence(victimBackend, func(a *absence) { a.to = time.Now() })
	if v, ok := p.draw(random); !ok || v != victimBackend {
		t.Errorf("got %s (%t), want the backend, which is back", v, ok)
	}
}

func TestTimeWithout(t *testing.T) {
	t.Parallel()
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return zero.Add(time.Duration(seconds * float64(time.Second))) }
	outage := func(from, to float64) absence { return absence{victim: victimPostgres, from: at(from), to: at(to)} }
	for _, test := range []struct {
		name     string
		absences []absence
		from, to float64
		want     time.Duration
	}{
		{"no outage", nil, 1, 3, 2 * time.Second},
		{"one before", []absence{outage(1, 2)}, 5, 6, time.Second},
		{"one within", []absence{outage(2, 4)}, 1, 9, 4 * time.Second},
		{"one that goes on", []absence{{victim: victimPostgres, from: at(2)}}, 1, 3, time.Second},
		{"one that began before", []absence{outage(1, 3)}, 2, 6, time.Second},
		{"one after", []absence{outage(7, 8)}, 1, 3, 2 * time.Second},
		{"two that touch", []absence{outage(3, 4), outage(2, 3)}, 1, 9, 4 * time.Second},
		{"somebody else's", []absence{{victim: victimBackend, from: at(1), to: at(9)}}, 1, 3, 2 * time.Second},
		{"after the kill", nil, 3, 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := timeWithout(test.absences, at(test.from), at(test.to), victimPostgres); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var of []time.Duration
	for i := range 200 {
		of = append(of, time.Duration(200-i))
	}
	for percent, want := range map[int]time.Duration{1: 2, 50: 100, 99: 198, 100: 200} {
		if got := quantile(of, percent); got != want {
			t.Errorf("%d %%: got %d, want %d", percent, got, want)
		}
	}
	if got := quantile(nil, 99); got != 0 {
		t.Errorf("of nothing: got %d, want 0", got)
	}
}
