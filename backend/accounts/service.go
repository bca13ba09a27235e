package accounts

import (
	"context"
	"errors"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Service is the use cases of accounts.
type Service struct{ store *store }

// New makes a Service on queries.
func New(queries *db.Queries) *Service { return &Service{&store{queries}} }

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
	if c.Kind != edgewire.PayerTeam {
		return nil, problem.New(problem.AccessDenied, "Only subscribers have credits; a wallet pays each request.")
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
