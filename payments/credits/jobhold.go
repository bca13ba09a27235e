package credits

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Reasons why an operation on a job's hold fails.
var (
	// ErrNoHold: the job has no hold.
	ErrNoHold = errors.New("job has no hold")
	// ErrHoldClosed: the hold was closed and its account settled.
	ErrHoldClosed = errors.New("hold is closed")
	// ErrHoldExpired: the hold's time has run out. What it captured before is spent; later work is not paid.
	ErrHoldExpired = errors.New("hold has expired")
	// ErrJobReused: the job already has a hold with another account, amount or operation.
	ErrJobReused = errors.New("job already has a different hold")
)

// Insufficient says that credits do not suffice: an account's for opening a hold, or a hold's for a capture.
type Insufficient struct {
	Required, Available money.Credits
}

func (e *Insufficient) Error() string {
	return fmt.Sprintf("%d credits required, %d available", e.Required, e.Available)
}

// HoldState is the state of a job's hold.
type HoldState string

// The states of a hold. A closed or expired one has settled its account.
const (
	HoldOpen    HoldState = "open"
	HoldClosed  HoldState = "closed"
	HoldExpired HoldState = "expired"
)

// NewJobHold asks to hold credits for a job that no request pays for: the run of a schedule or a monitor. (The job of a
// request adopts the request's hold.)
type NewJobHold struct {
	// ID is the hold's own id; what a schedule's run creates can take the hold over by it: see [Adopt]. JobID must then
	// be what [RunJob] returns. Zero: a new id, and nothing can take the hold over.
	ID uuid.UUID
	// JobID is the job's id; a job only ever has one hold.
	JobID  string
	TeamID string
	// Key is the number of the key on whose behalf the job runs; 0 for none.
	Key int64
	// Operation names the charged operation, for usage reports.
	Operation string
	// Amount is the most that the job may cost; 0 is allowed.
	Amount money.Credits
	// Lasts is how long from now the hold can be captured. All times of a hold use the database's clock.
	Lasts time.Duration
}

func (n NewJobHold) validate() error {
	switch {
	case n.JobID == "":
		return errors.New("job id is required")
	case n.ID != uuid.Nil && n.JobID != RunJob(n.ID):
		return fmt.Errorf("hold %s of job %s: want job %s", n.ID, n.JobID, RunJob(n.ID))
	case n.Operation == "":
		return errors.New("operation is required")
	case n.Amount < 0:
		return fmt.Errorf("%d credits: want 0 or more", n.Amount)
	case n.Lasts <= 0:
		return fmt.Errorf("duration %s: want more than 0", n.Lasts)
	default:
		return nil
	}
}

// RunJob returns the job id of a schedule's run, for a hold whose id the run chose. While the hold has that job id,
// what the run creates can take it over.
func RunJob(hold uuid.UUID) string { return "schedule_run:" + hold.String() }

// IsUncovered reports whether the commit of a transaction that opened a hold failed because the credits are no longer
// available. If the transaction is tried again, OpenHold returns [*Insufficient].
func IsUncovered(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.ConstraintName == "ledger_pending_covered"
}

// JobHold is the hold of a job.
type JobHold struct {
	ID        uuid.UUID
	JobID     string
	Account   int64
	Operation string
	Amount    money.Credits
	// Captured is what finished items have cost so far: the job's credits_consumed.
	Captured  money.Credits
	Captures  int
	State     HoldState
	ExpiresAt time.Time

	isOver bool
}

// OpenHold holds credits for a job, so that nothing else can spend them. It returns [*Insufficient] if too little is
// available, and ErrNoAccount. If the job already has the same hold, OpenHold returns it as it is; if the job has a
// different one, ErrJobReused.
//
// In a transaction, the commit takes the credits, so that the account is not locked earlier. The commit fails if others
// have taken the credits meanwhile: see [IsUncovered].
func (l *Ledger) OpenHold(ctx context.Context, n NewJobHold) (JobHold, error) {
	if err := n.validate(); err != nil {
		return JobHold{}, fmt.Errorf("opening a hold for job %q: %w", n.JobID, err)
	}
	account, err := l.account(ctx, n.TeamID)
	if err != nil {
		return JobHold{}, err
	}
	var key *int64
	if n.Key != 0 {
		key = &n.Key
	}
	id := n.ID
	if id == uuid.Nil {
		id = NewID()
	}
	row, err := l.q.OpenHold(ctx, db.OpenHoldParams{
		ID: id, AccountID: account, KeyID: key, JobID: n.JobID,
		Operation: n.Operation, Amount: int64(n.Amount), LastsSeconds: n.Lasts.Seconds(),
	})
	if IsUncovered(err) { // outside a transaction it commits at once: the credits are no longer available
		return l.OpenHold(ctx, n)
	}
	if err != nil {
		return JobHold{}, fmt.Errorf("opening a hold for job %s: %w", n.JobID, err)
	}
	if row.ExpiresAt != nil {
		return JobHold{
			ID: id, JobID: n.JobID, Account: account, Operation: n.Operation, Amount: n.Amount, State: HoldOpen, ExpiresAt: *row.ExpiresAt,
		}, nil
	}
	h, err := l.JobHold(ctx, n.JobID)
	switch {
	case errors.Is(err, ErrNoHold):
		return JobHold{}, &Insufficient{Required: n.Amount, Available: money.Credits(row.Available)}
	case err != nil:
		return JobHold{}, err
	case h.Account != account || h.Amount != n.Amount || h.Operation != n.Operation:
		return JobHold{}, fmt.Errorf("job %s: %w", n.JobID, ErrJobReused)
	default:
		return h, nil
	}
}

// JobHold returns a job's hold, or ErrNoHold.
func (l *Ledger) JobHold(ctx context.Context, jobID string) (JobHold, error) {
	r, err := l.q.JobHold(ctx, jobID)
	if errors.Is(err, pgx.ErrNoRows) {
		return JobHold{}, fmt.Errorf("job %s: %w", jobID, ErrNoHold)
	}
	if err != nil {
		return JobHold{}, fmt.Errorf("reading the hold of job %s: %w", jobID, err)
	}
	return JobHold{
		ID: r.ID, JobID: jobID, Account: r.AccountID, Operation: r.Operation,
		Amount: r.Amount, Captured: r.Captured, Captures: int(r.Captures),
		State: HoldState(r.State), ExpiresAt: r.ExpiresAt, isOver: r.IsOver,
	}, nil
}

// CaptureHold takes amount from a job's hold for n finished items. Use it with NewLedger(tx) in the transaction that
// finishes the items: they are then paid once, however often they are tried. It locks the hold's row until that
// transaction ends, and no account. It returns [*Insufficient] if less is left in the hold, ErrHoldClosed,
// ErrHoldExpired or ErrNoHold; in those cases it takes nothing.
func (l *Ledger) CaptureHold(ctx context.Context, jobID string, amount money.Credits, n int) error {
	if amount < 0 || n < 1 || n > math.MaxInt32 {
		return fmt.Errorf("capturing %d credits for %d items of job %s: want 0 or more credits, for 1 or more items", amount, n, jobID)
	}
	took, err := l.q.CaptureHold(ctx, db.CaptureHoldParams{Amount: int64(amount), N: int32(n), JobID: jobID})
	if err != nil {
		return fmt.Errorf("capturing from the hold of job %s: %w", jobID, err)
	}
	if took == 1 {
		return nil
	}
	h, err := l.refusedHold(ctx, jobID)
	if err != nil {
		return err
	}
	return fmt.Errorf("hold of job %s: %w", jobID, &Insufficient{Required: amount, Available: h.Amount - h.Captured})
}

// ExtendHold lets a job's hold last this long from now, if that is later than its current end. It returns
// ErrHoldClosed, ErrHoldExpired or ErrNoHold.
func (l *Ledger) ExtendHold(ctx context.Context, jobID string, lasts time.Duration) error {
	if lasts <= 0 {
		return fmt.Errorf("extending the hold of job %s by %s: want more than 0", jobID, lasts)
	}
	n, err := l.q.ExtendHold(ctx, db.ExtendHoldParams{LastsSeconds: lasts.Seconds(), JobID: jobID})
	if err != nil {
		return fmt.Errorf("extending the hold of job %s: %w", jobID, err)
	}
	if n == 1 {
		return nil
	}
	if _, err := l.refusedHold(ctx, jobID); err != nil {
		return err
	}
	return fmt.Errorf("extending the hold of job %s: the hold changed in the meantime", jobID)
}

// refusedHold returns why a hold could not be changed, or the hold if it is open.
func (l *Ledger) refusedHold(ctx context.Context, jobID string) (JobHold, error) {
	h, err := l.JobHold(ctx, jobID)
	switch {
	case err != nil:
		return JobHold{}, err
	case h.State == HoldExpired, h.State == HoldOpen && h.isOver:
		return JobHold{}, fmt.Errorf("job %s: %w", jobID, ErrHoldExpired)
	case h.State == HoldClosed:
		return JobHold{}, fmt.Errorf("job %s: %w", jobID, ErrHoldClosed)
	default:
		return h, nil
	}
}

// CloseHold ends a job's hold: what was captured is spent, the rest is free again. Repeated calls do nothing; each call
// returns the hold as it ended, which may be by expiry. Closing a hold without captures voids it.
//
// In a transaction, the account changes with the commit, and is not locked earlier.
func (l *Ledger) CloseHold(ctx context.Context, jobID string) (JobHold, error) {
	h, err := l.JobHold(ctx, jobID)
	if err != nil || h.State != HoldOpen {
		return h, err
	}
	row, err := l.q.SettleHold(ctx, db.SettleHoldParams{ID: h.ID, State: string(HoldClosed)})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return l.JobHold(ctx, jobID)
	case err != nil:
		return JobHold{}, fmt.Errorf("closing the hold of job %s: %w", jobID, err)
	}
	h.State, h.Captured, h.Captures = HoldClosed, money.Credits(row.Captured), int(row.Captures)
	return h, nil
}

// expireBatch is how many expired holds the sweeper lists at once.
const expireBatch = 100

// ExpireHolds ends the holds whose time has run out, keeps what they captured, and returns how many it ended. The
// sweeper calls it. It ends one hold at a time, so that waiting for one locked account keeps no other account locked.
func (l *Ledger) ExpireHolds(ctx context.Context) (int64, error) {
	var total int64
	for {
		ids, err := l.q.ListExpiredHolds(ctx, expireBatch)
		if err != nil {
			return total, fmt.Errorf("listing expired holds: %w", err)
		}
		ended := false
		for _, id := range ids {
			_, err := l.q.SettleHold(ctx, db.SettleHoldParams{ID: id, State: string(HoldExpired)})
			switch {
			case errors.Is(err, pgx.ErrNoRows): // another sweeper has taken it
			case err != nil:
				return total, fmt.Errorf("expiring hold %s: %w", id, err)
			default:
				ended = true
				total++
			}
		}
		if !ended {
			return total, nil
		}
	}
}
