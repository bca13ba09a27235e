package facilitator

import (
	"context"
	"math/big"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
)

// signerBalance is what the account of a local facilitator has left for gas.
type signerBalance struct {
	network string // CAIP-2
	account string // the operator's own, not a payer's
	wei     *big.Int
}

// state returns the state of one facilitator.
type state struct {
	network string // CAIP-2
	// away returns how many nodes of the network are skipped.
	away func() int
	// signers returns the balances of a local facilitator. It is nil for a remote one.
	signers func(context.Context) ([]signerBalance, error)
}

var gauges = newGauges()

func newGauges() *metrics.Gauges[state] {
	balance := prometheus.NewDesc("turnpike_x402_signer_balance_wei",
		"The balance that a signer of a local facilitator has for gas, in wei.", []string{"network", "signer"}, nil)
	nodesAway := prometheus.NewDesc("turnpike_x402_nodes_away",
		"Nodes of the network that are skipped because they failed recently.", []string{"network"}, nil)
	return metrics.NewGauges(func(ctx context.Context, facilitators []state, values chan<- prometheus.Metric) {
		balances, away := map[signerBalance]*big.Int{}, map[string]int{}
		for _, one := range facilitators {
			away[one.network] = max(away[one.network], one.away())
			if one.signers == nil {
				continue
			}
			found, _ := one.signers(ctx)
			for _, b := range found {
				balances[signerBalance{network: b.network, account: b.account}] = b.wei
			}
		}
		for signer, wei := range balances {
			value, _ := new(big.Float).SetInt(wei).Float64()
			values <- prometheus.MustNewConstMetric(balance, prometheus.GaugeValue, value, signer.network, signer.account)
		}
		for network, n := range away {
			values <- prometheus.MustNewConstMetric(nodesAway, prometheus.GaugeValue, float64(n), network)
		}
	}, balance, nodesAway)
}

// Collectors returns the metrics of facilitators.
func Collectors() []prometheus.Collector { return []prometheus.Collector{gauges} }
