package prices

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(Upstream))
}

// Upstream prices by the book that the upstream publishes. The edge fetches the book, refreshes it, and keeps the
// last valid one while the upstream is down. Until there is one, requests are refused with 503. If the book's price is
// `quote`, the edge asks the upstream for each request, at `/.well-known/turnpike-quote`. The upstream responds with
// `{"amount": 12}`, or with the status (400 to 499, or 501) and error that the request itself would get.
type Upstream struct {
	// The address of the upstream, or of the book itself. Without a path, the book is at
	// `/.well-known/turnpike-prices`. Default: the app's `upstream`.
	URL string `json:"url,omitempty"`

	// How often to look for changes. Default: 30s.
	Refresh caddy.Duration `json:"refresh,omitempty"`

	pricer  price.Pricer
	poolKey string
}

// app is what this module needs of the app.
type app interface {
	handler.App
	// UpstreamAddress returns the address of the upstream, if it is configured for all.
	UpstreamAddress() string
	Signer() request.Signer
	Shares() *limits.Shares
}

// CaddyModule returns the Caddy module information.
func (*Upstream) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.prices.upstream",
		New: func() caddy.Module { return new(Upstream) },
	}
}

// Provision starts to fetch the book, or continues with the one of another configuration or handler.
func (p *Upstream) Provision(ctx caddy.Context) error {
	app, err := handler.AppOf[app](ctx)
	if err != nil {
		return err
	}
	if p.URL == "" {
		p.URL = app.UpstreamAddress()
	}
	address, err := upstream.DocumentURL("price upstream", p.URL, price.WellKnownPath)
	if err != nil {
		return err
	}
	if p.Refresh < 0 {
		return fmt.Errorf("refresh: got %s, want more than 0", time.Duration(p.Refresh))
	}
	key := fmt.Sprintf("price book %s every %s", address, time.Duration(p.Refresh))
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) {
		client := upstream.NewClient(quoteConnsIdle)
		return &pooledBook{client: client, Remote: price.NewRemote(price.RemoteConfig{
			URL: address, Refresh: time.Duration(p.Refresh), Client: client, Logger: reload.CurrentLogger("turnpike.prices"),
		})}, nil
	})
	if err != nil {
		return err
	}
	book, ok := shared.(*pooledBook)
	if !ok {
		return fmt.Errorf("pool holds a %T as price book", shared)
	}
	quoter := &price.HTTPQuoter{URL: quoteURL(address), Client: book.client, Sign: app.Signer().ForQuotes()}
	p.pricer, p.poolKey = book.Remote.Quoting(app.Shares().Quoter(quoter)), key
	return nil
}

// quoteConnsIdle is how many idle connections to the upstream are kept for quotes.
const quoteConnsIdle = 16

// Pricer implements PricerSource.
func (p *Upstream) Pricer() price.Pricer { return p.pricer }

// Cleanup releases the book.
func (p *Upstream) Cleanup() error {
	if p.poolKey == "" {
		return nil
	}
	_, err := reload.Pool.Delete(p.poolKey)
	return err
}

type pooledBook struct {
	*price.Remote

	client *http.Client
}

// Destruct implements caddy.Destructor.
func (b *pooledBook) Destruct() error {
	b.Close()
	b.client.CloseIdleConnections()
	return nil
}

// quoteURL returns the address for quotes of the upstream that publishes the book.
func quoteURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // upstream.DocumentURL has parsed it
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: price.QuotePath}).String()
}

// Interface guards
var (
	_ PricerSource       = (*Upstream)(nil)
	_ caddy.Provisioner  = (*Upstream)(nil)
	_ caddy.CleanerUpper = (*Upstream)(nil)
)
