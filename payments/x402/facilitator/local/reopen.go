package local

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// A block may be replaced by one without its transactions. Then the same transactions of an account must be sent again:
// their payments are valid until they lapse, and the account's later transactions cannot be mined before them.

// landing is a mined transaction whose payments have not lapsed yet.
type landing struct {
	lapsesAt time.Time
	// lowAt is since when the account's count on the chain is too low for it.
	lowAt time.Time
}

// landedSigners returns the accounts whose mined transactions may still be lost.
func (k *keeper) landedSigners() []common.Address {
	var signers []common.Address
	for key, l := range k.landed {
		if k.cfg.Now().After(l.lapsesAt) {
			delete(k.landed, key)
			continue
		}
		signers = append(signers, key.signer)
	}
	return signers
}

// recall sends transactions again whose blocks are no longer on the chain.
func (k *keeper) recall(ctx context.Context, chain outbox.ChainKey, s *seen) {
	now := k.cfg.Now()
	for key, l := range k.landed {
		count, asked := s.Counts[key.signer]
		// Wait for some time: nodes behind a load balancer know different blocks.
		if asked && mark(&l.lowAt, count <= key.nonce, now) && now.Sub(l.lowAt) >= passedPolls*k.cfg.PollInterval {
			delete(k.landed, key)
			k.reopen(ctx, chain, key)
		}
	}
}

// reopen sends a finished transaction again. It returns false if there is no finished one with this nonce.
func (f *Facilitator) reopen(ctx context.Context, chain outbox.ChainKey, key flightKey) bool {
	tx, err := f.cfg.Outbox.Reopen(ctx, chain, key.signer, key.nonce, f.owner, f.cfg.Lease)
	if err != nil {
		if !errors.Is(err, outbox.ErrNotFinished) {
			f.cfg.Logger.Warn("x402 settlement is no longer on the chain, and not sent again yet", "signer", key.signer.Hex(), "nonce", key.nonce, "error", err)
		}
		return false
	}
	f.cfg.Logger.Warn("x402 settlement is no longer on the chain, since its block was replaced: it is sent again",
		"transaction", tx.Newest().Hex(), "signer", key.signer.Hex(), "nonce", key.nonce)
	fl := f.launch(&tx, nil, true)
	if f.cfg.Now().Before(tx.LapsesAt) {
		f.broadcast(ctx, fl)
		return true
	}
	f.mu.Lock()
	fl.underpriced = true // it would revert: the next round replaces it with one that does nothing
	f.mu.Unlock()
	return true
}
