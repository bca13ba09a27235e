package x402

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
)

// Settle implements [Facilitator]. A payment whose earlier settlement has no
// known outcome is not sent again while that transaction is still there.
func (f *LocalFacilitator) Settle(ctx context.Context, p *Payment, req *Requirements) (Settlement, error) {
	if refusal := f.checkLocally(p, req); refusal != nil {
		return Settlement{}, refusal
	}
	id := p.hash()
	tx, ok, err := f.earlierTx(ctx, id)
	if err != nil {
		return Settlement{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if !ok {
		out, err := f.prepare(ctx, p)
		if _, refused := errors.AsType[*Refusal](err); refused || isRevert(err) {
			return f.settleReverted(ctx, p, req, err)
		}
		if err != nil {
			return Settlement{}, fmt.Errorf("%w: preparing the settlement: %w", ErrUnavailable, err)
		}
		tx, err = f.signer.send(ctx, out)
		if unknown, ok := errors.AsType[*SettlementUnknownError](err); ok {
			f.remember(id, tx, p.lapsesAt())
			return Settlement{}, unknown
		}
		if err != nil {
			return Settlement{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	receipt, err := f.await(ctx, tx)
	if err != nil {
		f.remember(id, tx, p.lapsesAt())
		return Settlement{}, &SettlementUnknownError{Transaction: tx.Hex(), Err: err}
	}
	f.forget(id)
	if f.pays(receipt, p, req) {
		return Settlement{Transaction: tx.Hex()}, nil
	}
	if receipt.Status == types.ReceiptStatusSuccessful {
		return Settlement{}, &SettlementUnknownError{Transaction: tx.Hex(), Err: errors.New("the transaction succeeded without the token's events")}
	}
	return f.settleReverted(ctx, p, req, fmt.Errorf("transaction %s reverted", tx.Hex()))
}

// prepare estimates gas and fees in one batch. Its error is a revert, which means
// that the token would refuse, or that the node did not answer.
func (f *LocalFacilitator) prepare(ctx context.Context, p *Payment) (*outgoing, error) {
	data := transferCall(p)
	var gas hexutil.Uint64
	var newest *head
	var tip hexutil.Big
	batch := []rpc.BatchElem{
		{Method: "eth_estimateGas", Args: []any{callMsg{From: &f.signer.address, To: f.network.Asset, Data: data}, blockPending}, Result: &gas},
		{Method: "eth_getBlockByNumber", Args: []any{blockLatest, false}, Result: &newest},
		{Method: "eth_maxPriorityFeePerGas", Result: &tip},
	}
	if err := f.rpc.BatchCallContext(ctx, batch); err != nil {
		return nil, err
	}
	for _, elem := range batch {
		if elem.Error != nil {
			return nil, fmt.Errorf("%s: %w", elem.Method, elem.Error)
		}
	}
	if uint64(gas) > f.cfg.GasMax {
		return nil, refuse(CodeTransactionState, "the transfer takes %d gas: at most %d is paid for", gas, f.cfg.GasMax)
	}
	if newest == nil || newest.BaseFee == nil {
		return nil, errors.New("the node's newest block has no base fee (EIP-1559)")
	}
	// Twice the base fee outlasts six full blocks of rises by an eighth each.
	feeCap := new(big.Int).Mul(newest.BaseFee.ToInt(), big.NewInt(2))
	feeCap.Add(feeCap, tip.ToInt())
	limit := min(uint64(gas)+uint64(gas)/5, f.cfg.GasMax)
	return &outgoing{to: f.network.Asset, data: data, gas: limit, tip: tip.ToInt(), feeCap: feeCap}, nil
}

// settleReverted says why the token refuses. If the authorisation has been used,
// it may be that somebody else has sent it, and we are paid all the same.
func (f *LocalFacilitator) settleReverted(ctx context.Context, p *Payment, req *Requirements, cause error) (Settlement, error) {
	refusal, refused := errors.AsType[*Refusal](cause)
	sighting, err := f.Lookup(ctx, p, req, f.cfg.Now())
	if err != nil {
		return Settlement{}, &SettlementUnknownError{Err: errors.Join(cause, err)}
	}
	switch sighting.Fate {
	case FatePaid:
		return Settlement{Transaction: sighting.Transaction}, nil
	case FateSpent:
		return Settlement{}, refuse(CodeTransactionState, "the authorisation was used or cancelled, and we were not paid")
	case FateUnclear:
		return Settlement{}, &SettlementUnknownError{Err: cause}
	case FateUnused:
	}
	if refused {
		return Settlement{}, refusal
	}
	switch err := f.checkOnChain(ctx, p, req); {
	case errors.As(err, &refusal):
		return Settlement{}, refusal
	default: // it would go through now, or that cannot be told: worth another try
		return Settlement{}, fmt.Errorf("%w: %w", ErrUnavailable, errors.Join(cause, err))
	}
}

// await waits for the transaction to be in a block.
func (f *LocalFacilitator) await(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	ticker := time.NewTicker(f.cfg.PollInterval)
	defer ticker.Stop()
	for {
		receipt, err := f.receipt(ctx, tx)
		if err == nil && receipt != nil {
			return receipt, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx.Hex(), errors.Join(ctx.Err(), err))
		case <-ticker.C:
		}
	}
}

func (f *LocalFacilitator) remember(id [32]byte, tx common.Hash, lapsesAt time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.cfg.Now()
	for other, s := range f.sent { // what has lapsed can never be mined with effect
		if s.lapsesAt.Before(now) {
			delete(f.sent, other)
		}
	}
	f.sent[id] = sentTx{hash: tx, lapsesAt: lapsesAt}
}

func (f *LocalFacilitator) forget(id [32]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sent, id)
}

// earlierTx returns the transaction of an earlier settlement if the node still
// knows it.
func (f *LocalFacilitator) earlierTx(ctx context.Context, id [32]byte) (common.Hash, bool, error) {
	f.mu.Lock()
	s, ok := f.sent[id]
	f.mu.Unlock()
	if !ok {
		return common.Hash{}, false, nil
	}
	var known *struct {
		Hash common.Hash `json:"hash"`
	}
	if err := f.rpc.CallContext(ctx, &known, "eth_getTransactionByHash", s.hash); err != nil {
		return common.Hash{}, false, fmt.Errorf("looking for transaction %s: %w", s.hash.Hex(), err)
	}
	return s.hash, known != nil, nil
}
