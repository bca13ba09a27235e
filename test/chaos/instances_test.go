package main

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

var instanceRounds = flag.Int("kills", 2, "how often TestFleetKill kills its edge")

const (
	// openAtOnce is how many payments are open when their edge is disturbed.
	openAtOnce = 12
	// knownWithin is the time after its restart in which a killed edge knows its payments' outcomes.
	knownWithin = 3 * time.Second
)

// withX402 returns the rig's configuration with one more x402 option.
func withX402(t *testing.T, setting string) []byte {
	t.Helper()
	text := rig.Caddyfile()
	const network = "\t\t\tnetwork base-sepolia\n"
	if !bytes.Contains(text, []byte(network)) {
		t.Fatal("the rig's Caddyfile has no network")
	}
	return bytes.Replace(text, []byte(network), []byte(network+"\t\t\t"+setting+"\n"), 1)
}

// A reload that changes only x402 options does not disturb payments under way.
//
//nolint:paralleltest // it measures
func TestFleetReload(t *testing.T) {
	f := newFleet(t, &config{})
	admin, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.slots[0].admin = admin
	inc := f.start(t, 0, berth{admin: admin})
	for i, setting := range []string{"verify_timeout 9s", "settle_timeout 31s", "suspects_per_minute 61"} {
		open := f.payments(t, inc, openAtOnce/3)
		f.reload(t, inc.client, withX402(t, setting))
		if i == 0 { // one more reload while the first payments are open
			f.reload(t, inc.client, withX402(t, "verify_timeout 8s"))
		}
		goOn(t, open)
		wantServed(t, open)
	}
	f.wantSound(t)
	if states := f.states(t); states["settled"] != openAtOnce {
		t.Errorf("claims: got %v, want all settled", states)
	}
}

// An edge that is killed with open payments takes them over after its restart: their clients learn the outcome within 3 s
// of it.
//
//nolint:paralleltest // it measures
func TestFleetKill(t *testing.T) {
	f := newFleet(t, &config{payers: openAtOnce * *instanceRounds})
	home := t.TempDir()
	inc := f.start(t, 0, berth{dir: home})
	var took []time.Duration
	for range *instanceRounds {
		// The upstream is processing a third. The rest wait for a block: what settles after has its response from the upstream,
		// what settles before has not been sent there yet.
		open := f.payments(t, inc, openAtOnce/3)
		for i := range openAtOnce - openAtOnce/3 {
			p := f.payment(t, 0, i%2 == 1)
			close(p.held.goOn)
			open = append(open, p)
		}
		for _, p := range open[openAtOnce/3:] {
			f.pay(t, p, inc)
		}
		f.awaitClaims(t, claims.StateSettling, 1)
		if err := inc.kill(); err != nil {
			t.Fatal(err)
		}
		inc = f.start(t, 0, berth{dir: home})
		took = append(took, f.outcomes(t, open, inc, time.Now())...)
	}
	f.wantSound(t)
	slices.Sort(took)
	t.Logf("%d kills with %d payments open: the outcomes were known %s after the return; claims %v", *instanceRounds, openAtOnce, distribution(took), f.states(t))
	if p99 := quantile(took, 99); p99 > knownWithin {
		t.Errorf("p99 of the outcomes is %s after the edge's return, want at most %s", p99, knownWithin)
	}
}

// An edge that was suspended for longer than lost_after finds that its instance was declared lost. It serves nothing more,
// sends nothing to the chain, and exits with status 3.
//
//nolint:paralleltest // it measures
func TestFleetStop(t *testing.T) {
	const lost = 2 * time.Second
	f := newFleet(t, &config{keys: 1})
	stopped, other := f.start(t, 0, berth{lostAfter: lost}), f.start(t, 1, berth{lostAfter: lost})
	open := f.payments(t, stopped, openAtOnce)
	metered := f.meter(t, stopped)
	if err := rig.SignalTree(stopped.edge.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stoppedAt := time.Now()
	f.outcomes(t, open, other, stoppedAt)
	<-time.After(time.Until(stoppedAt.Add(2 * lost))) // the time is what is tested
	late := f.payment(t, 1, false)
	states := f.states(t)
	sent := f.transactions(t)
	if err := rig.SignalTree(stopped.edge.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	close(late.held.goOn)
	f.pay(t, late, stopped)
	goOn(t, open)
	late.await(t)
	for _, p := range append(open, late) {
		if p.err == nil && p.use.status == http.StatusOK {
			t.Errorf("%s: an edge that was ended has answered with %s", p.copied, p.told())
		}
	}
	if code := metered(); code == http.StatusOK {
		t.Errorf("a metered request at an edge that was ended: got %d", code)
	}
	select {
	case <-stopped.edge.Done():
		if err := stopped.edge.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("the process of the ended edge: %v, want exit status 3 for its supervisor", err)
		}
	case <-time.After(copyTimeout):
		t.Error("the process of the ended edge goes on")
	}
	if got := f.transactions(t); got != sent {
		t.Errorf("%d transactions were sent after the edge was ended", got-sent)
	}
	if got := f.states(t); len(got) != len(states) {
		t.Errorf("claims: got %v, were %v before the edge went on", got, states)
	}
	f.wantSound(t)
}

// meter returns a function that sends a metered request to an edge and returns the status.
func (f *fleet) meter(t *testing.T, inc *incarnation) func() int {
	t.Helper()
	return func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, inc.edge.URL("/metered/work?round=-1"), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+f.teams[0].key)
		resp, err := inc.client.Do(req)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
}

// transactions counts the transactions that the settlers have sent.
func (f *fleet) transactions(t *testing.T) (sent uint64) {
	t.Helper()
	for number := range edges {
		n, err := f.chain.Client().PendingNonceAt(t.Context(), chain.AddressOf(f.slots[number].settler))
		if err != nil {
			t.Fatal(err)
		}
		sent += n
	}
	return sent
}

// The database is down for longer than lost_after, so no edge can send heartbeats. When it is back, no edge declares
// another lost.
//
//nolint:paralleltest // it measures
func TestFleetDatabaseAway(t *testing.T) {
	const lost = 2 * time.Second
	f := newFleet(t, &config{})
	var open []*paying
	for number := range edges {
		f.start(t, number, berth{lostAfter: lost})
	}
	for number := range edges {
		open = append(open, f.payments(t, f.doors.at(number), openAtOnce/edges)...)
	}
	if err := rig.SignalTree(f.postgres.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * lost) // the time is what is tested
	if err := rig.SignalTree(f.postgres.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * lost) // time in which an edge could declare another lost
	goOn(t, open)
	wantServed(t, open)
	f.wantSound(t)
}

// When the database does not respond, a payment gets its 503 as soon as a metered request does.
//
//nolint:paralleltest // it measures
func TestFleetWithoutDatabase(t *testing.T) {
	f := newFleet(t, &config{})
	inc := f.start(t, 0, berth{decision: 200 * time.Millisecond})
	p := f.payment(t, 0, false)
	if err := rig.SignalTree(f.postgres.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	f.pay(t, p, inc)
	select {
	case <-p.done:
	case <-time.After(copyTimeout):
		t.Errorf("no answer within %s", copyTimeout)
	}
	took := time.Since(begun)
	if err := rig.SignalTree(f.postgres.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.await(t)
	const within = time.Second // 200 ms for the ledger's decision, the rest for a slow machine
	if p.use.status != http.StatusServiceUnavailable || took > within {
		t.Errorf("got %s after %s, want 503 within %s", p.told(), took, within)
	}
	close(p.held.goOn)
	if took := f.outcome(t, p, inc, time.Now()); p.again[0].status != http.StatusOK {
		t.Errorf("sent again: got %s after %s, want 200", &p.again[0], took)
	}
	f.wantSound(t)
}

// A wallet with funds for one payment sends twelve at once: the upstream never processes two of them.
//
//nolint:paralleltest // it measures
func TestFleetWallet(t *testing.T) {
	f := newFleet(t, &config{payers: 2, funds: priceUnits})
	f.start(t, 0, berth{})
	f.start(t, 1, berth{})
	all := make([]*paying, openAtOnce)
	wallet := f.payers[0]
	f.payers = nil
	for range all {
		f.payers = append(f.payers, wallet)
	}
	for i := range all {
		all[i] = f.payment(t, i%2, i%4 < 2)
	}
	for i, p := range all {
		f.pay(t, p, f.doors.at(i%2))
	}
	atWork := 0
	for _, p := range all {
		select {
		case <-p.held.arrived:
			atWork++
		case <-p.done:
			if p.use.status != http.StatusPaymentRequired || p.use.code != string(x402.CodeInsufficientFunds) {
				t.Errorf("%s: got %s, want 402 %s", p.copied, p.told(), x402.CodeInsufficientFunds)
			}
		case <-time.After(copyTimeout):
			t.Fatalf("%s: no answer", p.copied)
		}
	}
	if atWork != 1 {
		t.Errorf("the upstream is at work on %d payments of a wallet that can pay once, want 1", atWork)
	}
	goOn(t, all)
	f.wantSound(t)
	if states := f.states(t); states["settled"] != 1 {
		t.Errorf("claims: got %v, want one settled", states)
	}
}
