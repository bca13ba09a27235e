package main

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// Two edges share a data directory. Neither takes over the other's payments while the other lives. As soon as one is killed,
// the other sees it by the file lock.
//
//nolint:paralleltest // it measures
func TestFleetOneDirectory(t *testing.T) {
	f := newFleet(t, &config{})
	home := t.TempDir()
	first := f.start(t, 0, berth{dir: home})
	second := f.start(t, 1, berth{dir: home})
	lost, kept := f.payments(t, first, openAtOnce/2), f.payments(t, second, openAtOnce/2)
	served := f.payments(t, first, 2)
	<-time.After(3 * time.Second) // time in which the second tries to get the lock
	goOn(t, served)
	wantServed(t, served)
	if err := first.kill(); err != nil {
		t.Fatal(err)
	}
	took := f.outcomes(t, lost, second, time.Now())
	if slowest := took[len(took)-1]; slowest > knownWithin {
		t.Errorf("the outcomes were known %s after the kill, want at most %s", slowest, knownWithin)
	}
	goOn(t, kept)
	wantServed(t, kept)
	f.wantSound(t)
}

// An edge with a copy of another's data directory does not declare the other lost.
//
//nolint:paralleltest // it measures
func TestFleetCopiedDirectory(t *testing.T) {
	f := newFleet(t, &config{})
	home, copied := t.TempDir(), t.TempDir()
	first := f.start(t, 0, berth{dir: home})
	open := f.payments(t, first, openAtOnce)
	if err := os.CopyFS(copied, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	second := f.start(t, 1, berth{dir: copied})
	served := f.payments(t, second, 2)
	goOn(t, append(served, open...))
	wantServed(t, append(served, open...))
	f.wantSound(t)
}

// An edge starts before its predecessor has ended. The predecessor completes what it has begun, and the edge that starts
// after the new one takes over the new one's payments.
//
//nolint:paralleltest // it measures
func TestFleetOverlap(t *testing.T) {
	f := newFleet(t, &config{})
	home := t.TempDir()
	before := f.start(t, 0, berth{dir: home})
	open := f.payments(t, before, openAtOnce/2)
	after := f.start(t, 1, berth{dir: home})
	stopped := make(chan error, 1)
	go func() { stopped <- before.edge.Stop(t.Context()) }()
	eventually(t, "the first takes no more", copyTimeout, func() bool {
		resp, err := before.client.Get(before.edge.URL("/alive"))
		if err == nil {
			resp.Body.Close()
		}
		return err != nil
	})
	open = append(open, f.payments(t, after, 2)...)
	goOn(t, open)
	wantServed(t, open)
	if err := <-stopped; err != nil {
		t.Errorf("the first: %v", err)
	}
	<-time.After(2 * time.Second) // time in which the second gets the lock
	lost := f.payments(t, after, openAtOnce/2)
	if err := after.kill(); err != nil {
		t.Fatal(err)
	}
	again := f.start(t, 1, berth{dir: home})
	if took := f.outcomes(t, lost, again, time.Now()); took[len(took)-1] > knownWithin {
		t.Errorf("the outcomes were known %s after the return, want at most %s", took[len(took)-1], knownWithin)
	}
	f.wantSound(t)
}

// An edge that is shut down cleanly hands over at once the payments that it could not complete in its grace period.
//
//nolint:paralleltest // it measures
func TestFleetDrain(t *testing.T) {
	f := newFleet(t, &config{})
	config := bytes.Replace(rig.Caddyfile(), []byte("grace_period 10s"), []byte("grace_period 1s"), 1)
	drained, other := f.start(t, 0, berth{caddyfile: config}), f.start(t, 1, berth{})
	open := f.payments(t, drained, openAtOnce)
	if err := drained.edge.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := f.outcomes(t, open, other, time.Now()); took[len(took)-1] > knownWithin+20*time.Second {
		t.Errorf("the outcomes were known %s after the end of the edge that was drained", took[len(took)-1])
	}
	f.wantSound(t)
}

// Edges settle on different networks, as while a network is added. An edge's open payments are taken over only by an edge
// that can settle them. Until there is one, a metric counts them.
//
//nolint:paralleltest // it measures
func TestFleetNetworks(t *testing.T) {
	const lost = 2 * time.Second
	f := newFleet(t, &config{})
	more := f.secondChain(t)
	one := rig.Caddyfile()
	// One confirmation, because knownWithin allows for no more.
	both := bytes.Replace(one, []byte("\t\tx402 {\n"), fmt.Appendf(nil, "\t\tx402 {\n\t\t\tnetwork base {\n\t\t\t\tfacilitator local {\n"+
		"\t\t\t\t\trpc %s\n\t\t\t\t\tsigner {env.SETTLER_KEY}\n\t\t\t\t\tconfirmations 1\n\t\t\t\t}\n\t\t\t}\n", more.RPCURL()), 1)
	admin, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old, added := f.start(t, 0, berth{lostAfter: lost, admin: admin}), f.start(t, 1, berth{lostAfter: lost, caddyfile: both})
	base := x402.Base()
	open := make([]*paying, openAtOnce)
	for i := range open {
		open[i] = f.paymentOn(t, &base, 1, i%2 == 1)
	}
	atWork, settling := open[:openAtOnce/2], open[openAtOnce/2:]
	for _, p := range atWork {
		f.pay(t, p, added)
		p.awaitUpstream(t)
	}
	for _, p := range settling {
		close(p.held.goOn)
		f.pay(t, p, added)
	}
	f.awaitClaims(t, claims.StateSettling, 1)
	if err := added.kill(); err != nil {
		t.Fatal(err)
	}
	var left int
	eventually(t, "a metric says that nobody settles them", copyTimeout, func() bool {
		left = f.openClaims(t)
		return left > 0 && stranded(t, old.client, admin) == left
	})
	<-time.After(2 * lost) // time in which the other edge could take them
	if got := f.openClaims(t); got != left {
		t.Errorf("%d claims are open, want %d: the edge that cannot settle them has taken some", got, left)
	}
	again := f.start(t, 1, berth{lostAfter: lost, caddyfile: both})
	if took := f.outcomes(t, open, again, time.Now()); took[len(took)-1] > knownWithin {
		t.Errorf("the outcomes were known %s after an edge has come that settles them, want at most %s", took[len(took)-1], knownWithin)
	}
	eventually(t, "nothing is left", copyTimeout, func() bool { return f.openClaims(t) == 0 && stranded(t, old.client, admin) == 0 })
	here := f.payments(t, old, 2)
	goOn(t, here)
	wantServed(t, here)
}

// secondChain starts a chain for Base with the same accounts.
func (f *fleet) secondChain(t *testing.T) *chain.Chain {
	t.Helper()
	cfg := chain.Config{ChainID: chain.BaseMainnet}
	for number := range edges {
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: chain.AddressOf(f.slots[number].settler), Wei: big.NewInt(params.Ether)})
	}
	for _, key := range f.payers {
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: chain.AddressOf(key), MicroUSDC: walletUSDC})
	}
	more, err := chain.Start(context.WithoutCancel(t.Context()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = more.Close() })
	return more
}

// openClaims counts the claims that have not ended.
func (f *fleet) openClaims(t *testing.T) (open int) {
	t.Helper()
	const sql = `select count(*) from x402_claim where state in ('claimed', 'served', 'settling', 'unknown') or (state = 'settled' and done_at is null)`
	if err := f.db(t).QueryRow(t.Context(), sql).Scan(&open); err != nil {
		t.Fatal(err)
	}
	return open
}

// stranded returns an edge's metric of payments that no edge can settle; -1 if the metric is missing.
func stranded(t *testing.T, client *http.Client, admin string) int {
	t.Helper()
	resp, err := client.Get("http://" + admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text := new(bytes.Buffer)
	if _, err := text.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		var n int
		if _, err := fmt.Sscanf(line, "turnpike_x402_stranded_payments %d", &n); err == nil {
			return n
		}
	}
	return -1
}
