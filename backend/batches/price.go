package batches

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// itemPrice is what a wallet pays for each item (service contract, "Prices").
const itemPrice money.MicroUSDC = 10_000

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/batches", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "batch",
			Description:    "Up to 10,000 web pages: the price of a scrape for each that was fetched",
			TimeoutSeconds: 60, BodyBytesMax: BodyBytesMax, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/v1/batches/*/retry", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "batch",
			Description:    "The failed items of a batch again: their former price",
			TimeoutSeconds: 60, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/batches", Unit: edgewire.UnitUSDC,
			Price: price.Quoted(), Operation: "batch",
			Description: fmt.Sprintf("Up to 10,000 web pages: %s USD for each requested; refunded in full if none could be fetched, never in part", itemPrice),
			Settle:      price.SettleBefore, TimeoutSeconds: 60, BodyBytesMax: BodyBytesMax, DryRun: true,
		},
		price.FreeRule("read", "/v1/batches", http.MethodGet),
		price.FreeRule("batches", "/v1/batches/*", http.MethodPatch, http.MethodDelete),
		price.FreeRule("read", "/v1/batches/*", http.MethodGet),
	}
}

// Quote implements api.Quoter: it returns the maximum cost of a batch or a retry. It also refuses what Create would
// refuse, before a wallet has paid.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost {
		return 0, problem.Wrap(problem.NotFound, "This installation does not offer this operation.", err)
	}
	if target.Path == path {
		return s.quoteCreation(ctx, c, r.Unit, r.Body)
	}
	id, ok := strings.CutSuffix(strings.TrimPrefix(target.Path, path+"/"), retrySuffix)
	if !ok || r.Unit != edgewire.UnitCredit {
		return 0, problem.New(problem.NotFound, "This installation does not offer this operation.")
	}
	return s.quoteRetry(ctx, c, id)
}

func (s *Service) quoteCreation(ctx context.Context, c *principal.Caller, unit edgewire.Unit, body *edgewire.Body) (int64, error) {
	r, err := decode.Request[Request](body)
	if err != nil {
		return 0, err
	}
	return s.QuoteOf(ctx, c, unit, r)
}

// QuoteOf is Quote for a request for a batch that is decoded.
func (s *Service) QuoteOf(ctx context.Context, c *principal.Caller, unit edgewire.Unit, r *Request) (int64, error) {
	p, err := s.plan(ctx, c.TeamID, unit, r)
	if err != nil {
		return 0, err
	}
	n := int64(p.items.count)
	if unit == edgewire.UnitUSDC {
		total, err := itemPrice.Mul(n)
		return int64(total), err
	}
	each, err := s.config.Pages.Price(ctx, c.TeamID, p.options)
	if err != nil {
		return 0, problem.From(err)
	}
	total, err := each.Mul(n)
	return int64(total), err
}

// quoteRetry quotes 0 if Retry would refuse the batch's state: a repeated request that has begun the retry must get its
// stored response, and an error here would prevent that.
func (s *Service) quoteRetry(ctx context.Context, c *principal.Caller, id string) (int64, error) {
	if !isID(id) {
		return 0, batchNotFound()
	}
	row, err := s.queries.BatchByID(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && (row.Batch.TeamID != c.TeamID || c.TeamID == ""):
		return 0, batchNotFound()
	case err != nil:
		return 0, problem.Internal(fmt.Errorf("reading batch %s: %w", id, err))
	}
	if refused := retriable(&row.Batch); refused != nil {
		return 0, nil //nolint:nilerr // documented
	}
	return int64(row.Batch.UnitCredits) * int64(row.Batch.Failed), nil
}
