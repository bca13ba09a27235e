package credits

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// subject is what the conformance suite needs of a ledger, beside its meter.
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

func request(account, key int64, amount money.Credits) Request {
	return Request{ID: NewID(), Account: account, Key: key, Amount: amount, Operation: "scrape"}
}

// testMeter is the suite that every meter runs.
func testMeter(t *testing.T, setup func(t *testing.T) *subject) {
	t.Run("capture takes what was held", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 30)
		if d := s.authorize(t, req); d.Outcome != Accepted || d.Available != 70 {
			t.Fatalf("got %+v, want accepted with 70 available", d)
		}
		if b := s.balance(t, account); b.Balance != 100 || b.Held != 30 {
			t.Fatalf("got %+v, want 100 with 30 held", b)
		}
		s.Capture(req, 30)
		if b := s.flushed(t, account); b.Balance != 70 || b.Held != 0 {
			t.Fatalf("got %+v, want 70 with 0 held", b)
		}
	})

	t.Run("partial capture gives the rest back", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 30)
		s.authorize(t, req)
		s.Capture(req, 7)
		if b := s.flushed(t, account); b.Balance != 93 || b.Held != 0 {
			t.Fatalf("got %+v, want 93 with 0 held", b)
		}
	})

	t.Run("void takes nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 30)
		s.authorize(t, req)
		s.Void(req)
		if b := s.flushed(t, account); b.Balance != 100 || b.Held != 0 {
			t.Fatalf("got %+v, want 100 with 0 held", b)
		}
	})

	t.Run("a hold ends once", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 30)
		s.authorize(t, req)
		s.Capture(req, 30)
		s.Capture(req, 30)
		s.Void(req)
		if b := s.flushed(t, account); b.Balance != 70 || b.Held != 0 {
			t.Fatalf("got %+v, want 70 with 0 held", b)
		}
	})

	t.Run("capture is at most what was held", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 3)
		s.authorize(t, req)
		s.Capture(req, 50)
		if b := s.flushed(t, account); b.Balance != 97 {
			t.Fatalf("got %+v, want 97", b)
		}
	})

	t.Run("an unknown hold ends nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		s.Capture(request(account, key, 30), 30)
		if b := s.flushed(t, account); b.Balance != 100 || b.Held != 0 {
			t.Fatalf("got %+v, want 100 with 0 held", b)
		}
	})

	t.Run("another account's hold is not ended", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		mine, key := s.newAccount(t, 100)
		other, _ := s.newAccount(t, 100)
		req := request(mine, key, 30)
		s.authorize(t, req)
		foreign := req
		foreign.Account = other
		s.Capture(foreign, 30)
		if b := s.flushed(t, other); b.Balance != 100 {
			t.Fatalf("got %+v, want 100", b)
		}
		if b := s.balance(t, mine); b.Held != 30 {
			t.Fatalf("got %+v, want 30 held", b)
		}
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

	t.Run("a revoked or unknown key takes nothing", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 10)
		s.revoke(t, key)
		for _, req := range []Request{request(account, key, 1), request(account, 1<<40, 1), request(1<<40, key, 1)} {
			if d := s.authorize(t, req); d.Outcome != KeyInvalid {
				t.Fatalf("got %+v, want an invalid key", d)
			}
		}
		if b := s.balance(t, account); b.Held != 0 {
			t.Fatalf("got %+v, want 0 held", b)
		}
	})

	t.Run("64 concurrent duplicates hold once", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		req := request(account, key, 5)
		outcomes := concurrently(t, 64, func(int) Decision { return s.authorize(t, req) })
		if outcomes[Accepted] != 1 || outcomes[Duplicate] != 63 {
			t.Fatalf("got %v, want 1 accepted and 63 duplicates", outcomes)
		}
		if b := s.balance(t, account); b.Held != 5 {
			t.Fatalf("got %+v, want 5 held", b)
		}
	})

	t.Run("a duplicate of a refused request is not reported as applied", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 1)
		req := request(account, key, 5)
		outcomes := concurrently(t, 16, func(int) Decision { return s.authorize(t, req) })
		if outcomes[Refused] != 16 {
			t.Fatalf("got %v, want 16 refused", outcomes)
		}
	})

	t.Run("a hot account is spent to the last credit and no further", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		account, key := s.newAccount(t, 100)
		outcomes := concurrently(t, 400, func(int) Decision {
			req := request(account, key, 1)
			d := s.authorize(t, req)
			if d.Outcome == Accepted {
				s.Capture(req, 1)
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
			return // decided in the same moment: the hold stands and is the caller's
		}
		s.authorize(t, request(account, key, 0)) // a batch later than the abandoned one
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
