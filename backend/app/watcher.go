package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// newPlanner creates the planner of monitors: it uses the model if there is one, and rules.
func (b *Backend) newPlanner(cfg Config) *plan.Planner {
	var model llm.Chatter
	if cfg.Model != nil { // an interface that holds a nil client would not be nil
		model = cfg.Model
	}
	return plan.NewPlanner(model, plan.Options{Guard: b.fetcher.Check}, cfg.Logger)
}

// newWatcher creates the runner of monitors' plans.
func (b *Backend) newWatcher(cfg Config, book *price.Book, pages *membudget.Budget) *watcher {
	return &watcher{
		pages: b.scrapes.Engine(), maps: b.maps, searcher: b.searcher, robots: b.robots, book: book, memory: pages, model: cfg.Model,
		extractor: extraction.New(cfg.Model, b.reader.Fill, cfg.Extracting, cfg.Logger), logger: cfg.Logger,
	}
}

// watcher implements monitors.Runner over the other features.
type watcher struct {
	pages     *scrapes.Engine
	maps      *maps.Service
	searcher  *websearch.Chain
	robots    *hostlimits.Robots
	book      *price.Book
	memory    *membudget.Budget
	model     llm.Client // nil: none
	extractor scrapes.Extractor
	logger    *slog.Logger
}

// Cost returns the most that a run of a plan may cost, and what it usually costs.
func (w *watcher) Cost(ctx context.Context, teamID string, p plan.Plan) (most, usual money.Credits, err error) {
	return run.Estimate(ctx, p, world{w, teamID}, run.Limits{})
}

// Run runs a plan in a team's name.
func (w *watcher) Run(ctx context.Context, teamID string, p plan.Plan, previous run.Previous, limits run.Limits) (run.Outcome, error) {
	return run.Execute(ctx, p, world{w, teamID}, previous, limits, time.Now)
}

// world is how one team's runs access the web. It implements run.World.
type world struct {
	*watcher

	teamID string
}

// Price implements run.World. A page costs as much as a scrape, with an output schema as one with llm_extract.
func (w world) Price(ctx context.Context, kind run.Kind, extracts bool) (money.Credits, error) {
	path, body := "/v1/scrapes", `{"url_to_scrape":"https://example.com/"}`
	switch {
	case kind == run.KindDiscover:
		return maps.Cost(maps.URLsPerCredit), nil // in the book, the price of a map is a quote of maps
	case kind == run.KindSearch:
		path, body = "/v1/searches", `{"query":"any"}`
	case extracts:
		body = `{"url_to_scrape":"https://example.com/","llm_extract":{"schema":{}}}`
	}
	quote, err := w.book.Quote(ctx, &price.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Body: edgewire.NewBody([]byte(body))}, edgewire.UnitCredit)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("pricing a run's %s: %w", kind, err))
	}
	return money.Credits(quote.Amount), nil
}

// Discover implements run.World.
func (w world) Discover(ctx context.Context, d run.Discovery) ([]string, error) {
	subdomains := isWholeDomain(d.URL)
	request := &maps.Request{URL: d.URL, SearchQuery: d.Query, IncludeSubdomain: &subdomains, IncludeURLs: d.Include}
	return w.maps.URLs(ctx, request, maps.Gate{Page: d.Allow, List: d.AllowList}, min(d.Limit, maps.URLsPerCredit))
}

// isWholeDomain reports whether a monitor of a site includes the site's other hosts. A monitor of example.com includes
// www.example.com, to which it may redirect; a monitor of docs.example.com does not.
func isWholeDomain(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.TrimPrefix(u.Hostname(), "www.")
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	return err == nil && domain == host
}

// Search implements run.World.
func (w world) Search(ctx context.Context, s run.Search) ([]string, error) {
	found, err := w.searcher.Search(ctx, websearch.Query{
		TeamID: w.teamID, Text: s.Query, Limit: min(s.Limit, websearch.LimitMax), Include: s.IncludeDomains, Exclude: s.ExcludeDomains,
	})
	if err != nil {
		return nil, problem.Wrap(problem.Overloaded, "None of the search providers responded.", err)
	}
	urls := make([]string, 0, len(found))
	for _, result := range found {
		urls = append(urls, result.URL)
	}
	return urls, nil
}

// Fetch implements run.World. The page's memory is held until its Release is called.
func (w world) Fetch(ctx context.Context, f run.Fetch) (run.Page, error) {
	if err := w.allowed(ctx, f.URL); err != nil {
		return run.Page{}, err
	}
	hold := w.memory.Hold()
	release := sync.OnceFunc(hold.Release)
	source, err := w.pages.Visit(ctx, w.teamID, scrapes.Visit{
		URL: f.URL, ETag: f.Validators.ETag, LastModified: f.Validators.LastModified,
		Follow: func(ctx context.Context, address string) error {
			if err := f.Allow(address); err != nil {
				return problem.Wrap(problem.AccessDenied, "The page redirects to a URL that may not be fetched: "+err.Error()+".", err)
			}
			return w.allowed(ctx, address)
		},
	}, hold)
	if err != nil {
		release()
		return run.Page{}, err
	}
	page := run.Page{Source: source, Release: release, NotModified: source.StatusCode == http.StatusNotModified}
	if !source.Rendered { // validators of a rendered page say nothing about the content that scripts load
		page.Validators = run.Validators{ETag: source.Header.Get("ETag"), LastModified: source.Header.Get("Last-Modified")}
	}
	return page, nil
}

// allowed returns nil if robots.txt allows fetching the page.
func (w world) allowed(ctx context.Context, address string) error {
	allowed, err := w.robots.Allowed(ctx, address)
	switch {
	case err != nil:
		return problem.Wrap(problem.FetchFailed, "The robots.txt file of the page's host cannot be read, so no page of the host may be fetched (RFC 9309).", err)
	case !allowed:
		return problem.New(problem.RobotsDisallowed, "The robots.txt file of the page's host disallows fetching the page.")
	}
	return nil
}

// Read implements run.World.
func (w world) Read(ctx context.Context, r run.Reading) (compare.Page, error) {
	defer func() {
		if r.Page.Release != nil {
			r.Page.Release()
		}
	}()
	give, err := w.memory.Take(ctx, membudget.ReadBytes(r.Page.Source.MediaType, r.Page.Source.Body))
	if err != nil {
		return compare.Page{}, problem.Wrap(problem.Overloaded, "The memory budget did not suffice to read the page.", err)
	}
	defer give()
	document, err := extract.Read(ctx, r.Page.Source, compare.ReadOptions(r.Page.Source.URL))
	if err != nil {
		return compare.Page{}, problem.Wrap(problem.UnsupportedFileType, "The page's content cannot be read: "+err.Error()+".", err)
	}
	page := compare.PageOf(r.URL, document)
	if len(r.Schema) == 0 || page.Error != "" {
		return page, nil
	}
	page.Data, err = w.fields(ctx, r.Schema, r.Page.Source, document)
	return page, err
}

// fields extracts a page's fields like a scrape with llm_extract.
func (w world) fields(ctx context.Context, schema json.RawMessage, source extract.Source, document *extract.Document) (json.RawMessage, error) {
	made, err := w.extractor.Extract(ctx, extraction.Task{Schema: schema}, source, document)
	if err != nil {
		return nil, fmt.Errorf("reading the fields of %s: %w", source.URL, err)
	}
	return made.JSON, nil
}

// summaryTime is how long to wait for a summary; without one, that of the comparison is used.
const summaryTime = 20 * time.Second

// Summarize implements run.World.
func (w world) Summarize(ctx context.Context, s run.Summary) (string, bool) {
	if w.model == nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	return run.Summarize(ctx, w.model, w.logger, s)
}
