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

// Reasons for which a job's hold does not do what is asked of it.
var (
	// ErrNoHold: the job has no hold.
	ErrNoHold = errors.New("job has no hold")
	// ErrHoldClosed: the hold was closed and its account settled.
	ErrHoldClosed = errors.New("hold is closed")
	// ErrHoldExpired: the hold's time was up. What it captured by then is spent;
	// work done since is not paid.
	ErrHoldExpired = errors.New("hold has expired")
	// ErrJobReused: the job has a hold already, of another account, amount or operation.
	ErrJobReused = errors.New("job has another hold")
)

// Insufficient says that credits do not suffice: an account's for a hold to be
// opened, or a hold's for a capture.
type Insufficient struct {
	Required, Available money.Credits
}

func (e *Insufficient) Error() string {
	return fmt.Sprintf("%d credits required, %d available", e.Required, e.Available)
}

// HoldState says how far a job's hold has come.
type HoldState string

// The states of a hold. A closed or expired one has settled its account.
const (
	HoldOpen    HoldState = "open"
	HoldClosed  HoldState = "closed"
	HoldExpired HoldState = "expired"
)

// NewJobHold asks for credits to be set aside for a job that no request pays: the
// run of a schedule or a monitor. (The job of a request adopts the request's.)
type NewJobHold struct {
	// ID is the hold's own, by which what a schedule's run makes may take it over: see [Adopt]. JobID is then
	// what [RunJob] says. Zero: a new one, which nothing takes over.
	ID uuid.UUID
	// JobID is the job's; a job has one hold for ever.
	JobID  string
	TeamID string
	// Key is the number of the key on whose behalf the job runs; 0 for none.
	Key int64
	// Operation names what is sold, for usage reports.
	Operation string
	// Amount is the most that the job may cost; 0 is allowed.
	Amount money.Credits
	// Lasts is how long from now the hold can be captured. All of a hold's times
	// are by the database's clock.
	Lasts time.Duration
}

func (n NewJobHold) validate() error {
	switch {
	case n.JobID == "":
		return errors.New("want a job's id")
	case n.ID != uuid.Nil && n.JobID != RunJob(n.ID):
		return fmt.Errorf("hold %s of job %s: want job %s", n.ID, n.JobID, RunJob(n.ID))
	case n.Operation == "":
		return errors.New("want an operation")
	case n.Amount < 0:
		return fmt.Errorf("%d credits: want 0 or more", n.Amount)
	case n.Lasts <= 0:
		return fmt.Errorf("lasting %s: want a time to come", n.Lasts)
	default:
		return nil
	}
}

// RunJob is the name of the job that the run of a schedule is, for a hold with an id that the run chose: as long as it has
// that name, what the run makes may take it over.
func RunJob(hold uuid.UUID) string { return "schedule_run:" + hold.String() }

// IsUncovered reports whether a transaction that opened a hold could not be committed
// because what was available then is not any more. Tried again, it is [*Insufficient].
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

// OpenHold sets credits aside for a job: what is held can be spent by nothing
// else. It returns [*Insufficient] where the account has too little available,
// and ErrNoAccount. A job's hold that is there already is returned as it stands,
// if it is the same; otherwise the error is ErrJobReused.
//
// In a transaction the credits are taken by the commit, so that the account is not
// locked before. It fails if others have taken them meanwhile: see [IsUncovered].
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
	if IsUncovered(err) { // by itself it is committed at once: what was available is not any more
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
		Amount: money.Credits(r.Amount), Captured: money.Credits(r.Captured), Captures: int(r.Captures),
		State: HoldState(r.State), ExpiresAt: r.ExpiresAt, isOver: r.IsOver,
	}, nil
}

// CaptureHold takes amount from a job's hold for n finished items. It is made to
// run in the transaction that finishes them, by NewLedger(tx): then they are paid
// once, however often they are tried. It locks the hold's row until that
// transaction ends, and no account. It returns [*Insufficient] where less is left
// in the hold, ErrHoldClosed, ErrHoldExpired or ErrNoHold; nothing is taken then.
func (l *Ledger) CaptureHold(ctx context.Context, jobID string, amount money.Credits, n int) error {
	if amount < 0 || n < 1 || n > math.MaxInt32 {
		return fmt.Errorf("capturing %d credits for %d items of job %s: want 0 or more, for 1 or more", amount, n, jobID)
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

// ExtendHold lets a job's hold last for so long from now, if that is longer than
// it would. It returns ErrHoldClosed, ErrHoldExpired or ErrNoHold.
func (l *Ledger) ExtendHold(ctx context.Context, jobID string, lasts time.Duration) error {
	if lasts <= 0 {
		return fmt.Errorf("extending the hold of job %s by %s: want a time to come", jobID, lasts)
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
	return fmt.Errorf("extending the hold of job %s: it changed meanwhile", jobID)
}

// refusedHold returns why a hold took no change, or the hold if it is open.
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

// CloseHold ends a job's hold: what it captured is spent, the rest is free
// again. Once is enough and more does nothing: it returns the hold as it ended,
// which may be by expiry. Closing a hold that captured nothing voids it.
//
// In a transaction the account changes with the commit, and is not locked before.
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

// expireBatch bounds how many holds the sweeper looks for at once.
const expireBatch = 100

// ExpireHolds ends the holds whose time is up with what they captured, and
// returns how many. The sweeper calls it. It ends one at a time: an account that
// somebody else has locked keeps no other one locked.
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
