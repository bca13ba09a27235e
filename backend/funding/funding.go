package funding

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Funds are what pays for a job.
type Funds struct {
	// Job is the id under which the hold is taken over: a job that is begun again, with another hold, has another.
	Job string
	// Unit is what a finished item costs.
	Unit money.Credits
	// Claim is the wallet's payment, where one has paid. Nil: credits are set aside.
	Claim *uuid.UUID
}

// ClaimOf returns the payment of a wallet, and nil for a caller who pays in credits.
func ClaimOf(c *caller.Caller) (*uuid.UUID, error) {
	if c.Unit != edgewire.UnitUSDC {
		return nil, nil //nolint:nilnil // documented
	}
	claim, err := uuid.Parse(c.HoldID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("claim %q of a wallet: %w", c.HoldID, err))
	}
	return &claim, nil
}

// Covered refuses n items that cost more than c has set aside: the price has changed since it was quoted.
func Covered(c *caller.Caller, unit money.Credits, n int) error {
	total, err := unit.Mul(int64(n))
	if err != nil {
		return problem.Internal(fmt.Errorf("pricing %d items: %w", n, err))
	}
	if total <= c.Credits {
		return nil
	}
	e := problem.New(problem.CreditsExhausted, fmt.Sprintf(
		"This request costs %d credits, more than the %d that were set aside for it. Nothing was done or charged; try again.", total, c.Credits))
	e.Metadata = map[string]any{"credits_required": int64(total), "credits_available": int64(c.Credits)}
	return e
}

// Adopt takes c's hold over for the job until a time: the transaction's last statement, since it locks the row at which
// the meter works. After the commit, tell the caller with [caller.Caller.Adopt]. It does nothing where a wallet has paid.
func (f *Funds) Adopt(ctx context.Context, tx pgx.Tx, c *caller.Caller, until time.Time) error {
	if f.Claim != nil {
		return nil
	}
	hold, err := credits.ParseHoldID(c.HoldID)
	if err != nil {
		return problem.Internal(fmt.Errorf("hold %q: %w", c.HoldID, err))
	}
	err = credits.Adopt(ctx, tx, hold, f.Job, until)
	if errors.Is(err, credits.ErrHoldNotOpen) {
		e := problem.Wrap(problem.Overloaded, "What was set aside for this request was given back before its work could begin. Nothing was done or charged; try again.", err)
		e.RetryAfter = time.Second
		return e
	}
	return err
}

// Capture takes what n finished items cost, in the transaction that finishes them. An error for which [IsOver] is true
// says that there is nothing to pay with any more, and will not be.
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

// IsOver reports whether err is of a hold that is closed, has expired, or never was.
func IsOver(err error) bool {
	return errors.Is(err, credits.ErrHoldExpired) || errors.Is(err, credits.ErrHoldClosed) || errors.Is(err, credits.ErrNoHold)
}

// Repeated settles what a request costs that comes again under the identity by which the job was made: nothing, since the
// job pays, with the very hold that comes again. A payment pays as it did.
func (f *Funds) Repeated(ctx context.Context, ledger *credits.Ledger, c *caller.Caller) error {
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
