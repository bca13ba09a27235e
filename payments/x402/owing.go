package x402

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// Owing says that payments are to be paid back, and no more: for who sells work that fails after it was paid for.
type Owing struct{ refunds *Refunds }

// NewOwing returns the owing of a database or, so that it is owed if and only if the work is written off, of a
// transaction in it. The transaction locks the claim until it ends.
func NewOwing(conn db.DBTX) *Owing { return &Owing{NewRefunds(conn, nil, nil)} }

// Owe says that a claim is to be paid back, and why. It reports whether that is so, since now or before. It is not where
// the money has not moved, is back already, or no such claim is known here: an edge may keep its claims elsewhere.
func (o *Owing) Owe(ctx context.Context, claim uuid.UUID, note string) (bool, error) {
	_, err := o.refunds.Owe(ctx, claim, note)
	if errors.Is(err, ErrNoClaim) {
		return false, nil
	}
	if _, ok := errors.AsType[*NotOwedError](err); ok {
		return false, nil
	}
	return err == nil, err
}
