package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// ErrNoAccount is returned for a team that does not exist or has no credits account.
var ErrNoAccount = errors.New("no such team")

// ErrKeyReused is returned when an idempotency key was used for another transfer.
var ErrKeyReused = errors.New("idempotency key was used for another transfer")

// Balance is the state of a team's account. What can be spent is Balance − Held.
type Balance struct {
	Account int64
	Balance money.Credits
	Held    money.Credits
	// Owed is what a refund or dispute took back beyond the available credits; new credits pay it first.
	Owed money.Credits
}

// Available is what can be spent now.
func (b Balance) Available() money.Credits { return b.Balance - b.Held }

// Source says where credits come from: the account that a grant debits.
type Source string

const (
	SourcePromo  Source = "promo"
	SourceStripe Source = "stripe_clearing"
	// sourceRevenue gives charged credits back: see [Ledger.Refund].
	sourceRevenue Source = "revenue"
)

func (s Source) transferKind() string {
	switch s {
	case SourceStripe:
		return "topup"
	case sourceRevenue:
		return kindReversal
	default:
		return "grant"
	}
}

// Grant is a movement of credits into a team's account.
type Grant struct {
	TeamID string
	Amount money.Credits
	Source Source
	// Key makes the grant idempotent: one transfer per source and key.
	Key  string
	Note string
}

// Ledger reads and moves credits outside the meter: grants, balances, checks.
type Ledger struct{ q *db.Queries }

// NewLedger returns the ledger in a pool's database, or as a transaction sees it. Several reads agree with each other
// only in a transaction with repeatable reads.
func NewLedger(conn db.DBTX) *Ledger { return &Ledger{q: db.New(conn)} }

// Balance returns the state of a team's account, or ErrNoAccount.
func (l *Ledger) Balance(ctx context.Context, teamID string) (Balance, error) {
	a, err := l.q.CreditBalance(ctx, teamID)
	if errors.Is(err, pgx.ErrNoRows) {
		return Balance{}, fmt.Errorf("team %q: %w", teamID, ErrNoAccount)
	}
	if err != nil {
		return Balance{}, fmt.Errorf("reading the account of %s: %w", teamID, err)
	}
	return Balance{
		Account: a.ID,
		Balance: money.Credits(a.Balance), Held: money.Credits(a.Held), Owed: money.Credits(a.Owed),
	}, nil
}

// account returns the number of a team's account, or ErrNoAccount.
func (l *Ledger) account(ctx context.Context, teamID string) (int64, error) {
	id, err := l.q.CustomerAccount(ctx, &teamID)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("team %q: %w", teamID, ErrNoAccount)
	}
	if err != nil {
		return 0, fmt.Errorf("looking up the account of %s: %w", teamID, err)
	}
	return id, nil
}

// Grant moves credits into a team's account and reports whether it did so now: false means that the same grant was
// already made under this key. It returns ErrKeyReused if the key belongs to another grant.
func (l *Ledger) Grant(ctx context.Context, g Grant) (bool, error) {
	if g.Amount <= 0 {
		return false, fmt.Errorf("granting %d credits: want a positive number", g.Amount)
	}
	if g.Key == "" {
		return false, errors.New("granting credits: want an idempotency key")
	}
	account, err := l.account(ctx, g.TeamID)
	if err != nil {
		return false, err
	}
	var note *string
	if g.Note != "" {
		note = &g.Note
	}
	_, err = l.q.CreditAccount(ctx, db.CreditAccountParams{
		Amount: int64(g.Amount), Kind: g.Source.transferKind(), IdemKey: g.Key, Note: note,
		Source: string(g.Source), AccountID: account,
	})
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("granting credits to %s: %w", g.TeamID, err)
	}
	prior, err := l.q.TransferByKey(ctx, db.TransferByKeyParams{Kind: g.Source.transferKind(), IdemKey: g.Key})
	if err != nil {
		return false, fmt.Errorf("looking up grant %q: %w", g.Key, err)
	}
	if prior.CreditAccount != account || prior.Amount != int64(g.Amount) {
		return false, fmt.Errorf("grant %q: %w", g.Key, ErrKeyReused)
	}
	return false, nil
}

// Transfer is a movement from the view of one account.
type Transfer struct {
	ID        int64
	Kind      string
	Amount    money.Credits
	Incoming  bool
	Requests  int // how many requests an aggregated usage row stands for
	Operation string
	At        time.Time
}

// Transfers returns a team's latest movements, newest first.
func (l *Ledger) Transfers(ctx context.Context, account int64, limit int) ([]Transfer, error) {
	rows, err := l.q.ListTransfers(ctx, db.ListTransfersParams{AccountID: account, RowLimit: int32(min(limit, 1000))}) //nolint:gosec // bounded
	if err != nil {
		return nil, fmt.Errorf("listing transfers: %w", err)
	}
	out := make([]Transfer, len(rows))
	for i, r := range rows {
		out[i] = Transfer{
			ID: r.ID, Kind: r.Kind, Amount: money.Credits(r.Amount), Incoming: r.Incoming, Requests: int(r.N), At: r.CreatedAt,
			Operation: r.Operation,
		}
	}
	return out, nil
}

// Totals returns the sums of an account's transfers: everything credited to it and everything debited from it.
func (l *Ledger) Totals(ctx context.Context, account int64) (credited, debited money.Credits, err error) {
	t, err := l.q.TeamTotals(ctx, account)
	if err != nil {
		return 0, 0, fmt.Errorf("summing transfers: %w", err)
	}
	return money.Credits(t.Credited), money.Credits(t.Debited), nil
}

// Sweep voids the open holds of requests whose process has ended, and returns how many. Holds that a job adopted belong
// to the job and stay: [Ledger.ExpireHolds] ends them.
func (l *Ledger) Sweep(ctx context.Context) (int64, error) { return sweepHolds(ctx, l.q) }
