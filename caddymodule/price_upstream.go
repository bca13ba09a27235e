package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(PriceUpstream))
}

// PriceUpstream prices by the book that the upstream publishes. The edge fetches
// it, keeps it fresh, and keeps the last good one while the upstream is away.
// Until it has had one, requests are refused with 503.
type PriceUpstream struct {
	// The address of the upstream, or of the book itself; without a path it is
	// looked for at `/.well-known/turnpike-prices`. Default: the app's `upstream`.
	URL string `json:"url,omitempty"`

	// How often to look for changes. Default: 30s.
	Refresh caddy.Duration `json:"refresh,omitempty"`

	remote  *price.Remote
	poolKey string
}

// CaddyModule returns the Caddy module information.
func (*PriceUpstream) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.prices.upstream",
		New: func() caddy.Module { return new(PriceUpstream) },
	}
}

// Provision begins to fetch the book, or goes on where another configuration or
// handler has begun.
func (p *PriceUpstream) Provision(ctx caddy.Context) error {
	if p.URL == "" {
		app, err := appOf(ctx)
		if err != nil {
			return err
		}
		p.URL = app.Upstream
	}
	address, err := bookURL(p.URL)
	if err != nil {
		return err
	}
	if p.Refresh < 0 {
		return fmt.Errorf("refresh: got %s, want more than 0", time.Duration(p.Refresh))
	}
	key := fmt.Sprintf("price book %s every %s", address, time.Duration(p.Refresh))
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) {
		return &pooledBook{price.NewRemote(price.RemoteConfig{
			URL: address, Refresh: time.Duration(p.Refresh),
			// No proxy from the environment: the book comes from the upstream itself.
			Client: &http.Client{Transport: &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute}},
			Logger: currentLogger("turnpike.prices"),
		})}, nil
	})
	if err != nil {
		return err
	}
	book, ok := shared.(*pooledBook)
	if !ok {
		return fmt.Errorf("pool holds a %T as price book", shared)
	}
	p.remote, p.poolKey = book.Remote, key
	return nil
}

// Pricer implements PricerSource.
func (p *PriceUpstream) Pricer() price.Pricer { return p.remote }

// Cleanup lets go of the book.
func (p *PriceUpstream) Cleanup() error {
	if p.poolKey == "" {
		return nil
	}
	_, err := pools.Delete(p.poolKey)
	return err
}

type pooledBook struct{ *price.Remote }

// Destruct implements caddy.Destructor.
func (b *pooledBook) Destruct() error {
	b.Close()
	return nil
}

func bookURL(address string) (string, error) {
	address = strings.TrimSpace(caddy.NewReplacer().ReplaceKnown(address, ""))
	if address == "" {
		return "", errors.New("price upstream: name its address, here or with `upstream` in the global option `turnpike`")
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("price upstream: %q is no address, want one such as http://127.0.0.1:8701", address)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = price.WellKnownPath
	}
	return u.String(), nil
}

// Interface guards
var (
	_ PricerSource       = (*PriceUpstream)(nil)
	_ caddy.Provisioner  = (*PriceUpstream)(nil)
	_ caddy.CleanerUpper = (*PriceUpstream)(nil)
)
