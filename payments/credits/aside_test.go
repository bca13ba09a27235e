package credits

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db/outage"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// lockAccount locks the row of an account in another session.
func (b *bench) lockAccount(t *testing.T, account int64) (unlock func()) {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `select from ledger_account where id = $1 for update`, account); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	return func() {
		if err := tx.Rollback(t.Context()); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
			t.Error(err)
		}
	}
}

// awaitAside waits until a request of a locked account is set aside.
func (b *bench) awaitAside(t *testing.T, m *Postgres) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for began := time.Now(); ; <-look.C {
		m.queue.mu.Lock()
		n := len(m.queue.aside)
		m.queue.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("no request is set aside")
		}
	}
}

// An account that another session has locked delays only its own requests. They fail with ErrOverloaded and never with
// a refusal; ends of its holds are not lost.
func TestLockedAccountKeepsNobodyElse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const patience = 2 * time.Second
	m := b.meter(t, func(c *Config) { c.DecisionTimeout = patience })
	locked, lockedKey := b.account(t, 100)
	other, otherKey := b.account(t, 1000)
	served, spare := b.hold(t, m, request(locked, lockedKey, 10)), b.hold(t, m, request(locked, lockedKey, 5))
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock := b.lockAccount(t, locked)
	m.Capture(served, 7)
	m.Void(spare)
	waited := make(chan error, 8)
	ask := func(amount money.Credits) {
		go func() {
			d, err := m.Authorize(t.Context(), request(locked, lockedKey, amount))
			if err == nil {
				err = errors.New([]string{"accepted", "refused", "key invalid"}[d.Outcome])
			}
			waited <- err
		}()
	}
	ask(1)
	b.awaitAside(t, m) // before that, a request for too many credits would be refused by the committed balance
	for i := range cap(waited) - 1 {
		ask([]money.Credits{1, 50, 1000}[i%3]) // some for more than is available
	}
	start, worst := time.Now(), time.Duration(0)
	for range 200 {
		began := time.Now()
		m.Capture(b.hold(t, m, request(other, otherKey, 1)), 1)
		worst = max(worst, time.Since(began))
	}
	t.Logf("200 requests of another took %s while the row was locked, one at most %s", time.Since(start), worst)
	for range cap(waited) {
		if err := <-waited; !errors.Is(err, ErrOverloaded) {
			t.Errorf("a request of the locked account: got %v, want no decision", err)
		}
	}
	if got := b.balance(t, locked); got.Balance != 100 || got.Held != 15 {
		t.Errorf("got %+v while it is locked, want 100 with 15 held", got)
	}

	// Once the lock is released, waiting requests get a decision, and the ends are written.
	ask(20)
	ask(1000)
	b.hold(t, m, request(other, otherKey, 1)) // a batch later the account is set aside
	unlock()
	got := map[string]int{(<-waited).Error(): 1}
	got[(<-waited).Error()]++
	if got["accepted"] != 1 || got["refused"] != 1 {
		t.Errorf("got %v of two requests when it is free, want one accepted and one refused", got)
	}
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.balance(t, locked); got.Balance != 93 || got.Held != 20 || m.Lost() != 0 {
		t.Errorf("got %+v and %d lost, want 93 with 20 held", got, m.Lost())
	}
	b.sound(t)
}

// A client that disconnects while its request waits gets no hold.
func TestLeavingWhileWaiting(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	account, key := b.account(t, 100)
	unlock := b.lockAccount(t, account)
	ctx, leave := context.WithCancel(t.Context())
	waited := make(chan error, 1)
	go func() {
		_, err := m.Authorize(ctx, request(account, key, 1))
		waited <- err
	}()
	b.awaitAside(t, m)
	leave()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v while the row is locked, want the context's error", err)
	}
	unlock()
	b.hold(t, m, request(account, key, 0)) // a batch later
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.balance(t, account); got.Balance != 100 || got.Held != 0 {
		t.Errorf("got %+v, want 100 and nothing held", got)
	}
	b.sound(t)
}

// Several accounts are locked and released at random while edges meter all of them.
func TestAccountsLockedAtRandom(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const customers, each = 6, 40
	accounts, keys := make([]int64, customers), make([]int64, customers)
	for i := range customers {
		accounts[i], keys[i] = b.account(t, each)
	}
	meters := []*Postgres{b.meter(t, nil), b.meter(t, nil)}
	decided := make(chan map[Outcome]int)
	go func() {
		decided <- concurrently(t, customers*each*2, func(i int) Decision {
			m := meters[i%len(meters)]
			d, err := m.Authorize(t.Context(), request(accounts[i%customers], keys[i%customers], 1))
			if err != nil {
				t.Errorf("authorising: %v", err)
			}
			if d.Outcome == Accepted {
				m.Capture(d.Hold, 1)
			}
			return d
		})
	}()
	var outcomes map[Outcome]int
	tick := time.NewTicker(3 * asideFor)
	defer tick.Stop()
	for i := 0; outcomes == nil; i++ {
		unlockOne, unlockOther := b.lockAccount(t, accounts[i%customers]), b.lockAccount(t, accounts[(i+2)%customers])
		select {
		case <-tick.C:
		case outcomes = <-decided:
		}
		unlockOne()
		unlockOther()
	}
	if outcomes[Accepted] != customers*each || outcomes[Refused] != customers*each {
		t.Errorf("got %v, want as many accepted as there are credits, and the rest refused", outcomes)
	}
	for _, m := range meters {
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range accounts {
		if got := b.balance(t, account); got.Balance != 0 || got.Held != 0 {
			t.Errorf("got %+v, want all spent", got)
		}
	}
	b.sound(t)
}

// Holds of a locked account expire later, those of other accounts now.
func TestExpiryPassesLockedAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	jobs := make(map[string]int64)
	for _, job := range []string{"job_locked", "job_other"} {
		account, _ := b.account(t, 100)
		var team string
		if err := b.pool.QueryRow(t.Context(), `select team_id from ledger_account where id = $1`, account).Scan(&team); err != nil {
			t.Fatal(err)
		}
		if _, err := b.ledger.OpenHold(t.Context(), NewJobHold{JobID: job, TeamID: team, Operation: "crawl", Amount: 10, Lasts: time.Hour}); err != nil {
			t.Fatal(err)
		}
		jobs[job] = account
	}
	b.exec(t, `update hold set expires_at = now()`)
	unlock := b.lockAccount(t, jobs["job_locked"])
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if n, err := b.ledger.ExpireHolds(ctx); err != nil || n != 1 {
		t.Errorf("got %d holds expired, %v; want the one whose account is free", n, err)
	}
	unlock()
	if n, err := b.ledger.ExpireHolds(t.Context()); err != nil || n != 1 {
		t.Errorf("got %d holds expired, %v; want the other one, now that its account is free", n, err)
	}
	b.sound(t)
}

// A job's hold is opened and closed by commits. They do not wait for an account that another session has locked, since
// each would occupy a session of the database.
func TestCommitsLeaveLockedAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, other := b.customer(t, 100), b.customer(t, 100)
	job := b.open(t, c, 10)
	unlock := b.lockAccount(t, c.account)
	const patience = 10 * time.Second // far less than a statement may take
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	opening := c.newJobHold(5)
	if _, err := b.ledger.OpenHold(ctx, opening); !isLocked(err) || !outage.Is(err) || !outage.NotDone(err) {
		t.Errorf("opening a hold of a locked account: got %v, want lock_not_available", err)
	}
	if _, err := b.ledger.CloseHold(ctx, job); !isLocked(err) {
		t.Errorf("closing a hold of a locked account: got %v, want lock_not_available", err)
	}
	b.close(t, b.open(t, other, 5))
	unlock()
	if _, err := b.ledger.OpenHold(ctx, opening); err != nil {
		t.Error(err)
	}
	b.close(t, job)
	b.wants(t, c, 100, 5, 0)
}

// An account that was locked once is forgotten after a time, even if no request that needs the lock follows.
func TestAsideIsForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := &Postgres{queue: newQueue(time.Second), aside: accounts{1: now.Add(-2 * asideForgotten), 2: now.Add(-asideFor), 3: now.Add(asideFor)}}
	p.part(newBatch())
	if _, old := p.aside[1]; old || len(p.aside) != 2 {
		t.Errorf("got %v set aside, want 2 and 3", p.aside)
	}
}
