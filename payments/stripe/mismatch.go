package stripe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

// Mismatch is money that was received but could not be credited. A person checks it, refunds it at Stripe or grants
// what it paid for, and records the decision.
type Mismatch struct {
	PaymentIntentID string // identifies it
	TopupID         string // from the payment's metadata; there may be no such top-up
	AmountReceived  int64  // in the currency's smallest unit
	Currency        string
	CustomerID      string
	Live            bool
	Reason          string
	FoundAt         time.Time
	// Resolution is nil until a person has decided.
	Resolution *Resolution
}

// Resolution is a person's decision about a mismatch. It never changes.
type Resolution struct {
	Note string    // why, and what was done
	By   string    // as given by that person
	Role string    // the database role
	At   time.Time // in UTC
}

// ErrNoMismatch says that there is no mismatch for that payment id.
var ErrNoMismatch = errors.New("no such mismatch")

// ResolvedError means that the mismatch was already resolved; that decision stands.
type ResolvedError struct{ Resolution Resolution }

func (e *ResolvedError) Error() string {
	return fmt.Sprintf("resolved on %s by %s: %s", e.Resolution.At.Format(time.RFC3339), e.Resolution.By, e.Resolution.Note)
}

// Mismatches are the mismatches in a database, of both test and live payments.
type Mismatches struct {
	q   *db.Queries
	now func() time.Time
}

// NewMismatches returns the mismatches in a database. now is the clock for resolutions.
func NewMismatches(in db.DBTX, now func() time.Time) *Mismatches {
	return &Mismatches{q: db.New(in), now: now}
}

// Waiting returns the unresolved ones, the oldest first.
func (m *Mismatches) Waiting(ctx context.Context) ([]Mismatch, error) { return m.list(ctx, true) }

// All returns the resolved ones too.
func (m *Mismatches) All(ctx context.Context) ([]Mismatch, error) { return m.list(ctx, false) }

func (m *Mismatches) list(ctx context.Context, waitingOnly bool) ([]Mismatch, error) {
	rows, err := m.q.ListTopupMismatches(ctx, waitingOnly)
	if err != nil {
		return nil, fmt.Errorf("listing mismatched payments: %w", err)
	}
	found := make([]Mismatch, len(rows))
	for i := range rows {
		found[i] = mismatchOf((*db.TopupMismatchRow)(&rows[i]))
	}
	return found, nil
}

// Resolve records that a mismatch is resolved, by whom and why; neither may be empty. It moves no money. Errors:
// [ErrNoMismatch], or a [*ResolvedError] if it was resolved before.
func (m *Mismatches) Resolve(ctx context.Context, paymentIntentID, by, note string) (Mismatch, error) {
	by, note = strings.TrimSpace(by), strings.TrimSpace(note)
	if by == "" || note == "" {
		return Mismatch{}, fmt.Errorf("resolving %s: want the name of the person and a note", paymentIntentID)
	}
	made, err := m.q.ResolveTopupMismatch(ctx, db.ResolveTopupMismatchParams{
		PaymentIntentID: paymentIntentID, Note: note, ResolvedBy: by, Now: m.now(),
	})
	if err != nil {
		return Mismatch{}, fmt.Errorf("resolving %s: %w", paymentIntentID, err)
	}
	row, err := m.q.TopupMismatch(ctx, paymentIntentID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Mismatch{}, fmt.Errorf("payment %q: %w", paymentIntentID, ErrNoMismatch)
	case err != nil:
		return Mismatch{}, fmt.Errorf("reading the mismatch %s: %w", paymentIntentID, err)
	}
	found := mismatchOf(&row)
	if made == 0 && found.Resolution != nil {
		return found, fmt.Errorf("payment %s: %w", paymentIntentID, &ResolvedError{*found.Resolution})
	}
	return found, nil
}

func mismatchOf(row *db.TopupMismatchRow) Mismatch {
	m := Mismatch{
		PaymentIntentID: row.PaymentIntentID, TopupID: row.TopupID, AmountReceived: row.AmountReceived, Currency: row.Currency,
		CustomerID: row.CustomerID, Live: row.Livemode, Reason: row.Reason, FoundAt: row.CreatedAt.UTC(),
	}
	if row.ResolvedAt != nil {
		m.Resolution = &Resolution{
			Note: deref(row.Note), By: deref(row.ResolvedBy), Role: deref(row.DatabaseRole), At: row.ResolvedAt.UTC(),
		}
	}
	return m
}
