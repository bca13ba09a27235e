package x402

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
)

func init() {
	caddy.RegisterModule(new(FacilitatorAPI))
	httpcaddyfile.RegisterHandlerDirective("x402_facilitator", parseFacilitatorAPI)
}

// FacilitatorAPI settles payments for other servers, by the protocol's facilitator API: `POST /verify`, `POST /settle`
// and `GET /supported`, versions 1 and 2, on the networks and with the facilitator of the app's `x402`.
//
// Settlements cost the app's signer gas, so you must say for whom they are made: for the recipients in `pay_to`, for
// clients with a key (`require_key`, behind `api_key`), or both. Put `team_limit` before it to limit how often.
//
// A payment that is sent to `/settle` again gets the same response, from the chain, and costs nothing.
type FacilitatorAPI struct {
	// The recipients whose payments are settled. Placeholders are replaced. Default: any, which needs `require_key`.
	PayTo []string `json:"pay_to,omitempty"`

	// Serve only clients with a key. Needs `api_key` before it. Default: anybody, which needs `pay_to`.
	RequireKey bool `json:"require_key,omitempty"`

	app    app
	server *server.Server
}

// CaddyModule returns the Caddy module information.
func (*FacilitatorAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.x402_facilitator",
		New: func() caddy.Module { return new(FacilitatorAPI) },
	}
}

// Provision sets up the handler.
func (x *FacilitatorAPI) Provision(ctx caddy.Context) error {
	err := x.checkClosed()
	if err != nil {
		return err
	}
	var payments *Config
	if x.app, payments, err = appOf(ctx); err != nil {
		return err
	}
	facilitator, accepts := payments.gate.key.facilitator()
	networks := make([]x402.Network, len(accepts))
	for i, accept := range accepts {
		networks[i] = accept.Network
	}
	payTo := make([]common.Address, len(x.PayTo))
	for i, text := range x.PayTo {
		if payTo[i], err = resolveAddress("pay_to", text); err != nil {
			return err
		}
	}
	x.server, err = server.New(server.Config{
		Facilitator: facilitator, Networks: networks, PayTo: payTo, Logger: reload.CurrentLogger("turnpike.x402"),
	})
	return err
}

// checkClosed refuses a service that would pay the gas for anybody.
func (x *FacilitatorAPI) checkClosed() error {
	if len(x.PayTo) == 0 && !x.RequireKey {
		return errors.New("x402_facilitator would settle payments for anyone, at your expense: " +
			"list the recipients with `pay_to <addresses…>`, or use `require_key` and put `api_key` in front of it")
	}
	return nil
}

func (x *FacilitatorAPI) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	defer x.app.Begin()()
	if found := request.AccessOf(r); x.RequireKey && (found == nil || found.Principal == nil) {
		return x.app.Refuse(w, r, response.RefuseNoKey())
	}
	x.server.ServeHTTP(w, r)
	return nil
}

// resolveAddress is resolve for an address.
func resolveAddress(name, text string) (common.Address, error) {
	resolved, err := config.Resolve(name, text)
	if err != nil {
		return common.Address{}, err
	}
	if !common.IsHexAddress(resolved) || common.HexToAddress(resolved) == (common.Address{}) {
		return common.Address{}, fmt.Errorf("%s: %q is not an address, want 0x and 40 hexadecimal digits", name, resolved)
	}
	return common.HexToAddress(resolved), nil
}

// parseFacilitatorAPI parses the directive:
//
//	x402_facilitator [<matcher>] {
//		pay_to <addresses…>
//		require_key
//	}
func parseFacilitatorAPI(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(FacilitatorAPI)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseFacilitatorAPI for the syntax.
func (x *FacilitatorAPI) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		switch d.Val() {
		case "pay_to":
			if err := x.unmarshalPayTo(d); err != nil {
				return err
			}
		case "require_key":
			if err := config.ParseFlag(d, &x.RequireKey); err != nil {
				return err
			}
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
	}
	return config.Locate(d, x.checkClosed())
}

func (x *FacilitatorAPI) unmarshalPayTo(d *caddyfile.Dispenser) error {
	if len(x.PayTo) > 0 {
		return d.Err("pay_to appears more than once: list all addresses on one line")
	}
	for _, text := range d.RemainingArgs() {
		if !strings.Contains(text, "{") { // a placeholder's value is known only at run time
			if _, err := resolveAddress("pay_to", text); err != nil {
				return config.Locate(d, err)
			}
		}
		x.PayTo = append(x.PayTo, text)
	}
	if len(x.PayTo) == 0 {
		return d.ArgErr()
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*FacilitatorAPI)(nil)
	_ caddyhttp.MiddlewareHandler = (*FacilitatorAPI)(nil)
	_ caddyfile.Unmarshaler       = (*FacilitatorAPI)(nil)
)
