package local

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// town is a chain with facilitators on it.
type town struct {
	*x402test.Town

	t       *testing.T
	watcher *evm.Watcher
	local   *Facilitator
	// server serves local. It has two clients, one with its own node and one without.
	server *server.Server
	seeing *remote.Facilitator
	blind  *remote.Facilitator
}

func newTown(t *testing.T) *town {
	t.Helper()
	c := x402test.New(t, chain.Config{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	local, err := New(Config{RPC: c.Node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Chain.Settler()), PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.WithoutCancel(ctx)) })
	if err := local.Check(ctx); err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(server.Config{Facilitator: local, Networks: []x402.Network{x402.BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	watcher := evm.NewWatcher(c.Node, x402.BaseSepolia()).WithPoll(10 * time.Millisecond)
	seeing, err := remote.New(remote.Config{URL: server.URL, Client: server.Client(), Chain: watcher})
	if err != nil {
		t.Fatal(err)
	}
	blind, err := remote.New(remote.Config{URL: server.URL, Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return &town{Town: c, t: t, watcher: watcher, local: local, server: handler, seeing: seeing, blind: blind}
}

// facilitator is another one with the same signer.
func (c *town) facilitator(node evm.RPC, factories ...common.Address) *Facilitator {
	c.Helper()
	f, err := New(Config{
		RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Chain.Settler()), PollInterval: 10 * time.Millisecond,
		Factories: factories, GasMax: 2_000_000,
	})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}
