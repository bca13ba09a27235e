package gate

import (
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Confirmations take time, so the settlement timeout grows with their number.
func TestSettleTimeoutGrowsWithConfirmations(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	local := func(confirmations int) x402.Facilitator {
		f, err := local.New(local.Config{RPC: c.Node, Network: x402.BaseSepolia(), Signers: signer.Keys(x402test.NewKey(t)), Confirmations: confirmations})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	over := func(confirmations int) x402.Facilitator {
		return newRemote(t, http.NotFoundHandler(), func(cfg *remote.Config) {
			cfg.Timeout, cfg.Chain = 20*time.Second, c.watcher.WithConfirmations(confirmations)
		})
	}
	for name, tt := range map[string]struct {
		facilitator x402.Facilitator
		want        time.Duration
	}{
		"local":                      {local(0), 30 * time.Second},
		"local, 12 blocks":           {local(12), 52 * time.Second},
		"remote":                     {over(1), 40 * time.Second},
		"remote, 12 blocks":          {over(12), 62 * time.Second},
		"remote, without a node":     {newRemote(t, http.NotFoundHandler(), func(cfg *remote.Config) { cfg.Timeout = 20 * time.Second }), 20 * time.Second},
		"of several chains the most": {facilitator.ByChain(map[uint64]x402.Facilitator{1: local(1), 2: over(12)}), 62 * time.Second},
	} {
		if got := (Config{Facilitator: tt.facilitator}).withDefaults().SettleTimeout; got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
