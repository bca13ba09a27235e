package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

var errNoAccount = errors.New("the team has no credit account")

type store struct{ queries *db.Queries }

// wallet returns the team of a wallet in its normal spelling, and creates it if missing.
func (s *store) wallet(ctx context.Context, network, address, newID string) (string, error) {
	id, err := s.queries.WalletTeam(ctx, db.WalletTeamParams{Network: network, Address: address})
	if err == nil {
		return id, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("reading the team of a wallet: %w", err)
	}
	id, err = s.queries.EnsureWallet(ctx, db.EnsureWalletParams{ID: newID, Network: &network, Address: &address})
	if err != nil {
		return "", fmt.Errorf("creating the team of a wallet: %w", err)
	}
	return id, nil
}

func (s *store) info(ctx context.Context, teamID string) (*Info, error) {
	balance, err := s.queries.CreditBalance(ctx, teamID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errNoAccount
	case err != nil:
		return nil, fmt.Errorf("reading the balance of %s: %w", teamID, err)
	}
	rows, err := s.queries.UnspentCredits(ctx, db.UnspentCreditsParams{AccountID: balance.ID, Balance: balance.Balance})
	if err != nil {
		return nil, fmt.Errorf("reading the purchases of %s: %w", teamID, err)
	}
	info := &Info{
		Credits: money.Credits(balance.Available), Held: money.Credits(balance.Held), Owed: money.Credits(balance.Owed),
		Breakdown: []Purchase{}, AllowUsage: balance.Available > 0,
	}
	for _, row := range rows {
		info.Breakdown = append(info.Breakdown, Purchase{
			Kind: row.Kind, Allocated: money.Credits(row.Amount), Remaining: money.Credits(row.Remaining),
		})
	}
	return info, nil
}
