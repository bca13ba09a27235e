package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/api/reference"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Pack is an amount of credits that a customer can buy at once.
type Pack struct {
	Credits money.Credits
	Price   money.Cents
}

// DefaultPacks returns the packs of the service contract at its default prices.
func DefaultPacks() []Pack {
	return []Pack{{10_000, 10_00}, {20_000, 19_00}, {80_000, 70_00}, {100_000, 80_00}}
}

type pricingAnswer struct {
	Packs      []packAnswer      `json:"packs" nullable:"false" doc:"The packs of credits that can be bought."`
	Operations []operationAnswer `json:"operations" nullable:"false" doc:"The prices for subscribers, in credits."`
	X402       []operationAnswer `json:"x402" nullable:"false" doc:"The prices for wallets, in millionths of a USDC."`
	// CreditUSD is exact: an integer number of millionths written as a decimal.
	CreditUSD string `json:"credit_usd" doc:"The value of a credit in US dollars, unless the plan sets another."`
}

type packAnswer struct {
	Credits  money.Credits `json:"credits"`
	PriceUSD string        `json:"price_usd" doc:"The price in US dollars." example:"19.00"`
}

type operationAnswer struct {
	Operation   string          `json:"operation"`
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Description string          `json:"description"`
	Unit        edgewire.Unit   `json:"unit" enum:"credit,usdc6"`
	Price       json.RawMessage `json:"price"`
	USD         string          `json:"usd,omitempty" doc:"The price in US dollars. Present only if it is fixed and paid in USDC." example:"0.01"`
}

// TransformSchema documents Price, whose Go type says nothing.
func (operationAnswer) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["price"] = &huma.Schema{
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger}, {Type: huma.TypeString}},
		Description: "The amount in the unit, or the CEL expression that computes it from the request. Send a request with ?dry_run=true to get its price.",
	}
	return s
}

const pricingPath = "/pricing"

// registerPricing adds the prices: JSON for programs, a page for browsers.
func (s *Server) registerPricing() {
	answer := s.pricing()
	page := s.pricesForPeople(answer)
	huma.Register(s.api, huma.Operation{
		OperationID: "getPricing", Method: http.MethodGet, Path: pricingPath, Tags: []string{"Pricing"},
		Summary:     "Read the prices",
		Description: "With an Accept header that prefers text/html, the response is a page for people.",
		Responses: map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{
			"application/json": {}, "text/html": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
		Middlewares: huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) {
			ctx.SetHeader("Vary", "Accept")
			r, w := humago.Unwrap(ctx)
			if reference.Preferred(r.Header["Accept"], "application/json", "text/html") != "text/html" {
				next(ctx)
				return
			}
			if err := s.docs.ServePrices(w, page); err != nil {
				s.writeError(w, r, problem.Internal(err))
			}
		}},
		Metadata: principal.Public.Metadata(),
		Errors:   []int{http.StatusTooManyRequests},
	}, func(context.Context, *struct{}) (*struct{ Body pricingAnswer }, error) {
		return &struct{ Body pricingAnswer }{answer}, nil
	})
}

func (s *Server) pricing() pricingAnswer {
	answer := pricingAnswer{
		Packs: []packAnswer{}, Operations: []operationAnswer{}, X402: []operationAnswer{},
		CreditUSD: money.CreditPrice.String(),
	}
	for _, pack := range s.config.Packs {
		answer.Packs = append(answer.Packs, packAnswer{Credits: pack.Credits, PriceUSD: pack.Price.String()})
	}
	for _, rule := range s.config.Book.Document().Rules {
		if rule.Price.IsFree() {
			continue
		}
		operation, err := operationOf(rule)
		if err != nil {
			continue // reading the book has already refused amounts that cannot be written
		}
		if rule.Unit == edgewire.UnitUSDC {
			answer.X402 = append(answer.X402, operation)
		} else {
			answer.Operations = append(answer.Operations, operation)
		}
	}
	return answer
}

func operationOf(rule price.Rule) (operationAnswer, error) {
	amount, err := json.Marshal(rule.Price)
	if err != nil {
		return operationAnswer{}, err
	}
	method := strings.Join(rule.Methods, ", ")
	if method == "" {
		method = "any"
	}
	operation := operationAnswer{
		Operation: rule.Operation, Method: method, Path: rule.Path, Description: rule.Description, Unit: rule.Unit, Price: amount,
	}
	if units, fixed := rule.Price.Units(); fixed && rule.Unit == edgewire.UnitUSDC {
		operation.USD = money.MicroUSDC(units).String()
	}
	return operation, nil
}

// pricesForPeople joins the two prices of each operation. A price that is computed has no number: its rule's description says
// how, after the colon.
func (s *Server) pricesForPeople(answer pricingAnswer) *reference.Prices {
	page := &reference.Prices{CreditUSD: answer.CreditUSD}
	for _, pack := range s.config.Packs {
		page.Packs = append(page.Packs, reference.Pack{Credits: pack.Credits.String(), PriceUSD: pack.Price.String()})
	}
	at := map[string]int{} // the rows by route
	for _, op := range append(slices.Clone(answer.Operations), answer.X402...) {
		path := strings.TrimPrefix(op.Path, paidPrefix)
		name, computed, _ := strings.Cut(op.Description, ": ")
		computed = cmp.Or(computed, "by request")
		i, isThere := at[op.Method+path]
		if !isThere {
			i = len(page.Rows)
			at[op.Method+path] = i
			page.Rows = append(page.Rows, reference.PriceRow{Name: name, Method: op.Method, Path: path})
		}
		row := &page.Rows[i]
		var credits money.Credits
		switch fixed := json.Unmarshal(op.Price, &credits) == nil; {
		case op.Unit == edgewire.UnitUSDC:
			row.Wallet = cmp.Or(op.USD, computed)
		case fixed:
			row.Key = credits.String()
		default:
			row.Key = computed
		}
	}
	return page
}
