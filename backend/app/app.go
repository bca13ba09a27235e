// Package app puts the web data service together: configuration from the environment, the features with what they depend
// on, the server and the background work.
package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	_ "gocloud.dev/blob/s3blob" // content in a bucket: TURNPIKE_BLOB_URL=s3://…

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/console"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/backend/firecrawl"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/mcp"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/httpcache"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/backend/websearch/local"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/reconcile"
)

// drainTimeout is how long running requests may take to finish at shutdown: a scrape's own limit and a little more.
const drainTimeout = scrapes.TimeLimitMax + 10*time.Second

// connectionWait is how long a request, or the worker, waits for a database connection before the database counts as
// unavailable.
const connectionWait = 5 * time.Second

// Backend is the web data service in this process.
type Backend struct {
	pool     *pgxpool.Pool
	store    *blob.Store
	scrapes  *scrapes.Service
	parsers  *parsers.Service
	files    *files.Service
	maps     *maps.Service
	searcher *websearch.Chain // the providers, in their order
	searches *searches.Service
	answers  *answers.Service
	reader   *reader.Reader // reads pages without a language model
	monitors *monitors.Service
	// schedules makes scheduled calls of the server.
	schedules *schedules.Service
	fetcher   *fetch.Client
	// siteFetcher is for sitemaps, which may be larger than pages.
	siteFetcher *fetch.Client
	robots      *hostlimits.Robots
	gate        *hostlimits.Gate // nil: off
	copies      *httpcache.Keeper
	// renderer is nil if browsers are off.
	renderer *render.Renderer
	console  *console.Console
	server   *api.Server
	verifier *edgewire.Verifier

	replays  *idempotency.Store
	role     Role
	batches  *batches.Service
	crawls   *crawls.Service
	webhooks *webhooks.Service
	poster   *fetch.Client      // sends webhooks, to hosts that have asked for them
	events   *outbox.Dispatcher // nil: not in this process

	notifications *notifications.Service
	// notified finds the channels for email and Slack, hooked those for webhooks.
	notified, hooked outbox.Audiences

	// index makes pages searchable, and found searches them.
	index    *local.Index
	found    *local.Provider
	jobs     *jobs.Jobs
	jobsPool *pgxpool.Pool // nil: the process only adds jobs
	books    *pgxpool.Pool // for comparing the books, not through a pooler; nil: not compared
	grace    time.Duration // for running tasks, at shutdown
	// reconciling is nil if the books are not compared.
	reconciling *reconcile.Schedule

	registry *prometheus.Registry
	shares   admission.Collector
	watch    net.Listener // where metrics are served; nil: nowhere
	logger   *slog.Logger
}

// New creates the backend and connects it to its database. It serves nothing before [Backend.Run]. Call Close at the end,
// after Run has returned.
func New(ctx context.Context, cfg Config) (_ *Backend, err error) {
	b := &Backend{
		role: cfg.Role, grace: cfg.Jobs.Grace, registry: newRegistry(), logger: cfg.Logger,
		notified: outbox.Audiences{}, hooked: outbox.Audiences{},
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	learned, err := reader.Shipped()
	if err != nil {
		return nil, err
	}
	b.reader = reader.New(learned)
	if b.pool, err = db.Open(ctx, cfg.DatabaseURL, cfg.poolOf); err != nil {
		return nil, err
	}
	if b.store, err = blob.Open(ctx, cfg.BlobURL); err != nil {
		return nil, err
	}
	if cfg.Fetch.UserAgent == "" {
		cfg.Fetch.UserAgent = fetch.UserAgent(Version(), strings.TrimSuffix(cfg.PublicURL, "/")+"/docs")
	}
	if err := b.bePolite(&cfg); err != nil {
		return nil, err
	}
	if b.fetcher, err = fetch.New(cfg.Fetch); err != nil {
		return nil, err
	}
	if err := b.openBrowser(cfg); err != nil {
		return nil, err
	}
	if err := b.openConsole(cfg); err != nil {
		return nil, err
	}
	if b.server, err = b.assemble(ctx, cfg); err != nil {
		return nil, err
	}
	b.registry.MustRegister(b.shares)
	return b, nil
}

// openConsole creates the console. It takes the client's IP address at sign-in from the identity that the edge signed.
func (b *Backend) openConsole(cfg Config) (err error) {
	if b.verifier, err = edgewire.NewVerifier(cfg.IdentitySecret, cfg.Audience, time.Now, cfg.IdentityBefore...); err != nil {
		return err
	}
	b.console, err = console.New(console.Config{
		PublicURL: cfg.PublicURL, APIURL: cfg.APIURL, Secret: cfg.ContentSecret, Logger: cfg.Logger, Now: time.Now,
		Client: func(r *http.Request) string {
			id, err := b.verifier.Verify(r, r.RequestURI)
			if err != nil {
				return ""
			}
			return id.Client
		},
	})
	return err
}

// assemble creates the features with their dependencies. A new feature needs a line here.
func (b *Backend) assemble(ctx context.Context, cfg Config) (*api.Server, error) {
	now, queries := time.Now, db.New(b.pool)
	urls, err := blob.NewSigner(blob.SignerConfig{Secret: cfg.ContentSecret, BaseURL: cfg.PublicURL, Now: now})
	if err != nil {
		return nil, err
	}
	book, err := pricebook.New()
	if err != nil {
		return nil, err
	}
	b.copies, err = httpcache.New(httpcache.Config{Queries: queries, Fetcher: b.fetcher, Blobs: b.store, Logger: cfg.Logger, Now: now})
	if err != nil {
		return nil, err
	}
	pages := membudget.NewBudget(cfg.Rendering.MemoryBytes)
	b.shares = append(b.shares, pages.Pools()...)
	b.parsers, err = parsers.New(parsers.Config{
		Queries: queries, Pages: pagesOf{b}, Memory: pages, Places: b.share("parser_tests", parsers.PlacesDefault, placePatience),
		Logger: cfg.Logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	b.shares = append(b.shares, b.parsers.Pools()...)
	b.scrapes, err = scrapes.New(scrapes.Config{
		Queries: queries, Fetcher: b.fetcher, Copies: b.copies, Blobs: b.store, Signer: urls,
		Renderer: b.pageRenderer(), Parsers: b.parsers, Extractor: extraction.New(cfg.Model, b.reader.Fill, cfg.Extracting, cfg.Logger),
		Memory: pages, Places: b.share("scrapes", int64(cmp.Or(cfg.ScrapePlaces, scrapes.PlacesDefault)), placePatience),
		Book: book, Shareable: cfg.isPublic(), Logger: cfg.Logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	if err := b.openSearch(cfg); err != nil {
		return nil, err
	}
	b.files, err = files.New(files.Config{
		Queries: queries, Blobs: b.store, Signer: urls, Places: b.share("files", files.PlacesDefault, placePatience), Logger: cfg.Logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	if err := b.openSites(cfg, pages); err != nil {
		return nil, err
	}
	if err := b.openSearches(cfg, urls, book, b.found); err != nil {
		return nil, err
	}
	if err := b.openAnswers(cfg, urls, pages, b.searcher); err != nil {
		return nil, err
	}
	if err := b.openSchedules(cfg, book); err != nil {
		return nil, err
	}
	if err := b.openMonitors(cfg, urls, book, pages); err != nil {
		return nil, err
	}
	if err := b.openWork(ctx, cfg); err != nil {
		return nil, err
	}
	if err := b.openReconciling(ctx, cfg); err != nil {
		return nil, err
	}
	return b.handler(cfg, queries, urls, book, pages)
}

// handler combines the features in one handler. A new feature needs a word here.
func (b *Backend) handler(
	cfg Config, queries *db.Queries, urls *blob.Signer, book *price.Book, pages *membudget.Budget,
) (*api.Server, error) {
	now := time.Now
	b.replays = idempotency.New(queries, 0)
	teams := accounts.New(queries, apikey.NewIssuer(b.pool), now)
	tools, err := mcp.New(mcp.Config{
		PublicURL: strings.TrimSuffix(cfg.PublicURL, "/"), DocsURL: cmp.Or(cfg.DocsURL, strings.TrimSuffix(cfg.PublicURL, "/")+"/docs"), Version: Version(),
		Scrapes: b.scrapes, Searches: b.searches, Maps: b.maps, Crawls: b.crawls, Batches: b.batches, Answers: b.answers, Monitors: b.monitors,
		Available: b.available, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	facade, err := firecrawl.New(firecrawl.Config{
		PublicURL: cfg.PublicURL, Scrapes: b.scrapes, Crawls: b.crawls, Batches: b.batches, Maps: b.maps, Searches: b.searches,
		Answers: b.answers, Monitors: b.monitors, Accounts: teams, Book: book, Available: b.available, TeamRunning: cmp.Or(cfg.Jobs.TeamRunning, teamRunningDefault), Now: now,
	})
	if err != nil {
		return nil, err
	}
	return api.New(api.Config{
		PublicURL: cfg.PublicURL, DocsURL: cfg.DocsURL, Version: Version(),
		Verifier: b.verifier, Wallets: teams, Idempotency: b.replays, Book: book,
		LargeBodies: b.share("large_body_bytes", api.LargeBodiesDefault, largePatience), LongWork: pages.TakeLong,
		Features: []api.Feature{
			b.scrapes, b.parsers, b.files, b.batches, b.crawls, b.maps, b.searches, b.answers, b.monitors, b.schedules, b.webhooks, b.notifications, teams, tools, facade,
		},
		Pages: b.pages(),
		Content: func(s *api.Server) http.Handler {
			return b.files.Content(blob.Handler(b.store, urls, s.ContentFailed), s.ContentFailed)
		},
		Ready: []api.Check{
			{Name: "database", Func: b.pool.Ping},
			{Name: "schema", Func: func(ctx context.Context) error { return schemaCurrent(ctx, cfg.DatabaseURL) }},
			{Name: "content", Func: b.store.Ready},
		},
		Logger: cfg.Logger, Now: now,
	})
}

// pagesOf fetches pages like scrapes. Scrapes need parsers, and trying out a parser needs pages, so it looks up the
// scrapes feature only when it is called.
type pagesOf struct{ b *Backend }

// Page implements parsers.Pages.
func (p pagesOf) Page(ctx context.Context, teamID, url string, hold *membudget.Hold) (extract.Source, error) {
	return p.b.scrapes.Page(ctx, teamID, url, hold)
}

func schemaCurrent(ctx context.Context, url string) error {
	pending, err := db.Pending(ctx, url)
	if err != nil {
		return err
	}
	if pending > 0 {
		return fmt.Errorf("%d migrations are pending: run `turnpike migrate`", pending)
	}
	return nil
}

// Close closes connections, browsers and processes.
func (b *Backend) Close() {
	if b.renderer != nil {
		if err := b.renderer.Close(); err != nil {
			b.logger.Error("closing the browsers", "error", err)
		}
	}
	if b.parsers != nil {
		b.parsers.Close()
	}
	for _, client := range []*fetch.Client{b.fetcher, b.siteFetcher, b.poster} {
		if client != nil {
			client.Close()
		}
	}
	if b.store != nil {
		if err := b.store.Close(); err != nil {
			b.logger.Error("closing the content store", "error", err)
		}
	}
	if b.books != nil {
		b.books.Close()
	}
	if b.jobsPool != nil {
		b.jobsPool.Close()
	}
	if b.pool != nil {
		b.pool.Close()
	}
	if b.watch != nil {
		_ = b.watch.Close() // the error does not matter: it is no longer used
	}
}
