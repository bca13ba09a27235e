package workshop

import (
	"context"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Team is a customer with a key.
type Team struct {
	ID, KeyID    string
	Account, Key int64
}

// NewTeam creates a team with this many credits.
func (p *Place) NewTeam(amount money.Credits) *Team {
	p.T.Helper()
	ctx := context.Background()
	q := db.New(p.Pool)
	tm := &Team{ID: "team_" + uuid.NewString()}
	var err error
	tm.Account, err = q.CreateTeam(ctx, db.CreateTeamParams{ID: tm.ID})
	Must(p.T, err)
	if amount > 0 {
		_, err = p.Ledger.Grant(ctx, credits.Grant{TeamID: tm.ID, Amount: amount, Source: credits.SourcePromo, Key: tm.ID})
		Must(p.T, err)
	}
	hash := uuid.New()
	tm.KeyID = "key_" + hash.String()
	row, err := q.CreateKey(ctx, db.CreateKeyParams{
		PublicID: tm.KeyID, Hash: append(hash[:], hash[:]...), Display: "tp_…", Scopes: []string{"write"}, TeamID: tm.ID,
	})
	Must(p.T, err)
	tm.Key = row.ID
	return tm
}

// Request returns a principal with a hold for an operation; end is what the edge does after the response.
func (p *Place) Request(tm *Team, operation string, amount money.Credits) (c *principal.Caller, end func(err error)) {
	p.T.Helper()
	d, err := p.Meter.Authorize(context.Background(), credits.Request{Account: tm.Account, Key: tm.Key, Amount: amount, Operation: operation})
	if err != nil || d.Outcome != credits.Accepted {
		p.T.Fatalf("authorising %d: got %+v and error %v, want it accepted", amount, d, err)
	}
	hold := d.Hold
	c = tm.Reader()
	c.IdentityID, c.HoldID, c.Credits = hold.ID().String(), hold.ID().String(), amount
	c.SetCost(int64(amount))
	return c, func(err error) {
		switch {
		case c.Adopted():
		case err != nil:
			p.Meter.Void(hold)
		default:
			p.Meter.Capture(hold, money.Credits(c.Cost()))
		}
	}
}

// Reader is a principal of the team that pays nothing.
func (tm *Team) Reader() *principal.Caller {
	return &principal.Caller{Kind: edgewire.PayerTeam, TeamID: tm.ID, KeyID: tm.KeyID, Unit: edgewire.UnitCredit}
}
