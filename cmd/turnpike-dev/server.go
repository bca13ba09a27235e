package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/stripe"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// demoCredits is the balance of a new demo team.
const demoCredits money.Credits = 1000

// stopTimeout bounds a stop of everything. jobsGrace is how long running pages of batches may still take: they
// are run again at the next start.
const (
	stopTimeout = 30 * time.Second
	jobsGrace   = 2 * time.Second
)

func newLogger(cmd *cobra.Command) *slog.Logger {
	level := slog.LevelWarn
	if verbose, _ := cmd.Flags().GetBool("verbose"); verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
}

// mailLog returns a log for emails that are not sent. Like webhooks, it is shown with or without --verbose.
func mailLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// devServer is everything on one machine. Parts are stopped in the reverse order of their start.
type devServer struct {
	cmd           *cobra.Command
	logger        *slog.Logger
	port          uint16
	allowLoopback bool

	state       *state
	databaseURL string
	ownDatabase bool // true unless DATABASE_URL names the database
	wallet      *ecdsa.PrivateKey
	walletFile  string
	chain       *chain.Chain
	sampleURL   string
	samplePort  uint16
	browser     bool // pages can be rendered
	stops       []func(context.Context) error
	failed      chan error
}

func (d *devServer) onStop(f func(context.Context) error) { d.stops = append(d.stops, f) }

func (d *devServer) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	var errs []error
	for _, f := range slices.Backward(d.stops) {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}

func (d *devServer) run(ctx context.Context) error {
	key := os.Getenv(checks.StripeKeyName)
	if live, known := stripe.LiveKey(key); key != "" && (live || !known) {
		return fmt.Errorf("%s is not a test key: a development server must not charge real cards (unset it, or use a key that begins with sk_test_)", checks.StripeKeyName)
	}
	if err := d.checkPort(ctx); err != nil {
		return err
	}
	dir, err := dataDir(d.cmd)
	if err != nil {
		return err
	}
	if d.state, err = loadState(dir); err != nil {
		return err
	}
	for _, start := range []func(context.Context) error{
		d.startDatabase, d.startChain, d.makeDemoTeam, d.startSample, d.startBackend, d.startEdge,
	} {
		if err := start(ctx); err != nil {
			if ctx.Err() != nil { // interrupted during the start, which is no failure
				err = nil
			}
			return err
		}
	}
	d.greet()
	select {
	case <-ctx.Done():
		fmt.Fprintln(d.cmd.OutOrStdout(), "\nStopping.")
		return nil
	case err := <-d.failed:
		return err
	}
}

// dataDir returns the data directory: next to this user's private Postgres.
func dataDir(cmd *cobra.Command) (string, error) {
	if dir, _ := cmd.Flags().GetString("data"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := postgres.DefaultDataDir()
	if err != nil {
		return "", err
	}
	return filepath.Dir(dir), nil
}

// checkPort checks the port before anything is started, so that the error can name a remedy; for port 0 it finds a free
// one.
func (d *devServer) checkPort(ctx context.Context) error {
	l, err := listenLocally(ctx, int(d.port))
	if err != nil {
		return fmt.Errorf("port %d cannot be used (%w): choose another with --port", d.port, err)
	}
	d.port = netip.MustParseAddrPort(l.Addr().String()).Port()
	return l.Close()
}

func (d *devServer) startDatabase(ctx context.Context) error {
	d.databaseURL = os.Getenv("DATABASE_URL")
	if d.ownDatabase = d.databaseURL == ""; d.ownDatabase {
		server, err := postgres.Start(ctx, postgres.Config{
			DataDir: filepath.Join(d.state.dir, "postgres"), Logger: d.logger, Notices: d.cmd.ErrOrStderr(),
		})
		if err != nil {
			return err
		}
		d.onStop(server.Stop)
		go func() {
			<-server.Done()
			d.failed <- errors.New("the private Postgres has stopped (see its log, " + server.LogFile() + ")")
		}()
		if err := server.CreateDatabase(ctx, "turnpike"); err != nil {
			return err
		}
		d.databaseURL = server.URL("turnpike")
	}
	_, err := db.Migrate(ctx, d.databaseURL)
	return err
}

func (d *devServer) startChain(ctx context.Context) (err error) {
	if d.wallet, d.walletFile, err = d.state.wallet(); err != nil {
		return err
	}
	settler, err := crypto.HexToECDSA(d.state.SettlerKey)
	if err != nil {
		return fmt.Errorf("settler key in %s: %w", stateFile, err)
	}
	// The chain opens its own listener, on the port that is free now.
	reserved, err := d.listen(ctx, partChain)
	if err != nil {
		return fmt.Errorf("serving the chain: %w", err)
	}
	if err := reserved.Close(); err != nil {
		return err
	}
	if d.chain, err = chain.Start(ctx, chain.Config{HTTPAddr: reserved.Addr().String(), WalletKey: d.wallet, SettlerKey: settler, Logger: d.logger}); err != nil {
		return err
	}
	d.onStop(func(context.Context) error { d.chain.Close(); return nil })
	return nil
}

// makeDemoTeam creates the team and its key at the first start, and again if the database was replaced.
func (d *devServer) makeDemoTeam(ctx context.Context) error {
	pool, err := db.Open(ctx, d.databaseURL, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	if d.state.APIKey != "" && d.demoKeyWorks(ctx, pool) {
		return nil
	}
	team := token.New("team")
	if _, err := db.New(pool).CreateTeam(ctx, db.CreateTeamParams{ID: team, Name: "Demo"}); err != nil {
		return fmt.Errorf("creating the demo team: %w", err)
	}
	if _, err := credits.NewLedger(pool).Grant(ctx, credits.Grant{
		TeamID: team, Amount: demoCredits, Source: credits.SourcePromo, Key: "demo:" + team, Note: "demo",
	}); err != nil {
		return err
	}
	key, err := apikey.NewIssuer(pool).Create(ctx, apikey.NewKey{TeamID: team, Name: "demo"})
	if err != nil {
		return err
	}
	d.state.TeamID, d.state.APIKey = team, key.Key
	return d.state.save()
}

func (d *devServer) demoKeyWorks(ctx context.Context, pool *pgxpool.Pool) bool {
	p, err := apikey.NewStore(pool, time.Now).Resolve(ctx, d.state.APIKey)
	return err == nil && p.TeamID == d.state.TeamID
}

func (d *devServer) startBackend(ctx context.Context) error {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	fetching := fetch.Config{AllowPrivate: loopback, AllowPorts: []uint16{d.samplePort}}
	if d.allowLoopback {
		fetching = fetch.Config{
			AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, AllowAnyPort: true,
		}
	}
	rendering, err := app.RenderingFromEnv()
	if err != nil {
		return err
	}
	if rendering.Browser.Sandbox == chromium.SandboxRequired { // so that newcomers can render pages; a missing sandbox is reported
		rendering.Browser.Sandbox = chromium.SandboxIfPossible
	}
	searching, err := websearch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	model, extracting, err := app.ModelFromEnv()
	if err != nil {
		return err
	}
	working, err := app.JobsFromEnv()
	if err != nil {
		return err
	}
	working.Grace = jobsGrace
	notifying, err := app.NotifyingFromEnv()
	if err != nil {
		return err
	}
	notifying.MailLog = mailLog(d.cmd.ErrOrStderr())
	b, err := app.New(ctx, app.Config{
		Role: app.RoleAll, Jobs: working, DatabaseURL: d.databaseURL, DirectURL: d.databaseURL, BlobURL: filepath.Join(d.state.dir, "blobs"),
		PublicURL: d.edgeURL(), IdentitySecret: []byte(d.state.IdentitySecret), Audience: edgewire.DefaultAudience,
		ContentSecret: []byte(d.state.ContentSecret), WebhookSecret: []byte(d.state.ContentSecret),
		Fetch: fetching, Rendering: rendering, Model: model, Extracting: extracting, Searching: searching, Notifying: notifying, Logger: d.logger,
	})
	if err != nil {
		return err
	}
	d.browser = b.HasBrowser()
	listener, err := d.listen(ctx, partBackend)
	if err != nil {
		b.Close()
		return fmt.Errorf("serving the backend: %w", err)
	}
	if err := os.Setenv("BACKEND", listener.Addr().String()); err != nil {
		b.Close()
		return errors.Join(err, listener.Close())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- b.Run(serving, listener) }()
	d.onStop(func(context.Context) error {
		stop()
		err := <-done
		b.Close()
		return err
	})
	return nil
}

func (d *devServer) edgeURL() string { return fmt.Sprintf("http://localhost:%d", d.port) }

func (d *devServer) payTo() common.Address { return crypto.PubkeyToAddress(d.payee().PublicKey) }

// payee returns the account that is paid on the development chain. It is a separate address, derived from the identity
// secret, so that earnings are not mixed with anything else.
func (d *devServer) payee() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("payee"), []byte(d.state.IdentitySecret)))
	if err != nil {
		panic(err) // only one hash in 2¹²⁸ is not a valid key
	}
	return key
}
