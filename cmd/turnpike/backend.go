package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/fetch/copies"
	"github.com/turnpike-edge/turnpike/backend/fetch/politeness"
	"github.com/turnpike-edge/turnpike/backend/httpapi"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// drainTimeout is how long requests under way may take to finish at a stop: a
// scrape's own limit and a little.
const drainTimeout = 70 * time.Second

// connectionWait is how long a request, or the worker, waits for a connection to
// the database before it is taken to be away.
const connectionWait = 5 * time.Second

// What the worker does, and how often. Holds are swept by every edge too.
const (
	sweepEvery = 30 * time.Second
	lostAfter  = time.Minute
	purgeEvery = time.Hour
	// purgeBatch is how many expired scrapes are deleted in one go.
	purgeBatch = 500
)

// backendConfig is what the backend is made of; the environment in production,
// `turnpike dev` otherwise.
type backendConfig struct {
	databaseURL    string
	blobURL        string
	publicURL      string
	docsURL        string
	identitySecret []byte
	audience       string
	contentSecret  []byte
	fetch          fetch.Config
	politeness     politenessConfig
	logger         *slog.Logger
}

func backendCommand(cmd *cobra.Command) {
	cmd.Long = `Runs the web data API behind an edge. It answers only requests that carry an identity signed by
the edge, so it listens on a private address.

The environment:
  DATABASE_URL                the database, migrated by "turnpike migrate"
  TURNPIKE_IDENTITY_SECRET    shared with the edge, at least 32 bytes
  TURNPIKE_CONTENT_SECRET     signs addresses of stored pages, at least 32 bytes
  TURNPIKE_BLOB_URL           where pages are stored: a directory, file:///dir or mem://
  TURNPIKE_BASE_URL           how clients reach the service: https://api.example.com
  TURNPIKE_IDENTITY_AUDIENCE  whom identities are made for (default: turnpike-upstream)
  TURNPIKE_DOCS_URL           where errors are documented (default: TURNPIKE_BASE_URL/docs)
  TURNPIKE_PROXIES            proxies by country, DE=http://user:password@host:port,…, or @file (default: none)
  TURNPIKE_HOST_CONNECTIONS   requests under way at one host and port, of all backends (default: 2)
  TURNPIKE_HOST_RATE          requests a second to one host and port, of all backends, or off (default: 5)`
	cmd.Args = cobra.NoArgs
	f := cmd.Flags()
	f.String("listen", "localhost:8081", "the address to serve on")
	f.String("role", "all", "api, worker or all")
	f.StringSlice("allow-private", nil, "private address ranges that may be fetched, such as 10.1.0.0/16 (never on a public service)")
	f.IntSlice("allow-port", nil, "further ports that may be fetched, beside 80 and 443")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		role, _ := cmd.Flags().GetString("role")
		listen, _ := cmd.Flags().GetString("listen")
		cfg, err := backendFromEnv(cmd)
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		switch role {
		case "all", "api", "worker":
		default:
			return fmt.Errorf("--role %q: want api, worker or all", role)
		}
		b, err := newBackend(ctx, cfg)
		if err != nil {
			return err
		}
		defer b.close()
		if role != "api" {
			go b.work(ctx)
		}
		if role == "worker" {
			<-ctx.Done()
			return nil
		}
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
		if err != nil {
			return err
		}
		cfg.logger.Info("serving the web data API", "address", listener.Addr().String())
		return b.serve(ctx, listener)
	}
}

func backendFromEnv(cmd *cobra.Command) (backendConfig, error) {
	cfg := backendConfig{
		blobURL:   os.Getenv("TURNPIKE_BLOB_URL"),
		publicURL: os.Getenv("TURNPIKE_BASE_URL"),
		docsURL:   os.Getenv("TURNPIKE_DOCS_URL"),
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
	cfg.databaseURL, err = databaseURL()
	note(err)
	cfg.identitySecret, err = secretFromEnv("TURNPIKE_IDENTITY_SECRET", edgewire.SecretBytesMin)
	note(err)
	cfg.contentSecret, err = secretFromEnv("TURNPIKE_CONTENT_SECRET", edgewire.SecretBytesMin)
	note(err)
	if cfg.blobURL == "" {
		note(errors.New("TURNPIKE_BLOB_URL is not set: want a directory or a URL such as file:///var/lib/turnpike/blobs"))
	}
	if cfg.publicURL == "" {
		note(errors.New("TURNPIKE_BASE_URL is not set: want how clients reach the service, such as https://api.example.com"))
	}
	if cfg.audience == "" {
		cfg.audience = edgewire.DefaultAudience
	}
	note(allowances(cmd, &cfg.fetch))
	cfg.fetch.Proxies, err = proxiesFromEnv()
	note(err)
	cfg.politeness, err = politenessFromEnv()
	note(err)
	return cfg, errors.Join(faults...)
}

// allowances reads what the fetcher may reach beyond the public internet.
func allowances(cmd *cobra.Command, cfg *fetch.Config) error {
	ranges, _ := cmd.Flags().GetStringSlice("allow-private")
	for _, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Errorf("--allow-private: %w", err)
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
	pool    *pgxpool.Pool
	store   *blob.Store
	scrapes *scrapes.Service
	fetcher *fetch.Client
	gate    *politeness.Gate // nil: off
	copies  *copies.Keeper
	// sweepFailed is the worker's own.
	sweepFailed bool
	server      *httpapi.Server
	logger      *slog.Logger
}

func newBackend(ctx context.Context, cfg backendConfig) (_ *backend, err error) {
	b := &backend{logger: cfg.logger}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.pool, err = db.Open(ctx, cfg.databaseURL, db.AcquireWithin(connectionWait)); err != nil {
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
	b.server, err = b.assemble(cfg)
	return b, err
}

// assemble hands the features what they need. Adding a feature is a line here.
func (b *backend) assemble(cfg backendConfig) (*httpapi.Server, error) {
	now, queries := time.Now, db.New(b.pool)
	urls, err := blob.NewSigner(blob.SignerConfig{Secret: cfg.contentSecret, BaseURL: cfg.publicURL, Now: now})
	if err != nil {
		return nil, err
	}
	verifier, err := edgewire.NewVerifier(cfg.identitySecret, cfg.audience, now)
	if err != nil {
		return nil, err
	}
	book, err := httpapi.DefaultBook()
	if err != nil {
		return nil, err
	}
	b.copies, err = copies.New(copies.Config{Queries: queries, Fetcher: b.fetcher, Blobs: b.store, Logger: cfg.logger, Now: now})
	if err != nil {
		return nil, err
	}
	b.scrapes, err = scrapes.New(scrapes.Config{
		Queries: queries, Fetcher: b.fetcher, Copies: b.copies, Blobs: b.store, Signer: urls, Logger: cfg.logger, Now: now,
	})
	if err != nil {
		return nil, err
	}
	teams := accounts.New(queries, apikey.NewIssuer(b.pool), now)
	return httpapi.New(httpapi.Config{
		PublicURL: cfg.publicURL, DocsURL: cfg.docsURL, Version: version(),
		Verifier: verifier, Wallets: teams, Book: book,
		Features: []httpapi.Feature{b.scrapes, teams},
		Content:  func(s *httpapi.Server) http.Handler { return blob.Handler(b.store, urls, s.ContentFailed) },
		Ready: []httpapi.Check{
			{Name: "database", Func: b.pool.Ping},
			{Name: "schema", Func: func(ctx context.Context) error { return schemaCurrent(ctx, cfg.databaseURL) }},
			{Name: "content", Func: b.store.Ready},
		},
		Logger: cfg.logger, Now: now,
	})
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

// serve answers requests until ctx ends, and then those that are under way.
func (b *backend) serve(ctx context.Context, listener net.Listener) error {
	server := b.server.HTTPServer("")
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("finishing the requests under way: %w", err)
	}
	return nil
}

// work does what needs no request, until ctx ends.
func (b *backend) work(ctx context.Context) {
	sweep, purge := time.NewTicker(sweepEvery), time.NewTicker(purgeEvery)
	defer sweep.Stop()
	defer purge.Stop()
	for {
		var doing string
		var err error
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			doing, err = "sweeping holds", b.sweep(ctx)
		case <-purge.C:
			doing, err = "deleting expired content", errors.Join(b.purge(ctx), b.forgetHosts(ctx))
		}
		if err != nil && ctx.Err() == nil {
			b.logger.Error("background work failed", "doing", doing, "error", err)
		}
	}
}

// sweep passes over the round after one that failed: after an outage, edges that
// live must have had the time to say so.
func (b *backend) sweep(ctx context.Context) error {
	if b.sweepFailed {
		err := b.pool.Ping(ctx)
		b.sweepFailed = err != nil
		return err
	}
	ledger := credits.NewLedger(b.pool)
	expired, err := ledger.ExpireHolds(ctx)
	if expired > 0 {
		b.logger.Warn("settled holds of jobs whose time was up", "holds", expired)
	}
	if err == nil {
		var n int64
		if n, err = ledger.Sweep(ctx, lostAfter); n > 0 {
			b.logger.Warn("voided the holds of lost edges", "holds", n)
		}
	}
	b.sweepFailed = err != nil
	return err
}

func (b *backend) purge(ctx context.Context) error {
	return errors.Join(
		inBatches(func() (int64, error) {
			n, err := b.scrapes.Purge(ctx, purgeBatch)
			return int64(n), err
		}),
		inBatches(func() (int64, error) { return b.copies.Purge(ctx, purgeBatch) }),
	)
}

// inBatches calls purge until there is less than a batch left.
func inBatches(purge func() (int64, error)) error {
	for {
		n, err := purge()
		if err != nil || n < purgeBatch {
			return err
		}
	}
}

func (b *backend) close() {
	if b.fetcher != nil {
		b.fetcher.Close()
	}
	if b.store != nil {
		if err := b.store.Close(); err != nil {
			b.logger.Error("closing the content store", "error", err)
		}
	}
	if b.pool != nil {
		b.pool.Close()
	}
}
