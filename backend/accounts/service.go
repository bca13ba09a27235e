package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Service is the use cases of accounts.
type Service struct {
	store *store
	keys  Keys
	now   func() time.Time
}

// New makes a Service on queries and on what makes and ends keys.
func New(queries *db.Queries, keys Keys, now func() time.Time) *Service {
	return &Service{store: &store{queries}, keys: keys, now: func() time.Time {
		return now().Truncate(time.Microsecond) // what the database keeps: an answer and a later one say the same
	}}
}

// EnsureWallet returns the id of the team that stands for a wallet, made on first
// sight. network is CAIP-2, address an EVM address in any case. The error is
// ErrInvalidWallet if they are not.
func (s *Service) EnsureWallet(ctx context.Context, network, address string) (string, error) {
	network, address, err := normalWallet(network, address)
	if err != nil {
		return "", err
	}
	return s.store.wallet(ctx, network, address, token.New("team"))
}

// Info returns what c's team has.
func (s *Service) Info(ctx context.Context, c *caller.Caller) (*Info, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	info, err := s.store.info(ctx, c.TeamID)
	switch {
	case errors.Is(err, errNoAccount):
		return nil, problem.Wrap(problem.NotFound, "This team has no credits.", err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	return info, nil
}

// subscribersOnly refuses who has no account to read or change.
func subscribersOnly(c *caller.Caller) error {
	if c.Kind != edgewire.PayerTeam {
		return problem.New(problem.AccessDenied, "Only subscribers have credits and keys; a wallet pays each request.")
	}
	return nil
}
