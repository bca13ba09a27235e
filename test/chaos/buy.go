package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

var errGivenUp = errors.New("no last answer came")

// paymentKey identifies a payment on the chain.
type paymentKey struct {
	payer common.Address
	nonce common.Hash
}

// payment is one payment and its last response. A client sends it again until its outcome is known.
type payment struct {
	paymentKey

	wanted  *offer
	status  int // of the last response; 0: none came
	code    string
	job     string
	receipt *x402.Receipt
	sent    int          // how often
	inc     *incarnation // the edge that sent the last response
	at      time.Time
}

const (
	// sendTimeout bounds one request: copies of a payment wait while a dead edge's claim is not yet taken over.
	sendTimeout = 30 * time.Second
	// sendEvery spaces the requests with one payment.
	sendEvery = 300 * time.Millisecond
)

// offer is something that x402 payments buy.
type offer struct {
	path    string
	body    string
	jobFunc func(body []byte) (string, error)
}

// buying is the load by x402: wallets pay for single requests.
type buying struct {
	p       *place
	offers  []offer
	clients sync.WaitGroup

	mu       sync.Mutex
	payments []*payment
}

func newBuying(p *place) *buying {
	return &buying{p: p, offers: []offer{
		{path: "/paid/work", jobFunc: jobName},
		{path: "/paid/before/work", jobFunc: jobName},
		{path: "/x402/v1/scrapes", body: p.scrapeBody(), jobFunc: scrapeOf},
	}}
}

func (l *buying) start(beginning, finishing context.Context) {
	for i := range l.p.payers {
		random := rand.New(rand.NewPCG(l.p.cfg.seed, uint64(1_000_000+i))) //nolint:gosec // no secret
		l.clients.Go(func() { l.buy(beginning, finishing, i, random) })
	}
}

func (l *buying) wait() { l.clients.Wait() }

// buy makes one payment after the other from one wallet while beginning lasts, and completes them while finishing lasts.
func (l *buying) buy(beginning, finishing context.Context, payer int, random *rand.Rand) {
	for beginning.Err() == nil {
		wanted := &l.offers[random.IntN(len(l.offers))]
		signed, err := l.signWith(beginning, l.p.payers[payer], nil, wanted, random)
		if err != nil {
			_ = pause(beginning, sendEvery) // the edge is down
			continue
		}
		bought, err := newPayment(chain.AddressOf(l.p.payers[payer]), wanted, signed)
		if err != nil {
			l.p.faultf("reading our own payment: %v", err)
			return
		}
		l.mu.Lock()
		l.payments = append(l.payments, bought)
		l.mu.Unlock()
		l.sendUntilKnown(finishing, bought, signed, random)
	}
}

// signWith signs a payment of either x402 version on network; nil draws one of those that the chosen edge settles on.
func (l *buying) signWith(
	ctx context.Context, wallet *ecdsa.PrivateKey, network *x402.Network, wanted *offer, random *rand.Rand,
) (*client.SignedPayment, error) {
	inc := l.p.doors.anyOpen(ctx, random)
	if inc == nil {
		return nil, errGivenUp
	}
	resp, err := l.post(ctx, inc, wanted, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPaymentRequired {
		return nil, fmt.Errorf("requesting the price: %s", resp.Status)
	}
	if network == nil {
		network = l.p.networkOf(random, settlesOnBase(inc.number))
	}
	cfg := client.Config{Client: inc.client, Key: wallet, Version: 1 + random.IntN(2), Networks: []x402.Network{*network}}
	buyer, err := client.New(cfg)
	if err != nil {
		return nil, err
	}
	return buyer.Sign(resp)
}

// networkOf draws a network to pay on.
func (p *place) networkOf(random *rand.Rand, base bool) *x402.Network {
	network := x402.BaseSepolia()
	if p.base != nil && base && random.IntN(2) == 0 {
		network = x402.Base()
	}
	return &network
}

// newPayment reads from the header the payer and nonce that identify the payment on the chain.
func newPayment(payer common.Address, wanted *offer, signed *client.SignedPayment) (*payment, error) {
	text, err := base64.StdEncoding.DecodeString(signed.HeaderValue)
	if err != nil {
		return nil, err
	}
	var header struct {
		Payload struct {
			Authorization struct {
				Nonce common.Hash `json:"nonce"`
			} `json:"authorization"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, err
	}
	return &payment{paymentKey: paymentKey{payer, header.Payload.Authorization.Nonce}, wanted: wanted}, nil
}

// sendUntilKnown sends the payment to any edge until a response is final.
func (l *buying) sendUntilKnown(ctx context.Context, b *payment, signed *client.SignedPayment, random *rand.Rand) {
	for ctx.Err() == nil {
		inc := l.p.doors.anyOpen(ctx, random)
		if inc == nil {
			return
		}
		b.sent++
		known, err := l.send(ctx, b, signed, inc)
		if known {
			return
		}
		if err != nil {
			b.status = 0
		}
		if pause(ctx, sendEvery) != nil {
			return
		}
	}
}

// send reports whether the response is final: served, refused for good, or paid and not kept.
func (l *buying) send(ctx context.Context, b *payment, signed *client.SignedPayment, inc *incarnation) (known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	resp, err := l.post(ctx, inc, b.wanted, signed)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return false, err
	}
	b.status, b.code, b.inc, b.at = resp.StatusCode, "", inc, time.Now()
	if b.receipt, err = x402.ReadReceipt(resp.Header); err != nil {
		return false, err
	}
	if resp.StatusCode == http.StatusOK {
		b.job, err = b.wanted.jobFunc(body)
		return true, err
	}
	var notice struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &notice) // another body has no code
	b.code = notice.Error
	switch resp.StatusCode {
	case http.StatusPaymentRequired:
		return true, nil
	case http.StatusConflict:
		return b.code != string(x402.CodeInProgress), nil
	default: // 502, 503: the same payment can be sent again
		return false, nil
	}
}

func (l *buying) post(ctx context.Context, inc *incarnation, wanted *offer, signed *client.SignedPayment) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, inc.edge.URL(wanted.path), strings.NewReader(wanted.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if signed != nil {
		req.Header.Set(signed.HeaderName, signed.HeaderValue)
	}
	resp, err := inc.client.Do(req)
	if err != nil {
		return nil, errors.Join(errGivenUp, err)
	}
	return resp, nil
}
