package gate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// mortal is an instance that a test can end.
type mortal struct {
	Instance

	ended atomic.Bool
	mu    sync.Mutex
	told  []string
}

func (m *mortal) Live() error {
	if m.ended.Load() {
		return errTest
	}
	return nil
}

func (m *mortal) Announce(_ context.Context, settles []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = settles
	return nil
}

// mortalBooth is a booth whose process can be ended.
func mortalBooth(t *testing.T) (*booth, *mortal) {
	t.Helper()
	m := &mortal{Instance: Alone()}
	b := newBooth(t, nil)
	b.gate = b.newGate(func(c *Config) {
		c.Process = NewProcess(m)
		c.Store = b.archive.As(m.ID())
	})
	return b, m
}

// A process that has ended takes no payment and returns no paid response, whenever it notices.
func TestEndedProcess(t *testing.T) {
	t.Parallel()
	t.Run("takes nothing", func(t *testing.T) {
		t.Parallel()
		b, m := mortalBooth(t)
		header := b.pay(2)
		m.ended.Store(true)
		for _, r := range []*http.Request{b.request(header...), b.request()} {
			if a := b.serve(r); !errors.Is(a.err, x402.ErrUnavailable) || a.Body.Len() > 0 {
				t.Errorf("got %v and %q, want ErrUnavailable and nothing written", a.err, a.Body)
			}
		}
		b.wantCounts(0, 0, 0)
	})
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		for name, isTaken := range map[string]bool{"ended": true, "only silent": false} {
			t.Run("while the upstream works, "+string(settle)+", "+name, func(t *testing.T) {
				t.Parallel()
				testEndedAtWork(t, settle, isTaken)
			})
		}
	}
}

func testEndedAtWork(t *testing.T, settle price.Settle, isTaken bool) {
	b, m := mortalBooth(t)
	b.offer.Settle = settle
	other := b.newGate(nil)
	good := b.next
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		m.ended.Store(true)
		if isTaken {
			b.archive.End(m.ID())
			if err := other.Recover(t.Context()); err != nil {
				t.Error(err)
			}
		}
		w.Header().Set("X-Of-The-Upstream", "yes")
		return good(w, r, c)
	}
	header := b.pay(2)
	a := b.serve(b.request(header...))
	if a.Body.String() == "report" || a.Header().Get("X-Of-The-Upstream") != "" {
		t.Fatalf("got %d %s: an answer that nobody may have paid for", a.Code, a.Body)
	}
	settles := 0
	if settle == price.SettleBefore {
		settles = 1
		b.wantAnswer(a, http.StatusServiceUnavailable, x402.CodeSettlementPending)
	}
	b.wantCounts(1, settles, settles)
	switch {
	case isTaken && settle == price.SettleAfter:
		b.wantState(claims.StateAbandoned)
	case isTaken:
		b.wantState(claims.StateRefundDue)
	default: // it is alive after all, and nothing was lost
		m.ended.Store(false)
		if err := b.gate.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.wantPaid(b.serve(b.request(header...)))
		b.wantCounts(1, 1, 1)
	}
}

// Gates of one process share their open and finished claims: none of them takes another's claim for an orphan.
func TestGatesOfOneProcess(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		t.Run(string(settle), func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = settle
			next := b.newGate(func(c *Config) { c.Process, c.Store, c.ResponseBytesMax = b.gate.process, b.store, 1<<10 })
			good := b.next
			b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
				if err := next.Recover(t.Context()); err != nil {
					t.Error(err)
				}
				return good(w, r, c)
			}
			b.wantPaid(b.serve(b.request(b.pay(2)...)))
			b.wantState(claims.StateSettled)
		})
	}
}

func TestProcessTellsWhatItSettles(t *testing.T) {
	t.Parallel()
	b, m := mortalBooth(t)
	both := b.gate.settles()
	slices.Sort(both)
	one := b.newGate(func(c *Config) { c.Process, c.Accepts = b.gate.process, c.Accepts[:1] })
	want := func(want []string) {
		t.Helper()
		if !slices.Equal(m.told, want) {
			t.Errorf("told: got %v, want %v", m.told, want)
		}
	}
	for _, step := range []struct {
		do   func(context.Context) error
		want []string
	}{{one.Open, one.settles()}, {b.gate.Open, both}, {one.Close, both}, {b.gate.Close, nil}} {
		if err := step.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(step.want)
	}
}

// A claim that exceeds the decision timeout gets 503 and is released, even if it is made later: the same payment can be
// used again.
func TestClaimThatTakesTooLong(t *testing.T) {
	t.Parallel()
	pool := claimstest.NewPool(t)
	on := claimstest.Postgres(t, pool)
	b := newBoothOn(t, &on, nil)
	b.chain.set(func(c *chainFake) { c.has = x402.Checked{Known: true, Balance: 10_000, Block: 1} })
	header := b.pay(2)
	hasty := b.newGate(func(c *Config) { c.DecisionTimeout = 300 * time.Millisecond })
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	lock := func(do string) {
		t.Helper()
		payer := x402.BaseSepolia().ID() + "/" + x402.BaseSepolia().Asset.Hex() + "/" + b.authorization().From.Hex()
		if _, err := conn.Exec(t.Context(), `select `+do+`(hashtextextended($1, 402))`, payer); err != nil {
			t.Fatal(err)
		}
	}
	lock("pg_advisory_lock")
	if a := b.serveAt(hasty, b.request(header...), "body"); !errors.Is(a.err, x402.ErrUnavailable) || a.Body.Len() > 0 {
		t.Fatalf("got %v and %q, want ErrUnavailable and nothing written", a.err, a.Body)
	}
	b.wantCounts(0, 0, 0)
	lock("pg_advisory_unlock") // the abandoned statement continues
	b.wantPaid(b.serve(b.request(header...)))
	b.wantCounts(1, 1, 1)
	x402test.Await(t, "the claim is known to be released", func() bool { return hasty.InFlight() == 0 })
}

// A claim that waited for a copy's claim, which is then released, is not refused because of the copy.
func TestClaimAfterACopyThatIsReleased(t *testing.T) {
	t.Parallel()
	pool := claimstest.NewPool(t)
	store := claimstest.PostgresStore(t, pool)
	begin := func() pgx.Tx {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // returns an error, since it is committed
		return tx
	}
	watcher, err := pgx.Connect(t.Context(), pool.Config().ConnString()) // the pool may have too few sessions on small machines
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(context.WithoutCancel(t.Context()))
	exec := func(tx pgx.Tx, statement string, args ...any) {
		if _, err := tx.Exec(t.Context(), statement, args...); err != nil {
			t.Error(err)
		}
	}
	wait := func(n int, mode string) {
		x402test.Await(t, fmt.Sprintf("%d wait for %s", n, mode), func() bool {
			var got int
			err := watcher.QueryRow(t.Context(), `select count(*) from pg_locks where mode = $1 and not granted
				and database = (select oid from pg_database where datname = current_database())`, mode).Scan(&got)
			return err == nil && got == n
		})
	}
	rec := claimstest.NewRecord(price.SettleAfter)
	locked := begin()
	exec(locked, `select pg_advisory_xact_lock(hashtextextended($1, 402))`, rec.Key.Network+"/"+rec.Key.Asset+"/"+rec.Key.Payer)
	var claims sync.WaitGroup
	for n := range 2 {
		copied := *rec
		copied.ID = uuid.New()
		claims.Go(func() {
			if _, won, err := store.Claim(t.Context(), &copied, x402.Checked{Known: true, Balance: rec.Amount, Block: 1}); err != nil || !won {
				t.Errorf("claim: got %v, %v, want it claimed", won, err)
			}
		})
		wait(n+1, "ExclusiveLock")
	}
	released := make(chan struct{})
	go func() { // after both have their result, and before the second looks for the claim in its way
		defer close(released)
		tx := begin()
		exec(tx, `lock table x402_claim in access exclusive mode`)
		exec(tx, `update x402_claim set state = 'released', done_at = now() where nonce = $1`, rec.Key.Nonce[:])
		exec(tx, `commit`)
	}()
	wait(1, "AccessExclusiveLock")
	exec(locked, `commit`)
	claims.Wait()
	<-released
}
