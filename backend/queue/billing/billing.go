package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Funds is what pays for a job.
type Funds struct {
	// Job is the id under which the hold is taken over. A job that starts again, with another hold, has another id.
	Job string
	// Unit is the price of a finished item.
	Unit money.Credits
	// Claim is the payment claim of a wallet. Nil: the job is paid with credits.
	Claim *uuid.UUID
}

// ClaimOf returns the payment claim of a wallet, and nil for a principal that pays with credits.
func ClaimOf(c *principal.Caller) (*uuid.UUID, error) {
	if c.Unit != edgewire.UnitUSDC {
		return nil, nil //nolint:nilnil // documented
	}
	claim, err := uuid.Parse(c.HoldID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("claim %q of a wallet: %w", c.HoldID, err))
	}
	return &claim, nil
}

// Covered refuses n items that cost more than c's hold: the price has changed since it was quoted.
func Covered(c *principal.Caller, unit money.Credits, n int) error {
	total, err := unit.Mul(int64(n))
	if err != nil {
		return problem.Internal(fmt.Errorf("pricing %d items: %w", n, err))
	}
	if total <= c.Credits {
		return nil
	}
	e := problem.New(problem.CreditsExhausted, fmt.Sprintf(
		"This request costs %d credits, more than the %d that were held for it. Nothing was done or charged; try again.", total, c.Credits))
	e.Metadata = map[string]any{"credits_required": int64(total), "credits_available": int64(c.Credits)}
	return e
}

// Adopt takes over c's hold for the job until a time. It must be the transaction's last statement, because it locks the
// row that the meter uses. After the commit, call [principal.Caller.Adopt]. If a wallet has paid, it does nothing.
func (f *Funds) Adopt(ctx context.Context, tx pgx.Tx, c *principal.Caller, until time.Time) error {
	if f.Claim != nil {
		return nil
	}
	hold, err := credits.ParseHoldID(c.HoldID)
	if err != nil {
		return problem.Internal(fmt.Errorf("hold %q: %w", c.HoldID, err))
	}
	err = credits.Adopt(ctx, tx, hold, f.Job, until)
	if errors.Is(err, credits.ErrHoldNotOpen) {
		e := problem.Wrap(problem.Overloaded, "The credits held for this request were released before its work could start. Nothing was done or charged; try again.", err)
		e.RetryAfter = time.Second
		return e
	}
	return err
}

// Capture charges n finished items, in the transaction that finishes them. If [IsOver] is true for the error, there is
// no money left to pay with, and there will be none.
func (f *Funds) Capture(ctx context.Context, tx pgx.Tx, n int) error {
	if f.Claim != nil || f.Unit == 0 || n == 0 {
		return nil
	}
	cost, err := f.Unit.Mul(int64(n))
	if err != nil {
		return fmt.Errorf("pricing %d items of %s: %w", n, f.Job, err)
	}
	return credits.NewLedger(tx).CaptureHold(ctx, f.Job, cost, n)
}

// IsOver reports whether err means that the hold is closed, has expired, or never existed.
func IsOver(err error) bool {
	return errors.Is(err, credits.ErrHoldExpired) || errors.Is(err, credits.ErrHoldClosed) || errors.Is(err, credits.ErrNoHold)
}

// Repeated sets the cost of a retry of the request that created the job. It is 0, because the job pays with the same
// hold. The price of a wallet's payment is unchanged.
func (f *Funds) Repeated(ctx context.Context, ledger *credits.Ledger, c *principal.Caller) error {
	if f.Claim != nil {
		return nil
	}
	c.SetCost(0)
	h, err := ledger.JobHold(ctx, f.Job)
	switch {
	case errors.Is(err, credits.ErrNoHold):
	case err != nil:
		return problem.Internal(err)
	case h.ID.String() == c.HoldID:
		c.Adopt()
	}
	return nil
}
