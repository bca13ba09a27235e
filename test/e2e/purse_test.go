package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// purse is a team with a key, for one test case.
type purse struct {
	s       *stack
	team    string
	key     string
	keyID   string
	granted money.Credits
}

// purse creates a team with n credits and a key with all scopes.
func (s *stack) purse(t *testing.T, n money.Credits) *purse {
	t.Helper()
	ctx := t.Context()
	p := &purse{s: s, team: token.New("team"), granted: n}
	if _, err := db.New(s.pool).CreateTeam(ctx, db.CreateTeamParams{ID: p.team, Name: t.Name()}); err != nil {
		t.Fatalf("making a team: %v", err)
	}
	p.useKey(t, apikey.ScopesAll)
	if n > 0 {
		_, err := credits.NewLedger(s.pool).Grant(ctx, credits.Grant{TeamID: p.team, Amount: n, Source: credits.SourcePromo, Key: p.team})
		if err != nil {
			t.Fatalf("granting credits: %v", err)
		}
	}
	return p
}

// useKey creates a key with these scopes, which the purse uses from now on.
func (p *purse) useKey(t *testing.T, scopes apikey.Scopes) {
	t.Helper()
	key, err := apikey.NewStore(p.s.pool, time.Now).Create(t.Context(), apikey.NewKey{TeamID: p.team, Scopes: scopes})
	if err != nil {
		t.Fatalf("making a key: %v", err)
	}
	p.key, p.keyID = key.Key, key.ID
}

// bearer returns the Authorization header with the purse's key.
func (p *purse) bearer() []string { return []string{"Authorization", "Bearer " + p.key} }

// wantSpent waits until nothing is held any more, and then checks that this much is spent, by balance and by ledger.
func (p *purse) wantSpent(t *testing.T, want money.Credits) {
	t.Helper()
	ledger := credits.NewLedger(p.s.pool)
	var balance credits.Balance
	eventually(t, "held credits of "+p.team, func() (err error) {
		if balance, err = ledger.Balance(context.Background(), p.team); err == nil && balance.Held != 0 {
			err = fmt.Errorf("%d are held", balance.Held)
		}
		return err
	})
	if got := p.granted - balance.Balance; got != want {
		t.Errorf("credits spent: got %d, want %d", got, want)
	}
	credited, debited, err := ledger.Totals(t.Context(), balance.Account)
	if err != nil || credited != p.granted || debited != want {
		t.Errorf("ledger: got %d in and %d out (%v), want %d and %d", credited, debited, err, p.granted, want)
	}
}

func (p *purse) wantUntouched(t *testing.T) {
	t.Helper()
	p.wantSpent(t, 0)
}

// wantUntouched checks that the wallet has paid nothing, and has no claim that would prevent using the payment again.
func (w *wallet) wantUntouched(t *testing.T) {
	t.Helper()
	w.wantSpent(t, 0)
	for nonce, state := range w.claims(t) {
		if state != "released" {
			t.Errorf("claim on nonce %s: got it %s, want none, or released", nonce, state)
		}
	}
}

// wantSpent checks how many units of the token have left the wallet.
func (w *wallet) wantSpent(t *testing.T, want uint64) {
	t.Helper()
	got, err := w.s.chain.Balance(t.Context(), w.address())
	if err != nil {
		t.Fatal(err)
	}
	if spent := w.funded - got; spent != want {
		t.Errorf("units that moved on the chain: got %d, want %d", spent, want)
	}
}

// claims returns the states of the wallet's claims by nonce.
func (w *wallet) claims(t *testing.T) map[string]string {
	t.Helper()
	rows, err := w.s.pool.Query(t.Context(), `select encode(nonce, 'hex'), state from x402_claim where payer = $1`, w.address().Hex())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	states := map[string]string{}
	for rows.Next() {
		var nonce, state string
		if err := rows.Scan(&nonce, &state); err != nil {
			t.Fatal(err)
		}
		states[nonce] = state
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return states
}

// wantStates checks that the wallet's claims have exactly these states.
func (w *wallet) wantStates(t *testing.T, want ...string) {
	t.Helper()
	got := []string{}
	for _, state := range w.claims(t) {
		got = append(got, state)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("claims: got %q, want %q", got, want)
	}
}

// wantSound checks the whole ledger for inconsistencies.
func (s *stack) wantSound(t *testing.T) {
	t.Helper()
	differences, err := credits.NewLedger(s.pool).Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Errorf("ledger: %s: %s", d.TeamID, d.Detail)
	}
}
