package refunds

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// Queue adds payments to the refund queue, for services whose work can fail after it was paid for.
type Queue struct{ refunds *Refunds }

// NewQueue returns a Queue for a database or for a transaction in it. In a transaction, the refund is recorded if and
// only if the work is written off; the claim stays locked until the transaction ends.
func NewQueue(conn db.DBTX) *Queue { return &Queue{New(conn, nil, nil)} }

// Owe records that a claim's payment must be refunded, and why. It returns true if the refund is due, since now or
// before, and false if no money has moved, it was refunded already, or the claim is not known here.
func (o *Queue) Owe(ctx context.Context, claim uuid.UUID, note string) (bool, error) {
	_, err := o.refunds.Owe(ctx, claim, note)
	if errors.Is(err, claims.ErrNotFound) {
		return false, nil
	}
	if _, ok := errors.AsType[*NotOwedError](err); ok {
		return false, nil
	}
	return err == nil, err
}
