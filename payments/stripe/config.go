package stripe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// DB is the part of a database that the service uses; its schema must be migrated. *pgxpool.Pool implements it.
type DB interface {
	db.DBTX
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Config configures a [Service].
type Config struct {
	// DB keeps purchases, customers, events and the ledger. Required.
	DB DB
	// SecretKey is Stripe's secret or restricted key: sk_test_…, sk_live_…, rk_test_… or rk_live_…. It also determines
	// whether payments are live. Required.
	SecretKey string
	// WebhookSecret verifies webhooks: whsec_…. Required.
	WebhookSecret string
	// APIBase is the address of Stripe's API. An address that is not Stripe's is accepted only with a test key.
	// Default: https://api.stripe.com.
	APIBase string
	// SetupReturnURL is where Stripe's page sends the browser, whether a card was saved or not. Required.
	SetupReturnURL string
	// PaymentReturnURL is the same for a payment that the card's owner had to confirm. Default: SetupReturnURL.
	PaymentReturnURL string
	// Packs are the packs on offer. Default: price.DefaultPacks().
	Packs price.Packs
	// Disabled refuses every new purchase with ErrUnavailable. Purchases that were begun are still completed.
	Disabled bool
	// AttemptEvery is the time between two attempts of a team. Default: 60 s.
	AttemptEvery time.Duration
	// AttemptsPerDay is how many purchases a team may attempt within 24 hours. Default: 20.
	AttemptsPerDay int
	// CentsPerDay is how much a team may spend within 24 hours; failed attempts do not count. Default: 1000.00 USD.
	CentsPerDay money.Cents
	// SweepEvery is how often [Service.Run] looks for purchases of unknown outcome. Default: 30 s.
	SweepEvery time.Duration
	// Ticks replaces the clock of Run, for tests. Default: a ticker of SweepEvery.
	Ticks <-chan time.Time
	// HTTPClient sends the requests to Stripe. Default: one with a timeout of 20 s.
	HTTPClient *http.Client
	// NoRetries disables the client's retries of requests that Stripe did not accept (with the same idempotency key).
	// Default: two retries within seconds.
	NoRetries bool
	// Now is the clock for purchases. Default: time.Now.
	Now func() time.Time
	// Logger logs what operators must know. Default: nothing is logged.
	Logger *slog.Logger
}

const (
	stripeAPI = "https://api.stripe.com"
	// currency is fixed: prices and the ledger's payments are in US cents (money.Cents).
	currency = "usd"
)

func (c Config) withDefaults() Config {
	if c.APIBase == "" {
		c.APIBase = stripeAPI
	}
	if c.PaymentReturnURL == "" {
		c.PaymentReturnURL = c.SetupReturnURL
	}
	if c.Packs == nil {
		c.Packs = price.DefaultPacks()
	}
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{Timeout: 20 * time.Second}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&c.AttemptEvery, time.Minute)
	setDefault(&c.AttemptsPerDay, 20)
	setDefault(&c.CentsPerDay, 1000_00)
	setDefault(&c.SweepEvery, 30*time.Second)
	return c
}

func setDefault[T ~int | ~int64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Validate reports all errors of the configuration.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	errs = append(errs, c.checkAccess())
	if !strings.HasPrefix(c.WebhookSecret, "whsec_") || c.WebhookSecret == "whsec_" {
		fault("webhook secret: want the signing secret of the endpoint in Stripe's dashboard: whsec_…")
	}
	errs = append(errs, c.Packs.Validate())
	for _, page := range []struct{ name, url string }{
		{"setup return url", c.SetupReturnURL}, {"payment return url", c.PaymentReturnURL},
	} {
		if u, err := url.Parse(page.url); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
			fault("%s: %q: want an http or https URL", page.name, page.url)
		}
	}
	for _, limit := range []struct {
		name string
		n    int64
	}{
		{"attempt every", int64(c.AttemptEvery)},
		{"attempts per day", int64(c.AttemptsPerDay)},
		{"cents per day", int64(c.CentsPerDay)},
		{"sweep every", int64(c.SweepEvery)},
	} {
		if limit.n < 0 {
			fault("%s: want a positive value, or 0 for the default", limit.name)
		}
	}
	return errors.Join(errs...)
}

// checkAccess reports all errors of what is needed to read purchases here and at Stripe.
func (c Config) checkAccess() error {
	var errs []error
	if c.DB == nil {
		errs = append(errs, errors.New("db: a database is required"))
	}
	if _, ok := LiveKey(c.SecretKey); !ok {
		errs = append(errs, errors.New("secret key: want a secret key of Stripe: sk_test_…, sk_live_…, rk_test_… or rk_live_…"))
	}
	return errors.Join(append(errs, c.checkAPIBase())...)
}

// checkAPIBase ensures that a live key is sent to Stripe only.
func (c Config) checkAPIBase() error {
	u, err := url.Parse(c.APIBase)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("api base: %q: want a URL such as %s", c.APIBase, stripeAPI)
	}
	host := u.Hostname()
	if u.Scheme == "https" && (host == "stripe.com" || strings.HasSuffix(host, ".stripe.com")) {
		return nil
	}
	if live, ok := LiveKey(c.SecretKey); ok && live {
		return fmt.Errorf("api base: %s is not Stripe's: a live key is sent only to Stripe (use a test key)", c.APIBase)
	}
	return nil
}

// LiveKey reports whether payments with the key are real, and whether it is a valid key.
func LiveKey(key string) (live, ok bool) {
	for _, kind := range []struct {
		prefix string
		live   bool
	}{{"sk_test_", false}, {"rk_test_", false}, {"sk_live_", true}, {"rk_live_", true}} {
		if strings.HasPrefix(key, kind.prefix) && len(key) > len(kind.prefix) {
			return kind.live, true
		}
	}
	return false, false
}
