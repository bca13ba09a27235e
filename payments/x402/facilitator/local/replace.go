package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// passedPolls is for how many polls a nonce must be used up, without any version of the transaction found, before the
// transaction counts as lost. Nodes behind a load balancer know different blocks.
const passedPolls = 10

// push moves an unmined transaction forward: it closes, replaces or broadcasts it again.
func (f *Facilitator) push(ctx context.Context, chain outbox.ChainKey, fl *flight, s *seen) {
	now, count := f.cfg.Now(), s.Counts[fl.tx.Signer]
	f.mu.Lock()
	first := fl.tx.Nonce == count
	mark(&fl.firstAt, first, now)
	passed := mark(&fl.passedAt, fl.tx.Nonce < s.All[fl.tx.Signer], now)
	stuck := first && fl.own && (fl.underpriced || now.Sub(fl.firstAt) >= f.cfg.StuckAfter)
	resend := now.Sub(fl.sentAt) >= f.cfg.StuckAfter/3
	f.mu.Unlock()
	switch {
	case passed:
		if now.Sub(fl.passedAt) >= passedPolls*f.cfg.PollInterval {
			f.lose(ctx, chain, fl)
		}
	case stuck:
		f.replace(ctx, chain, fl, s)
	case resend:
		f.broadcast(ctx, fl)
	}
}

// mark sets since to when the condition became true, or to zero if it is false.
func mark(since *time.Time, is bool, now time.Time) bool {
	if !is {
		*since = time.Time{}
	} else if since.IsZero() {
		*since = now
	}
	return is
}

// lose closes a transaction whose nonce another one has used. It can no longer be mined, so its payments may go into
// another.
func (f *Facilitator) lose(ctx context.Context, chain outbox.ChainKey, fl *flight) {
	if err := f.cfg.Outbox.Finish(ctx, chain, fl.tx.Signer, fl.tx.Nonce, nil, 0); err != nil {
		f.cfg.Logger.Warn("x402 lost settlement not closed; the next round tries again", "transaction", fl.tx.Newest().Hex(), "error", err)
		return
	}
	f.cfg.Logger.Warn("x402 signer's nonce was used by another transaction: check whether another program uses the key",
		"signer", fl.tx.Signer.Hex(), "nonce", fl.tx.Nonce, "transaction", fl.tx.Newest().Hex())
	f.mu.Lock()
	jobs := f.remove(fl)
	f.mu.Unlock()
	f.requeue(jobs, fmt.Errorf("transaction %s lost its nonce to another transaction", fl.tx.Newest().Hex()))
}

// replace gives a stuck transaction a version with a higher fee. If its payments have lapsed, the new version does
// nothing, which is cheaper than a transfer that reverts.
func (f *Facilitator) replace(ctx context.Context, chain outbox.ChainKey, fl *flight, s *seen) {
	f.mu.Lock()
	known := fl.tx.Clone()
	fl.firstAt, fl.underpriced = f.cfg.Now(), false // whatever happens, do not retry at once
	f.mu.Unlock()
	version, err := f.dearer(ctx, &known, s)
	if err == nil {
		err = f.cfg.Outbox.Replace(ctx, chain, &known, version, f.owner)
	}
	switch {
	case errors.Is(err, outbox.ErrNotOwner):
		f.mu.Lock()
		fl.own = false
		f.mu.Unlock()
		return
	case err != nil:
		f.cfg.Logger.Warn("x402 settlement is stuck and was not replaced", "transaction", known.Newest().Hex(), "error", err)
		f.broadcast(ctx, fl)
		return
	}
	f.cfg.Logger.Info("x402 settlement was stuck and is replaced", "transaction", known.Newest().Hex(), "by", version.Hash.Hex())
	f.mu.Lock()
	fl.tx.Raw = version.Raw
	fl.tx.Hashes = append(fl.tx.Hashes, version.Hash)
	for _, j := range fl.jobs {
		j.tx = &version.Hash
	}
	f.mu.Unlock()
	f.broadcast(ctx, fl)
}

// dearer signs a transaction again with higher fees.
func (f *Facilitator) dearer(ctx context.Context, known *outbox.Tx, s *seen) (outbox.Version, error) {
	a := f.account(known.Signer)
	if a == nil {
		return outbox.Version{}, fmt.Errorf("the key of %s is not configured", known.Signer)
	}
	var old types.Transaction
	if err := old.UnmarshalBinary(known.Raw); err != nil || old.To() == nil {
		return outbox.Version{}, fmt.Errorf("reading the stored transaction: %w", err)
	}
	price, err := quoteFees(s.Newest, s.Tip, f.cfg.FeeMax)
	if err != nil {
		return outbox.Version{}, err
	}
	price, ok := bumpFees(&old, price, f.cfg.FeeMax)
	if !ok {
		return outbox.Version{}, fmt.Errorf("%w: it already offers %s, and a replacement must offer a tenth more", errFeesTooHigh, gwei(old.GasFeeCap()))
	}
	m := message{to: *old.To(), data: old.Data(), gas: old.Gas()}
	if f.cfg.Now().After(known.LapsesAt) {
		m = a.nothing()
	}
	return f.sign(ctx, a, known.Nonce, m, price)
}

// fillGaps uses up free nonces below a pending transaction. If we sent one with that nonce and the chain has lost it,
// that one is sent again.
func (f *Facilitator) fillGaps(ctx context.Context, chain outbox.ChainKey, flights []*flight, s *seen) {
	looked := map[common.Address]bool{}
	for _, fl := range flights { // in the order of their nonces
		a, count := f.account(fl.tx.Signer), s.Counts[fl.tx.Signer]
		if looked[fl.tx.Signer] || a == nil {
			continue
		}
		looked[fl.tx.Signer] = true
		f.mu.Lock()
		var gapAt time.Time
		if fl.own && fl.tx.Nonce > count {
			mark(&fl.gapAt, true, f.cfg.Now())
			gapAt = fl.gapAt
		} else {
			fl.gapAt = time.Time{}
		}
		f.mu.Unlock()
		if gapAt.IsZero() || f.cfg.Now().Sub(gapAt) < f.cfg.StuckAfter {
			continue
		}
		if f.reopen(ctx, chain, flightKey{a.address, count}) {
			continue
		}
		price, err := quoteFees(s.Newest, s.Tip, f.cfg.FeeMax)
		if err != nil {
			continue // reported elsewhere
		}
		version, err := f.sign(ctx, a, count, a.nothing(), price)
		if err != nil {
			continue
		}
		tx := outbox.Tx{Signer: a.address, Nonce: count, Raw: version.Raw, Hashes: []common.Hash{version.Hash}, LapsesAt: f.cfg.Now()}
		err = f.cfg.Outbox.Take(ctx, chain, &tx, outbox.Claiming{Owner: f.owner, Lease: f.cfg.Lease, Counted: count})
		if err == nil { // else another owner has the nonce and handles it
			f.cfg.Logger.Warn("x402 signer's nonce was skipped and is filled by an empty transaction", "signer", a.address.Hex(), "nonce", count)
			f.broadcast(ctx, f.launch(&tx, nil, true))
		}
	}
}
