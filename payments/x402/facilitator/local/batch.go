package local

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

const (
	// batchGasMost limits the gas of one transaction, to well below the 2^24 of EIP-7825.
	batchGasMost = 10_000_000
	// batchGas is the gas of Multicall3 around its calls, and of the transaction itself.
	batchGas = 60_000
)

// work sends queued jobs from one account until the facilitator is closed.
func (f *Facilitator) work(a *account) {
	for {
		jobs := f.pick(a)
		if jobs == nil {
			return
		}
		f.settle(a, jobs)
	}
}

// pick waits until there is something to send and takes it. While the account is busy, payments queue and then go
// together. No payment waits for others to share its transaction.
func (f *Facilitator) pick(a *account) []*job {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.closed && (len(f.queue) == 0 || a.inFlight >= f.cfg.InFlightMax || (a.poor && f.rich())) {
		f.changed.Wait()
	}
	if f.closed {
		return nil
	}
	n := min(len(f.queue), f.cfg.BatchMax)
	jobs := f.queue[:n:n]
	f.queue = f.queue[n:]
	return jobs
}

// rich reports whether any account has money for gas. The caller holds the mutex.
func (f *Facilitator) rich() bool {
	for _, a := range f.accounts {
		if !a.poor {
			return true
		}
	}
	return false
}

// settle sends jobs: together in one transaction where possible, separately where necessary.
func (f *Facilitator) settle(a *account, jobs []*job) {
	ctx, cancel := context.WithTimeout(f.ctx, 3*f.cfg.RPCTimeout) // a hanging node must not block settlements for ever
	defer cancel()
	chain, err := f.chainKey(ctx)
	if err == nil {
		err = f.cfg.Live()
	}
	var lookedAt time.Time
	if err == nil {
		jobs, lookedAt, err = f.boardOpen(ctx, chain, jobs)
	}
	if err != nil {
		// This attempt sends nothing, but an earlier one may be pending.
		f.finishAll(jobs, func(j *job) error { return j.unknown(err) })
		return
	}
	if jobs = f.dropLapsed(jobs); len(jobs) == 0 {
		return
	}
	plan, err := f.prepare(ctx, a, jobs)
	if err != nil {
		f.finishAll(jobs, func(*job) error { return fmt.Errorf("%w: preparing the settlement: %w", x402.ErrUnavailable, err) })
		return
	}
	for _, p := range plan.parcels {
		if !f.affords(a, plan, p) {
			continue
		}
		f.post(ctx, chain, a, p.message, plan.fees, p.jobs, lookedAt)
	}
}

// boardOpen attaches jobs whose payments are already in open transactions to those transactions. It returns the other
// jobs and the time of the look-up.
func (f *Facilitator) boardOpen(ctx context.Context, chain outbox.ChainKey, jobs []*job) ([]*job, time.Time, error) {
	ids := make([][32]byte, len(jobs))
	for i, j := range jobs {
		ids[i] = j.id
	}
	open, lookedAt, err := f.cfg.Outbox.Carrying(ctx, chain, ids)
	if err != nil || len(open) == 0 {
		return jobs, lookedAt, err
	}
	rest := jobs
	for i := range open {
		var aboard, others []*job
		for _, j := range rest {
			if open[i].Carries([][32]byte{j.id}) {
				aboard = append(aboard, j)
			} else {
				others = append(others, j)
			}
		}
		if len(aboard) > 0 {
			f.broadcast(ctx, f.launch(&open[i], aboard, false))
		}
		rest = others
	}
	return rest, lookedAt, nil
}

// dropLapsed refuses payments that lapsed while they were queued.
func (f *Facilitator) dropLapsed(jobs []*job) []*job {
	var good []*job
	for _, j := range jobs {
		if refusal := f.checkLocally(j.payment, j.req); refusal != nil {
			f.diagnose(j, refusal)
			continue
		}
		good = append(good, j)
	}
	return good
}

// plan says in which transactions jobs are sent, and with what fees.
type plan struct {
	parcels []parcel
	fees    fees
	balance *big.Int
}

// parcel is one transaction and the jobs that it settles.
type parcel struct {
	message

	jobs []*job
}

// Affords reports whether the account can pay for a transaction. If not, another account may.
func (f *Facilitator) affords(a *account, plan *plan, p parcel) bool {
	cost := new(big.Int).Mul(plan.fees.cap, new(big.Int).SetUint64(p.gas))
	f.mu.Lock()
	a.poor = plan.balance.Cmp(cost) < 0
	poor, others := a.poor, f.rich()
	f.mu.Unlock()
	plan.balance.Sub(plan.balance, cost)
	if !poor {
		return true
	}
	err := fmt.Errorf("signer %s has insufficient funds for gas", a.address)
	if others {
		f.requeue(p.jobs, fmt.Errorf("%w: %w", x402.ErrUnavailable, err))
	} else {
		f.finishAll(p.jobs, func(*job) error { return fmt.Errorf("%w: %w", x402.ErrUnavailable, err) })
	}
	return false
}

// prepare packs jobs into transactions. It estimates the gas of each job separately, so that one that reverts or needs
// much gas does not hold up the others.
func (f *Facilitator) prepare(ctx context.Context, a *account, jobs []*job) (*plan, error) {
	var newest *evm.Head
	var tip hexutil.Big
	balances := make([]hexutil.Big, len(f.accounts))
	gas := make([]hexutil.Uint64, len(jobs))
	codes := make([]hexutil.Bytes, len(jobs))
	const each = 2
	batch := make([]rpc.BatchElem, 0, each*len(jobs)+2+len(f.accounts))
	for i, j := range jobs {
		call := f.settlementCall(j.payment)
		batch = append(batch, evm.EstimateGas(a.address, call.Target, call.Data, &gas[i]), evm.Code(j.payment.Authorization.From, &codes[i]))
	}
	batch = append(batch, evm.Newest(&newest), evm.Tip(&tip))
	for i, other := range f.accounts { // all accounts: one that was poor may have been refilled
		batch = append(batch, evm.Coins(other.address, &balances[i]))
	}
	if err := evm.CallAll(ctx, f.rpc, batch, f.cfg.RPCTimeout); err != nil {
		return nil, err
	}
	for _, elem := range batch[each*len(jobs):] {
		if elem.Error != nil {
			return nil, fmt.Errorf("%s: %w", elem.Method, elem.Error)
		}
	}
	price, err := quoteFees(newest, tip.ToInt(), f.cfg.FeeMax)
	if err != nil {
		return nil, err
	}
	p := &plan{fees: price}
	for i, other := range f.accounts {
		f.alarm(other, balances[i].ToInt())
		if other == a {
			p.balance = balances[i].ToInt()
		}
	}
	var together []fare
	for i, j := range jobs {
		if err := errors.Join(batch[each*i].Error, batch[each*i+1].Error); err != nil {
			f.turnDown(j, err)
			continue
		}
		if most := f.gasMost(j.payment); uint64(gas[i]) > most {
			f.diagnose(j, refuseGas(uint64(gas[i]), most))
			continue
		}
		ride := fare{j, f.gasLimit(j.payment, uint64(gas[i]))}
		if j.sociable(f.network, len(codes[i]) > 0) {
			together = append(together, ride)
		} else {
			p.parcels = append(p.parcels, f.direct(ride))
		}
	}
	most := uint64(batchGasMost)
	if len(together) > 1 && !f.canBatch(ctx) {
		most = 0
	}
	p.parcels = append(p.parcels, f.pack(together, most)...)
	return p, nil
}

// turnDown ends a job whose estimate failed. A revert means that the token would refuse the transfer, any other error
// that the node did not answer.
func (f *Facilitator) turnDown(j *job, err error) {
	if evm.IsRevert(err) {
		f.diagnose(j, err)
		return
	}
	f.finish(j, x402.Settlement{}, fmt.Errorf("%w: preparing the settlement: %w", x402.ErrUnavailable, err))
}

// sociable reports whether a payment may share a transaction. A payer with code decides how much gas its part takes, and
// could take all of it.
func (j *job) sociable(n x402.Network, code bool) bool {
	return !code && !j.alone && j.payment.SignedByPayer(n)
}

// fare is a job and its gas limit.
type fare struct {
	job *job
	gas uint64
}

func (f *Facilitator) direct(ride fare) parcel {
	call := f.settlementCall(ride.job.payment)
	return parcel{message{to: call.Target, data: call.Data, gas: ride.gas}, []*job{ride.job}}
}

// canBatch reports whether Multicall3 is on the chain. This must be checked, because a call to an address without code
// succeeds and does nothing.
func (f *Facilitator) canBatch(ctx context.Context) bool {
	f.mu.Lock()
	known := f.multicall
	f.mu.Unlock()
	if known != nil {
		return *known
	}
	there, err := f.HasCode(ctx, evm.Multicall3)
	if err != nil {
		return false // asked again next time
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.multicall = &there
	return there
}

// Pack puts payments into as few transactions as their gas allows. A transaction with several payments takes at most gasMost.
func (f *Facilitator) pack(rides []fare, gasMost uint64) []parcel {
	var parcels []parcel
	for len(rides) > 0 {
		n, gas := 0, uint64(batchGas)
		for n < len(rides) && (n == 0 || gas+rides[n].gas <= gasMost) {
			gas += rides[n].gas
			n++
		}
		if n == 1 {
			parcels = append(parcels, f.direct(rides[0]))
		} else {
			calls, jobs := make([]evm.ContractCall, n), make([]*job, n)
			for i, ride := range rides[:n] {
				calls[i], jobs[i] = f.settlementCall(ride.job.payment), ride.job
			}
			parcels = append(parcels, parcel{message{to: evm.Multicall3, data: evm.Aggregate(calls...), gas: gas}, jobs})
		}
		rides = rides[n:]
	}
	return parcels
}
