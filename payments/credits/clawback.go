package credits

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Cause says why money went back to a customer's card.
type Cause string

const (
	// CauseRefund: we gave the money back.
	CauseRefund Cause = "refund"
	// CauseDispute: the cardholder's bank took the money back.
	CauseDispute Cause = "dispute"
)

const kindDisputeWon = "dispute_won"

// Clawback describes credits to take back because their payment was returned.
type Clawback struct {
	TeamID string
	Amount money.Credits
	Cause  Cause
	// Key is the payment provider's id of the refund or dispute. Each cause and key is applied once.
	Key  string
	Note string
}

// ClawBack takes credits from what is available; credits that are already spent or held become owed. Held credits stay
// held, because work is done against them; what is freed later pays what is owed first. It returns ErrNoAccount, and
// ErrKeyReused if the key belongs to another clawback.
func (l *Ledger) ClawBack(ctx context.Context, c Clawback) (Moved, error) {
	if c.Amount <= 0 {
		return Moved{}, fmt.Errorf("clawing back %d credits: want a positive number", c.Amount)
	}
	if c.Key == "" || (c.Cause != CauseRefund && c.Cause != CauseDispute) {
		return Moved{}, fmt.Errorf("clawing back for cause %q and key %q: want cause refund or dispute, and its id as key", c.Cause, c.Key)
	}
	account, err := l.account(ctx, c.TeamID)
	if err != nil {
		return Moved{}, err
	}
	row, err := l.q.ClawBack(ctx, db.ClawBackParams{
		AccountID: account, Amount: int64(c.Amount), Kind: string(c.Cause), IdemKey: c.Key, Note: optional(c.Note),
	})
	if err == nil {
		return Moved{
			Made: true, Transfer: row.TransferID,
			Credits: -c.Amount, Owed: c.Amount - money.Credits(row.Taken),
		}, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return Moved{}, fmt.Errorf("clawing back credits of %s: %w", c.TeamID, err)
	}
	prior, err := l.q.TransferByKey(ctx, db.TransferByKeyParams{Kind: string(c.Cause), IdemKey: c.Key})
	if err != nil {
		return Moved{}, fmt.Errorf("looking up %s %q: %w", c.Cause, c.Key, err)
	}
	if prior.DebitAccount != account || prior.Amount != int64(c.Amount) {
		return Moved{}, fmt.Errorf("%s %q: %w", c.Cause, c.Key, ErrKeyReused)
	}
	return Moved{Transfer: prior.ID}, nil
}

// WinDispute gives back exactly what the dispute with this key took, once; what is owed is paid first. It returns
// ErrNoTransfer if no such dispute took anything, which also happens while events arrive out of order.
func (l *Ledger) WinDispute(ctx context.Context, key, note string) (Moved, error) {
	taken, err := l.q.TransferByKey(ctx, db.TransferByKeyParams{Kind: string(CauseDispute), IdemKey: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return Moved{}, fmt.Errorf("dispute %q: %w", key, ErrNoTransfer)
	}
	if err != nil {
		return Moved{}, fmt.Errorf("looking up dispute %q: %w", key, err)
	}
	return l.reverse(ctx, db.ReverseTransferParams{ID: taken.ID, Kind: kindDisputeWon, IdemKey: key, Note: optional(note)})
}
