package e2e

import (
	"context"
	"flag"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

var long = flag.Bool("long", false, "have the slow upstream of the faults take its two minutes")

// How long the slow upstream takes, and how long its payments must be valid: the /slow/ price's timeout plus a minute.
const (
	slowShort   = 2 * time.Second
	slowLong    = 120 * time.Second
	slowPayment = (130 + 60) * time.Second
)

// timeFaults returns the faults of slow and expiring requests.
func timeFaults() map[string]faultRow {
	return map[string]faultRow{"slow_upstream": slowUpstream, "lapses_soon": lapsesSoon}
}

// slowUpstream: the upstream takes almost the price's timeout.
func slowUpstream(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	took := slowShort
	if *long {
		took = slowLong
	}
	s := b.site(t, patient)
	edge := s.start(t)
	p := s.patron(t, "slow")
	p.client = &http.Client{Transport: client.Transport, Timeout: 2 * slowPayment}
	p.serve = func(w http.ResponseWriter, r *http.Request, _ int64) {
		done, cancel := context.WithTimeout(r.Context(), took)
		defer cancel()
		<-done.Done()
		_, _ = w.Write([]byte(p.id))
	}
	p.signsUntil(t, slowPayment)
	begun := time.Now()
	p.first = p.pays(edge.URL(""))
	t.Logf("the upstream took %s, the answer %s", took, time.Since(begun).Round(10*time.Millisecond))
	if waited := time.Since(begun); waited < took {
		t.Errorf("answered after %s, before the upstream was through", waited)
	}
	p.paysAgain(t, edge.URL(""))
	p.settle = "after"
	return s.outcomes(t, []*patron{p})
}

// lapsesSoon: the payment would expire before the work and its settlement are done.
func lapsesSoon(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	s := b.site(t, patient)
	edge := s.start(t)
	all := s.patrons(t, bothModes...)
	for _, p := range all {
		p.signsUntil(t, map[string]time.Duration{"after": (130 + 30 - 1) * time.Second, "before": 5 * time.Second}[p.settle])
		p.first = p.pays(edge.URL(""))
		p.later = p.first
	}
	sent, err := s.chain.Client().NonceAt(t.Context(), chain.AddressOf(s.settler), nil)
	if err != nil {
		t.Fatal(err)
	}
	if sent != 0 {
		t.Errorf("the settler has sent %d transactions", sent)
	}
	for _, p := range all {
		if state := p.claim(t); state != "" {
			t.Errorf("settle %s: there is a claim, %s", p.settle, state)
		}
	}
	return s.outcomes(t, all)
}

// signsUntil signs a payment that is valid for that long.
func (p *patron) signsUntil(t *testing.T, good time.Duration) {
	t.Helper()
	before := big.NewInt(time.Now().Add(good).Unix())
	signed := p.wallet.payment(t, p.version()).altered(func(a *x402.Authorization) { a.ValidBefore = before })
	p.call.headers = signed.headers(t)
}
