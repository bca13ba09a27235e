package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Service implements the operations on accounts.
type Service struct {
	store *store
	keys  Keys
	now   func() time.Time
}

// New makes a Service on queries and on keys, which manages the API keys.
func New(queries *db.Queries, keys Keys, now func() time.Time) *Service {
	return &Service{store: &store{queries}, keys: keys, now: func() time.Time {
		return now().Truncate(time.Microsecond) // the database's precision, so that later responses show the same time
	}}
}

// EnsureWallet returns the id of a wallet's team, which is created on first use. network is CAIP-2, address an EVM
// address in any case. The error is ErrInvalidWallet if they are invalid.
func (s *Service) EnsureWallet(ctx context.Context, network, address string) (string, error) {
	network, address, err := normalWallet(network, address)
	if err != nil {
		return "", err
	}
	return s.store.wallet(ctx, network, address, token.New("team"))
}

// Info returns the credits of c's team.
func (s *Service) Info(ctx context.Context, c *principal.Caller) (*Info, error) {
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

// subscribersOnly refuses principals that have no account to read or change.
func subscribersOnly(c *principal.Caller) error {
	if c.Kind != edgewire.PayerTeam {
		return problem.New(problem.AccessDenied, "Only subscribers have credits and API keys. A wallet pays for each request.")
	}
	return nil
}
