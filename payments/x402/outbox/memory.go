package outbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Memory is an [Store] for the facilitators of one process. It is lost with the process; the transactions sent
// by then are not followed any more.
type Memory struct {
	now func() time.Time

	mu    sync.Mutex
	lanes map[lane]uint64 // the next nonce
	gaps  map[slot]bool   // skipped nonces below it
	open  map[slot]*memoryTx
	mined map[minedPayment]time.Time // recently mined payments
	// finished holds recently finished transactions.
	finished map[slot]finishedTx
	spent    map[gasDay]x402.Gwei
}

// gasDay is one day on one network.
type gasDay struct {
	network string // CAIP-2
	date    string
}

type finishedTx struct {
	tx *memoryTx
	at time.Time
}

type minedPayment struct {
	chain   ChainKey
	payment [32]byte
}

// minedKept is how long mined and finished transactions are remembered: longer than it takes to prepare a transaction,
// and longer than a block can still be replaced.
const minedKept = 10 * time.Minute

// gapsMost limits how many skipped nonces are remembered. An account that has sent many transactions elsewhere has no
// gap at its first nonce.
const gapsMost = 64

type lane struct {
	chain  ChainKey
	signer common.Address
}

type slot struct {
	lane  lane
	nonce uint64
}

type memoryTx struct {
	Tx

	owner       uuid.UUID
	leasedUntil time.Time
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty outbox that uses this clock for leases.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{
		now: now, lanes: map[lane]uint64{}, gaps: map[slot]bool{}, open: map[slot]*memoryTx{}, mined: map[minedPayment]time.Time{},
		finished: map[slot]finishedTx{}, spent: map[gasDay]x402.Gwei{},
	}
}

// Next implements [Store].
func (o *Memory) Next(_ context.Context, chain ChainKey, signer common.Address) (uint64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lanes[lane{chain, signer}], nil
}

// Take implements [Store].
func (o *Memory) Take(_ context.Context, chain ChainKey, tx *Tx, claim Claiming) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slot{lane{chain, tx.Signer}, tx.Nonce}
	next := o.lanes[at.lane]
	if (tx.Nonce < next && !o.gaps[at]) || tx.Nonce > max(next, claim.Counted) {
		return ErrNumberTaken
	}
	for where, other := range o.open {
		if where.lane.chain == chain && other.Carries(tx.Payments) {
			return ErrCarried
		}
	}
	for _, payment := range tx.Payments {
		if mined, ok := o.mined[minedPayment{chain, payment}]; ok && mined.After(claim.LookedAt) {
			return ErrCarried
		}
	}
	delete(o.gaps, at)
	for skipped := max(next, tx.Nonce-min(tx.Nonce, gapsMost)); skipped < tx.Nonce; skipped++ {
		o.gaps[slot{at.lane, skipped}] = true
	}
	o.lanes[at.lane] = max(next, tx.Nonce+1)
	o.open[at] = &memoryTx{Tx: tx.Clone(), owner: claim.Owner, leasedUntil: o.now().Add(claim.Lease)}
	return nil
}

// Replace implements [Store].
func (o *Memory) Replace(_ context.Context, chain ChainKey, tx *Tx, version Version, owner uuid.UUID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	held := o.open[slot{lane{chain, tx.Signer}, tx.Nonce}]
	if held == nil || held.owner != owner || held.Newest() != tx.Newest() {
		return ErrNotOwner
	}
	held.Raw = slices.Clone(version.Raw)
	held.Hashes = append(held.Hashes, version.Hash)
	return nil
}

// Finish implements [Store].
func (o *Memory) Finish(_ context.Context, chain ChainKey, signer common.Address, nonce uint64, mined *common.Hash, cost x402.Gwei) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, now := slot{lane{chain, signer}, nonce}, o.now()
	held := o.open[at]
	if held == nil {
		return nil
	}
	delete(o.open, at)
	maps.DeleteFunc(o.mined, func(_ minedPayment, when time.Time) bool { return now.Sub(when) > minedKept })
	maps.DeleteFunc(o.finished, func(_ slot, f finishedTx) bool { return now.Sub(f.at) > minedKept })
	o.finished[at] = finishedTx{held, now}
	o.spent[o.today(fmt.Sprintf("eip155:%d", chain.ID))] += cost
	if mined != nil {
		for _, payment := range held.Payments {
			o.mined[minedPayment{chain, payment}] = now
		}
	}
	return nil
}

func (o *Memory) today(network string) gasDay {
	return gasDay{network, o.now().UTC().Format(time.DateOnly)}
}

// SpentToday returns what mined transactions of a network have cost since midnight (UTC).
func (o *Memory) SpentToday(network string) x402.Gwei {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spent[o.today(network)]
}

// Reopen implements [Store].
func (o *Memory) Reopen(_ context.Context, chain ChainKey, signer common.Address, nonce uint64, owner uuid.UUID, lease time.Duration) (Tx, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slot{lane{chain, signer}, nonce}
	was, ok := o.finished[at]
	if !ok {
		return Tx{}, ErrNotFinished
	}
	delete(o.finished, at)
	for _, payment := range was.tx.Payments {
		delete(o.mined, minedPayment{chain, payment})
	}
	was.tx.owner, was.tx.leasedUntil = owner, o.now().Add(lease)
	o.open[at] = was.tx
	return was.tx.Clone(), nil
}

// Tend implements [Store].
func (o *Memory) Tend(_ context.Context, chain ChainKey, signers []common.Address, owner uuid.UUID, lease time.Duration) ([]Tx, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	var mine []Tx
	for at, held := range o.open {
		if at.lane.chain != chain || !slices.Contains(signers, at.lane.signer) || (held.owner != owner && !held.leasedUntil.Before(now)) {
			continue
		}
		held.owner, held.leasedUntil = owner, now.Add(lease)
		mine = append(mine, held.Clone())
	}
	return mine, nil
}

// Carrying implements [Store].
func (o *Memory) Carrying(_ context.Context, chain ChainKey, payments [][32]byte) ([]Tx, time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []Tx
	for at, held := range o.open {
		if at.lane.chain == chain && held.Carries(payments) {
			found = append(found, held.Clone())
		}
	}
	return found, o.now(), nil
}

// Release implements [Store].
func (o *Memory) Release(_ context.Context, owner uuid.UUID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, held := range o.open {
		if held.owner == owner {
			held.leasedUntil = time.Time{}
		}
	}
	return nil
}

// Forget implements [Store]. It does nothing: finished transactions are kept only briefly.
func (*Memory) Forget(context.Context, time.Duration) error { return nil }

// Carries reports whether the transaction has one of the payments.
func (tx *Tx) Carries(payments [][32]byte) bool {
	return slices.ContainsFunc(tx.Payments, func(p [32]byte) bool { return slices.Contains(payments, p) })
}

// Clone returns a copy that shares no memory with tx.
func (tx *Tx) Clone() Tx {
	out := *tx
	out.Raw, out.Hashes, out.Payments = slices.Clone(tx.Raw), slices.Clone(tx.Hashes), slices.Clone(tx.Payments)
	return out
}
