package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

var copyRounds = flag.Int("rounds", 20, "how many payments TestCopiesOfOnePayment makes, each with a hundred copies")

const (
	copiesOfOne = 100
	// killOneIn is the number of rounds in which one kills an edge; the others run in parallel.
	killOneIn = 10
	// copyTimeout is longer than a copy can wait for the first: the timeouts of the route and of settlement, 30 s each.
	copyTimeout = 90 * time.Second
)

// copyRoutes are two routes with the same prices.
var copyRoutes = [...]string{"/paid", "/also"}

// copiesCaddyfile is the rig's Caddyfile with its x402 routes doubled.
func copiesCaddyfile(t *testing.T) []byte {
	t.Helper()
	text := rig.Caddyfile()
	begin, end := bytes.Index(text, []byte("\thandle /paid/* {")), bytes.Index(text, []byte("\thandle /alive {"))
	if begin < 0 || end < begin {
		t.Fatal("the rig's Caddyfile has no route /paid")
	}
	also := bytes.ReplaceAll(text[begin:end], []byte("/paid/"), []byte("/also/"))
	return bytes.Join([][]byte{text[:end], also, text[end:]}, nil)
}

// killing says which edge a round kills, and when.
type killing int

const (
	killRunning  killing = iota // the edge whose request the upstream is processing
	killAnswered                // the same edge, as soon as the upstream has responded
	killWaiting                 // another edge, where only copies wait
	killAfter                   // the same edge, after all responses
	killNone                    // none is killed
)

// killings counts the kinds of kill.
const killings = int(killNone)

// copied is one payment that many requests use at the same time.
type copied struct {
	paymentKey

	number  int
	version int
	network *x402.Network // the network to pay on; nil: the one that is offered
	before  bool
	kill    killing
	signed  *x402client.SignedPayment
	first   []use // the responses to the first copies
	again   []use // the responses to copies that were sent after a kill
}

// use is one use of a payment and its response.
type use struct {
	route   int
	inc     *incarnation
	status  int // 0: the connection broke
	code    string
	retry   string // Retry-After
	body    string
	receipt x402.Receipt
}

func newCopied(number int) *copied {
	r := &copied{number: number, version: 1 + number%2, before: number/2%2 == 1, kill: killNone}
	if number%killOneIn == killOneIn-1 {
		// Any 16 kills cover each kind of kill with both versions, settled before and after.
		const ways, stride = killings * 4, 5
		way := number / killOneIn * stride % ways
		r.kill, r.before, r.version = killing(way%killings), way/killings%2 == 1, 1+way/killings/2
	}
	return r
}

func (r *copied) path(route int) string {
	path := copyRoutes[route]
	if r.before {
		path += "/before"
	}
	return fmt.Sprintf("%s/report?round=%d", path, r.number)
}

// One payment is used a hundred times at once, over two routes and three edges that share only the database. The upstream
// runs once, the money moves once, and all other requests get the same response or 409. If an edge is killed meanwhile and
// restarted, still nothing is done or paid twice, and the responses agree with what happened.
//
//nolint:paralleltest // it kills processes
func TestCopiesOfOnePayment(t *testing.T) {
	begun := time.Now()
	p := newGround(t, &config{payers: *copyRounds, seed: 1}, copiesCaddyfile(t))
	p.decisionTimeout = decisionTimeout
	up := newCounter(t)
	p.upstreamAddress = up.address()
	for number := range edges {
		if err := p.startEdge(t.Context(), number); err != nil {
			t.Fatal(err)
		}
	}
	d := &copiesDrill{place: p, up: up}
	ready := time.Now()
	var late sync.WaitGroup // rounds with a kill, until their payment's outcome is known
	for from := 0; from < *copyRounds; from += killOneIn {
		var sideBySide sync.WaitGroup
		for number := from; number < min(from+killOneIn, *copyRounds); number++ {
			r := newCopied(number)
			d.rounds = append(d.rounds, r)
			d.sign(t, r, number%edges)
			if r.kill == killNone {
				sideBySide.Go(func() { r.first = d.sendAll(t, r) })
				continue
			}
			sideBySide.Wait()
			d.playKill(t, r, &late)
		}
		sideBySide.Wait()
		if t.Failed() {
			break
		}
	}
	late.Wait()
	d.audit(t)
	d.report(t, ready.Sub(begun), time.Since(ready))
}

// copiesDrill is an installation and its rounds.
type copiesDrill struct {
	*place

	up     *counter
	rounds []*copied
	kills  int
}

// sign signs the payment that an edge asks for, from a wallet of this round.
func (d *copiesDrill) sign(t *testing.T, r *copied, number int) {
	t.Helper()
	key := d.payers[r.number]
	inc := d.doors.at(number)
	cfg := x402client.Config{Client: inc.client, Key: key, Version: r.version}
	if r.network != nil {
		cfg.Networks = []x402.Network{*r.network}
	}
	buyer, err := x402client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	challenge, err := inc.client.Get(inc.edge.URL(r.path(0)))
	if err != nil {
		t.Fatal(err)
	}
	defer challenge.Body.Close()
	if r.signed, err = buyer.Sign(challenge); err != nil {
		t.Fatalf("signing for %s: %v", challenge.Status, err)
	}
	paid, err := newPayment(chain.AddressOf(key), nil, r.signed)
	if err != nil {
		t.Fatal(err)
	}
	r.paymentKey = paid.paymentKey
}

// sendAll uses the payment a hundred times at once, half of them on each route, spread over the edges.
func (d *copiesDrill) sendAll(t *testing.T, r *copied) []use {
	t.Helper()
	uses := make([]use, copiesOfOne)
	var ready, all sync.WaitGroup
	start := make(chan struct{})
	ready.Add(len(uses))
	for i := range uses {
		u := &uses[i]
		u.route, u.inc = i%len(copyRoutes), d.doors.at(i/len(copyRoutes)%edges)
		all.Go(func() {
			ready.Done()
			<-start
			if u.inc == nil {
				return // the edge is down
			}
			if err := d.send(t.Context(), r, u); err != nil && u.inc.killed().IsZero() {
				t.Errorf("%s at edge %d: %v", r, u.inc.number, err)
			}
		})
	}
	ready.Wait()
	close(start)
	all.Wait()
	return uses
}

func (r *copied) String() string {
	return fmt.Sprintf("round %d (version %d, before %t, kill %d)", r.number, r.version, r.before, r.kill)
}

func (d *copiesDrill) send(ctx context.Context, r *copied, u *use) error {
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.inc.edge.URL(r.path(u.route)), http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set(r.signed.HeaderName, r.signed.HeaderValue)
	// The transport, not the client: the client's own retries would not be counted as uses.
	resp, err := u.inc.client.Transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	receipt, err := x402.ReadReceipt(resp.Header)
	if err != nil {
		return err
	}
	if receipt != nil {
		u.receipt = *receipt
	}
	if resp.StatusCode != http.StatusOK {
		var notice struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal(body, &notice); err != nil {
			return fmt.Errorf("%s with %q: %w", resp.Status, body, err)
		}
		u.code = notice.Error
	}
	u.status, u.body, u.retry = resp.StatusCode, string(body), resp.Header.Get("Retry-After")
	return nil
}

// playKill plays a round with a kill, until all edges serve again.
func (d *copiesDrill) playKill(t *testing.T, r *copied, late *sync.WaitGroup) {
	t.Helper()
	followed := d.up.follow(r.number)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		r.first = d.sendAll(t, r)
	}()
	number := d.atUpstream(t, r, awaitUpstream(t, r, followed.arrived))
	switch r.kill {
	case killRunning:
		d.killAndRestart(t, number)
		close(followed.goOn)
	case killAnswered:
		close(followed.goOn)
		awaitUpstream(t, r, followed.answered)
		d.killAndRestart(t, number)
	case killWaiting:
		d.killAndRestart(t, (number+1)%edges)
		close(followed.goOn)
	case killAfter:
		close(followed.goOn)
		<-sent
		d.killAndRestart(t, number)
	case killNone:
	}
	late.Go(func() {
		<-sent
		d.awaitKnown(t, r)
		r.again = d.sendAll(t, r)
	})
}

// awaitUpstream returns what the upstream reports for a round.
func awaitUpstream[T any](t *testing.T, r *copied, upstream <-chan T) (said T) {
	t.Helper()
	limit := time.NewTimer(copyTimeout)
	defer limit.Stop()
	select {
	case said = <-upstream:
	case <-limit.C:
		t.Fatalf("%s: the upstream was not at work on it within %s", r, copyTimeout)
	}
	return said
}

// atUpstream returns the number of the edge with an address.
func (d *copiesDrill) atUpstream(t *testing.T, r *copied, address string) int {
	t.Helper()
	for number := range edges {
		if inc := d.doors.at(number); inc.edge.Address == address {
			return number
		}
	}
	t.Fatalf("%s: the upstream was asked by way of %s, which is no edge", r, address)
	return 0
}

func (d *copiesDrill) killAndRestart(t *testing.T, number int) {
	t.Helper()
	restart, err := d.kill(victim(number))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.place.again(t.Context(), victim(number), restart); err != nil {
		t.Fatal(err)
	}
	d.kills++
}

// awaitKnown sends single copies until a response gives the payment's outcome.
func (d *copiesDrill) awaitKnown(t *testing.T, r *copied) {
	t.Helper()
	for deadline := time.Now().Add(copyTimeout); ; {
		for route := range copyRoutes {
			u := use{route: route, inc: d.doors.at(r.number % edges)}
			if u.inc != nil && d.send(t.Context(), r, &u) == nil && u.isLast() {
				return
			}
		}
		if time.Now().After(deadline) || pause(t.Context(), sendEvery) != nil {
			t.Errorf("%s: nobody knows what became of the payment", r)
			return
		}
	}
}

// isLast reports whether a response gives the payment's outcome. That the payment belongs to another route is no outcome.
func (u *use) isLast() bool {
	switch u.status {
	case http.StatusOK, http.StatusPaymentRequired:
		return true
	case http.StatusConflict:
		return u.code == string(x402.CodeResponseNotKept)
	}
	return false
}
