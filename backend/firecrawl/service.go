package firecrawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	gomaps "maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Config configures a Service.
type Config struct {
	// PublicURL is where clients reach the service.
	PublicURL string            `required:"true"`
	Scrapes   *scrapes.Service  `required:"true"`
	Crawls    *crawls.Service   `required:"true"`
	Batches   *batches.Service  `required:"true"`
	Maps      *maps.Service     `required:"true"`
	Searches  *searches.Service `required:"true"`
	Answers   *answers.Service  `required:"true"`
	Monitors  *monitors.Service `required:"true"`
	Accounts  *accounts.Service `required:"true"`
	Book      *price.Book       `required:"true"`
	// Available returns what a team can spend.
	Available func(ctx context.Context, teamID string) (money.Credits, error) `required:"true"`
	// TeamRunning is how many pages of a team's jobs are fetched at once.
	TeamRunning int              `required:"true"`
	Now         func() time.Time `required:"true"`
}

// Service translates between Firecrawl's clients and the features.
type Service struct{ config Config }

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	if err := required.Fields(config); err != nil {
		return nil, fmt.Errorf("firecrawl: %w", err)
	}
	return &Service{config: config}, nil
}

// request is a request, whose body is decoded by [body].
type request struct{ huma huma.Context }

// Resolve keeps the request's context.
func (r *request) Resolve(ctx huma.Context) []error {
	r.huma = ctx
	return nil
}

// id returns the id in the path.
func (r *request) id() string { return r.huma.Param("id") }

type output struct{ Body any }

// handler returns the body of a response, which goes out with the status 200: some clients accept no other.
type handler func(ctx context.Context, c *principal.Caller, r *request) (any, error)

// done is a response that has only what all have.
type done struct {
	Success bool `json:"success"`
	// Quote is the price, for a dry run; nothing was done.
	Quote *principal.Quote `json:"quote,omitempty"`
	// Warning says where the response is less than what was asked for.
	Warning string `json:"warning,omitempty"`
}

func ok() done { return done{Success: true} }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	routes := s.routes()
	for _, route := range slices.Sorted(gomaps.Keys(routes)) {
		handle := routes[route]
		method, path, _ := strings.Cut(route, " ")
		huma.Register(api, huma.Operation{
			Method: method, Path: path, Hidden: true,
			Metadata: principal.Keyed.Metadata(principal.ErrorForm(errorForm), principal.KeyName("X-Idempotency-Key"), principal.BodyMax(max(bodyMax[path], bodyMaxDefault))),
		}, func(ctx context.Context, in *request) (*output, error) {
			c := principal.From(ctx)
			body, err := handle(ctx, c, in)
			if err != nil {
				return nil, clientError(err)
			}
			if c.DryRun != nil {
				return &output{done{Success: true, Quote: c.DryRun}}, nil
			}
			return &output{body}, nil
		})
	}
	refuseOthers(api)
}

func (s *Service) routes() map[string]handler {
	return map[string]handler{
		"POST /v2/scrape":                     s.scrape,
		"POST /v2/crawl":                      s.startCrawl,
		"GET /v2/crawl/active":                s.activeCrawls,
		"GET /v2/crawl/{id}":                  s.crawlStatus,
		"GET /v2/crawl/{id}/errors":           s.crawlErrors,
		"DELETE /v2/crawl/{id}":               s.cancelCrawl,
		"POST /v2/batch/scrape":               s.startBatch,
		"GET /v2/batch/scrape/{id}":           s.batchStatus,
		"GET /v2/batch/scrape/{id}/errors":    s.batchErrors,
		"DELETE /v2/batch/scrape/{id}":        s.cancelBatch,
		"POST /v2/map":                        s.mapSite,
		"POST /v2/search":                     s.search,
		"POST /v2/extract":                    s.extract,
		"GET /v2/extract/{id}":                s.extractStatus,
		"POST /v2/agent":                      s.agent,
		"GET /v2/agent/{id}":                  s.agentStatus,
		"DELETE /v2/agent/{id}":               s.cancelAgent,
		"POST /v2/monitor":                    s.createMonitor,
		"GET /v2/monitor":                     s.listMonitors,
		"GET /v2/monitor/{id}":                s.getMonitor,
		"PATCH /v2/monitor/{id}":              s.updateMonitor,
		"DELETE /v2/monitor/{id}":             s.deleteMonitor,
		"POST /v2/monitor/{id}/run":           s.runMonitor,
		"GET /v2/monitor/{id}/checks":         s.listChecks,
		"GET /v2/monitor/{id}/checks/{check}": s.getCheck,
		"GET /v2/team/credit-usage":           s.creditUsage,
		"GET /v2/concurrency-check":           s.concurrency,
	}
}

// Quote implements api.Quoter: the price of the feature's own operation.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost || r.Unit != edgewire.UnitCredit {
		return 0, problem.Wrap(problem.NotFound, "This installation does not offer this operation.", err)
	}
	amount, err := s.quote(ctx, c, target.Path, r.Body)
	if err != nil {
		return 0, clientError(err)
	}
	return amount, nil
}

func (s *Service) quote(ctx context.Context, c *principal.Caller, path string, body *edgewire.Body) (int64, error) {
	switch path {
	case "/v2/scrape":
		r, err := read[scrapeRequest](body)
		if err != nil {
			return 0, err
		}
		scrape, _, err := r.scrape()
		return s.priceOf(ctx, "/v1/scrapes", scrape, err)
	case "/v2/crawl":
		return s.quoteCrawl(ctx, c, body)
	case "/v2/batch/scrape":
		r, err := read[batchRequest](body)
		if err != nil {
			return 0, err
		}
		batch, _, err := r.batch()
		if err != nil {
			return 0, err
		}
		return s.config.Batches.QuoteOf(ctx, c, edgewire.UnitCredit, batch)
	case "/v2/map":
		r, err := read[mapRequest](body)
		if err != nil {
			return 0, err
		}
		site, err := r.site()
		if err != nil {
			return 0, err
		}
		text, err := json.Marshal(site)
		if err != nil {
			return 0, problem.Internal(err)
		}
		return s.config.Maps.Quote(ctx, c, price.QuoteRequest{
			Method: http.MethodPost, URI: "/v1/maps", Unit: edgewire.UnitCredit, Body: edgewire.NewBody(text),
		})
	case "/v2/search":
		r, err := read[searchRequest](body)
		if err != nil {
			return 0, err
		}
		search, _, err := r.search()
		return s.priceOf(ctx, "/v1/searches", search, err)
	case "/v2/extract":
		return s.quoteExtract(ctx, body)
	case "/v2/agent":
		r, err := read[agentRequest](body)
		if err != nil {
			return 0, err
		}
		task, err := r.task()
		return s.priceOf(ctx, "/v1/answers", task, err)
	}
	return 0, problem.New(problem.NotFound, "This installation does not offer this operation.")
}

// priceOf returns the price of a feature's own request, by the price book. An err is passed through.
func (s *Service) priceOf(ctx context.Context, path string, request any, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(request)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("writing a request of %s: %w", path, err))
	}
	quote, err := s.config.Book.Quote(ctx, &price.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Body: edgewire.NewBody(text)}, edgewire.UnitCredit)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("pricing a request of %s: %w", path, err))
	}
	return quote.Amount, nil
}

// within limits ctx to a client's timeout in milliseconds; 0: none.
func within(ctx context.Context, timeoutMs int64) (context.Context, context.CancelFunc) {
	if timeoutMs <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(timeoutMs)*time.Millisecond)
}

// late returns err, or a timeout if ctx's limit caused it.
func late(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return problem.Wrap(problem.RequestTimeout, "The timeout of the request has passed. Nothing was charged.", err)
	}
	return err
}
