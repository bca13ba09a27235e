// Package facilitator combines the facilitators of several chains into one.
package facilitator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// facilitators sends each payment to the facilitator of its chain.
type facilitators struct{ byChain map[uint64]x402.Facilitator }

var (
	_ x402.Facilitator       = (*facilitators)(nil)
	_ x402.Watcher           = (*facilitators)(nil)
	_ x402.SignatureVerifier = (*facilitators)(nil)
)

// ByChain returns a facilitator for several chains, by chain id. It is a [x402.Watcher] for the chains whose
// facilitator is one.
func ByChain(byChain map[uint64]x402.Facilitator) x402.Facilitator {
	return &facilitators{byChain: maps.Clone(byChain)}
}

func (f *facilitators) of(req *x402.Requirements) (x402.Facilitator, *x402.Refusal) {
	if one := f.byChain[req.Network.ChainID]; one != nil {
		return one, nil
	}
	ids := make([]string, 0, len(f.byChain))
	for _, id := range slices.Sorted(maps.Keys(f.byChain)) {
		ids = append(ids, "eip155:"+strconv.FormatUint(id, 10))
	}
	return nil, x402.Refuse(x402.CodeNetwork, "network %s is not supported here: want %s", req.Network.ID(), strings.Join(ids, " or "))
}

// Verify implements [x402.Facilitator].
func (f *facilitators) Verify(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Checked, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return x402.Checked{}, refusal
	}
	return one.Verify(ctx, p, req)
}

// Settle implements [x402.Facilitator].
func (f *facilitators) Settle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return x402.Settlement{}, refusal
	}
	return one.Settle(ctx, p, req)
}

// Lookup implements [x402.Watcher]. Without a watcher for the chain it returns the zero SettlementStatus, and the facilitator's own
// result decides.
func (f *facilitators) Lookup(ctx context.Context, p *x402.Payment, req *x402.Requirements, since time.Time) (x402.SettlementStatus, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return x402.SettlementStatus{}, refusal
	}
	watcher, ok := one.(x402.Watcher)
	if !ok {
		return x402.SettlementStatus{}, nil
	}
	return watcher.Lookup(ctx, p, req, since)
}

// Sees reports whether there is a node for the network.
func (f *facilitators) Sees(n x402.Network) bool {
	watcher, ok := f.byChain[n.ChainID].(x402.Watcher)
	return ok && x402.Sees(watcher, n)
}

// VerifySignature implements [x402.SignatureVerifier].
func (f *facilitators) VerifySignature(ctx context.Context, n x402.Network, account common.Address, digest common.Hash, sig []byte) (bool, error) {
	sigVerifier, ok := f.byChain[n.ChainID].(x402.SignatureVerifier)
	if !ok {
		return false, fmt.Errorf("%w for network %s", x402.ErrNoVerifier, n.ID())
	}
	return sigVerifier.VerifySignature(ctx, n, account, digest, sig)
}

// SettleTimeout is that of the slowest facilitator.
func (f *facilitators) SettleTimeout() (most time.Duration) {
	for _, one := range f.byChain {
		if patient, ok := one.(interface{ SettleTimeout() time.Duration }); ok {
			most = max(most, patient.SettleTimeout())
		}
	}
	return most
}

// Supported implements [x402.Facilitator]: what all of them settle.
func (f *facilitators) Supported(ctx context.Context) (x402.Supported, error) {
	all := x402.Supported{Kinds: []x402.Kind{}, Extensions: []string{}, Signers: map[string][]string{}}
	for _, id := range slices.Sorted(maps.Keys(f.byChain)) {
		one, err := f.byChain[id].Supported(ctx)
		if err != nil {
			return x402.Supported{}, fmt.Errorf("chain %d: %w", id, err)
		}
		all.Kinds = append(all.Kinds, one.Kinds...)
		all.Extensions = appendNew(all.Extensions, one.Extensions)
		for family, signers := range one.Signers {
			all.Signers[family] = appendNew(all.Signers[family], signers)
		}
	}
	return all, nil
}

// appendNew appends the elements that to does not have yet.
func appendNew(to, from []string) []string {
	for _, s := range from {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}
