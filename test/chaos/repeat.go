package main

import (
	"context"
	"crypto/ecdsa"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// repeated is one thing that a client wants once, and requests several times with one Idempotency-Key: at any edge,
// by key or with another payment each time, and now and then without waiting for the response.
type repeated struct {
	key     string            // the Idempotency-Key
	team    int               // index among those that repeat; -1: none
	wallet  *ecdsa.PrivateKey // nil: none
	network *x402.Network     // that the wallet pays on; the wallet is a different customer on each network

	left      int // how often the client left
	elsewhere int // how often an edge was asked that does not settle on the wallet's network
	given     []given
	signed    *client.SignedPayment // the last
	payment   paymentKey
	payments  []paymentKey // all
}

// given is a response with 200 that was received completely.
type given struct {
	job     string
	free    bool // this response costs nothing
	payment paymentKey
	inc     *incarnation
	at      time.Time
}

// repeating is the load of repeated requests, with both ways to pay.
type repeating struct {
	p       *place
	body    string
	purse   *buying
	clients sync.WaitGroup

	mu     sync.Mutex
	things []*repeated
}

func newRepeating(p *place) *repeating {
	p.repeats = &repeating{p: p, body: p.scrapeBody(), purse: newBuying(p)}
	return p.repeats
}

func (l *repeating) start(beginning, finishing context.Context) {
	run := func(team int, wallet *ecdsa.PrivateKey, stream uint64) {
		random := rand.New(rand.NewPCG(l.p.cfg.seed, stream)) //nolint:gosec // no secret
		l.clients.Go(func() {
			for beginning.Err() == nil {
				l.want(finishing, &repeated{key: uuid.NewString(), team: team, wallet: wallet, network: l.p.networkOf(random, true)}, random)
			}
		})
	}
	for i := range l.p.repeaters {
		run(i, nil, uint64(4_000_000+i)) //nolint:gosec // an index
	}
	for i, wallet := range l.p.repeatingPayers {
		run(-1, wallet, uint64(5_000_000+i)) //nolint:gosec // an index
	}
}

func (l *repeating) wait() { l.clients.Wait() }

const (
	// wantedMost is how many responses to one thing a client receives at most, leavesMost how often it leaves early.
	wantedMost, leavesMost = 3, 3
	// leaveWithin is about as long as a response takes.
	leaveWithin = 80 * time.Millisecond
	// One in samePaymentOneIn requests of a wallet reuses its previous payment.
	samePaymentOneIn = 4
)

// want requests one thing until it has received the number of responses that its client wants.
func (l *repeating) want(ctx context.Context, thing *repeated, random *rand.Rand) {
	l.mu.Lock()
	l.things = append(l.things, thing)
	l.mu.Unlock()
	for wanted := 1 + random.IntN(wantedMost); len(thing.given) < wanted && ctx.Err() == nil; {
		inc := l.p.doors.anyOpen(ctx, random)
		if inc == nil {
			return
		}
		if status := l.askOnce(ctx, inc, thing, random); status != http.StatusOK && pause(ctx, retryAfter) != nil {
			return
		}
	}
}

// askOnce sends a request, waits for the response or leaves, and returns the status; 0 if no complete response came.
func (l *repeating) askOnce(ctx context.Context, inc *incarnation, thing *repeated, random *rand.Rand) int {
	// A request that was sent is waited for, whatever ctx says, unless this client is one that leaves.
	ctx = context.WithoutCancel(ctx)
	req, err := l.request(ctx, inc, thing, random)
	if err != nil {
		return 0
	}
	if thing.wallet != nil && thing.network.ChainID == chain.BaseMainnet && !settlesOnBase(inc.number) {
		thing.elsewhere++
	}
	patience, leaves := answerTimeout, thing.left < leavesMost && random.IntN(2) == 0
	if leaves {
		patience = time.Duration(random.Int64N(int64(leaveWithin)))
		thing.left++
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	status, said := l.send(ctx, inc, thing, req)
	switch {
	case status == 0 && !leaves && ctx.Err() != nil:
		l.p.faultf("a repetition had no answer within %s", answerTimeout)
	case status != http.StatusOK && status != http.StatusConflict && status != http.StatusPaymentRequired && isLast(status):
		l.p.faultf("%s was answered with %d %.300s", thing.key, status, said)
	}
	return status
}

func (l *repeating) request(ctx context.Context, inc *incarnation, thing *repeated, random *rand.Rand) (*http.Request, error) {
	path := "/v1/scrapes"
	if thing.wallet != nil {
		path = "/x402/v1/scrapes"
		if thing.signed == nil || random.IntN(samePaymentOneIn) > 0 {
			if err := l.sign(ctx, thing, &offer{path: path, body: l.body}, random); err != nil {
				return nil, err
			}
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, inc.edge.URL(path), strings.NewReader(l.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", thing.key)
	if thing.wallet != nil {
		req.Header.Set(thing.signed.HeaderName, thing.signed.HeaderValue)
	} else {
		req.Header.Set("Authorization", "Bearer "+l.p.repeaters[thing.team].key)
	}
	return req, nil
}

// sign signs another payment for a thing.
func (l *repeating) sign(ctx context.Context, thing *repeated, wanted *offer, random *rand.Rand) error {
	signed, err := l.purse.signWith(ctx, thing.wallet, thing.network, wanted, random)
	if err != nil {
		return err
	}
	made, err := newPayment(chain.AddressOf(thing.wallet), wanted, signed)
	if err != nil {
		l.p.faultf("reading our own payment: %v", err)
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	thing.signed, thing.payment = signed, made.paymentKey
	thing.payments = append(thing.payments, made.paymentKey)
	return nil
}

// send sends a request, notes what it got, and returns the status and the body; 0 if no complete response came.
func (l *repeating) send(ctx context.Context, inc *incarnation, thing *repeated, req *http.Request) (int, []byte) {
	resp, err := inc.client.Do(req.WithContext(ctx))
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, body
	}
	got := given{inc: inc, at: time.Now(), payment: thing.payment}
	if got.job, err = scrapeOf(body); err != nil {
		l.p.faultf("an answer names no job: %v", err)
	}
	if thing.wallet != nil {
		receipt, err := x402.ReadReceipt(resp.Header)
		got.free = err == nil && receipt == nil
	} else {
		got.free = resp.Header.Get("X-Credits-Used") == "0"
	}
	thing.given = append(thing.given, got)
	return http.StatusOK, body
}
