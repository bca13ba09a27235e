package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestCovered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  money.Credits
		unit money.Credits
		n    int
		want problem.Code
	}{
		{"all of it", 10, 1, 10, ""},
		{"more than enough", 11, 1, 10, ""},
		{"nothing for nothing", 0, 0, 10, ""},
		{"one too few", 9, 1, 10, problem.CreditsExhausted},
		{"more than there can be", 9, math.MaxInt64, 2, problem.InternalServerError},
	} {
		err := Covered(&principal.Caller{Credits: tt.set}, tt.unit, tt.n)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: got %v, want no error", tt.name, err)
			}
			continue
		}
		if got := problem.From(err).Code; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	e := problem.From(Covered(&principal.Caller{Credits: 9}, 2, 5))
	if e.Metadata["credits_required"] != int64(10) || e.Metadata["credits_available"] != int64(9) {
		t.Errorf("got metadata %v, want 10 required and 9 available", e.Metadata)
	}
}

func TestClaimOf(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	if claim, err := ClaimOf(&principal.Caller{Unit: edgewire.UnitCredit, HoldID: id.String()}); err != nil || claim != nil {
		t.Errorf("a subscriber: got %v, %v, want none", claim, err)
	}
	if claim, err := ClaimOf(&principal.Caller{Unit: edgewire.UnitUSDC, HoldID: id.String()}); err != nil || claim == nil || *claim != id {
		t.Errorf("a wallet: got %v, %v, want %s", claim, err, id)
	}
	if _, err := ClaimOf(&principal.Caller{Unit: edgewire.UnitUSDC, HoldID: "x"}); problem.From(err).Code != problem.InternalServerError {
		t.Errorf("a claim that is none: got %v, want an internal error", err)
	}
}

func TestIsOver(t *testing.T) {
	t.Parallel()
	for _, err := range []error{credits.ErrHoldExpired, credits.ErrHoldClosed, credits.ErrNoHold} {
		if !IsOver(fmt.Errorf("capturing: %w", err)) {
			t.Errorf("%v: got false, want true", err)
		}
	}
	if IsOver(nil) || IsOver(&credits.Insufficient{}) || IsOver(context.Canceled) {
		t.Error("got true of another error, want false")
	}
}

// A wallet's payment involves no hold: these calls need no database.
func TestWalletHasPaid(t *testing.T) {
	t.Parallel()
	claim := uuid.New()
	f := &Funds{Job: "batch_x", Claim: &claim}
	if err := f.Adopt(t.Context(), nil, &principal.Caller{HoldID: "x"}, time.Now()); err != nil {
		t.Errorf("adopting: got %v, want nothing to do", err)
	}
	if err := f.Capture(t.Context(), nil, 3); err != nil {
		t.Errorf("capturing: got %v, want nothing to do", err)
	}
	c := &principal.Caller{Unit: edgewire.UnitUSDC, HoldID: claim.String()}
	c.SetCost(7)
	if err := f.Repeated(t.Context(), nil, c); err != nil || c.Cost() != 7 {
		t.Errorf("a repetition: got cost %d, %v, want 7", c.Cost(), err)
	}
}

func TestWalletIsOwedAllOrNothing(t *testing.T) {
	t.Parallel()
	claim, failed := uuid.New(), errors.New("away")
	f := &Funds{Job: "batch_x", Claim: &claim}
	for _, tt := range []struct {
		name     string
		finished int
		owe      OweFunc
		wantErr  bool
		want     int
	}{
		{"something was done", 1, nil, false, 0},
		{"nothing was done", 0, func(context.Context, pgx.Tx, uuid.UUID, string) (bool, error) { return true, nil }, false, 1},
		{"it had not moved", 0, func(context.Context, pgx.Tx, uuid.UUID, string) (bool, error) { return false, nil }, false, 1},
		{"it cannot be written", 0, func(context.Context, pgx.Tx, uuid.UUID, string) (bool, error) { return false, failed }, true, 1},
		{"nobody to tell", 0, nil, true, 0},
	} {
		calls := 0
		s := &Settler{Note: "nothing came of it", Logger: slog.New(slog.DiscardHandler)}
		if tt.owe != nil {
			s.Owe = func(ctx context.Context, tx pgx.Tx, got uuid.UUID, note string) (bool, error) {
				if calls++; got != claim || note != s.Note {
					t.Errorf("%s: got %s for %q, want %s for %q", tt.name, got, note, claim, s.Note)
				}
				return tt.owe(ctx, tx, got, note)
			}
		}
		if err := s.Settle(t.Context(), nil, f, tt.finished); (err != nil) != tt.wantErr || calls != tt.want {
			t.Errorf("%s: got %v after %d calls, want an error: %t, after %d", tt.name, err, calls, tt.wantErr, tt.want)
		}
	}
}
