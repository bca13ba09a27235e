package caddymodule

import (
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(StandardError))
}

// StandardError responds, in an error route, with the same error object as the other handlers, so that clients always
// get one form. It is for `handle_errors`; elsewhere it responds with 500. If the upstream cannot be reached, it
// responds with 503 and `Retry-After`.
type StandardError struct {
	app handler.App
}

// CaddyModule returns the Caddy module information.
func (*StandardError) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.turnpike_error",
		New: func() caddy.Module { return new(StandardError) },
	}
}

// Provision sets up the handler.
func (e *StandardError) Provision(ctx caddy.Context) error {
	var err error
	e.app, err = handler.AppOf[handler.App](ctx)
	return err
}

func (e *StandardError) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	status := http.StatusInternalServerError
	cause, _ := r.Context().Value(caddyhttp.ErrorCtxKey).(error)
	if handlerErr, ok := errors.AsType[caddyhttp.HandlerError](cause); ok && handlerErr.StatusCode != 0 {
		status = handlerErr.StatusCode
	}
	// The header has a receipt if the payment was settled before the upstream got the request.
	_, isPaid := w.Header()[x402.HeaderReceiptV2]
	_, isPaidV1 := w.Header()[x402.HeaderReceiptV1]
	return e.app.Refuse(w, r, refuseStatus(status, isPaid || isPaidV1))
}

// upstreamRetryAfter is when to retry a request to an upstream that is down.
const upstreamRetryAfter = 2 * time.Second

// refuseStatus returns the refusal for an error of which the client may only know the status.
func refuseStatus(status int, isPaid bool) *response.Refusal {
	charge := " Nothing was charged."
	if isPaid {
		charge = " The payment was settled, and its refund is recorded as due."
	}
	switch status {
	case http.StatusNotFound:
		return &response.Refusal{Status: status, Code: "not_found", Slug: "not_found", Detail: "There is nothing at this path."}
	case http.StatusRequestEntityTooLarge:
		return &response.Refusal{Status: status, Code: "payload_too_large", Slug: "payload_too_large", Detail: "The body is too large."}
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return &response.Refusal{
			Status: http.StatusServiceUnavailable, Code: "overloaded", Slug: "service_unavailable",
			Detail: "The service cannot be reached at the moment: try again shortly." + charge, RetryAfter: upstreamRetryAfter,
		}
	case http.StatusGatewayTimeout:
		return &response.Refusal{
			Status: status, Code: "request_timeout", Slug: "timeout",
			Detail: "The service did not answer in time." + charge,
		}
	default:
		return &response.Refusal{
			Status: http.StatusInternalServerError, Code: "internal_server_error", Slug: "internal_error",
			Detail: "Something went wrong here." + charge,
		}
	}
}

// Interface guards
var (
	_ caddy.Provisioner           = (*StandardError)(nil)
	_ caddyhttp.MiddlewareHandler = (*StandardError)(nil)
)

// parseStandardError parses the directive, for handle_errors:
//
//	turnpike_error [<matcher>]
func parseStandardError(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	e := new(StandardError)
	return e, e.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseStandardError for the syntax.
func (*StandardError) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }
