package turnpike

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Version is the version of this module. It is that of the API.
const Version = "0.1.0"

// Config is the configuration of a [Client].
type Config struct {
	// BaseURL is the service's base URL, such as https://api.example.com. Required.
	BaseURL string
	// Key is the API key whose credits pay. Either it or Wallet is required.
	Key string
	// Wallet pays for each call in USDC, by x402.
	Wallet *Wallet
	// HTTPClient sends the requests. Default: one that waits at most 5 minutes for a response.
	HTTPClient *http.Client
	// MaxRetries is how often a request is repeated after a failure that may pass. Repetitions are never charged twice.
	// Default: 3; less than 0: none. Waiting for a rate limit does not count, for up to two minutes.
	MaxRetries int
	// UserAgent is put before the SDK's own name in the header User-Agent. Default: none.
	UserAgent string
}

const (
	defaultTimeout = 5 * time.Minute
	defaultRetries = 3
)

// Client calls a Turnpike service. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base string
	http *http.Client
	wait func(time.Duration) <-chan time.Time // time.After, but in tests
}

// New returns a client, or all errors in its configuration.
func New(cfg Config) (*Client, error) {
	var errs []error
	if u, err := url.Parse(cfg.BaseURL); err != nil || u.Host == "" || u.RawQuery != "" || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("base URL %q: want the service's base URL, such as https://api.example.com", cfg.BaseURL))
	}
	if (cfg.Key == "") == (cfg.Wallet == nil) {
		errs = append(errs, errors.New("want either a key or a wallet"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("turnpike client: %w", err)
	}
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = &http.Client{Timeout: defaultTimeout}
	}
	if cfg.MaxRetries == 0 {
		cfg.MaxRetries = defaultRetries
	}
	c := &Client{cfg: cfg, base: strings.TrimSuffix(cfg.BaseURL, "/"), wait: time.After}
	hc := *cfg.HTTPClient
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { // a redirect could carry a payment to another host
		return http.ErrUseLastResponse
	}
	c.http = &hc
	return c, nil
}

// Ptr returns a pointer to a value, for optional fields: turnpike.Ptr(false).
func Ptr[T any](value T) *T { return &value }

// Option changes one call.
type Option func(*options)

type options struct {
	key    string
	report *Call
}

// IdempotencyKey makes calls with the same key and the same content run once and be paid for once, for 24 hours. Without
// it, a call has a new key, which its own repetitions share.
func IdempotencyKey(key string) Option { return func(o *options) { o.key = key } }

// Report writes what a call cost into call, also if it fails.
func Report(call *Call) Option { return func(o *options) { o.report = call } }

// Call says what one call did, and what it cost.
type Call struct {
	// RequestID names the last request in the service's logs.
	RequestID string
	// Status is that of the last response; 0 if there was none.
	Status int
	// Requests is how many requests were sent.
	Requests int
	// IdempotencyKey is the key of the call, or empty.
	IdempotencyKey string
	// Replayed is whether the response was made for an earlier request with the same key.
	Replayed bool
	// Credits is what was charged; 0 for a crawl or batch, whose pages are charged one by one.
	Credits int64
	// CreditsRemaining is what the team has left; 0 for wallets.
	CreditsRemaining int64
	// USDC is what the wallet paid, and Transaction the payment's on the chain.
	USDC        USDC
	Transaction string
}
