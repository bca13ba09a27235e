// Package client pays for HTTP requests with the x402 protocol.
package client

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Default limits of what is paid for one request, as in the stock clients of each version.
const (
	SpendMaxV1 money.MicroUSDC = 100_000
	SpendMaxV2 money.MicroUSDC = 1_000_000
)

// Config is the configuration of a [Buyer].
type Config struct {
	// Client sends the requests. Required.
	Client *http.Client
	// Key is the wallet's private key. Required.
	Key *ecdsa.PrivateKey
	// Version is the protocol version to pay with, 1 or 2. Default: 2 where it is offered, else 1.
	Version int
	// SpendMax is the most to pay for one request. Default: SpendMaxV1 or SpendMaxV2.
	SpendMax money.MicroUSDC
	// Networks are the networks that the wallet pays on. Default: Base and Base Sepolia.
	Networks []x402.Network
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Random is the source of nonces. Default: crypto/rand.
	Random io.Reader
}

// Buyer is an HTTP client that pays for what it requests.
type Buyer struct {
	cfg Config
}

// New returns a buyer, or all errors in its configuration.
func New(cfg Config) (*Buyer, error) {
	var errs []error
	if cfg.Client == nil {
		errs = append(errs, errors.New("client: an HTTP client is required"))
	}
	if cfg.Key == nil {
		errs = append(errs, errors.New("key: the wallet's private key is required"))
	}
	if cfg.Version < 0 || cfg.Version > x402.Version2 {
		errs = append(errs, fmt.Errorf("version %d: want 1, 2, or 0 for either", cfg.Version))
	}
	if cfg.SpendMax < 0 {
		errs = append(errs, fmt.Errorf("spend max %s: want 0 or more", cfg.SpendMax))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("x402 buyer: %w", err)
	}
	if cfg.Networks == nil {
		cfg.Networks = []x402.Network{x402.Base(), x402.BaseSepolia()}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	return &Buyer{cfg: cfg}, nil
}

// Address returns the wallet's address.
func (b *Buyer) Address() common.Address { return crypto.PubkeyToAddress(b.cfg.Key.PublicKey) }

// Purchase is the outcome of a request.
type Purchase struct {
	// Response is the last response; the caller closes its body.
	Response *http.Response
	// Receipt is nil if nothing was paid, or if the response carries none.
	Receipt *x402.Receipt
	// Amount and Network are those of the signed payment; 0 and empty if none was signed.
	Amount  money.MicroUSDC
	Network string
	Version int
	// Identifier is the payment's identifier of the purchase; empty if the seller does not support identifiers.
	Identifier string
}

// ErrNoOffer is returned for a 402 that has no offer that the buyer can and may pay. Nothing was signed.
var ErrNoOffer = errors.New("no offer that this wallet can pay")

// Do sends req, pays if it is asked to, and sends it again with the payment. It first reads a body without GetBody into
// memory. If the paid response is lost, the result of calling Do again depends on the context of req. With the same
// identifier ([WithIdentifier]) the purchase is charged once where the seller supports identifiers. Without one it is
// another purchase.
func (b *Buyer) Do(req *http.Request) (*Purchase, error) {
	if err := makeRepeatable(req); err != nil {
		return nil, err
	}
	if identifierOf(req.Context()) == "" {
		id, err := b.NewIdentifier()
		if err != nil {
			return nil, err
		}
		req = req.WithContext(WithIdentifier(req.Context(), id))
	}
	first, err := b.cfg.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("requesting the price: %w", err)
	}
	if first.StatusCode != http.StatusPaymentRequired {
		return &Purchase{Response: first}, nil
	}
	signed, err := b.Sign(first)
	if err != nil {
		first.Body.Close()
		return nil, err
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, fmt.Errorf("repeating the request's body: %w", err)
		}
	}
	again.Header.Set(signed.HeaderName, signed.HeaderValue)
	// A redirect could carry the payment to another host.
	paying := *b.cfg.Client
	paying.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	second, err := paying.Do(again)
	if err != nil {
		return nil, fmt.Errorf("sending the payment: %w", err)
	}
	receipt, err := x402.ReadReceipt(second.Header)
	if err != nil {
		second.Body.Close()
		return nil, err
	}
	return &Purchase{Response: second, Receipt: receipt, Amount: signed.Amount, Network: signed.Network, Version: signed.Version, Identifier: signed.Identifier}, nil
}

func makeRepeatable(req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody || req.GetBody != nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return fmt.Errorf("reading the request's body: %w", err)
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
	return nil
}

// SignedPayment is a payment header that is ready to be sent with the request.
type SignedPayment struct {
	HeaderName  string
	HeaderValue string
	Amount      money.MicroUSDC
	Network     string
	Version     int
	// Identifier is the payment's identifier of the purchase, or empty.
	Identifier string
}

// offered is one entry of a challenge that the buyer understood.
type offered struct {
	version    int
	network    x402.Network
	payTo      common.Address
	amount     money.MicroUSDC
	maxTimeout time.Duration
	entry      json.RawMessage // as received, to be echoed
	resource   json.RawMessage
	extensions json.RawMessage
	identifier string // in the extensions
}

// challengeBodyMax limits how much of a 402's body is read, in bytes.
const challengeBodyMax = 1 << 20

// Sign reads the challenge of a 402 response and signs a payment for the first offer that is within the limits. Where
// the challenge accepts an identifier, the payment carries the one in the context of the response's request, or else a
// new one. Sign reads the response's body and leaves closing it to the caller.
func (b *Buyer) Sign(resp *http.Response) (*SignedPayment, error) {
	offers, err := b.readChallenge(resp)
	if err != nil {
		return nil, err
	}
	var reasons []error
	for i := range offers {
		o := &offers[i]
		if most := b.spendMax(o.version); o.amount > most {
			reasons = append(reasons, fmt.Errorf("%s USDC is more than the limit of %s", o.amount, most))
			continue
		}
		if err := b.identify(o, resp); err != nil {
			return nil, err
		}
		return b.sign(o)
	}
	if len(reasons) == 0 {
		reasons = append(reasons, errors.New("no offer is on a network that the wallet supports"))
	}
	return nil, fmt.Errorf("%w: %w", ErrNoOffer, errors.Join(reasons...))
}

func (b *Buyer) spendMax(version int) money.MicroUSDC {
	switch {
	case b.cfg.SpendMax > 0:
		return b.cfg.SpendMax
	case version == x402.Version1:
		return SpendMaxV1
	default:
		return SpendMaxV2
	}
}

func (b *Buyer) readChallenge(resp *http.Response) ([]offered, error) {
	if header := resp.Header.Get(x402.HeaderRequired); header != "" && b.cfg.Version != x402.Version1 {
		var challenge struct {
			Resource   json.RawMessage   `json:"resource"`
			Accepts    []json.RawMessage `json:"accepts"`
			Extensions json.RawMessage   `json:"extensions"`
		}
		if err := x402.DecodeHeader(header, &challenge); err != nil {
			return nil, fmt.Errorf("%w: PAYMENT-REQUIRED: %w", ErrNoOffer, err)
		}
		offers := b.understand(x402.Version2, challenge.Accepts)
		for i := range offers {
			offers[i].resource, offers[i].extensions = challenge.Resource, challenge.Extensions
		}
		return offers, nil
	}
	if b.cfg.Version == x402.Version2 {
		return nil, fmt.Errorf("%w: the response has no PAYMENT-REQUIRED header", ErrNoOffer)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, challengeBodyMax))
	if err != nil {
		return nil, fmt.Errorf("reading the challenge: %w", err)
	}
	var challenge struct {
		X402Version int               `json:"x402Version"`
		Accepts     []json.RawMessage `json:"accepts"`
	}
	if err := json.Unmarshal(body, &challenge); err != nil || challenge.X402Version != x402.Version1 {
		return nil, fmt.Errorf("%w: the response's body is not an x402 version 1 challenge", ErrNoOffer)
	}
	return b.understand(x402.Version1, challenge.Accepts), nil
}

// understand returns the entries of scheme exact on the wallet's own networks and tokens. What the server says about a
// token's domain is compared, not used.
func (b *Buyer) understand(version int, accepts []json.RawMessage) []offered {
	var offers []offered
	for _, raw := range accepts {
		var wire struct {
			x402.RequirementsV2

			MaxAmountRequired string `json:"maxAmountRequired"`
		}
		if json.Unmarshal(raw, &wire) != nil || wire.Scheme != x402.SchemeExact {
			continue
		}
		units := wire.Amount
		if version == x402.Version1 {
			units = wire.MaxAmountRequired
		}
		amount, err := money.ParseUnits(units)
		payTo, payToOK := x402.ParseAddress(wire.PayTo)
		asset, assetOK := x402.ParseAddress(wire.Asset)
		if err != nil || !payToOK || !assetOK {
			continue
		}
		for _, n := range b.cfg.Networks {
			if n.VersionName(version) == wire.Network && n.Asset == asset && x402.ExtraHolds(wire.Extra, n) {
				offers = append(offers, offered{
					version: version, network: n, payTo: payTo, amount: amount,
					maxTimeout: x402.SecondsDuration(wire.MaxTimeoutSeconds), entry: raw,
				})
			}
		}
	}
	return offers
}

// clockSkew is how far in the past a payment's validity begins, as in stock clients.
const clockSkew = 10 * time.Minute

func (b *Buyer) sign(o *offered) (*SignedPayment, error) {
	now := b.cfg.Now()
	a := x402.Authorization{
		From: b.Address(), To: o.payTo, Value: o.amount,
		ValidAfter:  big.NewInt(now.Add(-clockSkew).Unix()),
		ValidBefore: big.NewInt(now.Add(o.maxTimeout).Unix()),
	}
	if _, err := io.ReadFull(b.cfg.Random, a.Nonce[:]); err != nil {
		return nil, fmt.Errorf("generating a nonce: %w", err)
	}
	payload, err := signer.Sign(context.Background(), signer.NewKey(b.cfg.Key), &a, o.network)
	if err != nil {
		return nil, err
	}
	signed := &SignedPayment{HeaderName: x402.HeaderPaymentV1, Amount: o.amount, Network: o.network.ID(), Version: o.version, Identifier: o.identifier}
	var message any = x402.PaymentV1{X402Version: x402.Version1, Scheme: x402.SchemeExact, Network: o.network.Name, Payload: payload}
	if o.version == x402.Version2 {
		signed.HeaderName = x402.HeaderPaymentV2
		message = struct {
			X402Version int             `json:"x402Version"`
			Resource    json.RawMessage `json:"resource,omitempty"`
			Accepted    json.RawMessage `json:"accepted"`
			Payload     *x402.Payload   `json:"payload"`
			Extensions  json.RawMessage `json:"extensions,omitempty"`
		}{x402.Version2, o.resource, o.entry, payload, o.extensions}
	}
	if signed.HeaderValue, err = x402.EncodeHeader(message); err != nil {
		return nil, fmt.Errorf("encoding the payment: %w", err)
	}
	return signed, nil
}
