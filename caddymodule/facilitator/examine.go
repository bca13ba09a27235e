package facilitator

import (
	"context"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/preflight"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Examiner is a facilitator that can be examined without being opened.
type Examiner interface {
	// Examine checks the preconditions of payments to the account.
	Examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding
}

// Examine implements Examiner.
func (f *Local) Examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding {
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

// Examine implements Examiner.
func (f *HTTP) Examine(ctx context.Context, network x402.Network, payTo common.Address) []preflight.Finding {
	transport := newTransport()
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

func newTransport() *http.Transport {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64}
}

// Interface guards
var (
	_ Examiner = (*Local)(nil)
	_ Examiner = (*HTTP)(nil)
)
