package x402

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics/metricstest"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestCodesOfRefusalsAreLabels shows that each refusal on the page of errors is counted under its own code and not as
// "other". Sign-ins are not payments.
func TestCodesOfRefusalsAreLabels(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := bytes.Cut(page, []byte("\n## Payments"))
	codes := regexp.MustCompile("`((?:in|un)[a-z]+_[a-z0-9_]+)`").FindAllStringSubmatch(string(table), -1)
	if len(codes) < 15 {
		t.Fatalf("got %d codes, want the table", len(codes))
	}
	for _, m := range codes {
		code := x402.Code(m[1])
		if strings.HasPrefix(m[1], "invalid_siwx_") || code == x402.CodeUnexpectedSettle {
			continue
		}
		if !knownCodes[code] {
			t.Errorf("%s is counted as other", code)
		}
	}
}

func TestClaimGauges(t *testing.T) {
	t.Parallel()
	g := newClaimGauges()
	if got := metricstest.Gather(t, g); len(got) != 0 {
		t.Errorf("without a gate: got %v, want nothing rather than 0", got)
	}
	claims := func(unknown, due int, err error) claimCounts {
		return func(context.Context) (openClaims, error) {
			return openClaims{unknown: unknown, refundsDue: due, stranded: 1}, err
		}
	}
	g.Add(1, claims(2, 3, nil))
	g.Add(2, claims(2, 3, nil)) // the same ledger
	g.Add(3, claims(0, 0, errors.New("away")))
	want := map[string]float64{
		"turnpike_x402_unknown_settlements": 2, "turnpike_x402_refunds_due": 3, "turnpike_x402_stranded_payments": 1,
	}
	if got := metricstest.Gather(t, g); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	g.Remove(1)
	g.Remove(2)
	if got := metricstest.Gather(t, g); len(got) != 0 {
		t.Errorf("with a ledger that is away: got %v, want nothing rather than 0", got)
	}
}

// The values of a label are limited, whatever a remote facilitator answers.
func TestObserverCounts(t *testing.T) {
	t.Parallel()
	observer.Verified("", time.Millisecond)
	observer.Verified(x402.CodeInsufficientFunds, time.Millisecond)
	observer.Verified(x402.CodeUnexpectedVerify, time.Millisecond)
	for range 3 {
		observer.Verified(x402.Code("made up by a remote "+time.Now().String()), time.Millisecond)
	}
	observer.Spent(90_000, big.NewInt(1e9))
	observer.GasRefused(x402.GasBudget)
	if got := metricstest.Gather(t, gasRefusalsTotal)["turnpike_x402_gas_refusals_total,budget"]; got < 1 {
		t.Errorf("got %g payments refused for want of a budget, want 1", got)
	}
	outcomes := metricstest.Gather(t, verificationsTotal)
	for _, name := range []string{"accepted", "insufficient_funds", "unexpected_verify_error", "other"} {
		if outcomes["turnpike_x402_verifications_total,"+name] == 0 {
			t.Errorf("got %v, want %s among them", outcomes, name)
		}
	}
	for _, name := range slices.Collect(maps.Keys(outcomes)) {
		if strings.Contains(name, "made up") {
			t.Errorf("got the label %s", name)
		}
	}
	if got := metricstest.Gather(t, gasSpentTotal)["turnpike_x402_gas_spent_wei_total"]; got < 1e9 {
		t.Errorf("got %g wei, want 1e9 or more", got)
	}
}
