package facilitator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

func init() {
	caddy.RegisterModule(new(HTTP))
}

// HTTP checks and settles payments with a remote facilitator, by the protocol's `/verify` and `/settle`.
type HTTP struct {
	// The facilitator's base address. Placeholders are replaced. Required.
	URL string `json:"url"`

	// Header fields to send with each request, such as `Authorization`. Placeholders in values are replaced. Default: none.
	Headers map[string]string `json:"headers,omitempty"`

	// The module that gives each request its own credentials, for facilitators that require it. Default: none.
	AuthRaw json.RawMessage `json:"auth,omitempty" caddy:"namespace=turnpike.facilitator_auths inline_key=type"`

	// The URL of a node of the network, which is asked about every settlement, so that the facilitator need not be trusted; or
	// several URLs, separated by commas or spaces, whose nodes must then agree. Give it as a placeholder such as
	// `{env.BASE_RPC_URL}`. Default: none; then the facilitator is trusted about settlements, with a warning at the start.
	RPC string `json:"rpc,omitempty"`

	// How long a request to the facilitator may take, including a settlement's wait for its block. Also how long that
	// settlement is then looked up on the node, 2s more for each confirmation after the first. Default: 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// How many blocks, including that of the transaction, make a settlement final. Needs `rpc`. Default: 2 on Base, 1
	// on Base Sepolia, 5 on other networks.
	Confirmations int `json:"confirmations,omitempty"`

	poolKey string
	headers http.Header
	auth    Auth // or nil
	url     string
	rpcURLs []string
}

// CaddyModule returns the Caddy module information.
func (*HTTP) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.facilitators.http",
		New: func() caddy.Module { return new(HTTP) },
	}
}

// Provision resolves placeholders.
func (f *HTTP) Provision(ctx caddy.Context) error {
	err := config.CheckNoPassword("url", f.URL)
	if err != nil {
		return err
	}
	if f.url, err = config.Resolve("url", f.URL); err != nil {
		return err
	}
	f.headers = make(http.Header, len(f.Headers))
	for name, value := range f.Headers {
		if err := config.CheckHeader(name, value); err != nil {
			return err
		}
		resolved, err := config.Resolve("header "+name, value)
		if err != nil {
			return err
		}
		f.headers.Set(name, resolved)
	}
	if f.Timeout < 0 {
		return fmt.Errorf("timeout: got %s, want more than 0", time.Duration(f.Timeout))
	}
	if err := f.provisionAuth(ctx); err != nil {
		return err
	}
	return f.provisionNode()
}

func (f *HTTP) provisionAuth(ctx caddy.Context) error {
	if err := f.checkAuth(); err != nil || f.AuthRaw == nil {
		return err
	}
	mod, err := ctx.LoadModule(f, "AuthRaw")
	if err != nil {
		return fmt.Errorf("loading auth: %w", err)
	}
	auth, ok := mod.(Auth)
	if !ok {
		return fmt.Errorf("auth module %T cannot authenticate requests", mod)
	}
	f.auth = auth
	return nil
}

// checkAuth refuses auth together with an Authorization header: one would overwrite the other.
func (f *HTTP) checkAuth() error {
	if f.AuthRaw == nil {
		return nil
	}
	for name := range f.Headers {
		if strings.EqualFold(name, "Authorization") {
			return errors.New("auth and header Authorization set the same field: use only one of them")
		}
	}
	return nil
}

func (f *HTTP) provisionNode() error {
	if err := f.checkConfirmations(); err != nil || f.RPC == "" {
		return err
	}
	var err error
	f.rpcURLs, err = resolveNodes("rpc", f.RPC)
	return err
}

// checkConfirmations refuses confirmations without a node, on which they are counted.
func (f *HTTP) checkConfirmations() error {
	switch {
	case f.Confirmations < 0:
		return fmt.Errorf("confirmations: got %d, want more than 0", f.Confirmations)
	case f.Confirmations > 0 && f.RPC == "":
		return errors.New("confirmations require a node: set its address with rpc")
	}
	return nil
}

// Open implements Source.
func (f *HTTP) Open(use Use) (x402.Facilitator, error) {
	auth := "no auth"
	if f.auth != nil {
		auth = f.auth.Fingerprint()
	}
	key := fmt.Sprintf("facilitator %s %v %s by %s %d within %s for %v", // maps are printed in a fixed order
		f.url, f.headers, auth, f.rpcURLs, f.Confirmations, time.Duration(f.Timeout), use.Network)
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) {
		pooled, err := f.connect(use.Network, reload.CurrentLogger("turnpike.x402"))
		if err != nil {
			return nil, err
		}
		pooled.key = key
		return pooled, nil
	})
	if err != nil {
		return nil, err
	}
	pooled, ok := shared.(*pooledRemote)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as facilitator", shared)
	}
	f.poolKey = key
	return pooled, nil
}

func (f *HTTP) connect(network x402.Network, logger *slog.Logger) (*pooledRemote, error) {
	transport := newTransport()
	p := &pooledRemote{transport: transport, logger: logger.With("facilitator", redacted(f.url))}
	cfg := f.config(transport)
	var watcher *evm.Watcher
	if len(f.rpcURLs) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
		defer cancel()
		var err error
		if p.node, err = evm.DialNodes(ctx, f.rpcURLs...); err != nil {
			return nil, fmt.Errorf("rpc: %w", err)
		}
		watcher = evm.NewWatcher(p.node, network).WithConfirmations(f.Confirmations)
		cfg.Chain = watcher
	}
	var err error
	if p.Facilitator, err = remote.New(cfg); err != nil {
		p.close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.checks.Go(func() { p.check(ctx, network, watcher) })
	if p.node != nil {
		gauges.Add(p, state{network: network.ID(), away: p.node.Away})
	}
	return p, nil
}

func (f *HTTP) config(transport *http.Transport) remote.Config {
	cfg := remote.Config{URL: f.url, Header: f.headers, Timeout: time.Duration(f.Timeout), Client: &http.Client{Transport: transport}}
	if f.auth != nil {
		cfg.Authorize = f.auth.Authorize
	}
	return cfg
}

// redacted returns an address without the password that it may contain.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Redacted()
}

// Cleanup releases the facilitator.
func (f *HTTP) Cleanup() error {
	if f.poolKey == "" {
		return nil
	}
	_, err := reload.Pool.Delete(f.poolKey)
	return err
}

type pooledRemote struct {
	*remote.Facilitator

	key       string
	transport *http.Transport
	node      *evm.Nodes // or nil
	logger    *slog.Logger
	stop      context.CancelFunc
	checks    sync.WaitGroup
}

// Hold implements reload.Holder: gates keep the facilitator until their last settlement.
func (p *pooledRemote) Hold() (release func() error) { return reload.HoldPooled(p.key) }

// startCheckTimeout limits the checks at the start.
const startCheckTimeout = 30 * time.Second

// check warns of problems that the first payments would have. The facilitator starts anyway, because it may only be
// down at the moment.
func (p *pooledRemote) check(ctx context.Context, network x402.Network, node *evm.Watcher) {
	ctx, cancel := context.WithTimeout(ctx, startCheckTimeout)
	defer cancel()
	if err := p.Check(ctx, network); err != nil && ctx.Err() == nil {
		p.logger.Warn("x402 facilitator", "error", err)
	}
	if node == nil {
		p.logger.Warn("x402 facilitator is trusted without verification: configure an `rpc` for `facilitator http`, " +
			"so that settlements are confirmed on chain and unknown outcomes are resolved")
		return
	}
	if err := node.Check(ctx); err != nil && ctx.Err() == nil {
		p.logger.Warn("x402 facilitator: the check of the node that confirms settlements failed", "error", err)
	}
}

// Destruct implements caddy.Destructor.
func (p *pooledRemote) Destruct() error {
	gauges.Remove(p)
	p.stop()
	p.checks.Wait()
	p.close()
	return nil
}

func (p *pooledRemote) close() {
	p.transport.CloseIdleConnections()
	if p.node != nil {
		p.node.Close()
	}
}

// Interface guards
var (
	_ Source             = (*HTTP)(nil)
	_ caddy.Provisioner  = (*HTTP)(nil)
	_ caddy.CleanerUpper = (*HTTP)(nil)
)
