package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/preflight"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// examinable is a facilitator that can be examined without being opened.
type examinable interface {
	// examine checks the preconditions of payments to the account.
	examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding
}

// ExamineX402 checks the preconditions of the x402 payments in a JSON configuration, for each of its networks;
// `turnpike doctor` prints the result. It opens no ledger and sends no transaction. Without x402 payments it finds
// nothing. It returns an error for a configuration that cannot be loaded.
func ExamineX402(ctx context.Context, config []byte) ([]preflight.Finding, error) {
	var parsed struct {
		Apps struct {
			Turnpike struct {
				X402 *X402Config `json:"x402"`
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

func (n *X402Network) examine(ctx caddy.Context) ([]preflight.Finding, error) {
	payTo, network, source, err := n.load(ctx)
	if err != nil {
		return nil, err
	}
	it, ok := source.(examinable)
	if !ok {
		return nil, nil
	}
	return it.examine(ctx, network, payTo), nil
}

// examine implements examinable.
func (f *FacilitatorLocal) examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding {
	p := preflight.Premises{Network: network, PayTo: payTo, BalanceMin: f.balance}
	var found []preflight.Finding
	var err error
	if p.Rate, err = f.rateOn(network); err != nil {
		return []preflight.Finding{{Name: "x402: facilitator", Text: err.Error()}}
	}
	for _, one := range f.signers {
		p.Signers = append(p.Signers, one.Address())
		if _, isKey := one.(signer.Key); !isKey {
			found = append(found, preflight.ExamineSigner(ctx, one, network))
		}
	}
	return append(found, examineNodes(ctx, f.rpcURLs, p)...)
}

// examine implements examinable.
func (f *FacilitatorHTTP) examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding {
	transport := newFacilitatorTransport()
	defer transport.CloseIdleConnections()
	var found []preflight.Finding
	cfg := f.config(transport)
	if time.Duration(f.Timeout) == 0 {
		cfg.Timeout = startCheckTimeout
	}
	if remote, err := remote.New(cfg); err != nil {
		found = append(found, preflight.Finding{Name: "x402: facilitator", Text: err.Error()})
	} else {
		found = append(found, preflight.ExamineFacilitator(ctx, remote, network))
	}
	if len(f.rpcURLs) == 0 {
		return append(found, preflight.Finding{
			Name: "x402: facilitator", OK: true,
			Text: "is trusted without verification: configure an `rpc` for it, so that settlements are confirmed on chain",
		})
	}
	return append(found, examineNodes(ctx, f.rpcURLs, preflight.Premises{Network: network, PayTo: payTo})...)
}

func examineNodes(ctx context.Context, addresses []string, p preflight.Premises) []preflight.Finding {
	dialCtx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	node, err := evm.DialNodes(dialCtx, addresses...)
	if err != nil {
		return []preflight.Finding{{Name: "x402: node", Text: err.Error()}}
	}
	defer node.Close()
	p.Node = node
	return preflight.Examine(ctx, p)
}

func newFacilitatorTransport() *http.Transport {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64}
}

// Interface guards
var (
	_ examinable = (*FacilitatorLocal)(nil)
	_ examinable = (*FacilitatorHTTP)(nil)
)
