package claims_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

const gasNetwork = "eip155:84532"

// gasClaim claims a payment of another payer with that settlement cost.
func gasClaim(ctx context.Context, store claims.Store, cost, budget x402.Gwei) (*claims.Record, bool, error) {
	rec := claimstest.NewRecord(price.SettleBefore)
	rec.Key.Payer = rec.ID.String()
	_, won, err := store.Claim(ctx, rec, x402.Checked{Gas: cost, GasBudget: budget})
	return rec, won, err
}

// testGasBudget shows that open claims reserve part of the day's gas budget and that mined transactions use it up.
func testGasBudget(t *testing.T, a claimstest.Archive) {
	ctx, store := t.Context(), a.As(uuid.New())
	const budget = 100
	claim := func(cost x402.Gwei, want error) *claims.Record {
		t.Helper()
		rec, won, err := gasClaim(ctx, store, cost, budget)
		if !errors.Is(err, want) || won != (want == nil) {
			t.Fatalf("claim of %d: got %v, %v, want %v", cost, won, err, want)
		}
		return rec
	}
	a.Spend(gasNetwork, 1, 90)    // not today
	a.Spend("eip155:8453", 0, 90) // another network's budget
	released, settled := claim(40, nil), claim(60, nil)
	claim(1, claims.ErrGasBudget)
	claim(0, nil) // somebody else pays the gas

	copied := *settled
	copied.ID = uuid.New()
	if got, won, err := store.Claim(ctx, &copied, x402.Checked{Gas: 60, GasBudget: budget}); err != nil || won || got.ID != settled.ID {
		t.Errorf("a copy of what is claimed: got %v, %v, %v, want the first", got.ID, won, err)
	}
	if err := store.Release(ctx, released.ID, "", nil); err != nil {
		t.Fatal(err)
	}
	failed := claim(40, nil)
	claim(1, claims.ErrGasBudget)
	again := *released
	again.ID = uuid.New()
	if _, won, err := store.Claim(ctx, &again, x402.Checked{Gas: 40, GasBudget: budget}); won || !errors.Is(err, claims.ErrGasBudget) {
		t.Errorf("a released payment again: got %v, %v, want ErrGasBudget", won, err)
	}

	a.Spend(gasNetwork, 0, 55)
	claimPath{stepSettling, stepSettled}.walk(t, store, settled.ID)
	claimPath{stepSettling, stepFail}.walk(t, store, failed.ID)
	claim(46, claims.ErrGasBudget)
	claim(45, nil)
}

// testGasRace sends many payers' payments at several instances at once: only as many are claimed as the budget covers.
func testGasRace(t *testing.T, a claimstest.Archive) {
	const payers, cost, spent, fit = 24, 10, 7, 9
	stores := []claims.Store{a.As(uuid.New()), a.As(uuid.New())}
	a.Spend(gasNetwork, 0, spent)
	var all sync.WaitGroup
	var won, refused atomic.Int32
	for i := range payers {
		all.Go(func() {
			_, taken, err := gasClaim(t.Context(), stores[i%2], cost, spent+fit*cost+cost-1)
			switch {
			case taken:
				won.Add(1)
			case errors.Is(err, claims.ErrGasBudget):
				refused.Add(1)
			default:
				t.Errorf("claim: %v", err)
			}
		})
	}
	all.Wait()
	if won.Load() != fit || refused.Load() != payers-fit {
		t.Errorf("claimed and refused: got %d and %d, want %d and %d", won.Load(), refused.Load(), fit, payers-fit)
	}
}
