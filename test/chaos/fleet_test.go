package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// fleet is an installation whose edges a test starts one by one, in front of an upstream that it can hold up.
type fleet struct {
	*copiesDrill

	connections *pgxpool.Pool
}

func (f *fleet) db(t *testing.T) *pgxpool.Pool {
	t.Helper()
	if f.connections == nil {
		f.connections = f.pool(t)
	}
	return f.connections
}

// berth says how an edge is started.
type berth struct {
	dir       string        // the data directory. Default: a new one
	lostAfter time.Duration // Default: a minute
	decision  time.Duration // how long a request waits for the ledger. Default: more than a busy machine takes
	caddyfile []byte        // Default: the rig's
	admin     string        // Default: none
	rpcURL    string        // Default: the ground's chain
}

func newFleet(t *testing.T, cfg *config) *fleet {
	t.Helper()
	if cfg.payers == 0 {
		cfg.payers = 32
	}
	p := newGround(t, cfg, nil)
	up := newCounter(t)
	p.upstreamAddress = up.address()
	return &fleet{copiesDrill: &copiesDrill{place: p, up: up}}
}

// start starts an edge and registers it in the edge pool under its number.
func (f *fleet) start(t *testing.T, number int, at berth) *incarnation {
	t.Helper()
	inc, err := f.launch(t, number, at)
	if err != nil {
		t.Fatal(err)
	}
	f.doors.set(number, inc)
	return inc
}

// launch starts an edge without registering it.
func (f *fleet) launch(t *testing.T, number int, at berth) (*incarnation, error) {
	t.Helper()
	if at.dir == "" {
		at.dir = t.TempDir()
	}
	if at.rpcURL == "" {
		at.rpcURL = f.chain.RPCURL()
	}
	ctx, cancel := context.WithTimeout(t.Context(), restartTimeout)
	defer cancel()
	edge, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: f.binary, Dir: at.dir, Caddyfile: at.caddyfile, Admin: at.admin, Upstream: f.upstreamAddress, DatabaseURL: f.databaseURL,
		RPCURL: at.rpcURL, Settler: f.slots[number].settler, PayTo: payTo, IdentitySecret: identitySecret, PublicURL: publicURL,
		LostAfter: at.lostAfter, DecisionTimeout: cmp.Or(at.decision, decisionTimeout),
	})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		_ = edge.Kill()
		if t.Failed() {
			if log, err := os.ReadFile(edge.Log); err == nil {
				t.Logf("the log of edge %d, %s:\n%s", number, filepath.Base(edge.Log), log[max(0, len(log)-4000):])
			}
		}
	})
	return newIncarnation(number, edge), nil
}

// paying is one payment and the response to its first use.
type paying struct {
	*copied

	held *watched
	use  use
	err  error
	done chan struct{}
}

// payment signs a payment at an edge, from a wallet of its own. The upstream will wait until the test lets it respond.
func (f *fleet) payment(t *testing.T, number int, before bool) *paying {
	t.Helper()
	return f.paymentOn(t, nil, number, before)
}

func (f *fleet) paymentOn(t *testing.T, network *x402.Network, number int, before bool) *paying {
	t.Helper()
	n := len(f.rounds)
	p := &paying{copied: &copied{number: n, version: 1 + n%2, before: before, network: network, kill: killNone}, held: f.up.follow(n), done: make(chan struct{})}
	f.rounds = append(f.rounds, p.copied)
	f.sign(t, p.copied, number)
	return p
}

// pay sends the payment to an edge and does not wait for the response.
func (f *fleet) pay(t *testing.T, p *paying, inc *incarnation) {
	p.use.inc = inc
	go func() {
		defer close(p.done)
		p.err = f.send(t.Context(), p.copied, &p.use)
		p.first = append(p.first, p.use)
	}()
}

// payments pays n times at an edge, settled after and before in turn. It returns when the upstream is processing all of them.
func (f *fleet) payments(t *testing.T, inc *incarnation, n int) []*paying {
	t.Helper()
	all := make([]*paying, n)
	for i := range all {
		all[i] = f.payment(t, inc.number, i%2 == 1)
	}
	for _, p := range all {
		f.pay(t, p, inc)
	}
	for _, p := range all {
		p.awaitUpstream(t)
	}
	return all
}

func (p *paying) awaitUpstream(t *testing.T) {
	t.Helper()
	select {
	case <-p.held.arrived:
	case <-p.done:
		t.Fatalf("%s: answered with %s before the upstream was at work on it", p.copied, p.told())
	case <-time.After(copyTimeout):
		t.Fatalf("%s: the upstream is not at work on it", p.copied)
	}
}

// told is the response to the first use, for messages.
func (p *paying) told() string {
	if p.err != nil {
		return p.err.Error()
	}
	return p.use.String()
}

func (u *use) String() string {
	if u.status == http.StatusOK {
		return "200"
	}
	return fmt.Sprintf("%d %s", u.status, u.code)
}

// goOn lets the upstream respond, and returns when the clients have their responses.
func goOn(t *testing.T, all []*paying) {
	t.Helper()
	for _, p := range all {
		close(p.held.goOn)
	}
	for _, p := range all {
		p.await(t)
	}
}

func (p *paying) await(t *testing.T) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(copyTimeout):
		t.Fatalf("%s: no answer", p.copied)
	}
}

// wantServed wants 200 in the first response to each payment.
func wantServed(t *testing.T, all []*paying) {
	t.Helper()
	for _, p := range all {
		if p.err != nil || p.use.status != http.StatusOK {
			t.Errorf("%s: got %s, want 200", p.copied, p.told())
		}
	}
}

// outcome repeats the payment until a response gives its outcome, and returns the time since a moment.
func (f *fleet) outcome(t *testing.T, p *paying, inc *incarnation, since time.Time) time.Duration {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(copyTimeout); ; {
		u := use{inc: inc}
		if f.send(t.Context(), p.copied, &u) == nil && u.isLast() {
			p.again = append(p.again, u)
			return time.Since(since)
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: nobody knows what became of it; last %s", p.copied, &u)
			return time.Since(since)
		}
		<-tick.C
	}
}

// outcomes returns the sorted times until each payment's outcome is known.
func (f *fleet) outcomes(t *testing.T, all []*paying, inc *incarnation, since time.Time) []time.Duration {
	t.Helper()
	took := make([]time.Duration, len(all))
	var asking sync.WaitGroup
	for i, p := range all {
		asking.Go(func() { took[i] = f.outcome(t, p, inc, since) })
	}
	asking.Wait()
	slices.Sort(took)
	return took
}

func (f *fleet) awaitClaims(t *testing.T, state claims.State, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d claims are %s", want, state), copyTimeout, func() bool { return f.states(t)[string(state)] >= want })
}

// states counts the claims by state.
func (f *fleet) states(t *testing.T) map[string]int {
	t.Helper()
	b := new(books)
	if err := b.readClaims(t.Context(), f.db(t)); err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, c := range b.claims {
		states[c.State]++
	}
	return states
}

// wantSound waits until no claim is open, and compares the responses with claims, ledger and chain.
func (f *fleet) wantSound(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), copyTimeout)
	defer cancel()
	if err := f.awaitSwept(ctx); err != nil {
		t.Fatal(err)
	}
	b, found := new(books), new(findings)
	if err := b.readClaims(ctx, f.db(t)); err != nil {
		t.Fatal(err)
	}
	if err := b.readChains(ctx, f.place); err != nil {
		t.Fatal(err)
	}
	for _, r := range f.rounds {
		c := b.claims[r.paymentKey]
		if c == nil {
			if b.chain[r.paymentKey] != nil {
				found.violatef("%s: paid, and never claimed", r)
			}
			continue
		}
		found.checkClaim(c, b.chain[r.paymentKey], b.transfers[c.ID.String()])
		if runs := f.up.runs[r.number]; runs > 1 {
			found.violatef("%s: the upstream has run %d times", r, runs)
		}
		for _, u := range slices.Concat(r.first, r.again) {
			if fault := contradicts(&u, claims.State(c.State)); fault != "" {
				found.violatef("%s is %s, and its client was told %s: %s", r, c.State, &u, fault)
			}
		}
	}
	for _, violation := range found.violations {
		t.Error(violation)
	}
}

// contradicts says how a response disagrees with the payment's state; "" if it agrees.
func contradicts(u *use, state claims.State) string {
	paid := state == claims.StateSettled || state == claims.StateRefundDue || state == claims.StateRefunded
	switch {
	case u.status == http.StatusOK && state != claims.StateSettled:
		return "served, and not settled"
	case u.status == http.StatusPaymentRequired && paid:
		return "asked to pay again, and charged"
	case u.code == string(x402.CodeResponseNotKept) && !paid:
		return "told that it is charged"
	}
	return ""
}
