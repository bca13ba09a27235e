package local

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Account signs transactions and pays for them. It assigns their nonces itself: if the node did, concurrent settlements
// would get the same nonce and all but one would be lost.
type account struct {
	signer  signer.Signer
	address common.Address
	chainID *big.Int

	// Used only by the one goroutine that sends from this account.
	synced  bool   // next agrees with the outbox and the node
	next    uint64 // the nonce of the next transaction
	counted uint64 // how many transactions the node knows

	// Guarded by the facilitator's mutex.
	inFlight  int
	poor      bool // its balance did not cover the last transaction
	alarmedAt time.Time
}

func newAccount(signer signer.Signer, chainID uint64) *account {
	return &account{signer: signer, address: signer.Address(), chainID: new(big.Int).SetUint64(chainID)}
}

// message is a transaction without its nonce and fees.
type message struct {
	to   common.Address
	data []byte
	gas  uint64
}

// nothing is the cheapest possible transaction. It does nothing but use up a nonce.
func (a *account) nothing() message {
	const transferGas = 21_000
	return message{to: a.address, gas: transferGas}
}

// sign returns a signed transaction of the account.
func (a *account) sign(ctx context.Context, nonce uint64, m message, price fees) (outbox.Version, error) {
	tx, err := signer.SignTransaction(ctx, a.signer, &types.DynamicFeeTx{
		ChainID: a.chainID, Nonce: nonce, GasTipCap: price.tip, GasFeeCap: price.cap, Gas: m.gas, To: &m.to, Data: m.data,
	})
	if err != nil {
		return outbox.Version{}, fmt.Errorf("signing the settlement: %w", err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return outbox.Version{}, fmt.Errorf("encoding the settlement: %w", err)
	}
	return outbox.Version{Raw: raw, Hash: tx.Hash()}, nil
}

// sign signs within RPCTimeout. It logs a failure, because the payer only sees that settlement is not possible at the moment.
func (f *Facilitator) sign(ctx context.Context, a *account, nonce uint64, m message, price fees) (outbox.Version, error) {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.RPCTimeout)
	defer cancel()
	version, err := a.sign(ctx, nonce, m, price)
	if err != nil {
		f.cfg.Logger.Error("x402 settlement not sent: signing failed", "signer", a.address.Hex(), "nonce", nonce, "error", err)
	}
	return version, err
}

// number determines the account's next nonce: the outbox knows what was signed, the node what others have sent from the account.
func (f *Facilitator) number(ctx context.Context, chain outbox.ChainKey, a *account) error {
	if a.synced {
		return nil
	}
	counted, err := evm.PendingCount(ctx, f.rpc, a.address)
	if err != nil {
		return fmt.Errorf("reading the signer's nonce: %w", err)
	}
	next, err := f.cfg.Outbox.Next(ctx, chain, a.address)
	if err != nil {
		return err
	}
	a.counted, a.next, a.synced = counted, max(next, counted), true
	return nil
}

// numberTries is how often a transaction gets a new nonce, because others may send from the same account.
const numberTries = 20

// post signs a transaction, stores it in the outbox, and broadcasts it.
func (f *Facilitator) post(ctx context.Context, chain outbox.ChainKey, a *account, m message, price fees, jobs []*job, lookedAt time.Time) {
	tx := outbox.Tx{Signer: a.address, LapsesAt: f.cfg.Now()}
	for _, j := range jobs {
		tx.Payments = append(tx.Payments, j.id)
		if lapses := j.payment.LapsesAt(); lapses.After(tx.LapsesAt) {
			tx.LapsesAt = lapses
		}
	}
	var err error
	for range numberTries {
		if err = f.number(ctx, chain, a); err != nil {
			break
		}
		var version outbox.Version
		if version, err = f.sign(ctx, a, a.next, m, price); err != nil {
			break
		}
		tx.Nonce, tx.Raw, tx.Hashes = a.next, version.Raw, []common.Hash{version.Hash}
		err = f.cfg.Outbox.Take(ctx, chain, &tx, outbox.Claiming{
			Owner: f.owner, Lease: f.cfg.Lease, Counted: a.counted, LookedAt: lookedAt,
		})
		a.synced = err == nil
		a.next++
		switch {
		case err == nil:
			a.synced = f.broadcast(ctx, f.launch(&tx, jobs, true)) != evm.ReplyUsed
			return
		case errors.Is(err, outbox.ErrNumberTaken):
			continue
		case errors.Is(err, outbox.ErrCarried):
			f.requeue(jobs, err) // the next round finds the open transaction that carries them
			return
		case errors.Is(err, outbox.ErrNotOwner): // other processes continue what this one has begun
			f.finishAll(jobs, func(*job) error { return fmt.Errorf("%w: %w", x402.ErrUnavailable, err) })
			return
		}
		// The transaction may be in the outbox after all. It is then found there and sent.
		f.finishAll(jobs, func(j *job) error { return j.unknown(err) })
		return
	}
	f.finishAll(jobs, func(*job) error { return fmt.Errorf("%w: %w", x402.ErrUnavailable, err) })
}

// broadcast sends the newest version of a transaction that is in the outbox. Any facilitator may repeat it.
func (f *Facilitator) broadcast(ctx context.Context, fl *flight) evm.Reply {
	f.mu.Lock()
	raw, sent := fl.tx.Raw, fl.tx.Newest()
	fl.sentAt = f.cfg.Now()
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.RPCTimeout)
	defer cancel()
	said, err := evm.ReplyFailed, f.cfg.Live()
	if err == nil {
		said, err = evm.Send(ctx, f.rpc, raw)
	}
	if said == evm.ReplySent {
		return said
	}
	f.cfg.Logger.Warn("x402 settlement not accepted by the node; it will be sent again",
		"transaction", sent.Hex(), "signer", fl.tx.Signer.Hex(), "nonce", fl.tx.Nonce, "error", err)
	if said == evm.ReplyUnderpriced {
		f.mu.Lock()
		fl.underpriced = true
		f.mu.Unlock()
	}
	return said
}

// SignerStatus describes an account of a [Facilitator].
type SignerStatus struct {
	Address common.Address
	// Wei is the account's balance for gas.
	Wei *big.Int
	// Low says that the account should be refilled.
	Low bool
	// InFlight is how many of its transactions this facilitator waits for.
	InFlight int
}

// Signers returns the status of all accounts, for metrics.
func (f *Facilitator) Signers(ctx context.Context) ([]SignerStatus, error) {
	wei := make([]hexutil.Big, len(f.accounts))
	batch := make([]rpc.BatchElem, len(f.accounts))
	for i, a := range f.accounts {
		batch[i] = evm.Coins(a.address, &wei[i])
	}
	if err := evm.CallAll(ctx, f.rpc, batch, f.cfg.RPCTimeout); err != nil {
		return nil, fmt.Errorf("reading the signers' balances: %w", err)
	}
	status := make([]SignerStatus, len(f.accounts))
	for i, a := range f.accounts {
		if err := batch[i].Error; err != nil {
			return nil, fmt.Errorf("reading the balance of signer %s: %w", a.address, err)
		}
		balance := wei[i].ToInt()
		f.alarm(a, balance)
		f.mu.Lock()
		status[i] = SignerStatus{Address: a.address, Wei: balance, Low: balance.Cmp(f.cfg.BalanceMin) < 0, InFlight: a.inFlight}
		f.mu.Unlock()
	}
	return status, nil
}

// alarmEvery is the minimum time between two log entries about the same low balance.
const alarmEvery = 10 * time.Minute

// alarm logs an error when an account runs out of money for gas. After a refill the account is used again.
func (f *Facilitator) alarm(a *account, balance *big.Int) {
	f.mu.Lock()
	low, now := balance.Cmp(f.cfg.BalanceMin) < 0, f.cfg.Now()
	due := low && now.Sub(a.alarmedAt) >= alarmEvery
	if due {
		a.alarmedAt = now
	} else if !low {
		a.alarmedAt, a.poor = time.Time{}, false
		f.changed.Broadcast()
	}
	f.mu.Unlock()
	if due {
		f.cfg.Logger.Error("x402 signer is running out of funds for gas: refill it",
			"signer", a.address.Hex(), "wei", balance.String(), "refill_below_wei", f.cfg.BalanceMin.String())
	}
}
