package credits

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// subject is a ledger and its meter, as the conformance suite needs them.
type subject struct {
	Meter

	newAccount func(t *testing.T, credits money.Credits) (account, key int64)
	revoke     func(t *testing.T, key int64)
	balance    func(t *testing.T, account int64) Balance
}

func (s *subject) flushed(t *testing.T, account int64) Balance {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatalf("flushing: %v", err)
	}
	return s.balance(t, account)
}

func (s *subject) authorize(t *testing.T, req Request) Decision {
	t.Helper()
	d, err := s.Authorize(t.Context(), req)
	if err != nil {
		t.Fatalf("authorising %d: %v", req.Amount, err)
	}
	return d
}

// hold authorizes and returns the accepted hold.
func (s *subject) hold(t *testing.T, req Request) Hold {
	t.Helper()
	d := s.authorize(t, req)
	if d.Outcome != Accepted || d.Hold.Amount() != req.Amount {
		t.Fatalf("got %+v, want %d accepted", d, req.Amount)
	}
	return d.Hold
}

func request(account, key int64, amount money.Credits) Request {
	return Request{Account: account, Key: key, Amount: amount, Operation: "scrape"}
}

// testMeter is the suite that every meter must pass.
func testMeter(t *testing.T, setup func(t *testing.T) *subject) {
	t.Run("capture takes what was held", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		d := s.authorize(t, request(account, key, 30))
		if d.Outcome != Accepted || d.Available != 70 {
			t.Fatalf("got %+v, want accepted with 70 available", d)
		}
		if b := s.balance(t, account); b.Balance != 100 || b.Held != 30 {
			t.Fatalf("got %+v, want 100 with 30 held", b)
		}
		s.Capture(d.Hold, 30)
		if b := s.flushed(t, account); b.Balance != 70 || b.Held != 0 {
			t.Fatalf("got %+v, want 70 with 0 held", b)
		}
	})

	t.Run("partial capture gives the rest back", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		hold := s.hold(t, request(account, key, 30))
		s.Capture(hold, 7)
		if b := s.flushed(t, account); b.Balance != 93 || b.Held != 0 {
			t.Fatalf("got %+v, want 93 with 0 held", b)
		}
	})

	t.Run("void takes nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		hold := s.hold(t, request(account, key, 30))
		s.Void(hold)
		if b := s.flushed(t, account); b.Balance != 100 || b.Held != 0 {
			t.Fatalf("got %+v, want 100 with 0 held", b)
		}
	})

	t.Run("a hold ends once", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		hold := s.hold(t, request(account, key, 30))
		s.Capture(hold, 30)
		s.Capture(hold, 30)
		s.Void(hold)
		if b := s.flushed(t, account); b.Balance != 70 || b.Held != 0 {
			t.Fatalf("got %+v, want 70 with 0 held", b)
		}
	})

	t.Run("capture is at most what was held", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		hold := s.hold(t, request(account, key, 3))
		s.Capture(hold, 50)
		if b := s.flushed(t, account); b.Balance != 97 {
			t.Fatalf("got %+v, want 97", b)
		}
	})

	t.Run("an unknown hold ends nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		hold := s.hold(t, request(account, key, 30))
		s.Void(hold)
		hold.id = HoldID(NewID())
		s.Capture(hold, 30)
		if b := s.flushed(t, account); b.Balance != 100 || b.Held != 0 {
			t.Fatalf("got %+v, want 100 with 0 held", b)
		}
	})

	t.Run("a negative amount is an error", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		if d, err := s.Authorize(t.Context(), request(account, key, -1)); err == nil {
			t.Fatalf("got %+v, want an error", d)
		}
	})

	t.Run("no two holds have an id", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		var seen sync.Map
		concurrently(t, 100, func(int) Decision {
			d := s.authorize(t, request(account, key, 1))
			if _, again := seen.LoadOrStore(d.Hold.ID(), true); again || d.Hold.ID() == (HoldID{}) {
				t.Errorf("got id %s twice, or none", d.Hold.ID())
			}
			return d
		})
	})

	t.Run("refused when too little is left", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 10)
		if d := s.authorize(t, request(account, key, 11)); d.Outcome != Refused || d.Available != 10 {
			t.Fatalf("got %+v, want refused with 10 available", d)
		}
		if d := s.authorize(t, request(account, key, 10)); d.Outcome != Accepted || d.Available != 0 {
			t.Fatalf("got %+v, want accepted with 0 available", d)
		}
		if d := s.authorize(t, request(account, key, 1)); d.Outcome != Refused || d.Available != 0 {
			t.Fatalf("got %+v, want refused with 0 available", d)
		}
		if d := s.authorize(t, request(account, key, 0)); d.Outcome != Accepted {
			t.Fatalf("got %+v, want a free request accepted", d)
		}
	})

	t.Run("the largest amount neither overflows nor passes", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 10)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if d := s.authorize(t, request(account, key, math.MaxInt64)); d.Outcome != Refused {
					t.Errorf("got %+v, want refused", d)
				}
			})
		}
		all.Wait()
	})

	t.Run("a revoked key or unknown account takes nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 10)
		_, other := s.newAccount(t, 10)
		s.revoke(t, key)
		for _, req := range []Request{request(account, key, 1), request(account, key, 0), request(1<<40, other, 1), request(1<<40, other, 0)} {
			if d := s.authorize(t, req); d.Outcome != KeyInvalid {
				t.Fatalf("got %+v, want an invalid key", d)
			}
		}
		if b := s.balance(t, account); b.Held != 0 {
			t.Fatalf("got %+v, want 0 held", b)
		}
	})

	t.Run("a hot account is spent to the last credit and no further", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		outcomes := concurrently(t, 400, func(int) Decision {
			d := s.authorize(t, request(account, key, 1))
			if d.Outcome == Accepted {
				s.Capture(d.Hold, 1)
			}
			return d
		})
		if outcomes[Accepted] != 100 || outcomes[Refused] != 300 {
			t.Fatalf("got %v, want 100 accepted and 300 refused", outcomes)
		}
		if b := s.flushed(t, account); b.Balance != 0 || b.Held != 0 {
			t.Fatalf("got %+v, want nothing left", b)
		}
	})

	t.Run("none is refused for a large one before it", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 50)
		outcomes := concurrently(t, 60, func(i int) Decision {
			if i%6 == 0 {
				return s.authorize(t, request(account, key, 1000))
			}
			return s.authorize(t, request(account, key, 1))
		})
		if outcomes[Accepted] != 50 || outcomes[Refused] != 10 {
			t.Fatalf("got %v, want the 50 small ones accepted and the 10 large ones refused", outcomes)
		}
	})

	t.Run("free requests fit in anywhere", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 5)
		amounts := []money.Credits{0, 3, 9, 0, 2, 0, 1}
		outcomes := concurrently(t, 70, func(i int) Decision { return s.authorize(t, request(account, key, amounts[i%len(amounts)])) })
		if free := 30; outcomes[Accepted] < free+2 || outcomes[Accepted]+outcomes[Refused] != 70 {
			t.Fatalf("got %v, want the %d free ones accepted, and at least two of the others", outcomes, free)
		}
		if b := s.balance(t, account); b.Held > 5 || b.Held < 3 {
			t.Fatalf("got %+v, want 3 to 5 held", b)
		}
	})

	t.Run("a requester that has left holds nothing for long", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 50)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Authorize(ctx, request(account, key, 1))
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want the context's error", err)
		}
		if err == nil {
			return // decided before the cancellation: the hold stands and is the caller's
		}
		s.authorize(t, request(account, key, 0)) // a batch later than the abandoned request
		if b := s.flushed(t, account); b.Held != 0 {
			t.Fatalf("got %+v, want 0 held", b)
		}
	})
}

// concurrently runs f n times at once and counts the outcomes.
func concurrently(t *testing.T, n int, f func(i int) Decision) map[Outcome]int {
	t.Helper()
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		count = make(map[Outcome]int)
	)
	for i := range n {
		all.Go(func() {
			d := f(i)
			mu.Lock()
			count[d.Outcome]++
			mu.Unlock()
		})
	}
	all.Wait()
	return count
}

func TestMemory(t *testing.T) {
	t.Parallel()
	testMeter(t, func(*testing.T) *subject {
		m := NewMemory()
		var mu sync.Mutex
		var last int64
		return &subject{
			Meter: m,
			newAccount: func(t *testing.T, credits money.Credits) (int64, int64) {
				mu.Lock()
				defer mu.Unlock()
				last++
				m.AllowKey(last)
				if err := m.Fund(last, credits); err != nil {
					t.Fatal(err)
				}
				return last, last
			},
			revoke:  func(_ *testing.T, key int64) { m.RevokeKey(key) },
			balance: func(_ *testing.T, account int64) Balance { return m.Balance(account) },
		}
	})
}
