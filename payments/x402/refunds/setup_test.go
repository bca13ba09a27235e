package refunds

import (
	"context"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// town is a chain with a facilitator.
type town struct {
	*x402test.Town

	facilitator *local.Facilitator
}

func newTown(t *testing.T) *town {
	t.Helper()
	c := x402test.New(t, chain.Config{})
	f, err := local.New(local.Config{RPC: c.Node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Chain.Settler()), PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	return &town{Town: c, facilitator: f}
}
