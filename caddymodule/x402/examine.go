package x402

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/payments/x402/preflight"
)

// Examine checks the preconditions of the x402 payments in a JSON configuration, for each of its networks;
// `turnpike doctor` prints the result. It opens no ledger and sends no transaction. Without x402 payments it finds
// nothing. It returns an error for a configuration that cannot be loaded.
func Examine(ctx context.Context, config []byte) ([]preflight.Finding, error) {
	var parsed struct {
		Apps struct {
			Turnpike struct {
				X402 *Config `json:"x402"`
			} `json:"turnpike"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(config, &parsed); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	if parsed.Apps.Turnpike.X402 == nil {
		return nil, nil
	}
	networks, err := parsed.Apps.Turnpike.X402.networks()
	if err != nil {
		return nil, fmt.Errorf("x402: %w", err)
	}
	caddyCtx, cancel := caddy.NewContext(caddy.Context{Context: ctx})
	defer cancel()
	var found []preflight.Finding
	var errs []error
	for _, n := range networks {
		one, err := n.examine(caddyCtx)
		if err != nil {
			errs = append(errs, fmt.Errorf("x402 on %s: %w", n.Network, err))
		}
		found = append(found, one...)
	}
	return found, errors.Join(errs...)
}

func (n *Network) examine(ctx caddy.Context) ([]preflight.Finding, error) {
	payTo, network, source, err := n.load(ctx)
	if err != nil {
		return nil, err
	}
	it, ok := source.(facilitator.Examiner)
	if !ok {
		return nil, nil
	}
	return it.Examine(ctx, network, payTo), nil
}
