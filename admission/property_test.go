package admission

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// world is a pool, its grants, and its waiting requests.
type world struct {
	pool    *Pool
	granted []Grant
	waiting []asked
}

type asked struct {
	grant  Grant
	waiter *waiter
}

// settle moves the requests that were granted.
func (w *world) settle() {
	w.waiting = slices.DeleteFunc(w.waiting, func(a asked) bool {
		select {
		case <-a.waiter.ready:
			w.granted = append(w.granted, a.grant)
			return true
		default:
			return false
		}
	})
}

func (w *world) check(t *rapid.T) {
	p := w.pool
	held := map[Holder]int64{}
	var all, keyless int64
	for _, g := range w.granted {
		held[g.account.Holder] += g.n
		all += g.n
		if g.account.Keyless {
			keyless += g.n
		}
	}
	if p.free != p.config.Size-all || p.free < 0 || p.keyless != keyless {
		t.Fatalf("%d free, %d without a key: want %d and %d", p.free, p.keyless, p.config.Size-all, keyless)
	}
	for h, n := range held {
		if a := p.accounts[h]; a == nil || a.held != n {
			t.Fatalf("%v has %d, which is not what is known of it", h, n)
		}
	}
	waiters := 0
	for h, a := range p.accounts {
		waiters += len(a.waiters)
		switch {
		case a.held == 0 && len(a.waiters) == 0:
			t.Fatalf("%v has nothing and is remembered", h)
		case slices.Contains(p.line, a) != (len(a.waiters) > 0):
			t.Fatalf("%v with %d that wait: its place in the line is wrong", h, len(a.waiters))
		case len(a.waiters) > 0 && p.admits(a, a.waiters[0].n):
			t.Fatalf("%v waits for %d, has %d, and may have it: %d are free", h, a.waiters[0].n, a.held, p.free)
		}
	}
	if waiters != len(w.waiting) || p.waiting[0]+p.waiting[1] != waiters {
		t.Fatalf("%d wait: want %d", waiters, len(w.waiting))
	}
}

// For any sequence of requests and releases: no more is held than exists, nobody waits who could be admitted, nobody
// gets more than is left beyond its first share, and in the end everybody was served.
func TestPoolProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{pool: New(Config{Size: rapid.Int64Range(1, 64).Draw(t, "size")})}
		holders := rapid.Custom(func(t *rapid.T) Holder {
			return Holder{Name: fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "name")), Keyless: rapid.Bool().Draw(t, "keyless")}
		})
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				h, n := holders.Draw(t, "holder"), rapid.Int64Range(0, 40).Draw(t, "n")
				idle := w.pool.free == w.pool.config.Size
				g, waiter := w.pool.ask(h, n, -1)
				if waiter != nil {
					w.waiting = append(w.waiting, asked{g, waiter})
					return
				}
				w.granted = append(w.granted, g)
				left := w.pool.free
				if h.Keyless {
					if left -= w.pool.keyless; left < 0 && !idle {
						t.Fatalf("without a key %d are held, and %d are left", w.pool.keyless, w.pool.free)
					}
				}
				if first := g.account.held == g.n; !first && g.account.held > left {
					t.Fatalf("%v has %d, and %d are left", h, g.account.held, left)
				}
			},
			"give back": func(t *rapid.T) {
				if len(w.granted) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(w.granted)-1).Draw(t, "which")
				if g := &w.granted[i]; rapid.Bool().Draw(t, "half") && g.n > 1 {
					g.Shrink(g.n / 2)
				} else {
					g.Release()
					w.granted = slices.Delete(w.granted, i, i+1)
				}
				w.settle()
			},
			"grow": func(t *rapid.T) {
				if len(w.granted) > 0 {
					w.granted[0].Grow(rapid.Int64Range(1, 40).Draw(t, "n"))
				}
			},
			"give up": func(t *rapid.T) {
				if len(w.waiting) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(w.waiting)-1).Draw(t, "which")
				if !w.pool.giveUp(&w.waiting[i].grant, w.waiting[i].waiter, true) {
					t.Fatal("who waits was not taken back")
				}
				w.waiting = slices.Delete(w.waiting, i, i+1)
				w.settle()
			},
			"": w.check,
		})
		for rounds := len(w.waiting) + 1; len(w.granted)+len(w.waiting) > 0; rounds-- {
			if rounds == 0 {
				t.Fatalf("%d are never served", len(w.waiting))
			}
			for i := range w.granted {
				w.granted[i].Release()
			}
			w.granted = nil
			w.settle()
			w.check(t)
		}
	})
}

// A holder that takes all it can and gives nothing back cannot keep out a holder that has nothing. A second one is
// admitted as soon as anything is released.
func TestHostileHolder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := New(Config{Size: rapid.Int64Range(2, 1000).Draw(t, "size")})
		hostile := Holder{Name: "hostile", Keyless: rapid.Bool().Draw(t, "keyless")}
		for range rapid.IntRange(1, 200).Draw(t, "asks") {
			p.ask(hostile, rapid.Int64Range(1, p.Most()).Draw(t, "n"), -1)
		}
		other := Holder{Name: "other"}
		if _, w := p.ask(other, p.Most(), -1); w != nil {
			t.Fatalf("half of the pool is not had beside one holder: %d of %d are free", p.free, p.config.Size)
		}
	})
}
