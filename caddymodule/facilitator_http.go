package caddymodule

import (
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(FacilitatorHTTP))
}

// FacilitatorHTTP has a remote facilitator check and settle payments, by the
// protocol's `/verify` and `/settle`.
type FacilitatorHTTP struct {
	// The facilitator's base address. Required; placeholders are replaced.
	URL string `json:"url"`

	// Header fields that are sent along, such as `Authorization`; placeholders in
	// values are replaced. Default: none.
	Headers map[string]string `json:"headers,omitempty"`

	poolKey string
	headers http.Header
	url     string
}

// CaddyModule returns the Caddy module information.
func (*FacilitatorHTTP) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.facilitators.http",
		New: func() caddy.Module { return new(FacilitatorHTTP) },
	}
}

// Provision resolves placeholders.
func (f *FacilitatorHTTP) Provision(caddy.Context) error {
	err := checkNoPassword("url", f.URL)
	if err != nil {
		return err
	}
	if f.url, err = resolve("url", f.URL); err != nil {
		return err
	}
	f.headers = make(http.Header, len(f.Headers))
	for name, value := range f.Headers {
		if err := checkHeader(name, value); err != nil {
			return err
		}
		resolved, err := resolve("header "+name, value)
		if err != nil {
			return err
		}
		f.headers.Set(name, resolved)
	}
	return nil
}

// Open implements FacilitatorSource.
func (f *FacilitatorHTTP) Open(use FacilitatorUse) (x402.Facilitator, error) {
	key := fmt.Sprintf("facilitator %s %v for %v", f.url, f.headers, use.Network) // maps print in order
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) {
		transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64}
		remote, err := x402.NewHTTPFacilitator(x402.HTTPConfig{
			URL: f.url, Header: f.headers, Client: &http.Client{Transport: transport},
		})
		if err != nil {
			return nil, err
		}
		return &pooledRemote{HTTPFacilitator: remote, transport: transport}, nil
	})
	if err != nil {
		return nil, err
	}
	pooled, ok := shared.(*pooledRemote)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as facilitator", shared)
	}
	f.poolKey = key
	return pooled.HTTPFacilitator, nil
}

// Cleanup lets go of the facilitator.
func (f *FacilitatorHTTP) Cleanup() error {
	if f.poolKey == "" {
		return nil
	}
	_, err := pools.Delete(f.poolKey)
	return err
}

type pooledRemote struct {
	*x402.HTTPFacilitator

	transport *http.Transport
}

// Destruct implements caddy.Destructor.
func (p *pooledRemote) Destruct() error {
	p.transport.CloseIdleConnections()
	return nil
}

// UnmarshalCaddyfile parses the guest:
//
//	facilitator http <url> {
//		header <name> <value>
//	}
func (f *FacilitatorHTTP) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&f.URL) {
		return d.ArgErr()
	}
	if err := locate(d, checkNoPassword("facilitator http", f.URL)); err != nil {
		return err
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch d.Val() {
		case "header":
			var name, value string
			if !d.AllArgs(&name, &value) {
				return d.ArgErr()
			}
			name = http.CanonicalHeaderKey(name)
			if _, isThere := f.Headers[name]; isThere {
				return d.Errf("header %s is there twice", name)
			}
			if err := locate(d, checkHeader(name, value)); err != nil {
				return err
			}
			if f.Headers == nil {
				f.Headers = make(map[string]string)
			}
			f.Headers[name] = value
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*FacilitatorHTTP)(nil)
	_ FacilitatorSource     = (*FacilitatorHTTP)(nil)
	_ caddy.Provisioner     = (*FacilitatorHTTP)(nil)
	_ caddy.CleanerUpper    = (*FacilitatorHTTP)(nil)
)
