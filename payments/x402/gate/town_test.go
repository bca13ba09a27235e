package gate

import (
	"context"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// town is a chain with a facilitator and a watcher on it.
type town struct {
	*x402test.Town

	t           *testing.T
	watcher     *evm.Watcher
	facilitator *local.Facilitator
	server      *server.Server // serves it
}

func newTown(t *testing.T) *town {
	t.Helper()
	c := &town{Town: x402test.New(t, chain.Config{}), t: t}
	c.watcher = evm.NewWatcher(c.Node, x402.BaseSepolia()).WithPoll(10 * time.Millisecond)
	c.facilitator = c.local(nil)
	var err error
	c.server, err = server.New(server.Config{Facilitator: c.facilitator, Networks: []x402.Network{x402.BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// local starts a facilitator with the chain's signer.
func (c *town) local(change func(*local.Config)) *local.Facilitator {
	c.Helper()
	cfg := local.Config{
		RPC: c.Node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Chain.Settler()), PollInterval: 10 * time.Millisecond, GasMax: 2_000_000,
	}
	if change != nil {
		change(&cfg)
	}
	f, err := local.New(cfg)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}
