package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// admitted is what the steps between authentication and the handler share.
type admitted struct {
	id   *edgewire.Identity
	body *edgewire.Body
}

type admissionKey struct{}

func withIdentity(ctx context.Context, id *edgewire.Identity) context.Context {
	return context.WithValue(ctx, admissionKey{}, &admitted{id: id})
}

func admissionOf(ctx context.Context) *admitted {
	a, _ := ctx.Value(admissionKey{}).(*admitted)
	return a
}

// charge computes what the request costs and refuses costs above what its identity covers. A dry run is priced and
// costs nothing.
func (s *Server) charge(ctx huma.Context, next func(huma.Context)) {
	a := admissionOf(ctx.Context())
	if a == nil { // public
		next(ctx)
		return
	}
	c := principal.From(ctx.Context())
	if err := s.chargeCaller(ctx, c, a); err != nil {
		s.fail(ctx, err)
		return
	}
	next(ctx)
}

func (s *Server) chargeCaller(ctx huma.Context, c *principal.Caller, a *admitted) error {
	target, dryRun, err := pricedRequest(ctx.Operation(), a.id.URI)
	if err != nil {
		return err
	}
	quote, err := s.quote(ctx, target, a.body, c.Unit)
	if err != nil {
		return err
	}
	if dryRun && !quote.Free {
		c.DryRun, err = s.dryRun(ctx, target, a.body, quote)
		return err
	}
	if quote.Amount > a.id.Max {
		return notCovered(c.Unit, quote.Amount, a.id.Max)
	}
	c.SetCost(quote.Amount)
	if c.Unit == edgewire.UnitCredit {
		c.Credits = money.Credits(quote.Amount)
	}
	return nil
}

// pricedRequest is [pricedURL], except for operations whose query may belong to the target URL.
func pricedRequest(op *huma.Operation, uri string) (*url.URL, bool, error) {
	if !principal.HasTargetInPath(op) {
		return pricedURL(uri)
	}
	path, _, _ := strings.Cut(uri, "?")
	target, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, false, problem.Wrap(problem.NotFound, "The URI is not valid.", err)
	}
	return target, false, nil
}

// pricedURL returns the URL for looking up the price, and whether the request is a dry run. dry_run is removed from the
// URL, because with it the price would be 0.
func pricedURL(uri string) (*url.URL, bool, error) {
	target, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, false, problem.Wrap(problem.NotFound, "The URI is not valid.", err)
	}
	values, err := url.ParseQuery(target.RawQuery)
	if err != nil {
		return nil, false, problem.Validation(problem.Fault{
			Loc: []any{"query"}, Msg: "the query string is not valid", Type: problem.FaultInvalid,
		})
	}
	given, found := values["dry_run"]
	if !found {
		return target, false, nil
	}
	// A client that misspells dry_run must not be charged for a real request.
	if len(given) != 1 || (given[0] != "true" && given[0] != "false") {
		return nil, false, problem.Validation(problem.Fault{
			Loc: []any{"query", "dry_run"}, Msg: `must be given once, as "true" or "false"`, Type: problem.FaultInvalid,
		})
	}
	values.Del("dry_run")
	target.RawQuery = values.Encode()
	return target, given[0] == "true", nil
}

// quote looks up the price in the book and, for prices that the book leaves to the backend, asks the feature.
func (s *Server) quote(ctx huma.Context, target *url.URL, body *edgewire.Body, unit edgewire.Unit) (price.Quote, error) {
	quote, err := s.config.Book.Quote(ctx.Context(), &price.Request{Method: ctx.Method(), URL: target, Body: body}, unit)
	switch {
	case err == nil:
		return quote, nil
	case errors.Is(err, price.ErrUnavailable): // a local book says this of prices that are quoted
		amount, err := s.quoted(ctx.Context(), principal.From(ctx.Context()), price.QuoteRequest{
			Method: ctx.Method(), URI: target.RequestURI(), Unit: unit, Body: body,
		})
		return price.Quote{Unit: unit, Amount: amount}, err
	case errors.Is(err, price.ErrBadRequest):
		e := problem.Validation(problem.Fault{
			Loc: []any{"body"}, Msg: "must be a JSON object with the fields of this operation: the price depends on it", Type: problem.FaultInvalid,
		})
		e.Err = err
		return price.Quote{}, e
	case errors.Is(err, price.ErrNoRule):
		return price.Quote{}, problem.Wrap(problem.NotFound, "This operation is not offered by this server.", err)
	default:
		return price.Quote{}, problem.Internal(fmt.Errorf("pricing: %w", err))
	}
}

// dryRun returns the quote in both currencies: in dollars what this client would pay, in credits what a subscriber would pay.
func (s *Server) dryRun(ctx huma.Context, target *url.URL, body *edgewire.Body, quote price.Quote) (*principal.Quote, error) {
	if quote.Unit == edgewire.UnitUSDC {
		twin := *target
		twin.Path, twin.RawPath = strings.TrimPrefix(twin.Path, paidPrefix), ""
		credits, err := s.quote(ctx, &twin, body, edgewire.UnitCredit)
		if err != nil {
			return nil, err
		}
		return &principal.Quote{
			Object:  principal.QuoteObject,
			Credits: money.Credits(credits.Amount),
			USD:     json.Number(money.MicroUSDC(quote.Amount).String()),
		}, nil
	}
	usd, err := money.CreditPrice.Mul(quote.Amount)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("converting %d credits: %w", quote.Amount, err))
	}
	return &principal.Quote{Object: principal.QuoteObject, Credits: money.Credits(quote.Amount), USD: json.Number(usd.String())}, nil
}

// notCovered refuses work that costs more than the edge held or claimed for it. The edge and the backend then read the
// request or the price book differently.
func notCovered(unit edgewire.Unit, required, covered int64) error {
	e := problem.New(problem.CreditsExhausted, fmt.Sprintf(
		"This request costs %d (%s), more than the %d that were held for it. Nothing was done or charged; try again.",
		required, unit, covered))
	e.Metadata = map[string]any{"credits_required": required, "credits_available": covered}
	return e
}
