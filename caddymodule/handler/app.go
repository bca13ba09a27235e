// Package handler gives an HTTP handler the app that all handlers of a configuration share.
package handler

import (
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/response"
)

// App is what every handler needs of the app `turnpike`.
type App interface {
	// Use adds the handler that is being provisioned. An app without a ledger is an error.
	Use(ctx caddy.Context) error
	// Refuse responds with a refusal.
	Refuse(w http.ResponseWriter, r *http.Request, no *response.Refusal) error
}

// AppOf returns the app of a configuration, with what the handler needs of it. An app without a ledger is an error.
func AppOf[A App](ctx caddy.Context) (A, error) {
	var none A
	mod, err := ctx.App("turnpike")
	if err != nil {
		return none, fmt.Errorf("loading the turnpike app: %w", err)
	}
	app, ok := mod.(A)
	if !ok {
		return none, fmt.Errorf("app turnpike has the unexpected type %T", mod)
	}
	if err := app.Use(ctx); err != nil {
		return none, err
	}
	return app, nil
}
