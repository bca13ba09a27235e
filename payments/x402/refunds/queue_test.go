package refunds

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	owedAsset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	owedPayer = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// If the work fails after the payment was settled, a refund is due if and only if the failure is recorded.
func TestOwingWithTheWork(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), claimstest.NewPool(t)
	claims := claimstest.PostgresStore(t, pool)
	settled := func() uuid.UUID {
		rec := claimstest.NewRecord(price.SettleBefore)
		rec.Key.Asset, rec.Key.Payer, rec.PayTo = owedAsset, owedPayer, owedPayer
		claimstest.MustClaim(t, claims, rec)
		for _, err := range []error{claims.Settling(ctx, rec.ID), claims.Settled(ctx, rec.ID, x402.Settlement{Transaction: "0xt"}, true)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return rec.ID
	}
	state := func(id uuid.UUID) (state, note string) {
		if err := pool.QueryRow(ctx, `select state, owed_note from x402_claim where id = $1`, id).Scan(&state, &note); err != nil {
			t.Fatal(err)
		}
		return state, note
	}
	owe := func(id uuid.UUID, end error) bool {
		t.Helper()
		var owed bool
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
			if owed, err = NewQueue(tx).Owe(ctx, id, "nothing came of it"); err != nil {
				return err
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Fatalf("owing: got error %v, want %v", err, end)
		}
		return owed
	}

	id := settled()
	if owe(id, x402test.ErrTest); first(state(id)) != "settled" {
		t.Errorf("got %s after a work that was not written down, want settled", first(state(id)))
	}
	for range 2 { // the second time it is owed already
		owe(id, nil)
		if got, note := state(id); got != "refund_due" || note != "nothing came of it" {
			t.Errorf("got %s for %q, want refund_due", got, note)
		}
	}
	released := claimstest.NewRecord(price.SettleBefore)
	released.Key.Asset, released.Key.Payer, released.PayTo = owedAsset, owedPayer, owedPayer
	claimstest.MustClaim(t, claims, released)
	if err := claims.Release(ctx, released.ID, x402.CodeUpstreamFailed, nil); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]uuid.UUID{"money that has not moved": released.ID, "a claim of another edge": uuid.New()} {
		if owe(id, nil) {
			t.Errorf("%s: got it owed", name)
		}
	}
	if !owe(settled(), nil) {
		t.Error("got nothing owed, want it owed")
	}
}

func first(state, _ string) string { return state }
