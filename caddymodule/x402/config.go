package x402

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const networkDefault = "base"

// Config configures payments by x402, on one network or, with `networks`, on several. If `networks` lists all
// networks, leave out `facilitator`, `network` and `asset` here.
type Config struct {
	// The address that receives payments. Placeholders are replaced. Required, unless each of `networks` has its own.
	PayTo string `json:"pay_to,omitempty"`

	// The network: `base`, `base-sepolia`, or an id such as `eip155:8453`.
	// Placeholders are replaced. Default: `base`.
	Network string `json:"network,omitempty"`

	// Another token, or a network that is not built in. Default: the network's USDC.
	Asset *Asset `json:"asset,omitempty"`

	// The facilitator: it checks and settles payments. Required, unless `networks` lists all networks.
	FacilitatorRaw json.RawMessage `json:"facilitator,omitempty" caddy:"namespace=turnpike.facilitators inline_key=type"`

	// Further networks, in the order in which they are offered; at most 7.
	Networks []*Network `json:"networks,omitempty"`

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

	gate *pooledGate
	// servers has the positions of the handlers in the routes of each server: *caddyhttp.Server to []*place
	servers sync.Map
}

// Network is one of several networks on which payments are taken.
type Network struct {
	// The network: `base`, `base-sepolia`, or an id such as `eip155:8453`.
	// Placeholders are replaced. Required.
	Network string `json:"network"`

	// The address that receives payments on this network. Placeholders are replaced. Default: the `pay_to` of all networks.
	PayTo string `json:"pay_to,omitempty"`

	// Another token, or a network that is not built in. Default: the network's USDC.
	Asset *Asset `json:"asset,omitempty"`

	// The facilitator: it checks and settles payments. Required.
	FacilitatorRaw json.RawMessage `json:"facilitator,omitempty" caddy:"namespace=turnpike.facilitators inline_key=type"`
}

// Asset is a token with six decimals and EIP-3009, like USDC.
type Asset struct {
	// The token's contract. Required.
	Address string `json:"address"`
	// The token's EIP-712 domain. Default: those of the network's USDC.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// networksMax is how many networks a gate can take payments on. Each one makes every challenge longer.
const networksMax = 8

func (c *Config) resolve(ctx caddy.Context, use facilitator.Use) (gateKey, error) {
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
func (c *Config) networks() ([]*Network, error) {
	var all []*Network
	switch {
	case c.FacilitatorRaw != nil || len(c.Networks) == 0:
		all = append(all, &Network{Network: c.Network, PayTo: c.PayTo, Asset: c.Asset, FacilitatorRaw: c.FacilitatorRaw})
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
func (n *Network) open(ctx caddy.Context, use facilitator.Use) (acceptance, error) {
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
func (n *Network) load(ctx caddy.Context) (payTo common.Address, network x402.Network, source facilitator.Source, err error) {
	if payTo, err = config.ResolveAddress("pay_to", n.PayTo); err != nil {
		return payTo, network, nil, err
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
	return payTo, network, source, nil
}

func (n *Network) resolve() (x402.Network, error) {
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
		if network.Asset, err = config.ResolveAddress("asset", n.Asset.Address); err != nil {
			return x402.Network{}, err
		}
		if n.Asset.Name != "" {
			network.TokenName = n.Asset.Name
		}
		if n.Asset.Version != "" {
			network.TokenVersion = n.Asset.Version
		}
	}
	return network, network.Validate()
}

// resource returns the absolute URL of the paid resource, as the client sees it. It uses a proxy's headers only if the
// server's `trusted_proxies` lists that proxy, because anybody can send such headers.
func (c *Config) resource(r *http.Request) string {
	_, u := request.Sent(r)
	return c.Origin(r) + u.RequestURI()
}

// Origin returns the scheme and host of the resource.
func (c *Config) Origin(r *http.Request) string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return request.OriginOf(r)
}
