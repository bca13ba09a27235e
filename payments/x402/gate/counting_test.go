package gate

import (
	"context"
	"sync"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// countingStore counts look-ups and claims.
type countingStore struct {
	claims.Store

	mu            sync.Mutex
	finds, claims int
}

func (c *countingStore) Find(ctx context.Context, key claims.Key) (claims.Record, error) {
	c.mu.Lock()
	c.finds++
	c.mu.Unlock()
	return c.Store.Find(ctx, key)
}

func (c *countingStore) Claim(ctx context.Context, rec *claims.Record, seen x402.Checked) (claims.Record, bool, error) {
	c.mu.Lock()
	c.claims++
	c.mu.Unlock()
	return c.Store.Claim(ctx, rec, seen)
}

func (c *countingStore) take() (finds, claims int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	finds, claims = c.finds, c.claims
	c.finds, c.claims = 0, 0
	return finds, claims
}
