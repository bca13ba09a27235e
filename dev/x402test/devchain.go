//go:build !interop

package x402test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// devChain is the development chain with a clock that can be stopped: it makes at most one block per second.
type devChain struct {
	*chain.Chain

	mu      sync.Mutex
	stopped time.Time
}

// Open starts a chain that ends with the test.
func Open(t testing.TB, cfg chain.Config) Chain {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := &devChain{}
	cfg.Now = c.now
	var err error
	if c.Chain, err = chain.Start(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (c *devChain) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped.IsZero() {
		return c.stopped
	}
	return time.Now()
}

func (c *devChain) StopBlocks(ctx context.Context) error {
	newest, err := c.Client().HeaderByNumber(ctx, nil)
	if err != nil {
		return fmt.Errorf("stopping the chain's clock: %w", err)
	}
	c.set(time.Unix(int64(newest.Time), 0))
	return nil
}

func (c *devChain) GoOn(context.Context) error {
	c.set(time.Time{})
	return nil
}

func (c *devChain) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = at
}

// MakeFinal makes blocks until every transaction that is in a block is final. Here one further block is enough.
func (c *Town) MakeFinal() {
	c.Helper()
	c.Reverted()
}
