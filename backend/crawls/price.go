package crawls

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// What a crawl costs a wallet (service contract, "Prices").
const (
	pagePrice money.MicroUSDC = 5_000 // for each page of max_pages
	priceMin  money.MicroUSDC = 10_000
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/crawls", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "crawl",
			Description:    "The pages of a site: 1 for each that was fetched, as a scrape; the cost of max_pages is held",
			TimeoutSeconds: 60, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/crawls", Unit: edgewire.UnitUSDC,
			Price: price.Quoted(), Operation: "crawl",
			Description: fmt.Sprintf("The pages of a site: %s USD for each page of max_pages, at least %s; refunded in full if no page could be fetched, never in part",
				pagePrice, priceMin),
			Settle: price.SettleBefore, TimeoutSeconds: 60, DryRun: true,
		},
		price.FreeRule("read", "/v1/crawls", http.MethodGet),
		price.FreeRule("crawls", "/v1/crawls/*", http.MethodDelete),
		price.FreeRule("read", "/v1/crawls/*", http.MethodGet),
	}
}

// Quote implements api.Quoter. It returns the maximum price of a crawl; a wallet pays exactly that. It refuses every
// request that Create would refuse, so that no wallet pays for a refused request.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost || target.Path != path {
		return 0, problem.Wrap(problem.NotFound, "This installation does not offer this operation.", err)
	}
	request, err := decode.Request[Request](r.Body)
	if err != nil {
		return 0, err
	}
	return s.QuoteOf(ctx, c, r.Unit, request)
}

// QuoteOf is Quote for a request that is decoded.
func (s *Service) QuoteOf(ctx context.Context, c *principal.Caller, unit edgewire.Unit, request *Request) (int64, error) {
	o, err := s.order(ctx, c.TeamID, request)
	if err != nil {
		return 0, err
	}
	if unit == edgewire.UnitUSDC {
		total, err := pagePrice.Mul(int64(o.MaxPages))
		return int64(max(total, priceMin)), err
	}
	each, err := s.config.Pages.Price(ctx, c.TeamID, o.Spec.Options)
	if err != nil {
		return 0, problem.From(err)
	}
	total, err := each.Mul(int64(o.MaxPages))
	return int64(total), err
}
