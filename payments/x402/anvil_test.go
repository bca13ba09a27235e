//go:build interop

package x402

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/anvil"
	"github.com/turnpike-edge/turnpike/dev/chain"
)

// blockTime is the time from block to block of the nodes; 0 is a block for each
// transaction at once.
var blockTime = flag.Duration("block-time", 0, "time from block to block of anvil")

func openChain(t testing.TB, cfg chain.Config) testChain {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n, err := anvil.Start(ctx, anvil.Config{Dir: t.TempDir(), Chain: cfg, BlockTime: *blockTime})
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
