//go:build interop

package anvil

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

func TestNode(t *testing.T) {
	t.Parallel()
	for _, id := range []uint64{chain.BaseSepolia, chain.BaseMainnet} {
		for _, blockTime := range []time.Duration{0, time.Second} {
			n, err := Start(t.Context(), Config{Dir: t.TempDir(), Chain: chain.Config{ChainID: id}, BlockTime: blockTime})
			if err != nil {
				t.Fatal(err)
			}
			wallet := chain.AddressOf(n.Wallet())
			before, err := n.Balance(t.Context(), wallet)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Mint(t.Context(), wallet, 7); err != nil {
				t.Fatal(err)
			}
			if after, err := n.Balance(t.Context(), wallet); err != nil || after != before+7 {
				t.Errorf("chain %d: balance: got %d, %v, want %d", id, after, err, before+7)
			}
			if err := n.Close(); err != nil {
				t.Error(err)
			}
			if err := syscall.Kill(n.PID(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d after Close: got %v, want that there is none", n.PID(), err)
			}
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"parts of seconds": {Dir: t.TempDir(), BlockTime: time.Millisecond},
		"no such program":  {Dir: t.TempDir(), Binary: "no/such/program"},
		"another program":  {Dir: t.TempDir(), Binary: "/bin/false"},
		"another chain":    {Dir: t.TempDir(), Chain: chain.Config{ChainID: 1}},
	} {
		if n, err := Start(t.Context(), cfg); err == nil {
			t.Errorf("%s: started", name)
			_ = n.Close()
		}
	}
}
