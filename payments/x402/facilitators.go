package x402

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// facilitators sends each payment to the facilitator of its chain.
type facilitators struct{ byChain map[uint64]Facilitator }

var (
	_ Facilitator       = (*facilitators)(nil)
	_ Watcher           = (*facilitators)(nil)
	_ SignatureVerifier = (*facilitators)(nil)
)

// NewFacilitators returns a facilitator for several chains, by chain id. It is a [Watcher] for the chains whose
// facilitator is one.
func NewFacilitators(byChain map[uint64]Facilitator) Facilitator {
	return &facilitators{byChain: maps.Clone(byChain)}
}

func (f *facilitators) of(req *Requirements) (Facilitator, *Refusal) {
	if one := f.byChain[req.Network.ChainID]; one != nil {
		return one, nil
	}
	ids := make([]string, 0, len(f.byChain))
	for _, id := range slices.Sorted(maps.Keys(f.byChain)) {
		ids = append(ids, "eip155:"+strconv.FormatUint(id, 10))
	}
	return nil, refuse(CodeNetwork, "network %s is not supported here: want %s", req.Network.ID(), strings.Join(ids, " or "))
}

// Verify implements [Facilitator].
func (f *facilitators) Verify(ctx context.Context, p *Payment, req *Requirements) (Checked, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return Checked{}, refusal
	}
	return one.Verify(ctx, p, req)
}

// Settle implements [Facilitator].
func (f *facilitators) Settle(ctx context.Context, p *Payment, req *Requirements) (Settlement, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return Settlement{}, refusal
	}
	return one.Settle(ctx, p, req)
}

// Lookup implements [Watcher]. Without a watcher for the chain it returns the zero SettlementStatus, and the facilitator's own
// result decides.
func (f *facilitators) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (SettlementStatus, error) {
	one, refusal := f.of(req)
	if refusal != nil {
		return SettlementStatus{}, refusal
	}
	watcher, ok := one.(Watcher)
	if !ok {
		return SettlementStatus{}, nil
	}
	return watcher.Lookup(ctx, p, req, since)
}

// Sees reports whether there is a node for the network.
func (f *facilitators) Sees(n Network) bool {
	watcher, ok := f.byChain[n.ChainID].(Watcher)
	return ok && sees(watcher, n)
}

// VerifySignature implements [SignatureVerifier].
func (f *facilitators) VerifySignature(ctx context.Context, n Network, account common.Address, digest common.Hash, sig []byte) (bool, error) {
	sigVerifier, ok := f.byChain[n.ChainID].(SignatureVerifier)
	if !ok {
		return false, fmt.Errorf("%w for network %s", errNoNode, n.ID())
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

// Supported implements [Facilitator]: what all of them settle.
func (f *facilitators) Supported(ctx context.Context) (Supported, error) {
	all := Supported{Kinds: []Kind{}, Extensions: []string{}, Signers: map[string][]string{}}
	for _, id := range slices.Sorted(maps.Keys(f.byChain)) {
		one, err := f.byChain[id].Supported(ctx)
		if err != nil {
			return Supported{}, fmt.Errorf("chain %d: %w", id, err)
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
