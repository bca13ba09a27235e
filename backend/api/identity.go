package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// paidPrefix is what the edge strips from the path of pay-per-use requests. The identity names the URI as the client sent it.
const paidPrefix = "/x402"

var (
	errUnitForURI = errors.New("the unit does not match the URI")
	errPayer      = errors.New("the payer is incomplete")
)

// fail ends a request inside Huma's middleware chain.
func (s *Server) fail(ctx huma.Context, err error) {
	r, w := humago.Unwrap(ctx)
	e := problem.From(err)
	s.writeForm(w, r, e, s.form(ctx, e))
}

// authenticate puts the principal into the context. It reads only headers, so that the server reads no body from
// clients that may not send one.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	if principal.AccessOf(op) == principal.Public {
		next(ctx)
		return
	}
	r, _ := humago.Unwrap(ctx)
	id, err := s.config.Verifier.Verify(r, r.RequestURI, paidPrefix+r.RequestURI)
	if err != nil {
		s.fail(ctx, problem.NeedsKey(err))
		return
	}
	c, err := s.callerOf(r, id, op)
	if err != nil {
		s.fail(ctx, err)
		return
	}
	exchangeOf(r.Context()).caller = c
	with := admission.With(principal.With(ctx.Context(), c), c.Holder())
	next(huma.WithContext(ctx, withIdentity(with, id)))
}

// callerOf resolves the principal of id, and refuses one that may not call the operation.
func (s *Server) callerOf(r *http.Request, id *edgewire.Identity, op *huma.Operation) (*principal.Caller, error) {
	if id.ID == "" && id.Payer.Kind != edgewire.PayerAnonymous {
		return nil, problem.NeedsKey(fmt.Errorf("%w: no id", errPayer))
	}
	// A wallet's identity is valid only for the path that is sold for USDC, and that path only takes wallets.
	either := principal.HasEitherPays(op)
	if paid := id.URI == paidPrefix+r.RequestURI; !either && paid != (id.Unit == edgewire.UnitUSDC) {
		return nil, problem.NeedsKey(fmt.Errorf("%w: %s for %s", errUnitForURI, id.Unit, id.URI))
	}
	c := &principal.Caller{Kind: id.Payer.Kind, IdentityID: id.ID, HoldID: id.ID, Unit: id.Unit, Covered: id.Max}
	switch id.Payer.Kind {
	case edgewire.PayerTeam:
		if id.Payer.TeamID == "" || id.Unit != edgewire.UnitCredit {
			return nil, problem.NeedsKey(fmt.Errorf("%w: team %q pays in %q", errPayer, id.Payer.TeamID, id.Unit))
		}
		c.TeamID, c.KeyID = id.Payer.TeamID, id.Payer.KeyID
	case edgewire.PayerWallet:
		if id.Unit != edgewire.UnitUSDC {
			return nil, problem.NeedsKey(fmt.Errorf("%w: wallet pays in %q", errPayer, id.Unit))
		}
		team, err := s.config.Wallets.EnsureWallet(r.Context(), id.Payer.Network, id.Payer.Address)
		if err != nil {
			return nil, problem.Internal(fmt.Errorf("resolving wallet: %w", err))
		}
		c.TeamID = team
	case edgewire.PayerAnonymous:
		if either && id.Max == 0 { // charge refuses what costs more than that
			c.Unit = cmp.Or(c.Unit, edgewire.UnitCredit)
			break
		}
		if id.Unit == edgewire.UnitUSDC { // the edge lets a dry run pass without payment
			return nil, noPaidDryRun()
		}
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if principal.AccessOf(op) != principal.Readable || !reads || id.Max != 0 {
			return nil, problem.NeedsKey(nil)
		}
		c.Unit = edgewire.UnitCredit
	default:
		return nil, problem.NeedsKey(fmt.Errorf("%w: kind %q", errPayer, id.Payer.Kind))
	}
	return c, nil
}

// noPaidDryRun is the response to a dry run on a pay-per-use path.
func noPaidDryRun() *problem.Error {
	return problem.New(problem.InvalidAPIKey, "Dry runs are not available under "+paidPrefix+": without dry_run and without a payment, the 402 response states what "+
		"the request costs. With an API key, request a dry run at the same path without "+paidPrefix+".")
}
