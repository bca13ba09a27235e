package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

type flightKey struct {
	signer common.Address
	nonce  uint64
}

// flight is an open transaction that this facilitator waits for.
type flight struct {
	tx outbox.Tx

	// Guarded by the facilitator's mutex, as is tx.
	jobs        []*job
	own         bool // this facilitator owns it and may replace it
	underpriced bool
	sentAt      time.Time
	// firstAt is since when it is the next of its account; passedAt, since when its nonce is used up and no version of
	// it is found.
	firstAt  time.Time
	passedAt time.Time
	// gapAt is since when a nonce below it has no transaction.
	gapAt time.Time
	// landed is its receipt, once the jobs are answered.
	landed *evm.Mined
}

// launch adds a pending transaction, or jobs to one that is already pending.
func (f *Facilitator) launch(tx *outbox.Tx, jobs []*job, own bool) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := flightKey{tx.Signer, tx.Nonce}
	fl := f.flights[key]
	if fl == nil {
		fl = &flight{tx: tx.Clone()}
		f.flights[key] = fl
		f.count(fl.tx.Signer, 1)
	}
	fl.own = fl.own || own
	fl.jobs = append(fl.jobs, jobs...)
	hash := fl.tx.Newest()
	for _, j := range jobs {
		j.tx = &hash
	}
	select {
	case f.wake <- struct{}{}:
	default: // a signal is already waiting
	}
	return fl
}

// remove stops following a transaction, and returns its jobs. The caller holds the mutex.
func (f *Facilitator) remove(fl *flight) []*job {
	key := flightKey{fl.tx.Signer, fl.tx.Nonce}
	if f.flights[key] == fl {
		delete(f.flights, key)
		f.count(fl.tx.Signer, -1)
	}
	jobs := fl.jobs
	fl.jobs = nil
	return jobs
}

// count updates how many transactions an account has in flight. The caller holds the mutex.
func (f *Facilitator) count(signer common.Address, more int) {
	if a := f.account(signer); a != nil {
		a.inFlight += more
		f.changed.Broadcast()
	}
}

// Account returns the account of an address, or nil if it is another facilitator's.
func (f *Facilitator) account(signer common.Address) *account {
	for _, a := range f.accounts {
		if a.address == signer {
			return a
		}
	}
	return nil
}

// snapshot returns the pending transactions in the order of their nonces.
func (f *Facilitator) snapshot() []*flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.flights), func(a, b *flight) int {
		if c := a.tx.Signer.Cmp(b.tx.Signer); c != 0 {
			return c
		}
		return int(a.tx.Nonce) - int(b.tx.Nonce) //nolint:gosec // far below 2^63
	})
}

// keep follows pending transactions until they are closed, and mined ones until their payments have lapsed.
func (f *Facilitator) keep() {
	k := &keeper{Facilitator: f, landed: map[flightKey]*landing{}}
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-f.wake:
		}
		for f.ctx.Err() == nil {
			flights := f.snapshot()
			if err := k.round(f.ctx, flights); err != nil && f.ctx.Err() == nil {
				f.cfg.Logger.Warn("x402 open settlements not checked; the next round tries again", "error", err)
			}
			wait := f.cfg.PollInterval
			if len(f.snapshot()) == 0 {
				if len(k.landed) == 0 {
					break
				}
				wait *= passedPolls
			}
			timer := time.NewTimer(wait)
			select {
			case <-f.ctx.Done():
			case <-f.wake:
			case <-timer.C:
			}
			timer.Stop()
		}
	}
}

// keeper is the state of the goroutine that follows pending transactions.
type keeper struct {
	*Facilitator

	tendedAt time.Time
	forgotAt time.Time
	landed   map[flightKey]*landing // mined transactions, watched by recall
}

// round looks once at all pending transactions.
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
	seen, err := k.look(ctx, flights, k.landedSigners())
	if err != nil {
		return err
	}
	var errs []error
	for _, fl := range flights {
		switch receipt := seen.mined[fl]; {
		case receipt != nil:
			k.land(ctx, chain, fl, receipt)
			k.landed[flightKey{fl.tx.Signer, fl.tx.Nonce}] = &landing{lapsesAt: fl.tx.LapsesAt}
		case seen.waiting[fl]: // not decided yet
		case seen.failed[fl] != nil:
			errs = append(errs, seen.failed[fl])
		default:
			k.push(ctx, chain, fl, seen)
		}
	}
	k.recall(ctx, chain, seen)
	k.fillGaps(ctx, chain, flights, seen)
	return errors.Join(errs...)
}

// seen is what a round found on the chain.
type seen struct {
	*evm.Survey

	mined   map[*flight]*evm.Mined // with all their confirmations
	failed  map[*flight]error      // whose receipts could not be read
	waiting map[*flight]bool       // for confirmations, or for the nodes to agree
}

// version is one version of a pending transaction.
type version struct {
	flight *flight
	hash   common.Hash
}

// look asks all nodes for the receipts of all versions of all pending transactions, and for the transaction counts of
// their accounts and of signers.
func (f *Facilitator) look(ctx context.Context, flights []*flight, signers []common.Address) (*seen, error) {
	var versions []version
	var hashes []common.Hash
	f.mu.Lock()
	for _, fl := range flights {
		signers = append(signers, fl.tx.Signer)
		for _, hash := range fl.tx.Hashes {
			versions, hashes = append(versions, version{fl, hash}), append(hashes, hash)
		}
	}
	f.mu.Unlock()
	survey, err := f.Survey(ctx, signers, hashes, f.cfg.RPCTimeout)
	if err != nil {
		return nil, err
	}
	s := &seen{Survey: survey, mined: map[*flight]*evm.Mined{}, failed: map[*flight]error{}, waiting: map[*flight]bool{}}
	for i, v := range versions {
		switch is := &survey.Transactions[i]; {
		case is.Mined != nil:
			s.mined[v.flight] = is.Mined
		case is.Failed != nil:
			s.failed[v.flight] = is.Failed
		case is.Waiting:
			s.waiting[v.flight] = true
		}
	}
	return s, nil
}

// finishTimeout limits one attempt to close a transaction: the next round tries again.
const finishTimeout = time.Second

// land answers the jobs of a mined transaction, and closes it.
func (f *Facilitator) land(ctx context.Context, chain outbox.ChainKey, fl *flight, receipt *evm.Mined) {
	f.mu.Lock()
	first, own := fl.landed == nil, fl.own
	fl.landed = receipt
	jobs, others := fl.jobs, len(fl.tx.Payments) > 1
	fl.jobs = nil
	f.mu.Unlock()
	if first && own {
		f.cfg.Observer.Spent(receipt.GasUsed, receipt.Cost())
	}
	// Finish is first, so that the budget is charged for the transaction before its claims are settled and reserve
	// nothing more. The timeout keeps a hanging database from delaying the payers for long.
	finishCtx, cancel := context.WithTimeout(ctx, finishTimeout)
	err := f.cfg.Outbox.Finish(finishCtx, chain, fl.tx.Signer, fl.tx.Nonce, &receipt.TxHash, gweiOf(receipt.Cost()))
	cancel()
	jobs = f.concludePaid(jobs, &receipt.Receipt)
	if err != nil {
		f.cfg.Logger.Warn("x402 settlement not closed; the next round tries again", "transaction", receipt.TxHash.Hex(), "error", err)
		f.mu.Lock()
		fl.jobs = append(fl.jobs, jobs...)
		f.mu.Unlock()
		return
	}
	f.mu.Lock()
	jobs = append(jobs, f.remove(fl)...) // and jobs that joined meanwhile
	f.mu.Unlock()
	for _, j := range f.concludePaid(jobs, &receipt.Receipt) {
		f.conclude(j, &receipt.Receipt, others)
	}
}

// tend renews leases, takes over what others have left, and learns what became of others' transactions.
func (k *keeper) tend(ctx context.Context, chain outbox.ChainKey, flights []*flight) error {
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

// renew updates a pending transaction. It returns true if there is no such transaction.
func (f *Facilitator) renew(key flightKey, tx *outbox.Tx, own bool) bool {
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

// follow learns of new versions of others' transactions. Closed ones are removed, and their payments are looked for on
// the chain.
func (k *keeper) follow(ctx context.Context, chain outbox.ChainKey, foreign []*flight, payments [][32]byte) error {
	if len(foreign) == 0 {
		return nil
	}
	open, _, err := k.cfg.Outbox.Carrying(ctx, chain, payments)
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
		k.requeue(jobs, fmt.Errorf("transaction %s was closed by another owner", fl.tx.Newest().Hex()))
	}
	return nil
}
