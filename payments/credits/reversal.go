package credits

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// ErrNoTransfer is returned for a transfer that does not exist.
var ErrNoTransfer = errors.New("no such transfer")

// kindReversal is the kind of a transfer that corrects a mistake by its opposite.
const kindReversal = "reversal"

// Moved is the result of a reversal or clawback.
type Moved struct {
	// Made is false if it had already been done: then nothing was done now.
	Made bool
	// Transfer is the id of the transfer that was made.
	Transfer int64
	// Credits is what the customer received, or lost if negative. 0 if no customer account is involved.
	Credits money.Credits
	// Owed is the change of what the customer owes.
	Owed money.Credits
}

// Reverse corrects a transfer by its opposite, once: the accounts are then as if it had never been made. Credits that
// it gave are taken from what is available; those that are already spent or held become owed. Credits that it took are
// given back; what is owed is paid first. It returns ErrNoTransfer.
func (l *Ledger) Reverse(ctx context.Context, transfer int64, note string) (Moved, error) {
	return l.reverse(ctx, db.ReverseTransferParams{
		ID: transfer, Kind: kindReversal, IdemKey: fmt.Sprintf("transfer:%d", transfer), Note: optional(note),
	})
}

func (l *Ledger) reverse(ctx context.Context, p db.ReverseTransferParams) (Moved, error) {
	row, err := l.q.ReverseTransfer(ctx, p)
	if err == nil {
		return Moved{
			Made: true, Transfer: row.TransferID,
			Credits: money.Credits(row.ToCustomer), Owed: money.Credits(row.OwedChange),
		}, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return Moved{}, fmt.Errorf("reversing transfer %d: %w", p.ID, err)
	}
	prior, err := l.q.ReversalOf(ctx, &p.ID)
	switch {
	case err == nil:
		return Moved{Transfer: prior}, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return Moved{}, fmt.Errorf("looking up the reversal of transfer %d: %w", p.ID, err)
	}
	if _, err := l.q.TransferAmount(ctx, p.ID); errors.Is(err, pgx.ErrNoRows) {
		return Moved{}, fmt.Errorf("transfer %d: %w", p.ID, ErrNoTransfer)
	} else if err != nil {
		return Moved{}, fmt.Errorf("reading transfer %d: %w", p.ID, err)
	}
	return Moved{}, fmt.Errorf("reversing transfer %d: %w", p.ID, ErrKeyReused)
}

// Refund gives credits back to a team for usage that should not have been charged, once per key, and reports whether it
// did so now. Usage itself never changes: the credits come from revenue. It returns the same errors as Grant.
func (l *Ledger) Refund(ctx context.Context, teamID string, amount money.Credits, key, note string) (bool, error) {
	if key == "" {
		return false, errors.New("refunding credits: want an idempotency key")
	}
	// The prefix separates operators' keys from those of reversals.
	return l.Grant(ctx, Grant{TeamID: teamID, Amount: amount, Source: sourceRevenue, Key: "usage:" + key, Note: note})
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
