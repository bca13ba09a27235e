package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// checks makes a facilitator check a payment once for all duplicates that arrive at the same time, and payments with the
// same nonce one after another. At most one of those is valid, and a payer who signs many cannot make the gate query the
// chain faster.
type checks struct {
	copies singleflight.Group // by payment
	turns  turns
}

// turnKey is the key of the locks for checks. Payments that are not signed by the payer's key have their own lock:
// otherwise anyone who has seen a nonce could hold up its payer.
type turnKey struct {
	nonce  claims.Key
	signed bool
}

// do runs check, or waits for the result if it already runs for a duplicate. The check continues when the first client
// leaves, and takes no longer than the timeout. A waiting client may leave.
func (c *checks) do(v *visit, timeout time.Duration, check func(context.Context) (x402.Checked, error)) (x402.Checked, error) {
	turn := turnKey{nonce: v.key, signed: v.payment.SignedByPayer(v.req.Network)}
	client := v.r.Context()
	flight := c.copies.DoChan(string(v.payloadHash[:])+v.key.Network, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(client), timeout)
		defer cancel()
		leave, err := c.turns.enter(ctx, turn)
		if err != nil {
			return x402.Checked{}, err
		}
		defer leave()
		return check(ctx)
	})
	select {
	case <-client.Done():
		return x402.Checked{}, client.Err()
	case result := <-flight:
		seen, _ := result.Val.(x402.Checked)
		return seen, result.Err
	}
}

// turns are locks by key. A lock exists only while it is held or waited for.
type turns struct {
	mu    sync.Mutex
	taken map[turnKey]*turn
}

type turn struct {
	free  chan struct{} // holds one token while the lock is free
	users int
}

func (t *turns) enter(ctx context.Context, key turnKey) (leave func(), err error) {
	t.mu.Lock()
	mine := t.taken[key]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		if t.taken == nil {
			t.taken = map[turnKey]*turn{}
		}
		t.taken[key] = mine
	}
	mine.users++
	t.mu.Unlock()
	select {
	case <-mine.free:
		return func() { mine.free <- struct{}{}; t.release(key, mine) }, nil
	case <-ctx.Done():
		t.release(key, mine)
		return nil, fmt.Errorf("waiting for another payment on this nonce: %w", ctx.Err())
	}
}

func (t *turns) release(key turnKey, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.taken, key)
	}
}
