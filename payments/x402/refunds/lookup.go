package refunds

import (
	"context"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// nonceOf derives the refund authorisation's nonce from the claim, so that the token accepts it only once from one
// account.
func nonceOf(claim uuid.UUID) [32]byte {
	return [32]byte(crypto.Keccak256([]byte("turnpike refund"), claim[:]))
}

// lookup returns the status of the authorisation with which an account refunds a claim, or may have refunded it.
func (o *owedClaim) lookup(ctx context.Context, chain *evm.Watcher, at attempt) (evm.TransferStatus, error) {
	spans := []evm.Span{{Since: o.CreatedAt}} // it may have been used at a time that this database does not know
	if at.noted {
		spans = []evm.Span{{Since: at.begun, Until: at.lapses}, spans[0]}
	}
	return chain.LookupTransfer(ctx, at.from, nonceOf(o.ID), o.payer, o.amount, spans...)
}

// lookup returns the status of a claim's refund on the chain.
func lookup(ctx context.Context, chain *evm.Watcher, claim db.ListRefundsDueRow) (evm.TransferStatus, error) {
	o, err := newOwedClaim(claim)
	if err != nil {
		return evm.TransferStatus{}, err
	}
	return o.lookup(ctx, chain, o.attempt(o.payTo))
}
