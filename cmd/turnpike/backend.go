package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	_ "gocloud.dev/blob/s3blob" // content in a bucket: TURNPIKE_BLOB_URL=s3://…

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/console"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/fill"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/httpcache"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
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

// role is which part of the backend a process runs.
type role string

const (
	roleAll    role = "all"
	roleAPI    role = "api"
	roleWorker role = "worker"
)

// serves reports whether the process serves requests.
func (r role) serves() bool { return r != roleWorker }

// works reports whether the process runs background jobs.
func (r role) works() bool { return r != roleAPI }

// backendConfig is the backend's configuration: from the environment in production, from `turnpike dev` otherwise.
type backendConfig struct {
	databaseURL    string
	directURL      string // the database itself, if databaseURL leads to a pooler
	blobURL        string
	publicURL      string
	docsURL        string
	identitySecret []byte
	identityBefore [][]byte // previous secrets that are still accepted
	audience       string
	contentSecret  []byte
	webhookSecret  []byte
	apiURL         string // how the console reaches the edge; "": at publicURL
	role           role
	fetch          fetch.Config
	politeness     politenessConfig
	rendering      renderingConfig
	scrapePlaces   int // 0: the default
	jobs           jobsConfig
	notifying      notifyingConfig
	heartbeat      time.Duration // the time between comments in streams; 0: the default
	reconcileEvery time.Duration // 0: never
	modelPlans     int           // unpaid model plans per team and day for monitors; 0: the default
	searchShared   bool
	model          llm.Client // nil: none
	extracting     scrapes.ExtractLimits
	searching      websearch.Config
	logger         *slog.Logger
}

// identityPreviousName is the variable with the previous secret, with which edges may still sign.
const identityPreviousName = "TURNPIKE_IDENTITY_SECRET_PREVIOUS"

const backendHelp = `Runs the web data API behind an edge. It accepts only requests with an identity that the edge has signed, so let it
listen on a private address.

Environment variables:
  DATABASE_URL                URL of the Postgres database; run "turnpike migrate" on it first
  DATABASE_DIRECT_URL         URL of the database itself, if DATABASE_URL leads to a pooler (see docs/pgbouncer.md)
  TURNPIKE_IDENTITY_SECRET    secret that is shared with the edge, at least 32 bytes
  TURNPIKE_IDENTITY_SECRET_PREVIOUS
                              previous secret that is still accepted during a rotation (default: none)
  TURNPIKE_CONTENT_SECRET     secret that signs the URLs of stored pages, at least 32 bytes
  TURNPIKE_WEBHOOK_SECRET     secret from which the teams' webhook secrets are derived, at least 32 bytes
                              (default: TURNPIKE_CONTENT_SECRET)
  TURNPIKE_SMTP_URL           mail server: smtp://user:password@host:587 (STARTTLS, or ?starttls=optional or off)
                              or smtps://user:password@host:465 (default: mail is only written to the log)
  TURNPIKE_MAIL_FROM          sender of mail, such as Turnpike <monitors@example.com>
  TURNPIKE_SLACK_HOSTS        hosts[:port] that accept Slack's webhooks, besides hooks.slack.com, separated by commas
  TURNPIKE_BLOB_URL           where pages and files are stored: a directory, file:///dir, s3://bucket?region=… or mem://
  TURNPIKE_BASE_URL           public URL of the service, such as https://api.example.com
  TURNPIKE_API_URL            URL at which the console at /console reaches the edge (default: TURNPIKE_BASE_URL)
  TURNPIKE_IDENTITY_AUDIENCE  audience that identities must have (default: turnpike-upstream)
  TURNPIKE_DOCS_URL           URL of the documentation that errors link to (default: TURNPIKE_BASE_URL/docs)
  TURNPIKE_PROXIES            proxies by country, DE=http://user:password@host:port,…, or @file (default: none)
  TURNPIKE_HOST_CONNECTIONS   most requests at once to one host and port, by all backends (default: 2)
  TURNPIKE_HOST_RATE          most requests per second to one host and port, by all backends, or off (default: 5)
  TURNPIKE_BROWSER            browser that renders pages: a path, the ws:// address of a remote browser, or off
                              (default: the first that is found)
  TURNPIKE_BROWSER_SOCKET     Unix socket of a "turnpike browser" service, which starts browsers as a separate user
                              (default: the backend starts them)
  TURNPIKE_BROWSER_SANDBOX    off: runs browsers without Chromium's sandbox where the sandbox does not work
                              (default: pages are not rendered there)
  TURNPIKE_BROWSERS           most browsers at once (default: 2)
  TURNPIKE_BROWSER_PAGES      most pages at once in each browser (default: 2)
  TURNPIKE_BROWSER_EGRESS     IP address at which a remote browser reaches this backend (default: 127.0.0.1)
  TURNPIKE_PAGE_MEMORY        memory budget for work on pages, in MiB, by estimates (default: 512)
  TURNPIKE_SCRAPES            most scrapes at once; one team gets at most half of them (default: 128)
  TURNPIKE_JOB_SLOTS          most pages of batches and crawls that a worker processes at once (default: 64)
  TURNPIKE_TEAM_RUNNING       most pages of one team's batches and crawls at once, in all workers (default: 12)
  TURNPIKE_JOB_LEASE          how long a worker that does not respond keeps its tasks (default: 60s)
  TURNPIKE_LLM_PROVIDER       language model for llm_extract and answers: openai (or a compatible server) or anthropic
                              (default: no model)
  TURNPIKE_LLM_URL            base URL of the model's API (default: the provider's own)
  TURNPIKE_LLM_KEY            key for the model's API
  TURNPIKE_LLM_MODEL          name of the model
  TURNPIKE_LLM_PRICE_IN       price of a million input tokens in USD, to record costs (default: none)
  TURNPIKE_LLM_PRICE_OUT      price of a million output tokens in USD (default: none)
  TURNPIKE_LLM_TOKENS         most tokens that one llm_extract may use, input and output (default: 100000)
  TURNPIKE_LLM_WALLET_TOKENS  the same for an llm_extract that is paid with x402 (default: 16000)
  TURNPIKE_MONITOR_PLANS      most plans that the model makes per day for one team's monitors, apart from plans that
                              a run has paid for (default: 20)
  TURNPIKE_SEARCH_PROVIDERS   search providers, in order of use: searxng, brave, serper, local
                              (default: all that are configured)
  TURNPIKE_SEARXNG_URL        URL of your own SearXNG server
  TURNPIKE_BRAVE_KEY          key for Brave's Search API
  TURNPIKE_SERPER_KEY         key for serper.dev
  TURNPIKE_SEARCH_SHARED      whether teams find public pages that other teams have fetched: true or false
                              (default: false)
  TURNPIKE_RECONCILE_EVERY    how often to compare the ledger with Stripe and with the chains of BASE_RPC_URL and
                              X402_RPC_URL_<chain id>, or off (default: 1h)
  TURNPIKE_STREAM_HEARTBEAT   time between the comments that keep a monitor's stream alive (default: 15s)
  TURNPIKE_CPU_PROFILE        file for a CPU profile, which is written when the backend exits (default: none)`

func backendCommand(cmd *cobra.Command) {
	cmd.Long = backendHelp
	cmd.Args = cobra.NoArgs
	f := cmd.Flags()
	f.String("listen", "localhost:8081", "address to listen on")
	f.String("role", string(roleAll), "what to run: api, worker or all")
	f.String("metrics", "", "private address for /metrics and /healthz (default: none)")
	f.StringSlice("allow-private", nil, "private address ranges that may be fetched, such as 10.1.0.0/16 (do not use on a public service)")
	f.IntSlice("allow-port", nil, "ports that may be fetched, besides 80 and 443")
	f.StringArray("replay", nil, "WARC file to read pages from instead of the network; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		stopProfile, err := profile()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stopProfile()) }()
		listen, _ := cmd.Flags().GetString("listen")
		metrics, _ := cmd.Flags().GetString("metrics")
		cfg, err := backendFromEnv(cmd)
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		closeArchive, err := replay(ctx, cmd, &cfg)
		if err != nil {
			return err
		}
		defer closeArchive()
		cfg.rendering.limitMemory()
		b, err := newBackend(ctx, cfg)
		if err != nil {
			return err
		}
		defer b.close()
		if err := b.giveMetrics(ctx, metrics); err != nil {
			return err
		}
		if os.Getenv("GOMAXPROCS") == "" { // pool sizes use GOMAXPROCS, so change it only after they are created
			runtime.GOMAXPROCS(membudget.AsideProcessors(runtime.GOMAXPROCS(0)))
		}
		return b.listenAndRun(ctx, cfg, listen)
	}
}

// listenAndRun runs the parts of the backend's role until the context ends: the API at an address, jobs, or both.
func (b *backend) listenAndRun(ctx context.Context, cfg backendConfig, listen string) error {
	if !cfg.role.serves() {
		return b.run(ctx, nil)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	cfg.logger.Info("serving the web data API", "address", listener.Addr().String())
	return b.run(ctx, listener)
}

func (c *backendConfig) secretsFromEnv() error {
	var faults []error
	read := func(name string) []byte {
		secret, err := secretFromEnv(name)
		faults = append(faults, err)
		return secret
	}
	c.identitySecret = read("TURNPIKE_IDENTITY_SECRET")
	if os.Getenv(identityPreviousName) != "" {
		c.identityBefore = [][]byte{read(identityPreviousName)}
	}
	c.contentSecret = read("TURNPIKE_CONTENT_SECRET")
	if c.webhookSecret = c.contentSecret; os.Getenv(webhookSecretName) != "" {
		c.webhookSecret = read(webhookSecretName)
	}
	return errors.Join(faults...)
}

func backendFromEnv(cmd *cobra.Command) (backendConfig, error) {
	cfg := backendConfig{
		blobURL:   os.Getenv("TURNPIKE_BLOB_URL"),
		publicURL: os.Getenv("TURNPIKE_BASE_URL"),
		docsURL:   os.Getenv("TURNPIKE_DOCS_URL"),
		apiURL:    os.Getenv("TURNPIKE_API_URL"),
		audience:  os.Getenv("TURNPIKE_IDENTITY_AUDIENCE"),
		logger:    slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}
	var faults []error
	note := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	var err error
	note(cfg.databaseFromEnv())
	note(cfg.secretsFromEnv())
	if cfg.blobURL == "" {
		note(errors.New("TURNPIKE_BLOB_URL is not set: want a directory or a URL such as file:///var/lib/turnpike/blobs"))
	}
	if cfg.publicURL == "" {
		note(errors.New("TURNPIKE_BASE_URL is not set: want the public URL of the service, such as https://api.example.com"))
	}
	if cfg.audience == "" {
		cfg.audience = edgewire.DefaultAudience
	}
	cfg.role, err = roleFlag(cmd)
	note(err)
	note(allowances(cmd, &cfg.fetch))
	cfg.fetch.Proxies, err = proxiesFromEnv()
	note(err)
	cfg.politeness, err = politenessFromEnv()
	note(err)
	cfg.rendering, err = renderingFromEnv()
	note(err)
	cfg.scrapePlaces, err = scrapePlacesFromEnv()
	note(err)
	cfg.jobs, err = jobsFromEnv()
	note(err)
	cfg.notifying, err = notifyingFromEnv()
	note(err)
	cfg.heartbeat, err = heartbeatFromEnv()
	note(err)
	cfg.reconcileEvery, err = reconcileEveryFromEnv()
	note(err)
	note(intFromEnv(monitorPlansName, 1, monitorPlansMax, &cfg.modelPlans))
	cfg.model, cfg.extracting, err = modelFromEnv()
	note(err)
	cfg.searchShared, err = searchSharedFromEnv()
	note(err)
	cfg.searching, err = websearch.FromEnv(os.Getenv)
	note(err)
	return cfg, errors.Join(faults...)
}

func roleFlag(cmd *cobra.Command) (role, error) {
	text, _ := cmd.Flags().GetString("role")
	switch r := role(text); r {
	case roleAll, roleAPI, roleWorker:
		return r, nil
	default:
		return "", fmt.Errorf("--role %q: want api, worker or all", text)
	}
}

// allowances reads what the fetcher may reach besides the public internet.
func allowances(cmd *cobra.Command, cfg *fetch.Config) error {
	ranges, _ := cmd.Flags().GetStringSlice("allow-private")
	for _, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Errorf("--allow-private %q: want an address range such as 10.1.0.0/16", text)
		}
		cfg.AllowPrivate = append(cfg.AllowPrivate, prefix)
	}
	ports, _ := cmd.Flags().GetIntSlice("allow-port")
	for _, port := range ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("--allow-port %d: want 1 to 65535", port)
		}
		cfg.AllowPorts = append(cfg.AllowPorts, uint16(port))
	}
	return nil
}

// backend is the web data service in this process.
type backend struct {
	pool     *pgxpool.Pool
	store    *blob.Store
	scrapes  *scrapes.Service
	parsers  *parsers.Service
	files    *files.Service
	maps     *maps.Service
	searcher *websearch.Chain // the providers, in their order
	searches *searches.Service
	answers  *answers.Service
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
	role     role
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
	listens  *pgxpool.Pool // not through a pooler; nil: there is no pooler
	books    *pgxpool.Pool // for comparing the books, not through a pooler; nil: not compared
	grace    time.Duration // for running tasks, at shutdown
	// reconciling is nil if the books are not compared.
	reconciling *reconcile.Schedule

	registry *prometheus.Registry
	shares   admission.Collector
	watch    net.Listener // where metrics are served; nil: nowhere
	logger   *slog.Logger
}

func newBackend(ctx context.Context, cfg backendConfig) (_ *backend, err error) {
	b := &backend{
		role: cfg.role, grace: cfg.jobs.grace, registry: newRegistry(), logger: cfg.logger,
		notified: outbox.Audiences{}, hooked: outbox.Audiences{},
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.pool, err = db.Open(ctx, cfg.databaseURL, cfg.poolOf); err != nil {
		return nil, err
	}
	if b.store, err = blob.Open(ctx, cfg.blobURL); err != nil {
		return nil, err
	}
	if cfg.fetch.UserAgent == "" {
		cfg.fetch.UserAgent = fetch.UserAgent(version(), strings.TrimSuffix(cfg.publicURL, "/")+"/docs")
	}
	if err := b.bePolite(&cfg); err != nil {
		return nil, err
	}
	if b.fetcher, err = fetch.New(cfg.fetch); err != nil {
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
func (b *backend) openConsole(cfg backendConfig) (err error) {
	if b.verifier, err = edgewire.NewVerifier(cfg.identitySecret, cfg.audience, time.Now, cfg.identityBefore...); err != nil {
		return err
	}
	b.console, err = console.New(console.Config{
		PublicURL: cfg.publicURL, APIURL: cfg.apiURL, Secret: cfg.contentSecret, Logger: cfg.logger, Now: time.Now,
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
func (b *backend) assemble(ctx context.Context, cfg backendConfig) (*api.Server, error) {
	now, queries := time.Now, db.New(b.pool)
	urls, err := blob.NewSigner(blob.SignerConfig{Secret: cfg.contentSecret, BaseURL: cfg.publicURL, Now: now})
	if err != nil {
		return nil, err
	}
	book, err := api.DefaultBook()
	if err != nil {
		return nil, err
	}
	b.copies, err = httpcache.New(httpcache.Config{Queries: queries, Fetcher: b.fetcher, Blobs: b.store, Logger: cfg.logger, Now: now})
	if err != nil {
		return nil, err
	}
	pages := membudget.NewBudget(cfg.rendering.memoryBytes)
	b.shares = append(b.shares, pages.Pools()...)
	b.parsers, err = parsers.New(parsers.Config{
		Queries: queries, Pages: pagesOf{b}, Memory: pages, Places: b.share("parser_tests", parsers.PlacesDefault, placePatience),
		Logger: cfg.logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	b.shares = append(b.shares, b.parsers.Pools()...)
	b.scrapes, err = scrapes.New(scrapes.Config{
		Queries: queries, Fetcher: b.fetcher, Copies: b.copies, Blobs: b.store, Signer: urls,
		Renderer: b.pageRenderer(), Parsers: b.parsers, Extractor: scrapes.NewExtractor(cfg.model, fill.Fill, cfg.extracting, cfg.logger),
		Memory: pages, Places: b.share("scrapes", int64(cmp.Or(cfg.scrapePlaces, scrapes.PlacesDefault)), placePatience),
		Book: book, Shareable: cfg.isPublic(), Logger: cfg.logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	if err := b.openSearch(cfg); err != nil {
		return nil, err
	}
	b.files, err = files.New(files.Config{
		Queries: queries, Blobs: b.store, Signer: urls, Places: b.share("files", files.PlacesDefault, placePatience), Logger: cfg.logger, Now: now,
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
func (b *backend) handler(
	cfg backendConfig, queries *db.Queries, urls *blob.Signer, book *price.Book, pages *membudget.Budget,
) (*api.Server, error) {
	now := time.Now
	b.replays = idempotency.New(queries, 0)
	teams := accounts.New(queries, apikey.NewIssuer(b.pool), now)
	return api.New(api.Config{
		PublicURL: cfg.publicURL, DocsURL: cfg.docsURL, Version: version(),
		Verifier: b.verifier, Wallets: teams, Idempotency: b.replays, Book: book,
		LargeBodies: b.share("large_body_bytes", api.LargeBodiesDefault, largePatience), LongWork: pages.TakeLong,
		Features: []api.Feature{
			b.scrapes, b.parsers, b.files, b.batches, b.crawls, b.maps, b.searches, b.answers, b.monitors, b.schedules, b.webhooks, b.notifications, teams,
		},
		Pages: b.pages(),
		Content: func(s *api.Server) http.Handler {
			return b.files.Content(blob.Handler(b.store, urls, s.ContentFailed), s.ContentFailed)
		},
		Ready: []api.Check{
			{Name: "database", Func: b.pool.Ping},
			{Name: "schema", Func: func(ctx context.Context) error { return schemaCurrent(ctx, cfg.databaseURL) }},
			{Name: "content", Func: b.store.Ready},
		},
		Logger: cfg.logger, Now: now,
	})
}

// pagesOf fetches pages like scrapes. Scrapes need parsers, and trying out a parser needs pages, so it looks up the
// scrapes feature only when it is called.
type pagesOf struct{ b *backend }

// Page implements parsers.Pages.
func (p pagesOf) Page(ctx context.Context, teamID, url string, hold *membudget.Hold) (extract.Source, error) {
	return p.b.scrapes.Page(ctx, teamID, url, hold)
}

func schemaCurrent(ctx context.Context, url string) error {
	pending, err := jobs.Pending(ctx, url)
	if err != nil {
		return err
	}
	if pending > 0 {
		return fmt.Errorf("%d migrations are pending: run `turnpike migrate`", pending)
	}
	return nil
}

func (b *backend) close() {
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
	if b.listens != nil {
		b.listens.Close()
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
