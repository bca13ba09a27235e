package claims_test

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// TestStores tests every store against the same rules.
func TestStores(t *testing.T) {
	t.Parallel()
	for name, open := range claimstest.Archives() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range map[string]func(t *testing.T, store claims.Store){
				"claims":      testClaims,
				"steps":       testSteps,
				"responses":   testResponses,
				"counts":      testCounts,
				"identifiers": testIdentifiers,
				"one of many": testOneOfMany,
				"answers":     testAnswers,
				"sign-ins":    testSignIns,
				"unclosed":    testUnclosed,
				"paid twice":  testPaidTwice,
			} {
				t.Run(name, func(t *testing.T) { test(t, open(t).As(uuid.New())) })
			}
			for name, test := range map[string]func(t *testing.T, a claimstest.Archive){
				"owners":       testOwners,
				"orphans":      testOrphans,
				"settlers":     testSettlers,
				"stranded":     testStranded,
				"in flight":    testInFlight,
				"unpaid tries": testUnpaidTries,
				"gas budget":   testGasBudget,
				"gas race":     testGasRace,
				"one payer":    testOnePayer,
				"disclaims":    testDisclaims,
			} {
				t.Run(name, func(t *testing.T) { test(t, open(t)) })
			}
		})
	}
}

func testClaims(t *testing.T, store claims.Store) {
	ctx := t.Context()
	rec := claimstest.NewRecord(price.SettleAfter)
	if _, err := store.Find(ctx, rec.Key); !errors.Is(err, claims.ErrNotFound) {
		t.Fatalf("find: got %v, want ErrNotFound", err)
	}
	claimstest.MustClaim(t, store, rec)
	found, err := store.Find(ctx, rec.Key)
	if err != nil {
		t.Fatal(err)
	}
	if found.ID != rec.ID || found.Key != rec.Key || found.PayloadHash != rec.PayloadHash || found.Amount != rec.Amount ||
		found.Version != 2 || found.URI != rec.URI || found.Settle != rec.Settle || found.EdgeID == uuid.Nil ||
		string(found.Payment) != "{}" || found.LapsesAt.Unix() != rec.LapsesAt.Unix() {
		t.Errorf("find: got %+v, want %+v", found, rec)
	}
	second := *rec
	second.ID = uuid.New()
	if got, won, err := store.Claim(ctx, &second, x402.Checked{}); err != nil || won || got.ID != rec.ID {
		t.Fatalf("second claim: got %v, %v, %v, want the first's", got.ID, won, err)
	}
	if err := store.Release(ctx, rec.ID, x402.CodeUpstreamFailed, &claims.Response{Status: 502, Header: http.Header{}, Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	other := second
	other.PayloadHash[0]++
	if got, won, err := store.Claim(ctx, &other, x402.Checked{}); err != nil || won || got.State != claims.StateReleased {
		t.Fatalf("other payload: got %v, %v, %v, want it refused", got.State, won, err)
	}
	claimstest.MustClaim(t, store, &second)
	found, err = store.Find(ctx, rec.Key)
	if err != nil || found.ID != second.ID || found.ResponseKept || found.Reason != "" || found.DoneAt != nil {
		t.Errorf("claimed anew: got %+v, %v", found, err)
	}
	if err := store.Serve(ctx, rec.ID, nil); !errors.Is(err, claims.ErrMoved) {
		t.Errorf("step of the first run: got %v, want ErrMoved", err)
	}
}

// testSteps tries every step from every state.
func testSteps(t *testing.T, store claims.Store) {
	ctx := t.Context()
	steps := map[string]func(id uuid.UUID) error{
		"release":  func(id uuid.UUID) error { return store.Release(ctx, id, "", nil) },
		"serve":    func(id uuid.UUID) error { return store.Serve(ctx, id, &claims.Response{Status: 200}) },
		"settling": func(id uuid.UUID) error { return store.Settling(ctx, id) },
		"settled":  func(id uuid.UUID) error { return store.Settled(ctx, id, x402.Settlement{Transaction: "0x1"}, false) },
		"run":      func(id uuid.UUID) error { return store.Settled(ctx, id, x402.Settlement{Transaction: "0x1"}, true) },
		"unknown":  func(id uuid.UUID) error { return store.Unknown(ctx, id, "0x2") },
		"fail":     func(id uuid.UUID) error { return store.Fail(ctx, id, x402.CodeValidBefore) },
		"abandon":  func(id uuid.UUID) error { return store.Abandon(ctx, id) },
		"startRun": func(id uuid.UUID) error { return store.StartRun(ctx, id) },
		"finish":   func(id uuid.UUID) error { return store.Finish(ctx, id, false, nil) },
		"fault":    func(id uuid.UUID) error { return store.Finish(ctx, id, true, nil) },
		"refund":   func(id uuid.UUID) error { return store.RefundDue(ctx, id) },
		"owe":      func(id uuid.UUID) error { return store.Owe(ctx, id, "the job came to nothing") },
		"close":    func(id uuid.UUID) error { return store.Close(ctx, id) },
		"paid":     func(id uuid.UUID) error { return store.PaidAfterAll(ctx, id, x402.Settlement{Transaction: "0x3"}) },
	}
	for name, tt := range map[string]struct {
		settle price.Settle
		path   []string
		allow  map[string]claims.State
	}{
		"after, claimed": {price.SettleAfter, nil, map[string]claims.State{
			"release": claims.StateReleased, "serve": claims.StateServed, "abandon": claims.StateAbandoned,
		}},
		"before, claimed": {price.SettleBefore, nil, map[string]claims.State{
			"release": claims.StateReleased, "settling": claims.StateSettling, "abandon": claims.StateAbandoned,
		}},
		"served": {price.SettleAfter, []string{"serve"}, map[string]claims.State{
			"settling": claims.StateSettling, "settled": claims.StateSettled, "run": claims.StateSettled, "fail": claims.StateFailed, "abandon": claims.StateAbandoned,
		}},
		"settling": {price.SettleBefore, []string{"settling"}, map[string]claims.State{
			"settled": claims.StateSettled, "run": claims.StateSettled, "unknown": claims.StateUnknown, "fail": claims.StateFailed,
		}},
		"unknown": {price.SettleBefore, []string{"settling", "unknown"}, map[string]claims.State{
			"settled": claims.StateSettled, "run": claims.StateSettled, "unknown": claims.StateUnknown, "fail": claims.StateFailed,
		}},
		"settled, not run": {price.SettleBefore, []string{"settling", "settled"}, map[string]claims.State{
			"startRun": claims.StateSettled, "refund": claims.StateRefundDue, "owe": claims.StateRefundDue,
		}},
		"settled, running": {price.SettleBefore, []string{"settling", "run"}, map[string]claims.State{
			"finish": claims.StateSettled, "fault": claims.StateRefundDue, "owe": claims.StateRefundDue,
		}},
		"owed, running": {price.SettleBefore, []string{"settling", "run", "owe"}, map[string]claims.State{
			"finish": claims.StateRefundDue, "fault": claims.StateRefundDue, "owe": claims.StateRefundDue,
		}},
		"settled, done": {price.SettleAfter, []string{"serve", "settling", "settled"}, map[string]claims.State{
			"owe": claims.StateRefundDue,
		}},
		"failed": {price.SettleBefore, []string{"settling", "fail"}, map[string]claims.State{
			"close": claims.StateFailed, "paid": claims.StateRefundDue,
		}},
		"released":  {price.SettleAfter, []string{"release"}, nil},
		"abandoned": {price.SettleAfter, []string{"abandon"}, nil},
		"refund due": {price.SettleBefore, []string{"settling", "run", "fault"}, map[string]claims.State{
			"owe": claims.StateRefundDue,
		}},
		"refund, no run": {price.SettleBefore, []string{"settling", "settled", "refund"}, map[string]claims.State{
			"owe": claims.StateRefundDue,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for step, do := range steps {
				rec := claimstest.NewRecord(tt.settle)
				claimstest.MustClaim(t, store, rec)
				for _, s := range tt.path {
					if err := steps[s](rec.ID); err != nil {
						t.Fatalf("%s: %v", s, err)
					}
				}
				before, err := store.Find(ctx, rec.Key)
				if err != nil {
					t.Fatal(err)
				}
				want, allowed := tt.allow[step]
				if !allowed {
					want = before.State
				}
				if err := do(rec.ID); errors.Is(err, claims.ErrMoved) == allowed || (allowed && err != nil) {
					t.Errorf("%s: got %v, want allowed %v", step, err, allowed)
				}
				after, err := store.Find(ctx, rec.Key)
				if err != nil || after.State != want {
					t.Errorf("%s: got state %s, %v, want %s", step, after.State, err, want)
				}
			}
		})
	}
}

func testResponses(t *testing.T, store claims.Store) {
	ctx := t.Context()
	rec := claimstest.NewRecord(price.SettleAfter)
	rec.KeepUntil = time.Unix(1_700_000_000, 0)
	claimstest.MustClaim(t, store, rec)
	if _, err := store.Response(ctx, rec.ID); !errors.Is(err, claims.ErrNotFound) {
		t.Fatalf("no response: got %v, want ErrNotFound", err)
	}
	want := &claims.Response{Status: 201, Header: http.Header{"X-A": {"1", "2"}, "X-B": {"caf\xe9"}}, Body: []byte{}}
	if err := store.Serve(ctx, rec.ID, want); err != nil {
		t.Fatal(err)
	}
	got, err := store.Response(ctx, rec.ID)
	if err != nil || got.Status != 201 || !reflect.DeepEqual(got.Header, want.Header) || len(got.Body) != 0 {
		t.Fatalf("response: got %+v, %v, want %+v", got, err, want)
	}
	if n, err := store.ForgetResponses(ctx, rec.KeepUntil.Add(time.Second)); err != nil || n != 0 {
		t.Errorf("forget before the end: got %d, %v, want 0", n, err)
	}
	if err := store.Settled(ctx, rec.ID, x402.Settlement{Transaction: "0x1"}, false); err != nil {
		t.Fatal(err)
	}
	if n, err := store.ForgetResponses(ctx, rec.KeepUntil.Add(time.Second)); err != nil || n != 1 {
		t.Errorf("forget: got %d, %v, want 1", n, err)
	}
	if found, err := store.Find(ctx, rec.Key); err != nil || found.ResponseKept || found.State != claims.StateSettled {
		t.Errorf("after: got %+v, %v", found, err)
	}
}

// TestSettlementIsInTheLedger shows that a settled claim and its ledger transfer are written together, once.
func TestSettlementIsInTheLedger(t *testing.T) {
	t.Parallel()
	pool := claimstest.NewPool(t)
	store := claimstest.PostgresStore(t, pool)
	rec := claimstest.NewRecord(price.SettleBefore)
	claimstest.MustClaim(t, store, rec)
	ctx := t.Context()
	if err := store.Settling(ctx, rec.ID); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := store.Settled(ctx, rec.ID, x402.Settlement{Transaction: "0x1"}, true); (err == nil) != (i == 0) {
			t.Errorf("settled %d: got %v", i, err)
		}
	}
	var n, amount int64
	var debit, credit, operation string
	err := pool.QueryRow(ctx, `
		select count(*) over (), t.amount, d.kind || ' ' || d.unit, c.kind || ' ' || c.unit, t.operation
		from ledger_transfer t join ledger_account d on d.id = t.debit_account join ledger_account c on c.id = t.credit_account
		where t.kind = 'x402' and t.idem_key = $1`, rec.ID.String()).Scan(&n, &amount, &debit, &credit, &operation)
	if err != nil {
		t.Fatal(err)
	}
	if n != 1 || amount != 10_000 || debit != "x402_clearing usdc6" || credit != "revenue usdc6" || operation != "scrape" {
		t.Errorf("transfer: got %d of %d from %s to %s for %s", n, amount, debit, credit, operation)
	}
}

// testCounts shows that claims that ended well are not counted and that refunds due are.
func testCounts(t *testing.T, store claims.Store) {
	ctx := t.Context()
	before, err := store.Counts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	made := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, path := range [][]func(id uuid.UUID) error{
		{}, // claimed
		{func(id uuid.UUID) error { return store.Settling(ctx, id) }, func(id uuid.UUID) error { return store.Unknown(ctx, id, "") }},
		{func(id uuid.UUID) error { return store.Settling(ctx, id) }, func(id uuid.UUID) error { return store.Settled(ctx, id, x402.Settlement{Transaction: "0x1"}, true) }},
		{
			func(id uuid.UUID) error { return store.Settling(ctx, id) },
			func(id uuid.UUID) error { return store.Settled(ctx, id, x402.Settlement{Transaction: "0x1"}, true) },
			func(id uuid.UUID) error { return store.Finish(ctx, id, false, nil) },
		},
		{
			func(id uuid.UUID) error { return store.Settling(ctx, id) },
			func(id uuid.UUID) error { return store.Settled(ctx, id, x402.Settlement{Transaction: "0x1"}, true) },
			func(id uuid.UUID) error { return store.Finish(ctx, id, true, nil) },
		},
		{func(id uuid.UUID) error { return store.Release(ctx, id, "", nil) }},
	} {
		rec := claimstest.NewRecord(price.SettleBefore)
		rec.CreatedAt = made
		claimstest.MustClaim(t, store, rec)
		for _, step := range path {
			if err := step(rec.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	after, err := store.Counts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []claims.State{claims.StateClaimed, claims.StateUnknown, claims.StateSettled, claims.StateRefundDue, claims.StateReleased} {
		want := 1
		if state == claims.StateReleased {
			want = 0
		}
		got := after[state]
		if got.Claims-before[state].Claims != want || got.Amount-before[state].Amount != money.MicroUSDC(want)*10_000 {
			t.Errorf("%s: got %+v after %+v, want %d more", state, got, before[state], want)
		}
		if want > 0 && got.Oldest.After(made) {
			t.Errorf("%s: got oldest %s, want %s or before", state, got.Oldest, made)
		}
	}
}

// testUnclosed shows that a failed claim is checked again once its payment has lapsed, until the claim is closed.
func testUnclosed(t *testing.T, store claims.Store) {
	ctx, now := t.Context(), time.Now()
	failed := func(lapses time.Duration, network string) *claims.Record {
		rec := claimstest.NewRecord(price.SettleBefore)
		rec.Key.Network, rec.LapsesAt = network, now.Add(lapses)
		claimstest.MustClaim(t, store, rec)
		for _, err := range []error{store.Settling(ctx, rec.ID), store.Fail(ctx, rec.ID, x402.CodeSignature)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return rec
	}
	const here, elsewhere = "eip155:1", "eip155:2"
	lapsed, paid := failed(-2*time.Minute, here), failed(-time.Minute, here)
	failed(time.Minute, here)
	failed(-time.Minute, elsewhere)
	want := func(when string, keys ...claims.Key) {
		t.Helper()
		got, err := store.Unclosed(ctx, []string{claims.SettledAs(here, "0xA")}, now)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b claims.Key) int { return strings.Compare(a.String(), b.String()) })
		slices.SortFunc(keys, func(a, b claims.Key) int { return strings.Compare(a.String(), b.String()) })
		if !slices.Equal(got, keys) {
			t.Errorf("%s: got %v, want %v", when, got, keys)
		}
	}
	want("lapsed", lapsed.Key, paid.Key)
	for i := range 2 {
		if err := store.Close(ctx, lapsed.ID); errors.Is(err, claims.ErrMoved) != (i > 0) {
			t.Errorf("close %d: got %v", i, err)
		}
		if err := store.PaidAfterAll(ctx, paid.ID, x402.Settlement{Transaction: "0x7"}); errors.Is(err, claims.ErrMoved) != (i > 0) {
			t.Errorf("paid after all %d: got %v", i, err)
		}
	}
	want("closed")
	if got, err := store.Find(ctx, paid.Key); err != nil || got.State != claims.StateRefundDue || got.Transaction != "0x7" || got.Reason != "" || got.DoneAt == nil {
		t.Errorf("paid after all: got %+v, %v", got, err)
	}
	if got, err := store.Find(ctx, lapsed.Key); err != nil || got.State != claims.StateFailed || got.Reason != x402.CodeSignature {
		t.Errorf("closed: got %+v, %v", got, err)
	}
}

// testPaidTwice covers a purchase whose first payment failed and whose second, under the same identifier, was charged.
// When the first turns out to have been paid as well, it is owed back, and the identifier stays with the second.
func testPaidTwice(t *testing.T, store claims.Store) {
	ctx := t.Context()
	first, second := claimstest.NewRecord(price.SettleBefore), claimstest.NewRecord(price.SettleBefore)
	for _, rec := range []*claims.Record{first, second} {
		rec.Identifier = "a-purchase-by-one-payer"
		claimstest.MustClaim(t, store, rec)
		if err := store.Settling(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
		if rec != first {
			continue
		}
		if err := store.Fail(ctx, rec.ID, x402.CodeSignature); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.PaidAfterAll(ctx, first.ID, x402.Settlement{Transaction: "0x7"}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Find(ctx, first.Key); err != nil || got.State != claims.StateRefundDue {
		t.Errorf("first: got %+v, %v, want it owed back", got, err)
	}
	if got, err := store.FindIdentified(ctx, second.Identity(), time.Now()); err != nil || got.ID != second.ID {
		t.Errorf("by identifier: got %v, %v, want the second", got.ID, err)
	}
}
