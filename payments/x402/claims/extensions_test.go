package claims_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// The rows of TestStores for payment identifiers and for wallets that sign in.

// claimPath is a list of steps that bring a claim into a state.
type claimPath []func(ctx context.Context, store claims.Store, id uuid.UUID) error

func (p claimPath) walk(t *testing.T, store claims.Store, id uuid.UUID) {
	t.Helper()
	for i, step := range p {
		if err := step(t.Context(), store, id); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

func stepServe(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Serve(ctx, id, &claims.Response{Status: 200, Body: []byte("report")})
}

// stepStream serves a response over the cap, which continues after the settlement.
func stepStream(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Serve(ctx, id, nil)
}

func stepFinish(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Finish(ctx, id, false, nil)
}

func stepSettling(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Settling(ctx, id)
}

func stepSettled(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Settled(ctx, id, x402.Settlement{Transaction: "0x1", Block: 7}, false)
}

func stepUnknown(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Unknown(ctx, id, "")
}

func stepFail(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Fail(ctx, id, x402.CodeValidBefore)
}

func stepAbandon(ctx context.Context, s claims.Store, id uuid.UUID) error { return s.Abandon(ctx, id) }

func stepRelease(ctx context.Context, s claims.Store, id uuid.UUID) error {
	return s.Release(ctx, id, "", nil)
}

func stepOwe(ctx context.Context, s claims.Store, id uuid.UUID) error { return s.Owe(ctx, id, "note") }

// identifiedClaim is a claim with an identifier and its own payer.
func identifiedClaim() *claims.Record {
	rec := claimstest.NewRecord(price.SettleAfter)
	rec.Identifier = "pay_" + rec.ID.String()
	rec.Key.Payer = "0x" + rec.ID.String()
	return rec
}

// Again returns another payment with the same identifier.
func again(r *claims.Record) *claims.Record {
	other := *claimstest.NewRecord(r.Settle)
	other.Identifier, other.Key.Payer, other.Key.Network = r.Identifier, r.Key.Payer, r.Key.Network
	return &other
}

// testIdentifiers checks in which states a claim keeps its identifier, and for how long.
func testIdentifiers(t *testing.T, store claims.Store) {
	for name, tt := range map[string]struct {
		path claimPath
		// has: before the response expires; keeps: also after that.
		has, keeps bool
	}{
		"claimed":    {nil, true, true},
		"served":     {claimPath{stepServe}, true, true},
		"settling":   {claimPath{stepServe, stepSettling}, true, true},
		"unknown":    {claimPath{stepServe, stepSettling, stepUnknown}, true, true},
		"settled":    {claimPath{stepServe, stepSettling, stepSettled}, true, false},
		"refund due": {claimPath{stepServe, stepSettling, stepSettled, stepOwe}, true, false},
		"failed":     {claimPath{stepServe, stepSettling, stepFail}, false, false},
		"released":   {claimPath{stepRelease}, false, false},
		"abandoned":  {claimPath{stepAbandon}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, over := range []bool{false, true} {
				rec := identifiedClaim()
				claimstest.MustClaim(t, store, rec)
				tt.path.walk(t, store, rec.ID)
				next := again(rec)
				want := tt.has
				if over {
					next.CreatedAt, want = rec.KeepUntil.Add(time.Second), tt.keeps
				}
				found, err := store.FindIdentified(t.Context(), rec.Identity(), next.CreatedAt)
				if want && (err != nil || found.ID != rec.ID || found.Key != rec.Key || found.Identifier != rec.Identifier) ||
					!want && !errors.Is(err, claims.ErrNotFound) {
					t.Errorf("over %v: got %+v, %v, want found %v", over, found, err, want)
				}
				got, won, err := store.Claim(t.Context(), next, x402.Checked{})
				if err != nil || won == want || (want && got.ID != rec.ID) || (!want && got.ID != next.ID) {
					t.Errorf("claim, over %v: got %v, %v, %v, want it %v", over, got.ID, won, err, !want)
				}
			}
		})
	}
	t.Run("of whom", func(t *testing.T) {
		rec := identifiedClaim()
		claimstest.MustClaim(t, store, rec)
		otherPayer, otherNetwork, none := again(rec), again(rec), again(rec)
		otherPayer.Key.Payer, otherNetwork.Key.Network, none.Identifier = "0xOther", "eip155:1", ""
		for _, free := range []*claims.Record{otherPayer, otherNetwork, none} {
			claimstest.MustClaim(t, store, free)
		}
		if _, err := store.FindIdentified(t.Context(), claims.Identity{Network: rec.Key.Network, Payer: rec.Key.Payer}, time.Now()); !errors.Is(err, claims.ErrNotFound) {
			t.Errorf("without an identifier: got %v, want ErrNotFound", err)
		}
	})
	t.Run("released payment, overtaken", func(t *testing.T) {
		rec := identifiedClaim()
		claimstest.MustClaim(t, store, rec)
		claimPath{stepRelease}.walk(t, store, rec.ID)
		next := again(rec)
		claimstest.MustClaim(t, store, next)
		once := *rec
		once.ID = uuid.New()
		if got, won, err := store.Claim(t.Context(), &once, x402.Checked{}); err != nil || won || got.ID != next.ID {
			t.Errorf("the released payment again: got %v, %v, %v, want the other's", got.ID, won, err)
		}
	})
}

// testOneOfMany sends several payments with one identifier at the same time.
func testOneOfMany(t *testing.T, store claims.Store) {
	first := identifiedClaim()
	var won atomic.Int32
	var winner atomic.Value
	ids := make([]uuid.UUID, 32)
	var claims sync.WaitGroup
	start := make(chan struct{})
	for i := range ids {
		rec := again(first)
		claims.Go(func() {
			<-start
			got, mine, err := store.Claim(t.Context(), rec, x402.Checked{})
			if err != nil {
				t.Errorf("claim: %v", err)
			}
			if ids[i] = got.ID; mine {
				won.Add(1)
				winner.Store(rec.ID)
			}
		})
	}
	close(start)
	claims.Wait()
	if won.Load() != 1 {
		t.Fatalf("claimed: got %d, want 1", won.Load())
	}
	for _, id := range ids {
		if id != winner.Load() {
			t.Errorf("answer: got claim %s, want %s", id, winner.Load())
		}
	}
}

// testAnswers checks which responses a wallet that signs in finds.
func testAnswers(t *testing.T, store claims.Store) {
	now := time.Now()
	for name, tt := range map[string]struct {
		path claimPath
		at   time.Time
		want bool
	}{
		"claimed":                  {nil, now, true},
		"settling":                 {claimPath{stepServe, stepSettling}, now, true},
		"unknown":                  {claimPath{stepServe, stepSettling, stepUnknown}, now, true},
		"settled":                  {claimPath{stepServe, stepSettling, stepSettled}, now, true},
		"settled, too old":         {claimPath{stepServe, stepSettling, stepSettled}, now.Add(2 * time.Hour), false},
		"settled, still streaming": {claimPath{stepStream, stepSettling, stepSettled}, now, true},
		"settled, not kept":        {claimPath{stepStream, stepSettling, stepSettled, stepFinish}, now, false},
		"refund due":               {claimPath{stepServe, stepSettling, stepSettled, stepOwe}, now, false},
		"failed":                   {claimPath{stepServe, stepSettling, stepFail}, now, false},
		"released":                 {claimPath{stepRelease}, now, false},
	} {
		t.Run(name, func(t *testing.T) {
			rec := identifiedClaim()
			copy(rec.RequestHash[:], rec.ID[:])
			claimstest.MustClaim(t, store, rec)
			tt.path.walk(t, store, rec.ID)
			asked := claims.Purchaser{Payer: rec.Key.Payer, RequestHash: rec.RequestHash}
			for where, want := range map[string]bool{"": tt.want, rec.Key.Network: tt.want, "eip155:1": false} {
				asked.Network = where
				got, err := store.FindAnswer(t.Context(), asked, tt.at)
				if want && (err != nil || got.ID != rec.ID || got.Key != rec.Key) || !want && !errors.Is(err, claims.ErrNotFound) {
					t.Errorf("on %q: got %v, %v, want found %v", where, got.ID, err, want)
				}
			}
			other := asked
			other.Network, other.Payer = "", "0xOther"
			if _, err := store.FindAnswer(t.Context(), other, tt.at); !errors.Is(err, claims.ErrNotFound) {
				t.Errorf("another wallet: got %v, want ErrNotFound", err)
			}
			other = asked
			other.Network, other.RequestHash = "", [32]byte{1}
			if _, err := store.FindAnswer(t.Context(), other, tt.at); !errors.Is(err, claims.ErrNotFound) {
				t.Errorf("another request: got %v, want ErrNotFound", err)
			}
		})
	}
	t.Run("the newest that is settled", func(t *testing.T) {
		first := identifiedClaim()
		var want uuid.UUID
		for i, path := range []claimPath{
			{stepServe, stepSettling, stepSettled}, {stepServe, stepSettling, stepSettled}, {stepServe},
		} {
			rec := again(first)
			rec.Identifier, rec.RequestHash, rec.CreatedAt = "", first.PayloadHash, now.Add(time.Duration(i)*time.Second)
			claimstest.MustClaim(t, store, rec)
			path.walk(t, store, rec.ID)
			if i == 1 {
				want = rec.ID
			}
		}
		got, err := store.FindAnswer(t.Context(), claims.Purchaser{Payer: first.Key.Payer, RequestHash: first.PayloadHash}, now)
		if err != nil || got.ID != want {
			t.Errorf("got %v, %v, want %v", got.ID, err, want)
		}
	})
}

// testSignIns shows that of several concurrent uses of one sign-in only one succeeds.
func testSignIns(t *testing.T, store claims.Store) {
	ctx, expires := t.Context(), time.Now().Add(time.Minute)
	account := "0x" + uuid.NewString()
	var used atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := store.UseSignIn(ctx, account, "nonce", expires); {
			case err == nil:
				used.Add(1)
			case !errors.Is(err, claims.ErrSignInUsed):
				t.Errorf("use: %v", err)
			}
		})
	}
	all.Wait()
	if used.Load() != 1 {
		t.Errorf("used: got %d times, want once", used.Load())
	}
	for _, other := range [][2]string{{account, "other"}, {account + "1", "nonce"}} {
		if err := store.UseSignIn(ctx, other[0], other[1], expires); err != nil {
			t.Errorf("another sign-in: %v", err)
		}
	}
	if err := store.ForgetSignIns(ctx, expires.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := store.UseSignIn(ctx, account, "nonce", expires); !errors.Is(err, claims.ErrSignInUsed) {
		t.Errorf("before its time is over: got %v, want ErrSignInUsed", err)
	}
	if err := store.ForgetSignIns(ctx, expires.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := store.UseSignIn(ctx, account, "nonce", expires); err != nil {
		t.Errorf("after its time is over: got %v, want it forgotten", err)
	}
}
