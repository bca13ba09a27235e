package x402

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

type flightKey struct {
	signer common.Address
	nonce  uint64
}

// flight is an open transaction that this facilitator waits for.
type flight struct {
	tx OutboxTx

	// The facilitator's mutex guards these and tx.
	jobs        []*job
	own         bool // and may be replaced
	underpriced bool
	sentAt      time.Time
	// firstAt is since when it is the next of its account; passedAt, since when
	// its number is used up and no version of it is found.
	firstAt  time.Time
	passedAt time.Time
	// gapAt is since when a number below it is nobody's.
	gapAt time.Time
	// landed is its receipt, once the jobs are answered.
	landed *minedReceipt
}

// launch adds a flight, or passengers to one.
func (f *LocalFacilitator) launch(tx *OutboxTx, jobs []*job, own bool) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := flightKey{tx.Signer, tx.Nonce}
	fl := f.flights[key]
	if fl == nil {
		fl = &flight{tx: tx.clone()}
		f.flights[key] = fl
		f.count(fl.tx.Signer, 1)
	}
	fl.own = fl.own || own
	fl.jobs = append(fl.jobs, jobs...)
	hash := fl.tx.newest()
	for _, j := range jobs {
		j.tx = &hash
	}
	select {
	case f.wake <- struct{}{}:
	default: // it knows
	}
	return fl
}

// remove takes a flight off, and returns who was on it. The caller holds the mutex.
func (f *LocalFacilitator) remove(fl *flight) []*job {
	key := flightKey{fl.tx.Signer, fl.tx.Nonce}
	if f.flights[key] == fl {
		delete(f.flights, key)
		f.count(fl.tx.Signer, -1)
	}
	jobs := fl.jobs
	fl.jobs = nil
	return jobs
}

// count keeps how much an account has in flight. The caller holds the mutex.
func (f *LocalFacilitator) count(signer common.Address, more int) {
	if a := f.account(signer); a != nil {
		a.inFlight += more
		f.changed.Broadcast()
	}
}

// account is the account of an address, or nil: another facilitator's.
func (f *LocalFacilitator) account(signer common.Address) *account {
	for _, a := range f.accounts {
		if a.address == signer {
			return a
		}
	}
	return nil
}

// snapshot is the flights in the order of their numbers.
func (f *LocalFacilitator) snapshot() []*flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.flights), func(a, b *flight) int {
		if c := a.tx.Signer.Cmp(b.tx.Signer); c != 0 {
			return c
		}
		return int(a.tx.Nonce) - int(b.tx.Nonce) //nolint:gosec // far below
	})
}

// keep sees every flight through, while there is one.
func (f *LocalFacilitator) keep() {
	ticker := time.NewTicker(f.cfg.PollInterval)
	defer ticker.Stop()
	k := &keeper{LocalFacilitator: f}
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-f.wake:
		}
		for f.ctx.Err() == nil {
			flights := f.snapshot()
			if err := k.round(f.ctx, flights); err != nil && f.ctx.Err() == nil {
				f.cfg.Logger.Warn("x402 settlements under way; the next round looks again", "error", err)
			}
			if len(f.snapshot()) == 0 {
				break
			}
			select {
			case <-f.ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}
}

// keeper is what one goroutine knows of the flights.
type keeper struct {
	*LocalFacilitator

	tendedAt time.Time
	forgotAt time.Time
}

// round looks once at all flights.
func (k *keeper) round(ctx context.Context, flights []*flight) error {
	if err := k.cfg.Live(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*k.cfg.RPCTimeout)
	defer cancel()
	chain, err := k.chainKey(ctx)
	if err != nil {
		return err
	}
	if k.cfg.Now().Sub(k.tendedAt) >= k.cfg.Lease/3 {
		if err := k.tend(ctx, chain, flights); err != nil {
			return err
		}
		k.tendedAt = k.cfg.Now()
		flights = k.snapshot()
	}
	seen, err := k.look(ctx, flights)
	if err != nil {
		return err
	}
	var errs []error
	for _, fl := range flights {
		switch receipt := seen.mined[fl]; {
		case receipt != nil && seen.confirmed(receipt, k.cfg.Confirmations):
			k.land(ctx, chain, fl, receipt)
		case receipt != nil: // not yet
		case seen.failed[fl] != nil:
			errs = append(errs, seen.failed[fl])
		default:
			k.push(ctx, chain, fl, seen)
		}
	}
	k.fillGaps(ctx, chain, flights, seen)
	return errors.Join(errs...)
}

// seen is what a round found on the chain.
type seen struct {
	newest *head
	tip    *big.Int                  // nil if the node does not say
	counts map[common.Address]uint64 // mined transactions, by account
	mined  map[*flight]*minedReceipt
	failed map[*flight]error // whose receipts could not be read
}

func (s *seen) confirmed(receipt *minedReceipt, confirmations int) bool {
	upTo := new(big.Int).Add(receipt.BlockNumber, big.NewInt(int64(confirmations-1)))
	return upTo.Cmp(new(big.Int).SetUint64(uint64(s.newest.Number))) <= 0 || confirmations == 1
}

// look asks for the receipts of all versions of all flights.
func (f *LocalFacilitator) look(ctx context.Context, flights []*flight) (*seen, error) {
	s := &seen{counts: map[common.Address]uint64{}, mined: map[*flight]*minedReceipt{}, failed: map[*flight]error{}}
	var tip hexutil.Big
	const tipElem = 1 // a replacement needs it, and nothing else
	batch := []rpc.BatchElem{
		{Method: "eth_getBlockByNumber", Args: []any{blockLatest, false}, Result: &s.newest},
		{Method: "eth_maxPriorityFeePerGas", Result: &tip},
	}
	// Counts before receipts: a number that is used up has its receipt by then.
	counts := map[common.Address]*hexutil.Uint64{}
	for _, fl := range flights {
		if counts[fl.tx.Signer] == nil {
			n := new(hexutil.Uint64)
			counts[fl.tx.Signer] = n
			batch = append(batch, rpc.BatchElem{Method: "eth_getTransactionCount", Args: []any{fl.tx.Signer, blockLatest}, Result: n})
		}
	}
	fixed := len(batch)
	type version struct {
		flight  *flight
		receipt *minedReceipt
	}
	var versions []*version
	f.mu.Lock()
	for _, fl := range flights {
		for _, hash := range fl.tx.Hashes {
			v := &version{flight: fl}
			versions = append(versions, v)
			batch = append(batch, rpc.BatchElem{Method: "eth_getTransactionReceipt", Args: []any{hash}, Result: &v.receipt})
		}
	}
	f.mu.Unlock()
	if err := f.callAll(ctx, batch); err != nil {
		return nil, err
	}
	for i, elem := range batch[:fixed] {
		if elem.Error != nil && i != tipElem {
			return nil, fmt.Errorf("%s: %w", elem.Method, elem.Error)
		}
	}
	for i, v := range versions {
		switch err := batch[fixed+i].Error; {
		case err != nil: // of this one nothing is known, of the others it is
			s.failed[v.flight] = fmt.Errorf("reading a receipt: %w", err)
		case v.receipt != nil:
			s.mined[v.flight] = v.receipt
		}
	}
	if s.newest == nil {
		return nil, errors.New("the node has no newest block")
	}
	if batch[tipElem].Error == nil {
		s.tip = tip.ToInt()
	}
	for signer, n := range counts {
		s.counts[signer] = uint64(*n)
	}
	return s, nil
}

// land answers who was on a flight and closes its transaction.
func (f *LocalFacilitator) land(ctx context.Context, chain ChainKey, fl *flight, receipt *minedReceipt) {
	f.mu.Lock()
	first, own := fl.landed == nil, fl.own
	fl.landed = receipt
	jobs, others := fl.jobs, len(fl.tx.Payments) > 1
	fl.jobs = nil
	f.mu.Unlock()
	if first && own {
		f.cfg.Observer.Spent(receipt.GasUsed, receipt.cost())
	}
	jobs = f.concludePaid(jobs, &receipt.Receipt)
	if err := f.cfg.Outbox.Finish(ctx, chain, fl.tx.Signer, fl.tx.Nonce, &receipt.TxHash); err != nil {
		f.cfg.Logger.Warn("x402 settlement not closed; the next round tries again", "transaction", receipt.TxHash.Hex(), "error", err)
		f.mu.Lock()
		fl.jobs = append(fl.jobs, jobs...)
		f.mu.Unlock()
		return
	}
	f.mu.Lock()
	jobs = append(jobs, f.remove(fl)...) // and who came aboard meanwhile
	f.mu.Unlock()
	for _, j := range f.concludePaid(jobs, &receipt.Receipt) {
		f.conclude(j, &receipt.Receipt, others)
	}
}

// tend prolongs leases, takes on what others have left, and learns what has become
// of transactions that are others'.
func (k *keeper) tend(ctx context.Context, chain ChainKey, flights []*flight) error {
	var signers []common.Address
	for _, a := range k.accounts {
		signers = append(signers, a.address)
	}
	mine, err := k.cfg.Outbox.Tend(ctx, chain, signers, k.owner, k.cfg.Lease)
	if err != nil {
		return err
	}
	isMine := map[flightKey]bool{}
	for i := range mine {
		key := flightKey{mine[i].Signer, mine[i].Nonce}
		isMine[key] = true
		if k.renew(key, &mine[i], true) {
			k.broadcast(ctx, k.launch(&mine[i], nil, true))
		}
	}
	var foreign []*flight
	var payments [][32]byte
	k.mu.Lock()
	for _, fl := range flights {
		if !isMine[flightKey{fl.tx.Signer, fl.tx.Nonce}] {
			fl.own = false
			foreign = append(foreign, fl)
			payments = append(payments, fl.tx.Payments...)
		}
	}
	k.mu.Unlock()
	if err := k.follow(ctx, chain, foreign, payments); err != nil {
		return err
	}
	const forgetEvery, keepFinished = time.Hour, 7 * 24 * time.Hour
	if now := k.cfg.Now(); now.Sub(k.forgotAt) >= forgetEvery {
		k.forgotAt = now
		return k.cfg.Outbox.Forget(ctx, keepFinished)
	}
	return nil
}

// renew brings a flight up to date. It is true if there is no such flight.
func (f *LocalFacilitator) renew(key flightKey, tx *OutboxTx, own bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	fl := f.flights[key]
	if fl == nil {
		return true
	}
	fl.own = own
	if len(tx.Hashes) >= len(fl.tx.Hashes) {
		fl.tx.Raw, fl.tx.Hashes = tx.Raw, tx.Hashes
	}
	return false
}

// follow learns of the new versions of others' transactions. Those that are closed
// are done with: their payments are looked for on the chain.
func (k *keeper) follow(ctx context.Context, chain ChainKey, foreign []*flight, payments [][32]byte) error {
	if len(foreign) == 0 {
		return nil
	}
	open, err := k.cfg.Outbox.Carrying(ctx, chain, payments)
	if err != nil {
		return err
	}
	isOpen := map[flightKey]bool{}
	for i := range open {
		key := flightKey{open[i].Signer, open[i].Nonce}
		isOpen[key] = true
		k.renew(key, &open[i], false)
	}
	for _, fl := range foreign {
		if isOpen[flightKey{fl.tx.Signer, fl.tx.Nonce}] {
			continue
		}
		k.mu.Lock()
		jobs := k.remove(fl)
		k.mu.Unlock()
		k.requeue(jobs, fmt.Errorf("transaction %s was closed by another", fl.tx.newest().Hex()))
	}
	return nil
}

// minedReceipt is a receipt with what rollups add to it.
type minedReceipt struct {
	types.Receipt

	// l1Fee is what the rollup takes, in wei, for publishing the transaction.
	l1Fee *big.Int
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *minedReceipt) UnmarshalJSON(raw []byte) error {
	if err := r.Receipt.UnmarshalJSON(raw); err != nil {
		return err
	}
	var more struct {
		L1Fee *hexutil.Big `json:"l1Fee"`
	}
	if err := json.Unmarshal(raw, &more); err != nil {
		return err
	}
	if more.L1Fee != nil {
		r.l1Fee = more.L1Fee.ToInt()
	}
	return nil
}

// cost is what the transaction took, in wei.
func (r *minedReceipt) cost() *big.Int {
	cost := new(big.Int)
	if r.EffectiveGasPrice != nil {
		cost.Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
	}
	if r.l1Fee != nil {
		cost.Add(cost, r.l1Fee)
	}
	return cost
}
