package facilitator

import (
	"context"
	"maps"
	"math/big"
	"testing"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics/metricstest"
)

func TestFacilitatorGauges(t *testing.T) {
	t.Parallel()
	g := newGauges()
	const network = "eip155:8453"
	signers := func(context.Context) ([]signerBalance, error) {
		return []signerBalance{{network, "0xa", big.NewInt(5e18)}, {network, "0xb", big.NewInt(0)}}, nil
	}
	away := func(n int) func() int { return func() int { return n } }
	g.Add(1, state{network: network, away: away(1), signers: signers})
	g.Add(2, state{network: network, away: away(0), signers: signers}) // the same signers
	g.Add(3, state{network: network, away: away(0)})
	want := map[string]float64{
		"turnpike_x402_signer_balance_wei," + network + ",0xa": 5e18, "turnpike_x402_signer_balance_wei," + network + ",0xb": 0,
		"turnpike_x402_nodes_away," + network: 1,
	}
	if got := metricstest.Gather(t, g); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for key := range 3 {
		g.Remove(key + 1)
	}
	if got := metricstest.Gather(t, g); len(got) != 0 {
		t.Errorf("without a facilitator: got %v, want nothing", got)
	}
}
