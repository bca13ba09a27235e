package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	facilitators "github.com/turnpike-edge/turnpike/payments/x402/facilitator"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

const networkDefault = "base"

// X402Config configures payments by x402, on one network or, with `networks`, on several. If `networks` lists all
// networks, leave out `facilitator`, `network` and `asset` here.
type X402Config struct {
	// The address that receives payments. Placeholders are replaced. Required, unless each of `networks` has its own.
	PayTo string `json:"pay_to,omitempty"`

	// The network: `base`, `base-sepolia`, or an id such as `eip155:8453`.
	// Placeholders are replaced. Default: `base`.
	Network string `json:"network,omitempty"`

	// Another token, or a network that is not built in. Default: the network's USDC.
	Asset *X402Asset `json:"asset,omitempty"`

	// The facilitator: it checks and settles payments. Required, unless `networks` lists all networks.
	FacilitatorRaw json.RawMessage `json:"facilitator,omitempty" caddy:"namespace=turnpike.facilitators inline_key=type"`

	// Further networks, in the order in which they are offered; at most 7.
	Networks []*X402Network `json:"networks,omitempty"`

	// The scheme and host that clients use, such as `https://api.example.com`, if the edge cannot know them. Default:
	// from the request, and from a trusted proxy's `X-Forwarded-Proto` and `X-Forwarded-Host`.
	PublicURL string `json:"public_url,omitempty"`

	// How much of a response is held until its payment is settled, in bytes. A longer response is settled when it
	// reaches this size, and then streamed. Default: 1 MiB.
	ResponseBytesMax int `json:"response_bytes_max,omitempty"`

	// How long the checks of a payment on its chain may take. After that the response is 503, and nothing is charged.
	// Default: 10s.
	VerifyTimeout caddy.Duration `json:"verify_timeout,omitempty"`

	// How long to wait for a settlement. After that its outcome is unknown, and is looked up. Default: the
	// facilitators' value, which is 30s and 2s for each confirmation after the first.
	SettleTimeout caddy.Duration `json:"settle_timeout,omitempty"`

	// How many unverified payments one client address may send a minute, that is, payments that need a look-up before they can
	// be refused. Sign-ins of contract wallets count too; other sign-ins may be ten times as many. Default: 60.
	UnverifiedPerMinute int `json:"suspects_per_minute,omitempty"`

	// Ignore the identifiers that clients give their purchases (extension `payment-identifier`). Default: false; then a
	// purchase is charged once, however often it is paid for.
	NoPaymentIdentifier bool `json:"no_payment_identifier,omitempty"`

	// Refuse sign-ins of wallets (extension `sign-in-with-x`). Default: false; then a wallet that signs in gets what it
	// has paid for again, as long as that is kept.
	NoSignInWithX bool `json:"no_sign_in_with_x,omitempty"`
}

// X402Network is one of several networks on which payments are taken.
type X402Network struct {
	// The network: `base`, `base-sepolia`, or an id such as `eip155:8453`.
	// Placeholders are replaced. Required.
	Network string `json:"network"`

	// The address that receives payments on this network. Placeholders are replaced. Default: the `pay_to` of all networks.
	PayTo string `json:"pay_to,omitempty"`

	// Another token, or a network that is not built in. Default: the network's USDC.
	Asset *X402Asset `json:"asset,omitempty"`

	// The facilitator: it checks and settles payments. Required.
	FacilitatorRaw json.RawMessage `json:"facilitator,omitempty" caddy:"namespace=turnpike.facilitators inline_key=type"`
}

// X402Asset is a token with six decimals and EIP-3009, like USDC.
type X402Asset struct {
	// The token's contract. Required.
	Address string `json:"address"`
	// The token's EIP-712 domain. Default: those of the network's USDC.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// networksMax is how many networks a gate can take payments on. Each one makes every challenge longer.
const networksMax = 8

// acceptance is one network of a gate.
type acceptance struct {
	network     x402.Network
	payTo       common.Address
	facilitator x402.Facilitator
}

// gateKey identifies a gate. Configurations that agree in all of this share one.
type gateKey struct {
	process             *gate.Process
	claims              claims.Store
	decisionTimeout     time.Duration
	recoverEvery        time.Duration
	accepts             [networksMax]acceptance // the entries after the last network are empty
	responseBytesMax    int
	verifyTimeout       time.Duration
	settleTimeout       time.Duration
	unverifiedPerMinute int
	noIdentifiers       bool
	noSignIns           bool
}

// pooledGate is a gate and its background upkeep.
type pooledGate struct {
	*gate.Gate

	key      gateKey
	uses     reload.Uses
	releases []func() error // of the ledger and the facilitators
	stop     context.CancelFunc
	done     chan struct{}
	logger   *slog.Logger
}

func (a *App) provisionX402(ctx caddy.Context) error {
	if a.X402 == nil {
		return nil
	}
	process := a.ledger.Process()
	key, err := a.X402.resolve(ctx, facilitator.Use{Observer: observeX402, Outbox: a.ledger.Outbox(), Live: process.Live})
	if err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	key.process, key.claims = process, a.ledger.Claims()
	key.decisionTimeout, key.recoverEvery = a.ledger.Times()
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) { return openGate(key, a.ledger) })
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

func (c *X402Config) resolve(ctx caddy.Context, use facilitator.Use) (gateKey, error) {
	key := gateKey{
		responseBytesMax: c.ResponseBytesMax, verifyTimeout: time.Duration(c.VerifyTimeout), settleTimeout: time.Duration(c.SettleTimeout),
		unverifiedPerMinute: c.UnverifiedPerMinute, noIdentifiers: c.NoPaymentIdentifier, noSignIns: c.NoSignInWithX,
	}
	if c.ResponseBytesMax < 0 {
		return key, fmt.Errorf("response_bytes_max: got %d, want more than 0", c.ResponseBytesMax)
	}
	if c.VerifyTimeout < 0 || c.SettleTimeout < 0 {
		return key, errors.New("verify_timeout and settle_timeout cannot be negative")
	}
	if c.UnverifiedPerMinute < 0 {
		return key, fmt.Errorf("suspects_per_minute: got %d, want more than 0", c.UnverifiedPerMinute)
	}
	networks, err := c.networks()
	if err != nil {
		return key, err
	}
	byChain := map[uint64]string{}
	for i, n := range networks {
		one, err := n.open(ctx, use)
		if err != nil {
			if len(networks) > 1 {
				err = fmt.Errorf("network %s: %w", n.Network, err)
			}
			return key, err
		}
		id := one.network.ChainID
		if other, isThere := byChain[id]; isThere {
			return key, fmt.Errorf("network: %s and %s are both chain %d, which can appear only once", other, n.Network, id)
		}
		byChain[id] = n.Network
		key.accepts[i] = one
	}
	return key, nil
}

// networks returns all networks, with the common settings filled in. A network configured outside of `networks` comes first.
func (c *X402Config) networks() ([]*X402Network, error) {
	var all []*X402Network
	switch {
	case c.FacilitatorRaw != nil || len(c.Networks) == 0:
		all = append(all, &X402Network{Network: c.Network, PayTo: c.PayTo, Asset: c.Asset, FacilitatorRaw: c.FacilitatorRaw})
	case c.Network != "" || c.Asset != nil:
		return nil, errors.New("facilitator: none configured for the network outside `networks`, want `local` or `http`")
	}
	for _, n := range c.Networks {
		if n.Network == "" {
			return nil, errors.New("networks: an entry has no network name, want base, base-sepolia or an id such as eip155:8453")
		}
		one := *n
		if one.PayTo == "" {
			one.PayTo = c.PayTo
		}
		all = append(all, &one)
	}
	if len(all) > networksMax {
		return nil, fmt.Errorf("networks: %d are configured, want %d or fewer", len(all), networksMax)
	}
	if all[0].Network == "" {
		all[0].Network = networkDefault
	}
	return all, nil
}

// open resolves the network and opens its facilitator.
func (n *X402Network) open(ctx caddy.Context, use facilitator.Use) (acceptance, error) {
	payTo, network, source, err := n.load(ctx)
	if err != nil {
		return acceptance{}, err
	}
	use.Network = network
	facilitator, err := source.Open(use)
	if err != nil {
		return acceptance{}, fmt.Errorf("facilitator: %w", err)
	}
	return acceptance{network: network, payTo: payTo, facilitator: facilitator}, nil
}

// load resolves placeholders and provisions the facilitator, but does not open it.
func (n *X402Network) load(ctx caddy.Context) (payTo common.Address, network x402.Network, source facilitator.Source, err error) {
	text, err := config.Resolve("pay_to", n.PayTo)
	if err != nil {
		return payTo, network, nil, err
	}
	if !common.IsHexAddress(text) {
		return payTo, network, nil, fmt.Errorf("pay_to: %q is not an address, want 0x and 40 hexadecimal digits", text)
	}
	if network, err = n.resolve(); err != nil {
		return payTo, network, nil, err
	}
	if n.FacilitatorRaw == nil {
		return payTo, network, nil, errors.New("facilitator: none configured, want `local` or `http`")
	}
	mod, err := ctx.LoadModule(n, "FacilitatorRaw")
	if err != nil {
		return payTo, network, nil, fmt.Errorf("loading facilitator: %w", err)
	}
	source, ok := mod.(facilitator.Source)
	if !ok {
		return payTo, network, nil, fmt.Errorf("facilitator module %T is not a facilitator", mod)
	}
	return common.HexToAddress(text), network, source, nil
}

func (n *X402Network) resolve() (x402.Network, error) {
	name, err := config.Resolve("network", n.Network)
	if err != nil {
		return x402.Network{}, err
	}
	network, known := x402.KnownNetwork(name)
	if !known {
		if _, err := fmt.Sscanf(name, "eip155:%d", &network.ChainID); err != nil || network.ID() != name {
			return x402.Network{}, fmt.Errorf("network: %q is not known, want base, base-sepolia or an id such as eip155:8453 with an asset", name)
		}
		if n.Asset == nil || n.Asset.Name == "" || n.Asset.Version == "" {
			return x402.Network{}, fmt.Errorf("network: %s is not built in: set its token with asset <address> <name> <version>", name)
		}
	}
	if n.Asset != nil {
		address, err := config.Resolve("asset", n.Asset.Address)
		if err != nil {
			return x402.Network{}, err
		}
		if !common.IsHexAddress(address) {
			return x402.Network{}, fmt.Errorf("asset: %q is not an address, want 0x and 40 hexadecimal digits", address)
		}
		network.Asset = common.HexToAddress(address)
		if n.Asset.Name != "" {
			network.TokenName = n.Asset.Name
		}
		if n.Asset.Version != "" {
			network.TokenVersion = n.Asset.Version
		}
	}
	return network, network.Validate()
}

// facilitator returns one facilitator for all networks.
func (k *gateKey) facilitator() (x402.Facilitator, []gate.Acceptance) {
	var accepts []gate.Acceptance
	byChain := map[uint64]x402.Facilitator{}
	for _, one := range k.accepts {
		if one.facilitator == nil {
			break
		}
		accepts = append(accepts, gate.Acceptance{Network: one.network, PayTo: one.payTo})
		byChain[one.network.ChainID] = one.facilitator
	}
	if len(accepts) == 1 {
		return k.accepts[0].facilitator, accepts
	}
	return facilitators.ByChain(byChain), accepts
}

const recoverTimeout = 30 * time.Second

func openGate(key gateKey, ledger ledger.Ledger) (*pooledGate, error) {
	logger := reload.CurrentLogger("turnpike.x402")
	facilitator, accepts := key.facilitator()
	gate, err := gate.NewGate(gate.Config{
		Store: key.claims, Process: key.process, Facilitator: facilitator, Logger: logger, Observer: observeX402, Accepts: accepts,
		ResponseBytesMax: key.responseBytesMax, ClientAddress: request.ClientAddress, DecisionTimeout: key.decisionTimeout,
		VerifyTimeout: key.verifyTimeout, SettleTimeout: key.settleTimeout, UnverifiedPerMinute: key.unverifiedPerMinute,
		NoIdentifiers: key.noIdentifiers, NoSignIns: key.noSignIns,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	g := &pooledGate{Gate: gate, key: key, releases: []func() error{reload.HoldOn(ledger)}, stop: stop, done: make(chan struct{}), logger: logger}
	for _, one := range key.accepts {
		g.releases = append(g.releases, reload.HoldOn(one.facilitator))
	}
	g.doBounded(ctx, "announcing the networks that this edge settles on", g.Open)
	go g.upkeep(ctx)
	claimGauges.Add(g, g.openClaims)
	return g, nil
}

// upkeep recovers the payments of ended processes: at once, when processes end, and at intervals.
func (g *pooledGate) upkeep(ctx context.Context) {
	defer close(g.done)
	ticker := time.NewTicker(g.key.recoverEvery)
	defer ticker.Stop()
	for {
		changed := g.key.process.Changed()
		g.doBounded(ctx, "recovering unfinished payments", g.Recover)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-ticker.C:
		}
	}
}

func (g *pooledGate) doBounded(ctx context.Context, doing string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, recoverTimeout)
	defer cancel()
	if err := do(ctx); err != nil && ctx.Err() == nil {
		g.logger.Warn("x402 upkeep failed and will be retried", "doing", doing, "error", err)
	}
}

// openClaims returns the values of the gauges about claims.
func (g *pooledGate) openClaims(ctx context.Context) (openClaims, error) {
	counts, err := g.Counts(ctx)
	if err != nil {
		return openClaims{}, err
	}
	stranded, err := g.Stranded(ctx)
	return openClaims{unknown: counts[claims.StateUnknown].Claims, refundsDue: counts[claims.StateRefundDue].Claims, stranded: stranded}, err
}

// Destruct implements caddy.Destructor. Running payments finish first, on the ledger and the facilitators with which they began.
func (g *pooledGate) Destruct() error {
	claimGauges.Remove(g)
	g.stop()
	return reload.CloseWhenUnused(&g.uses, g.close, func(err error) {
		g.logger.Error("closing the x402 gate of an earlier configuration", "error", err)
	})
}

const gateCloseTimeout = 5 * time.Second

func (g *pooledGate) close() error {
	<-g.done
	ctx, cancel := context.WithTimeout(context.Background(), gateCloseTimeout)
	defer cancel()
	errs := []error{g.Close(ctx)}
	for _, release := range g.releases {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}

func (g *pooledGate) release() error {
	_, err := reload.Pool.Delete(g.key)
	return err
}
