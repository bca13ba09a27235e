//go:build interop

package x402test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/anvil"
	"github.com/turnpike-edge/turnpike/dev/chain"
)

// Open starts a chain that ends with the test.
func Open(t testing.TB, cfg chain.Config) Chain {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	blockTime := time.Duration(0)
	if strings.HasPrefix(t.Name(), "TestByTheClock/") {
		blockTime = time.Second
	}
	n, err := anvil.Start(ctx, anvil.Config{Dir: t.TempDir(), Chain: cfg, BlockTime: blockTime})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Errorf("ending anvil: %v", err)
		}
	})
	return n
}

// MakeFinal makes blocks until every transaction that is in a block is final.
func (c *Town) MakeFinal() {
	c.Helper()
	const epochs = 64 // blocks that are not final yet
	node, ok := c.Chain.(*anvil.Node)
	if !ok {
		c.Fatalf("chain: got a %T, want anvil", c.Chain)
	}
	if err := node.Mine(c.Context(), epochs+1, 0); err != nil {
		c.Fatal(err)
	}
}

// Reorganise replaces the chain's newest blocks with empty ones.
func Reorganise(t testing.TB, c Chain, blocks int) {
	t.Helper()
	node, ok := c.(*anvil.Node)
	if !ok {
		t.Fatalf("chain: got a %T, want anvil", c)
	}
	if err := node.Reorganise(t.Context(), blocks); err != nil {
		t.Fatal(err)
	}
}
