package x402

import (
	"context"
	"maps"
	"sync"

	"github.com/ethereum/go-ethereum/rpc"
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
	ClaimStore

	mu            sync.Mutex
	finds, claims int
}

func (c *countingStore) Find(ctx context.Context, key Key) (Record, error) {
	c.mu.Lock()
	c.finds++
	c.mu.Unlock()
	return c.ClaimStore.Find(ctx, key)
}

func (c *countingStore) Claim(ctx context.Context, rec *Record, seen Checked) (Record, bool, error) {
	c.mu.Lock()
	c.claims++
	c.mu.Unlock()
	return c.ClaimStore.Claim(ctx, rec, seen)
}

func (c *countingStore) take() (finds, claims int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	finds, claims = c.finds, c.claims
	c.finds, c.claims = 0, 0
	return finds, claims
}
