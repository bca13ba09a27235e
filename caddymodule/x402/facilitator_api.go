package x402

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
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
		if payTo[i], err = resolveRecipient(text); err != nil {
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

// resolveRecipient refuses the zero address, which nobody owns.
func resolveRecipient(text string) (common.Address, error) {
	address, err := config.ResolveAddress("pay_to", text)
	if err == nil && address == (common.Address{}) {
		err = fmt.Errorf("pay_to: %q is not an address, want 0x and 40 hexadecimal digits", address.Hex())
	}
	return address, err
}

func (x *FacilitatorAPI) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	defer x.app.Begin()()
	if found := request.AccessOf(r); x.RequireKey && (found == nil || found.Principal == nil) {
		return x.app.Refuse(w, r, response.RefuseNoKey())
	}
	x.server.ServeHTTP(w, r)
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*FacilitatorAPI)(nil)
	_ caddyhttp.MiddlewareHandler = (*FacilitatorAPI)(nil)
)
