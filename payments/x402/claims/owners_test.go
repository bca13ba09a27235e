package claims_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// The rows of TestStores for the instances that own claims, and for the payers' balances.

// testOwners tries every step on a claim of another instance, and on an own claim after the instance has ended.
func testOwners(t *testing.T, a claimstest.Archive) {
	steps := map[string]struct {
		settle price.Settle
		to     claimPath // the state before the step
		step   func(ctx context.Context, s claims.Store, id uuid.UUID) error
		// anybody: every live instance may take the step.
		anybody bool
	}{
		"release":  {settle: price.SettleAfter, step: func(ctx context.Context, s claims.Store, id uuid.UUID) error { return s.Release(ctx, id, "", nil) }},
		"serve":    {settle: price.SettleAfter, step: stepServe},
		"settling": {settle: price.SettleBefore, step: stepSettling},
		"settled":  {settle: price.SettleBefore, to: claimPath{stepSettling}, step: stepSettled},
		"unknown":  {settle: price.SettleBefore, to: claimPath{stepSettling}, step: stepUnknown},
		"fail":     {settle: price.SettleBefore, to: claimPath{stepSettling}, step: stepFail},
		"abandon":  {settle: price.SettleAfter, step: stepAbandon},
		"finish":   {settle: price.SettleAfter, to: claimPath{stepStream, stepSettling, stepSettled}, step: stepFinish},
		"refund": {settle: price.SettleBefore, to: claimPath{stepSettling, stepSettled}, step: func(ctx context.Context, s claims.Store, id uuid.UUID) error {
			return s.RefundDue(ctx, id)
		}},
		"start run": {settle: price.SettleBefore, to: claimPath{stepSettling, stepSettled}, anybody: true, step: func(ctx context.Context, s claims.Store, id uuid.UUID) error {
			return s.StartRun(ctx, id)
		}},
		"take unknown": {settle: price.SettleBefore, to: claimPath{stepSettling, stepUnknown}, anybody: true, step: func(ctx context.Context, s claims.Store, id uuid.UUID) error {
			return s.TakeUnknown(ctx, id)
		}},
	}
	for name, tt := range steps {
		t.Run(name, func(t *testing.T) {
			owner := uuid.New()
			mine, others := a.As(owner), a.As(uuid.New())
			claimed := func() uuid.UUID {
				rec := claimstest.NewRecord(tt.settle)
				claimstest.MustClaim(t, mine, rec)
				tt.to.walk(t, mine, rec.ID)
				return rec.ID
			}
			left, theirs, own := claimed(), claimed(), claimed()
			if err := tt.step(t.Context(), others, theirs); errors.Is(err, claims.ErrMoved) == tt.anybody || tt.anybody && err != nil {
				t.Errorf("on the claim of another: got %v", err)
			}
			if err := tt.step(t.Context(), mine, own); err != nil {
				t.Errorf("on one's own claim: got %v", err)
			}
			a.End(owner)
			if err := tt.step(t.Context(), mine, left); !errors.Is(err, claims.ErrMoved) {
				t.Errorf("by one that has ended: got %v, want ErrMoved", err)
			}
		})
	}
}

func testOrphans(t *testing.T, a claimstest.Archive) {
	ctx := t.Context()
	const here, elsewhere = "eip155:84532/0xA", "eip155:8453/0xA"
	claim := func(store claims.Store, network string) uuid.UUID {
		rec := claimstest.NewRecord(price.SettleAfter)
		rec.Key.Network = network
		claimstest.MustClaim(t, store, rec)
		return rec.ID
	}
	var owners []claims.Store
	var named []uuid.UUID
	for range 4 {
		id := uuid.New()
		named = append(named, id)
		owners = append(owners, a.As(id))
	}
	taker, living, dead, moved := owners[0], owners[1], owners[2], owners[3]
	mine, working := claim(taker, "eip155:84532"), claim(taker, "eip155:84532")
	lives := claim(living, "eip155:84532")
	orphan, finished := claim(dead, "eip155:84532"), claim(dead, "eip155:84532")
	foreign, dropped := claim(dead, "eip155:8453"), claim(moved, "eip155:84532")
	if err := dead.Release(ctx, finished, "", nil); err != nil {
		t.Fatal(err)
	}
	a.Announce(named[0], here)
	a.Announce(named[1], here, elsewhere)
	a.End(named[2])
	a.Announce(named[3], elsewhere) // a configuration without the network
	take := func(store claims.Store, active []uuid.UUID, settles ...string) []uuid.UUID {
		t.Helper()
		recs, err := store.TakeOrphans(ctx, settles, active, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range recs {
			if found, err := store.Find(ctx, rec.Key); err != nil || found.EdgeID != rec.EdgeID {
				t.Errorf("orphan %s: got %v of %s, want it of %s", rec.ID, err, found.EdgeID, rec.EdgeID)
			}
		}
		return ids(recs)
	}
	sorted := func(of ...uuid.UUID) []uuid.UUID {
		slices.SortFunc(of, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		return of
	}
	if got := take(dead, nil, here); len(got) > 0 {
		t.Errorf("one that has ended has taken %v", got)
	}
	if got, want := take(taker, []uuid.UUID{working}, here), sorted(mine, orphan, dropped); !slices.Equal(got, want) {
		t.Errorf("got %v, want its own that is left, that of the dead and that of one that does not settle it: %v", got, want)
	}
	if got, want := take(living, nil, here, elsewhere), sorted(lives, foreign); !slices.Equal(got, want) {
		t.Errorf("got %v, want its own and that of the dead that the first could not settle: %v", got, want)
	}
}

// testSettlers shows that only a live instance that has announced a token claims payments in it.
func testSettlers(t *testing.T, a claimstest.Archive) {
	ctx := t.Context()
	id := uuid.New()
	store := a.As(id)
	a.Announce(id, "eip155:84532/0xB")
	rec := claimstest.NewRecord(price.SettleAfter)
	if _, won, err := store.Claim(ctx, rec, x402.Checked{}); !errors.Is(err, claims.ErrNotSettler) || won {
		t.Errorf("another token: got %v, %v, want ErrNotSettler", won, err)
	}
	a.Announce(id, "eip155:84532/0xA")
	claimstest.MustClaim(t, store, rec)
	a.End(id)
	if _, won, err := store.Claim(ctx, claimstest.NewRecord(price.SettleAfter), x402.Checked{}); !errors.Is(err, claims.ErrNotSettler) || won {
		t.Errorf("one that has ended: got %v, %v, want ErrNotSettler", won, err)
	}
	copied := *rec
	copied.ID = uuid.New()
	if got, won, err := store.Claim(ctx, &copied, x402.Checked{}); err != nil || won || got.ID != rec.ID {
		t.Errorf("a copy: got %v, %v, %v, want the claim that there is", got.ID, won, err)
	}
}

func testStranded(t *testing.T, a claimstest.Archive) {
	ids := []uuid.UUID{uuid.New(), uuid.New()}
	first, second := a.As(ids[0]), a.As(ids[1])
	want := func(when string, want int) {
		t.Helper()
		if got, err := second.Stranded(t.Context()); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", when, got, err, want)
		}
	}
	open, done := claimstest.NewRecord(price.SettleAfter), claimstest.NewRecord(price.SettleAfter)
	claimstest.MustClaim(t, first, open)
	claimstest.MustClaim(t, first, done)
	if err := first.Release(t.Context(), done.ID, "", nil); err != nil {
		t.Fatal(err)
	}
	want("its own settles it", 0)
	a.Announce(ids[1], "eip155:8453/0xA")
	a.End(ids[0])
	want("nobody settles it", 1)
	a.Announce(ids[1], "eip155:8453/0xA", "eip155:84532/0xA")
	want("another settles it", 0)
}

// testInFlight shows that a payer's balance must cover all payments that it does not show yet.
func testInFlight(t *testing.T, a claimstest.Archive) {
	ctx := t.Context()
	const amount = 10_000
	for name, tt := range map[string]struct {
		settle price.Settle
		before claimPath // steps of an earlier payment, which settles in block 7
		change func(*claims.Record)
		seen   x402.Checked // 0: the balance of block 6
		want   money.MicroUSDC
	}{
		"claimed":               {settle: price.SettleAfter, want: amount},
		"served":                {settle: price.SettleAfter, before: claimPath{stepServe}, want: amount},
		"settling":              {settle: price.SettleBefore, before: claimPath{stepSettling}, want: amount},
		"unknown":               {settle: price.SettleBefore, before: claimPath{stepSettling, stepUnknown}, want: amount},
		"settled later":         {settle: price.SettleBefore, before: claimPath{stepSettling, stepSettled}, want: amount},
		"settled in that block": {settle: price.SettleBefore, before: claimPath{stepSettling, stepSettled}, seen: x402.Checked{Block: 7}},
		"failed":                {settle: price.SettleBefore, before: claimPath{stepSettling, stepFail}},
		"abandoned":             {settle: price.SettleAfter, before: claimPath{stepAbandon}},
		"of another payer":      {settle: price.SettleAfter, change: func(r *claims.Record) { r.Key.Payer = "0xQ" }},
		"in another token":      {settle: price.SettleAfter, change: func(r *claims.Record) { r.Key.Asset = "0xB" }},
		"on another network":    {settle: price.SettleAfter, change: func(r *claims.Record) { r.Key.Network = "eip155:8453" }},
	} {
		t.Run(name, func(t *testing.T) {
			store := a.As(uuid.New())
			earlier := claimstest.NewRecord(tt.settle)
			earlier.Key.Payer = name
			next := *earlier
			if tt.change != nil {
				tt.change(earlier)
			}
			claimstest.MustClaim(t, store, earlier)
			tt.before.walk(t, store, earlier.ID)
			next.ID = uuid.New()
			copy(next.Key.Nonce[:], next.ID[:])
			seen := tt.seen
			seen.Known, seen.Block, seen.Balance = true, max(seen.Block, 6), amount+tt.want-1
			_, won, err := store.Claim(ctx, &next, seen)
			if short, ok := errors.AsType[*claims.InFlightError](err); !ok || won || short.InFlight != tt.want {
				t.Errorf("a unit too few: got %v, %v, want %d in flight", won, err, tt.want)
			}
			seen.Balance++
			if _, won, err := store.Claim(ctx, &next, seen); err != nil || !won {
				t.Errorf("enough: got %v, %v, want it claimed", won, err)
			}
		})
	}
}

// testUnpaidTries shows that a contract's payments are accepted only while few of them are open or have failed, over
// all instances; payments signed by a key are always accepted.
func testUnpaidTries(t *testing.T, a claimstest.Archive) {
	stores := []claims.Store{a.As(uuid.New()), a.As(uuid.New())}
	seen := x402.Checked{Known: true, Balance: 1e9, Block: 1, Contract: true}
	claim := func(i int, payer string, seen x402.Checked) (*claims.Record, bool, error) {
		rec := claimstest.NewRecord(price.SettleBefore)
		rec.Key.Payer = payer
		_, won, err := stores[i%2].Claim(t.Context(), rec, seen)
		return rec, won, err
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var won []*claims.Record
	for range 2 * x402.UnpaidTriesMax {
		all.Go(func() {
			rec, taken, err := claim(0, "0xC", seen)
			if err != nil && !errors.Is(err, claims.ErrUnpaidTries) {
				t.Errorf("claim: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if taken {
				won = append(won, rec)
			}
		})
	}
	all.Wait()
	if len(won) != x402.UnpaidTriesMax {
		t.Fatalf("at once: got %d claimed, want %d", len(won), x402.UnpaidTriesMax)
	}
	for _, rec := range won[1:] {
		claimPath{stepSettling, stepFail}.walk(t, stores[0], rec.ID)
	}
	if _, taken, err := claim(1, "0xC", seen); taken || !errors.Is(err, claims.ErrUnpaidTries) {
		t.Errorf("after they have failed: got %v, %v, want it refused", taken, err)
	}
	claimPath{stepSettling, stepSettled}.walk(t, stores[0], won[0].ID)
	if _, taken, err := claim(1, "0xC", seen); err != nil || !taken {
		t.Errorf("after one was settled: got %v, %v, want it claimed", taken, err)
	}
	byKey := seen
	byKey.Contract = false
	for payer, seen := range map[string]x402.Checked{"0xC": byKey, "0xD": seen} {
		if _, taken, err := claim(1, payer, seen); err != nil || !taken {
			t.Errorf("%s: got %v, %v, want it claimed", payer, taken, err)
		}
	}
}

// testOnePayer claims many payments of one payer at several instances at once: only those that it can pay succeed.
func testOnePayer(t *testing.T, a claimstest.Archive) {
	const payments, affordable = 24, 5
	stores := []claims.Store{a.As(uuid.New()), a.As(uuid.New()), a.As(uuid.New())}
	seen := x402.Checked{Known: true, Balance: affordable*10_000 + 9_999, Block: 1}
	var mu sync.Mutex
	claimed := 0
	var all sync.WaitGroup
	for i := range payments {
		all.Go(func() {
			_, won, err := stores[i%len(stores)].Claim(t.Context(), claimstest.NewRecord(price.SettleAfter), seen)
			if _, short := errors.AsType[*claims.InFlightError](err); err != nil && !short {
				t.Errorf("claim: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if won {
				claimed++
			}
		})
	}
	all.Wait()
	if claimed != affordable {
		t.Errorf("got %d claimed, want the %d that can be paid", claimed, affordable)
	}
}

// testDisclaims shows that Disclaim releases a claim of unknown outcome, whether it comes before or after the claim.
func testDisclaims(t *testing.T, a claimstest.Archive) {
	ctx := t.Context()
	store, other := a.As(uuid.New()), a.As(uuid.New())
	for _, first := range []string{"claim", "disclaim"} {
		rec := claimstest.NewRecord(price.SettleAfter)
		if first == "claim" {
			claimstest.MustClaim(t, store, rec)
		}
		for range 2 {
			if err := store.Disclaim(ctx, rec); err != nil {
				t.Fatalf("%s first: %v", first, err)
			}
		}
		if _, won, err := store.Claim(ctx, rec, x402.Checked{}); err != nil || won {
			t.Errorf("%s first: the same claim once more: got %v, %v, want it refused", first, won, err)
		}
		if found, err := store.Find(ctx, rec.Key); err != nil || found.State != claims.StateReleased || found.ID != rec.ID {
			t.Errorf("%s first: got %+v, %v, want it released", first, found, err)
		}
		again := *rec
		again.ID = uuid.New()
		claimstest.MustClaim(t, other, &again)
		if err := store.Disclaim(ctx, rec); err != nil {
			t.Fatal(err)
		}
		if err := store.Disclaim(ctx, &again); err != nil { // belongs to another instance
			t.Fatal(err)
		}
		if found, err := store.Find(ctx, rec.Key); err != nil || found.State != claims.StateClaimed || found.ID != again.ID {
			t.Errorf("%s first: got %s, %v, want the other claim left alone", first, fmt.Sprint(found.State, found.ID), err)
		}
	}
}

// ids returns the ids of the claims that were taken over.
func ids(recs []claims.Record) []uuid.UUID {
	var found []uuid.UUID
	for _, rec := range recs {
		found = append(found, rec.ID)
	}
	slices.SortFunc(found, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return found
}
