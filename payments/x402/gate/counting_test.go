package gate

import (
	"context"
	"maps"
	"sync"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// countingRPC counts calls to a node by method; a batch counts as one "batch".
type countingRPC struct {
	RPC

	mu    sync.Mutex
	calls map[string]int
}

func (c *countingRPC) CallContext(ctx context.Context, result any, method string, args ...any) error {
	c.count(method)
	return c.RPC.CallContext(ctx, result, method, args...)
}

func (c *countingRPC) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	c.count("batch")
	return c.RPC.BatchCallContext(ctx, batch)
}

func (c *countingRPC) count(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[method]++
}

// take returns the counts and resets them.
func (c *countingRPC) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := maps.Clone(c.calls)
	clear(c.calls)
	return calls
}

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
