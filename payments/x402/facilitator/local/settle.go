package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// job is one payment that is being settled, shared by all callers that wait for it.
type job struct {
	id      [32]byte // of the authorisation, whatever the signature
	payload [32]byte // of the payment with its signature
	payment *x402.Payment
	req     *x402.Requirements
	done    chan struct{}

	// Guarded by the facilitator's mutex.
	waiters int
	alone   bool // must not share a transaction: one with others failed as a whole
	tries   int
	tx      *common.Hash // the transaction that was sent

	settlement x402.Settlement // valid once done is closed
	err        error
}

// jobTries is how often a payment is put into another transaction after its own could not be mined.
const jobTries = 4

func (j *job) unknown(err error) *x402.SettlementUnknownError {
	unknown := &x402.SettlementUnknownError{Err: err}
	if j.tx != nil {
		unknown.Transaction = j.tx.Hex()
	}
	return unknown
}

// authorizationID identifies an authorisation on a chain. The token accepts each one once.
func authorizationID(n x402.Network, a *x402.Authorization) [32]byte {
	return crypto.Keccak256Hash(n.Asset[:], a.From[:], a.Nonce[:])
}

// Settle implements [x402.Facilitator]. Of payments with the same authorisation, one is settled at a time, and identical
// ones are settled once. A transaction that was sent is followed to its end even if the caller has left.
func (f *Facilitator) Settle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	if refusal := f.checkLocally(p, req); refusal != nil {
		return f.settleLate(ctx, p, req, refusal)
	}
	return f.settleQueued(ctx, p, req)
}

// settleLate handles a payment that can no longer be settled: it may have been settled before.
func (f *Facilitator) settleLate(ctx context.Context, p *x402.Payment, req *x402.Requirements, refusal *x402.Refusal) (x402.Settlement, error) {
	if refusal.Code != x402.CodeValidBefore || !p.SignedByPayer(f.network) {
		return x402.Settlement{}, refusal
	}
	chain, err := f.chainKey(ctx)
	if err != nil {
		return x402.Settlement{}, &x402.SettlementUnknownError{Err: err}
	}
	under, _, err := f.cfg.Outbox.Carrying(ctx, chain, [][32]byte{authorizationID(f.network, &p.Authorization)})
	if err != nil {
		return x402.Settlement{}, &x402.SettlementUnknownError{Err: err}
	}
	if len(under) > 0 {
		return f.settleQueued(ctx, p, req)
	}
	settlement, _, err := f.judge(ctx, p, req, refusal)
	return settlement, err
}

func (f *Facilitator) settleQueued(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	f.run()
	payload := p.Hash()
	for {
		j, err := f.join(p, req, payload)
		if err != nil {
			return x402.Settlement{}, err
		}
		select {
		case <-j.done:
			if j.payload == payload {
				return j.settlement, j.err
			}
		case <-ctx.Done():
			return x402.Settlement{}, f.leave(j, ctx.Err())
		}
	}
}

// join returns the job of the payment's authorisation, or queues a new one.
func (f *Facilitator) join(p *x402.Payment, req *x402.Requirements, payload [32]byte) (*job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.joinLocked(p, req, payload)
}

// joinLocked is join for a caller that holds the mutex.
func (f *Facilitator) joinLocked(p *x402.Payment, req *x402.Requirements, payload [32]byte) (*job, error) {
	id := authorizationID(f.network, &p.Authorization)
	if f.closed {
		return nil, fmt.Errorf("%w: %w", x402.ErrUnavailable, errClosed)
	}
	j := f.jobs[id]
	if j == nil {
		payment, requirements := *p, *req // the caller may change its own after leaving
		j = &job{id: id, payload: payload, payment: &payment, req: &requirements, done: make(chan struct{})}
		f.jobs[id] = j
		f.queue = append(f.queue, j)
		f.changed.Broadcast()
	}
	j.waiters++
	return j, nil
}

// leave stops waiting for a job, and returns what is known about it.
func (f *Facilitator) leave(j *job, cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	j.waiters--
	at := slices.Index(f.queue, j)
	if at < 0 || j.tx != nil || j.waiters > 0 {
		return j.unknown(fmt.Errorf("waiting for the settlement: %w", cause))
	}
	err := fmt.Errorf("%w: the settlement had not started: %w", x402.ErrUnavailable, cause)
	f.queue = slices.Delete(f.queue, at, at+1)
	f.end(j, x402.Settlement{}, err)
	return err
}

// requeue queues jobs for another transaction if a caller still waits for them.
func (f *Facilitator) requeue(jobs []*job, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range jobs {
		if j.tries++; j.tries >= jobTries || j.waiters == 0 || f.closed {
			f.end(j, x402.Settlement{}, j.unknown(cause))
			continue
		}
		f.queue = append(f.queue, j)
	}
	f.changed.Broadcast()
}

// End wakes all callers that wait for a job. The caller holds the mutex.
func (f *Facilitator) end(j *job, settlement x402.Settlement, err error) {
	if f.jobs[j.id] != j {
		return // it has ended before
	}
	delete(f.jobs, j.id)
	j.settlement, j.err = settlement, err
	close(j.done)
}

func (f *Facilitator) finish(j *job, settlement x402.Settlement, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(j, settlement, err)
}

func (f *Facilitator) finishAll(jobs []*job, errFunc func(*job) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range jobs {
		f.end(j, x402.Settlement{}, errFunc(j))
	}
}

// concludePaid ends the jobs that a transaction has paid, and returns the others.
func (f *Facilitator) concludePaid(jobs []*job, receipt *types.Receipt) []*job {
	var others []*job
	for _, j := range jobs {
		if f.Pays(receipt, j.payment, j.req) {
			f.finish(j, x402.Settlement{Transaction: receipt.TxHash.Hex(), Block: evm.BlockOf(receipt)}, nil)
		} else {
			others = append(others, j)
		}
	}
	return others
}

// conclude handles a payment whose transaction was mined without moving its money. The transaction must be closed
// before, or the payment would be found in it again.
func (f *Facilitator) conclude(j *job, receipt *types.Receipt, others bool) {
	hash := receipt.TxHash.Hex()
	if receipt.Status == types.ReceiptStatusSuccessful || !others {
		f.diagnose(j, fmt.Errorf("transaction %s did not transfer the payment", hash))
		return
	}
	f.mu.Lock()
	j.alone = true
	f.mu.Unlock()
	f.requeue([]*job{j}, fmt.Errorf("transaction %s reverted", hash))
}

// diagnose finds out in the background why the token did not move the money, and ends the job.
func (f *Facilitator) diagnose(j *job, cause error) {
	f.running.Go(func() {
		ticker := time.NewTicker(f.cfg.PollInterval)
		defer ticker.Stop()
		for {
			ctx, cancel := context.WithTimeout(f.ctx, diagnosisTimeout)
			settlement, open, err := f.judge(ctx, j.payment, j.req, cause)
			cancel()
			if !open || f.cfg.Now().After(j.payment.LapsesAt()) {
				f.finish(j, settlement, err)
				return
			}
			select {
			case <-f.ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// diagnosisTimeout limits one look at the chain, which may be a search.
const diagnosisTimeout = 30 * time.Second

// judge finds out why the token refuses. If the authorisation was used, somebody else may have sent it, and we may have
// been paid all the same. open says that an unmined transaction contains it.
func (f *Facilitator) judge(ctx context.Context, p *x402.Payment, req *x402.Requirements, cause error) (settlement x402.Settlement, open bool, err error) {
	seen, err := f.Lookup(ctx, p, req, f.cfg.Now())
	if err != nil {
		return x402.Settlement{}, false, &x402.SettlementUnknownError{Err: errors.Join(cause, err)}
	}
	switch seen.Outcome {
	case x402.OutcomePaid:
		return seen.Settlement(), false, nil
	case x402.OutcomeSpent:
		return x402.Settlement{}, false, x402.Refuse(x402.CodeTransactionState, "the authorisation was used or cancelled, and we were not paid")
	case x402.OutcomeUnclear, x402.OutcomeUnsure:
		return x402.Settlement{}, false, &x402.SettlementUnknownError{Err: errors.Join(cause, seen.Doubt)}
	case x402.OutcomeUnused:
	}
	pending, err := f.UsedSoon(ctx, &p.Authorization)
	if err != nil || pending {
		return x402.Settlement{}, err == nil, &x402.SettlementUnknownError{Err: errors.Join(cause, err)}
	}
	if refusal, ok := errors.AsType[*x402.Refusal](cause); ok {
		return x402.Settlement{}, false, refusal
	}
	_, _, err = f.checkOnChain(ctx, p, req, nil)
	if refusal, ok := errors.AsType[*x402.Refusal](err); ok {
		return x402.Settlement{}, false, refusal
	}
	// It would succeed now, or that cannot be found out: it is worth another try.
	return x402.Settlement{}, false, fmt.Errorf("%w: %w", x402.ErrUnavailable, errors.Join(cause, err))
}
