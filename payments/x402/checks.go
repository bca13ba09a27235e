package x402

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// checks lets a facilitator check a payment once for all copies that come at the
// same time, and the payments on one nonce one after another: of those at most one
// is good, and a payer who signs many has the chain asked no faster for it.
type checks struct {
	copies singleflight.Group // by payment
	turns  turns
}

// turnKey is what checks take turns on. What is not signed by the payer's key has
// turns of its own: whoever has seen a nonce could else hold up its payer.
type turnKey struct {
	nonce  Key
	signed bool
}

// do runs check, or waits for the result of the copy for which it runs already.
// The check does not end with the client that asked first, and takes no longer
// than the timeout; a client that waits may leave.
func (c *checks) do(v *visit, timeout time.Duration, check func(context.Context) (Checked, error)) (Checked, error) {
	turn := turnKey{nonce: v.key, signed: v.payment.SignedByPayer(v.req.Network)}
	client := v.r.Context()
	flight := c.copies.DoChan(string(v.payloadHash[:])+v.key.Network, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(client), timeout)
		defer cancel()
		leave, err := c.turns.enter(ctx, turn)
		if err != nil {
			return Checked{}, err
		}
		defer leave()
		return check(ctx)
	})
	select {
	case <-client.Done():
		return Checked{}, client.Err()
	case result := <-flight:
		seen, _ := result.Val.(Checked)
		return seen, result.Err
	}
}

// turns are locks by key, of which there are as many as are held or waited for.
type turns struct {
	mu    sync.Mutex
	taken map[turnKey]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody has the turn
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
