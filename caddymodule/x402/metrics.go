package x402

import (
	"context"
	"math/big"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Verifications take milliseconds, or a node's round trip; settlements take blocks.
var (
	challengesTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "challenges_total",
		Help: "Requests without payment that got a 402 response.",
	})
	verificationsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "verifications_total",
		Help: "Payments by result of their verification: accepted, or the code of the refusal.",
	}, []string{"outcome"})
	verificationSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "verification_duration_seconds",
		Help:    "Time to verify a payment, by outcome: accepted, refused or unavailable.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"outcome"})
	settlementSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "settlement_duration_seconds",
		Help: "Time to settle a payment, by outcome: settled, refused, unavailable or unknown.",
		// Blocks come every 2 s. The buckets are fine up to two blocks, then follow confirmations, up to the longest
		// wait for a remote facilitator.
		Buckets: []float64{.1, .25, .5, 1, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 20, 30, 60, 120},
	}, []string{"outcome"})
	settlementTxTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "transactions_total",
		Help: "Transactions that were mined and paid for by a local facilitator.",
	})
	gasUsedTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "gas_used_total",
		Help: "Gas used by the transactions of local facilitators.",
	})
	gasSpentTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "gas_spent_wei_total",
		Help: "Cost of the gas used by the transactions of local facilitators, in wei (1e18 wei are one ETH).",
	})
	gasRefusalsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "gas_refusals_total",
		Help: "Payments refused because of the cost of their gas, by reason: share, budget, fee_max or rate.",
	}, []string{"reason"})
)

// metricsObserver is the x402.Observer of all gates and facilitators of this process.
type metricsObserver struct{}

var observer x402.Observer = metricsObserver{}

func (metricsObserver) Challenged() { challengesTotal.Inc() }

func (metricsObserver) Verified(refused x402.Code, took time.Duration) {
	outcome, kind := string(refused), "refused"
	switch {
	case refused == "":
		outcome, kind = "accepted", "accepted"
	case refused == x402.CodeUnexpectedVerify:
		kind = "unavailable"
	case !knownCodes[refused]:
		outcome = "other"
	}
	verificationsTotal.WithLabelValues(outcome).Inc()
	verificationSeconds.WithLabelValues(kind).Observe(took.Seconds())
}

func (metricsObserver) Settled(outcome string, took time.Duration) {
	settlementSeconds.WithLabelValues(outcome).Observe(took.Seconds())
}

func (metricsObserver) Spent(gas uint64, wei *big.Int) {
	settlementTxTotal.Inc()
	gasUsedTotal.Add(float64(gas))
	spent, _ := new(big.Float).SetInt(wei).Float64() // an estimate for charts; the exact sum is on the chain
	gasSpentTotal.Add(spent)
}

func (metricsObserver) GasRefused(reason string) { gasRefusalsTotal.WithLabelValues(reason).Inc() }

// knownCodes are the codes that can be a label. A remote facilitator may send any code, and a label must have few values.
var knownCodes = func() map[x402.Code]bool {
	known := map[x402.Code]bool{}
	for _, code := range []x402.Code{
		x402.CodeInsufficientFunds, x402.CodeValidAfter, x402.CodeValidBefore, x402.CodeValue, x402.CodeValueMismatch,
		x402.CodeSignature, x402.CodeRecipient, x402.CodeNetwork, x402.CodePayload, x402.CodeRequirements,
		x402.CodeScheme, x402.CodeUnsupportedScheme, x402.CodeVersion, x402.CodeTransactionState, x402.CodeUnexpectedVerify,
		x402.CodeUndeployed, x402.CodeDuplicateSettlement,
	} {
		known[code] = true
	}
	return known
}()

// beginSeries creates all series at the start. A series that begins with its first event has no rate for that event,
// and alerts would miss a single failure.
func beginSeries() {
	for _, outcome := range []string{"accepted", "refused", "unavailable"} {
		verificationSeconds.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"settled", "refused", "unavailable", "unknown"} {
		settlementSeconds.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"accepted", "other"} {
		verificationsTotal.WithLabelValues(outcome)
	}
	for _, reason := range []string{x402.GasShare, x402.GasBudget, x402.GasFee, x402.GasRate} {
		gasRefusalsTotal.WithLabelValues(reason)
	}
	for code := range knownCodes {
		verificationsTotal.WithLabelValues(string(code))
	}
}

// openClaims counts the unfinished claims in the store that all edges share.
type openClaims struct {
	unknown    int // settlements of unknown outcome
	refundsDue int
	stranded   int // claims that no living edge can settle
}

// claimCounts counts the unfinished claims of a gate's store.
type claimCounts func(context.Context) (openClaims, error)

var claimGauges = newClaimGauges()

func newClaimGauges() *metrics.Gauges[claimCounts] {
	unknown := prometheus.NewDesc("turnpike_x402_unknown_settlements",
		"Settlements whose outcome is not known yet, across all edges that share the ledger.", nil, nil)
	refundsDue := prometheus.NewDesc("turnpike_x402_refunds_due",
		"Payments whose refund is due, across all edges that share the ledger.", nil, nil)
	stranded := prometheus.NewDesc("turnpike_x402_stranded_payments",
		"Unfinished payments on whose network and token no running edge settles.", nil, nil)
	return metrics.NewGauges(func(ctx context.Context, gates []claimCounts, values chan<- prometheus.Metric) {
		var open openClaims
		counted := false
		for _, count := range gates {
			if found, err := count(ctx); err == nil {
				// All gates of an edge share its ledger and return the same.
				open.unknown, open.refundsDue = max(open.unknown, found.unknown), max(open.refundsDue, found.refundsDue)
				open.stranded = max(open.stranded, found.stranded)
				counted = true
			}
		}
		if counted {
			values <- prometheus.MustNewConstMetric(unknown, prometheus.GaugeValue, float64(open.unknown))
			values <- prometheus.MustNewConstMetric(refundsDue, prometheus.GaugeValue, float64(open.refundsDue))
			values <- prometheus.MustNewConstMetric(stranded, prometheus.GaugeValue, float64(open.stranded))
		}
	}, unknown, refundsDue, stranded)
}

// Collectors returns the metrics of payments, with all their series.
func Collectors() []prometheus.Collector {
	beginSeries()
	return []prometheus.Collector{
		challengesTotal, verificationsTotal, verificationSeconds, settlementSeconds,
		settlementTxTotal, gasUsedTotal, gasSpentTotal, gasRefusalsTotal, claimGauges,
	}
}

// Interface guard
var _ x402.Observer = metricsObserver{}
