package topup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func init() {
	caddy.RegisterModule(new(Stripe))
}

// Stripe sells packs of credits, paid with cards that Stripe has saved. It needs the ledger `postgres`. Every edge
// looks up purchases of unknown outcome at Stripe, in the background.
type Stripe struct {
	// Stripe's secret or restricted key (`sk_…`, `rk_…`). Give it as a placeholder such as `{env.STRIPE_SECRET_KEY}`.
	// With a test key no money moves. Required.
	SecretKey string `json:"secret_key"`

	// The signing secret of the webhook's endpoint (`whsec_…`). Give it as a placeholder such as
	// `{env.STRIPE_WEBHOOK_SECRET}`. Required.
	WebhookSecret string `json:"webhook_secret"`

	// Sell nothing, and respond with 501, if both secrets are empty. A single empty secret is still an error. Default:
	// false; then empty secrets are an error.
	Optional bool `json:"optional,omitempty"`

	// The packs of credits, from small to large. Give the upstream that shows prices the same list. Default: 10000,
	// 20000, 80000 and 100000 credits for 10, 19, 70 and 80 USD.
	Packs price.Packs `json:"packs,omitempty"`

	// Where Stripe's pages send the browser at the end. Placeholders are replaced. Default: the app's `docs_url`;
	// required if that is a path.
	ReturnURL string `json:"return_url,omitempty"`

	// The address of Stripe's API. Any other address than Stripe's needs a test key. Default: `https://api.stripe.com`.
	APIBase string `json:"api_base,omitempty"`

	// The least time between two attempts of a team. Default: 60s.
	AttemptEvery caddy.Duration `json:"attempt_every,omitempty"`

	// How many purchases a team may attempt within 24 hours. Default: 20.
	DailyAttempts int `json:"daily_attempts,omitempty"`

	// How much a team may spend within 24 hours, in US cents. Default: 100000.
	DailyCents money.Cents `json:"daily_cents,omitempty"`

	// How often purchases of unknown outcome are looked up. Default: 30s.
	SweepEvery caddy.Duration `json:"sweep_every,omitempty"`

	// Refuse new purchases with 503. Purchases that have begun are still finished, and webhooks are accepted. Default: false.
	Paused bool `json:"paused,omitempty"`

	poolKey *stripeKey
}

// stripeKey identifies shared top-ups: configurations share them only if all of this is the same.
type stripeKey struct {
	database, secretKey, webhookSecret string
	packs, returnURL, apiBase          string
	attemptEvery, sweepEvery           time.Duration
	dailyAttempts                      int
	dailyCents                         money.Cents
	paused                             bool
}

// CaddyModule returns the Caddy module information.
func (*Stripe) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.topups.stripe",
		New: func() caddy.Module { return new(Stripe) },
	}
}

// DatabaseLedger is a ledger in a database.
type DatabaseLedger interface{ DatabaseURL() string }

// Open implements Source.
func (s *Stripe) Open(app Env) (Seller, error) {
	if s.isOff() {
		app.Logger.Info("top-ups are off: neither secret_key nor webhook_secret is set")
		return off{}, nil
	}
	ledger, ok := app.Ledger.(DatabaseLedger)
	if !ok {
		return nil, errors.New("top-ups require the ledger `postgres`: purchases are stored in its database")
	}
	key, err := s.resolve(app)
	if err != nil {
		return nil, err
	}
	key.database = ledger.DatabaseURL()
	shared, _, err := reload.Pool.LoadOrNew(*key, func() (caddy.Destructor, error) { return openStripe(key, s.Packs) })
	if err != nil {
		return nil, err
	}
	s.poolKey = key
	pooled, ok := shared.(*pooledStripe)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as top-ups", shared)
	}
	return pooled, nil
}

// isOff reports whether neither secret is set and that is allowed.
func (s *Stripe) isOff() bool {
	if !s.Optional {
		return false
	}
	repl := caddy.NewReplacer()
	return repl.ReplaceAll(s.SecretKey, "") == "" && repl.ReplaceAll(s.WebhookSecret, "") == ""
}

func (s *Stripe) resolve(app Env) (*stripeKey, error) {
	packs, err := json.Marshal(s.Packs)
	if err != nil {
		return nil, fmt.Errorf("packs: %w", err)
	}
	key := &stripeKey{
		packs: string(packs), returnURL: app.DocsURL, apiBase: s.APIBase,
		attemptEvery: time.Duration(s.AttemptEvery), sweepEvery: time.Duration(s.SweepEvery),
		dailyAttempts: s.DailyAttempts, dailyCents: s.DailyCents, paused: s.Paused,
	}
	if key.secretKey, err = config.ResolveSecret("secret_key", s.SecretKey); err != nil {
		return nil, err
	}
	if key.webhookSecret, err = config.ResolveSecret("webhook_secret", s.WebhookSecret); err != nil {
		return nil, err
	}
	if s.ReturnURL != "" {
		if key.returnURL, err = config.Resolve("return_url", s.ReturnURL); err != nil {
			return nil, err
		}
	}
	if request.IsPath(key.returnURL) {
		return nil, errors.New("return_url: want the URL of the page to which Stripe's pages return, such as https://api.example.com/console/credits")
	}
	return key, nil
}

// Cleanup releases the shared part. It ends with its last user.
func (s *Stripe) Cleanup() error {
	if s.poolKey == nil {
		return nil
	}
	_, err := reload.Pool.Delete(*s.poolKey)
	return err
}

// pooledStripe is the part that outlives a configuration. It has its own connections: a purchase waits for Stripe, and
// must not delay the look-up of a key.
type pooledStripe struct {
	*stripe.Service
	reload.Uses

	policy string
	pool   *pgxpool.Pool
	stop   context.CancelFunc
	done   chan struct{}
}

const connectTimeout = 15 * time.Second

func openStripe(key *stripeKey, packs price.Packs) (*pooledStripe, error) {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	pool, err := db.Open(ctx, key.database, nil)
	if err != nil {
		return nil, err
	}
	logger := reload.CurrentLogger("turnpike.topup")
	cfg := stripe.Config{
		DB: pool, SecretKey: key.secretKey, WebhookSecret: key.webhookSecret, APIBase: key.apiBase,
		SetupReturnURL: key.returnURL, Packs: packs, Disabled: key.paused,
		AttemptEvery: key.attemptEvery, AttemptsPerDay: key.dailyAttempts, CentsPerDay: key.dailyCents,
		SweepEvery: key.sweepEvery, Logger: logger,
	}
	service, err := stripe.New(cfg)
	if err != nil {
		pool.Close()
		return nil, err
	}
	background, stop := context.WithCancel(context.Background())
	p := &pooledStripe{Service: service, policy: ratePolicy(key), pool: pool, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		if err := service.Run(background); err != nil && background.Err() == nil {
			logger.Error("the recovery of purchases with unknown outcome has stopped", "error", err)
		}
	}()
	return p, nil
}

// RatePolicy implements Seller.
func (p *pooledStripe) RatePolicy() string { return p.policy }

// Destruct implements caddy.Destructor. Running purchases and events finish first. Until then its sweeper runs beside
// that of another configuration, and they share the work.
func (p *pooledStripe) Destruct() error {
	return reload.CloseWhenUnused(&p.Uses, p.close, func(err error) {
		reload.CurrentLogger("turnpike.topup").Error("closing the top-ups of an earlier configuration", "error", err)
	})
}

func (p *pooledStripe) close() error {
	p.stop()
	<-p.done
	p.pool.Close()
	return nil
}

// Interface guards
var (
	_ Source             = (*Stripe)(nil)
	_ Seller             = (*pooledStripe)(nil)
	_ reload.User        = (*pooledStripe)(nil)
	_ caddy.CleanerUpper = (*Stripe)(nil)
)
