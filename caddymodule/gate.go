package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// FacilitatorSource is a guest in the namespace `turnpike.facilitators`: what
// checks payments against the chain and settles them.
type FacilitatorSource interface {
	// Open returns the facilitator for a use. Called again with the same
	// configuration, also by a later one, it returns the same.
	Open(use FacilitatorUse) (x402.Facilitator, error)
}

// FacilitatorUse says what a facilitator is opened for.
type FacilitatorUse struct {
	Network x402.Network
	// Outbox keeps what a facilitator sends, shared by all edges of the ledger.
	Outbox x402.Outbox
	// Observer is told what it does; nil for nobody.
	Observer x402.Observer
}

const networkDefault = "base"

// X402Config says how payments are taken by x402.
type X402Config struct {
	// The address that is paid. Required; placeholders are replaced.
	PayTo string `json:"pay_to"`

	// The network: `base`, `base-sepolia`, or an id such as `eip155:8453`.
	// Placeholders are replaced. Default: `base`.
	Network string `json:"network,omitempty"`

	// Another token, or a network that is not built in. Default: the network's USDC.
	Asset *X402Asset `json:"asset,omitempty"`

	// What checks and settles. Required.
	FacilitatorRaw json.RawMessage `json:"facilitator,omitempty" caddy:"namespace=turnpike.facilitators inline_key=type"`

	// The scheme and host that clients use, such as `https://api.example.com`,
	// where the edge cannot know them. Default: from the request, and from a
	// trusted proxy's `X-Forwarded-Proto`.
	PublicURL string `json:"public_url,omitempty"`

	// How much of a response is held back until its payment is settled, in bytes;
	// a longer one is settled when that is reached, and streamed. Default: 1 MiB.
	ResponseBytesMax int `json:"response_bytes_max,omitempty"`
}

// X402Asset is a token with six decimals and EIP-3009, as USDC.
type X402Asset struct {
	// The token's contract. Required.
	Address string `json:"address"`
	// The token's EIP-712 domain. Default: those of the network's USDC.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// gateKey tells gates apart: one is shared by all configurations in which all
// of this is the same.
type gateKey struct {
	edge             uuid.UUID
	lostAfter        time.Duration
	facilitator      x402.Facilitator
	network          x402.Network
	payTo            common.Address
	responseBytesMax int
}

// pooledGate is a gate with the upkeep that it needs.
type pooledGate struct {
	*x402.Gate

	key    gateKey
	stop   context.CancelFunc
	done   chan struct{}
	logger *slog.Logger
}

func (a *App) provisionX402(ctx caddy.Context) error {
	if a.X402 == nil {
		return nil
	}
	key, err := a.X402.resolve(ctx, a.ledger.Outbox())
	if err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	key.edge, key.lostAfter = a.ledger.EdgeID(), a.ledger.OrphanAfter()
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) { return openGate(key, a.ledger.Claims()) })
	if err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	gate, ok := shared.(*pooledGate)
	if !ok {
		return fmt.Errorf("pool holds a %T as x402 gate", shared)
	}
	a.gate = gate
	return nil
}

func (c *X402Config) resolve(ctx caddy.Context, outbox x402.Outbox) (gateKey, error) {
	payTo, err := resolve("pay_to", c.PayTo)
	if err != nil {
		return gateKey{}, err
	}
	if !common.IsHexAddress(payTo) {
		return gateKey{}, fmt.Errorf("pay_to: %q is no address, want 0x and 40 hexadecimal digits", payTo)
	}
	network, err := c.network()
	if err != nil {
		return gateKey{}, err
	}
	if c.ResponseBytesMax < 0 {
		return gateKey{}, fmt.Errorf("response_bytes_max: got %d, want more than 0", c.ResponseBytesMax)
	}
	if c.FacilitatorRaw == nil {
		return gateKey{}, errors.New("facilitator: none configured, want `local` or `http`")
	}
	mod, err := ctx.LoadModule(c, "FacilitatorRaw")
	if err != nil {
		return gateKey{}, fmt.Errorf("loading facilitator: %w", err)
	}
	source, ok := mod.(FacilitatorSource)
	if !ok {
		return gateKey{}, fmt.Errorf("facilitator module %T is no facilitator", mod)
	}
	facilitator, err := source.Open(FacilitatorUse{Network: network, Outbox: outbox})
	if err != nil {
		return gateKey{}, fmt.Errorf("facilitator: %w", err)
	}
	return gateKey{
		facilitator: facilitator, network: network, payTo: common.HexToAddress(payTo), responseBytesMax: c.ResponseBytesMax,
	}, nil
}

func (c *X402Config) network() (x402.Network, error) {
	name := c.Network
	if name == "" {
		name = networkDefault
	}
	name, err := resolve("network", name)
	if err != nil {
		return x402.Network{}, err
	}
	network, known := x402.KnownNetwork(name)
	if !known {
		if _, err := fmt.Sscanf(name, "eip155:%d", &network.ChainID); err != nil || network.ID() != name {
			return x402.Network{}, fmt.Errorf("network: %q is not known, want base, base-sepolia or an id such as eip155:8453 with an asset", name)
		}
	}
	if c.Asset != nil {
		address, err := resolve("asset", c.Asset.Address)
		if err != nil {
			return x402.Network{}, err
		}
		if !common.IsHexAddress(address) {
			return x402.Network{}, fmt.Errorf("asset: %q is no address, want 0x and 40 hexadecimal digits", address)
		}
		network.Asset = common.HexToAddress(address)
		if c.Asset.Name != "" {
			network.TokenName = c.Asset.Name
		}
		if c.Asset.Version != "" {
			network.TokenVersion = c.Asset.Version
		}
	}
	return network, network.Validate()
}

const (
	recoverTimeout = 30 * time.Second
	// Recovery is also the gate's heartbeat: a round may fail, and another.
	recoverRounds = 4
)

func openGate(key gateKey, claims x402.ClaimStore) (*pooledGate, error) {
	logger := currentLogger("turnpike.x402")
	gate, err := x402.NewGate(x402.Config{
		Store: claims, Facilitator: key.facilitator, EdgeID: key.edge, Logger: logger,
		Accepts:          []x402.Acceptance{{Network: key.network, PayTo: key.payTo}},
		ResponseBytesMax: key.responseBytesMax, ClientAddress: clientAddress, LostAfter: key.lostAfter,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	g := &pooledGate{Gate: gate, key: key, stop: stop, done: make(chan struct{}), logger: logger}
	g.recoverClaims(ctx) // before the first request: what an earlier run left behind
	go g.upkeep(ctx)
	return g, nil
}

func (g *pooledGate) upkeep(ctx context.Context) {
	defer close(g.done)
	ticker := time.NewTicker(g.key.lostAfter / recoverRounds)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.recoverClaims(ctx)
		}
	}
}

func (g *pooledGate) recoverClaims(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recoverTimeout)
	defer cancel()
	if err := g.Recover(ctx); err != nil && ctx.Err() == nil {
		g.logger.Warn("x402 upkeep; the next round tries again", "error", err)
	}
}

// Destruct implements caddy.Destructor.
func (g *pooledGate) Destruct() error {
	g.stop()
	<-g.done
	return nil
}

func (g *pooledGate) release() error {
	_, err := pools.Delete(g.key)
	return err
}

// clientAddress is the client as Caddy sees it, through trusted proxies.
func clientAddress(r *http.Request) string {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		return ip
	}
	return r.RemoteAddr
}
