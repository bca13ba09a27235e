package principal

import (
	"errors"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Another team's resource and a missing one look alike: not found with a key, "needs a key" without one.
func TestReads(t *testing.T) {
	t.Parallel()
	missing := errors.New("missing")
	nobody := &Caller{Kind: edgewire.PayerAnonymous}
	team := &Caller{Kind: edgewire.PayerTeam, TeamID: "team_1"}
	wallet := &Caller{Kind: edgewire.PayerWallet, TeamID: "team_w"}
	for _, tt := range []struct {
		name         string
		c            *Caller
		teamID, kind string
		want         error
	}{
		{"its own", team, "team_1", "api", nil},
		{"another's", team, "team_2", "api", missing},
		{"a wallet's, by a team", team, "team_w", "wallet", missing},
		{"none", team, "", "", missing},
		{"none, by who has no team", &Caller{Kind: edgewire.PayerTeam}, "", "", missing},
		{"a wallet's own", wallet, "team_w", "wallet", nil},
		{"a wallet's, by nobody", nobody, "team_w", "wallet", nil},
		{"a team's, by nobody", nobody, "team_1", "api", problem.NeedsKey(nil)},
		{"none, by nobody", nobody, "", "", problem.NeedsKey(nil)},
	} {
		got := tt.c.Reads(tt.teamID, tt.kind, missing)
		switch {
		case tt.want == nil || errors.Is(tt.want, missing):
			if !errors.Is(got, tt.want) {
				t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
			}
		case got == nil || problem.From(got).Code != problem.From(tt.want).Code:
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
