package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

const (
	// Path is the path below which all pages are.
	Path = "/console"

	// formBytesMax is the largest form: a query, a schema, and names.
	formBytesMax = 64 << 10
	formTimeout  = 30 * time.Second

	// attemptsPerMinute is how often per minute one address, and one key, may try to sign in. A key has 256 random bits
	// and cannot be guessed; the limit protects the API, which checks each attempt.
	attemptsPerMinute = 10
	attemptersMax     = 1 << 14

	// callsMax is how many requests to the API may be in progress at once, for all users together.
	callsMax = 64
)

// Config configures a [Console].
type Config struct {
	// PublicURL is the URL at which browsers reach the console, through the edge: "https://api.example.com". Required.
	PublicURL string
	// APIURL is the URL at which the console reaches the API, through an edge. Default: PublicURL.
	APIURL string
	// Secret encrypts sessions. All backends behind one address need the same. At least [SecretBytesMin] bytes. Required.
	Secret []byte
	// Client returns the client's address if a trusted proxy states it, else "". Then the address of the connection is
	// used. Nil: no proxy states it.
	Client func(r *http.Request) string
	// Timeout is how long a page waits for the API. Default: 10 s.
	Timeout time.Duration

	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	config   Config
	api      *apiClient
	vault    *vault
	pages    *pageSet
	attempts *ratelimit.Limiter[string]
	attempt  *ratelimit.Rule
	handler  http.Handler
}

// New returns a console. The error names all faults of config.
func New(config Config) (*Console, error) {
	if config.APIURL == "" {
		config.APIURL = config.PublicURL
	}
	if config.Timeout == 0 {
		config.Timeout = callTimeout
	}
	public, publicErr := webURL("PublicURL", config.PublicURL)
	base, baseErr := webURL("APIURL", config.APIURL)
	errs := []error{publicErr, baseErr}
	if config.Logger == nil {
		errs = append(errs, errors.New("Logger is required"))
	}
	if config.Now == nil {
		config.Now = time.Now // a placeholder, so that all faults are found
		errs = append(errs, errors.New("Now is required"))
	}
	vault, err := newVault(config.Secret, public != nil && public.Scheme == "https", config.Now)
	pages, pagesErr := newPageSet()
	if err := errors.Join(append(errs, err, pagesErr)...); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c := &Console{
		config: config, vault: vault, pages: pages, api: newAPIClient(base, public),
		attempts: ratelimit.New[string](ratelimit.Config{KeysMax: attemptersMax, Now: config.Now}),
	}
	if c.attempt, err = c.attempts.Rule("sign-in", ratelimit.Limit{Events: attemptsPerMinute, Window: time.Minute}, attemptersMax); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c.handler = c.guarded(public.Scheme+"://"+public.Host, c.routes())
	return c, nil
}

func webURL(name, text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%s: got %q, want a URL such as https://api.example.com", name, text)
	}
	return u, nil
}

// newAPIClient returns a client of the edge at base, whose own name is public. It follows no redirects, so that a key is
// sent nowhere else.
func newAPIClient(base, public *url.URL) *apiClient {
	transport := &http.Transport{
		MaxConnsPerHost: callsMax, MaxIdleConnsPerHost: callsMax, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: callTimeout, MaxResponseHeaderBytes: 64 << 10,
	}
	if base.Host != public.Host {
		transport.TLSClientConfig = tlsFor(public.Hostname())
	}
	return &apiClient{
		base: base.String(), host: public.Host,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// ServeHTTP implements http.Handler for all paths at and below [Path].
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// routes are all routes. Those that require a session use [Console.signed].
func (c *Console) routes() *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(*visit) error) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(method+" "+Path+path, c.visited(h))
	}
	handle("GET /sign-in", c.showSignIn)
	handle("POST /sign-in", c.signIn)
	handle("POST /sign-out", c.signOut)
	handle("GET /style.css", c.asset("text/css; charset=utf-8", c.pages.style))
	handle("GET /script.js", c.asset("text/javascript; charset=utf-8", c.pages.script))
	for pattern, h := range map[string]func(*visit) error{
		"GET ":                              c.overview,
		"GET /credits":                      c.credits,
		"GET /top-up":                       c.confirmTopUp,
		"POST /top-up":                      c.topUp,
		"POST /card":                        c.saveCard,
		"GET /keys":                         c.keys,
		"POST /keys":                        c.createKey,
		"GET /keys/{id}/revoke":             c.confirmRevoke,
		"POST /keys/{id}/revoke":            c.revokeKey,
		"GET /jobs":                         c.jobs,
		"GET /find":                         c.find,
		"GET /batches/{id}":                 c.batch,
		"POST /batches/{id}/cancel":         c.cancelBatch,
		"GET /crawls/{id}":                  c.crawl,
		"POST /crawls/{id}/cancel":          c.cancelCrawl,
		"GET /scrapes/{id}":                 c.result("/v1/scrapes/"),
		"GET /searches/{id}":                c.result("/v1/searches/"),
		"GET /answers/{id}":                 c.result("/v1/answers/"),
		"GET /maps/{id}":                    c.result("/v1/maps/"),
		"GET /monitors":                     c.monitors,
		"GET /monitors/new":                 c.newMonitor,
		"POST /monitors":                    c.createMonitor,
		"GET /monitors/{id}":                c.monitor,
		"POST /monitors/{id}/pause":         c.act("/pause", "paused"),
		"POST /monitors/{id}/resume":        c.act("/resume", "resumed"),
		"POST /monitors/{id}/run":           c.act("/run", "run"),
		"GET /monitors/{id}/delete":         c.confirmDelete,
		"POST /monitors/{id}/delete":        c.deleteMonitor,
		"GET /monitors/{id}/events/{event}": c.monitorEvent,
		"GET /monitors/{id}/runs/{run}":     c.monitorRun,
		"GET /schedules":                    c.schedules,
	} {
		handle(pattern, c.signed(h))
	}
	mux.Handle(Path+"/", c.visited(func(*visit) error { return errNoPage }))
	return mux
}

// guarded sets the security headers of every response, and accepts forms only from the console's own pages.
func (c *Console) guarded(origin string, next http.Handler) http.Handler {
	const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(c.visited(func(*visit) error { return errForeignForm }))
	own := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "same-origin") // makes browsers send the Origin of the console's own forms
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		// Without this header, an edge lets all origins read the response.
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, formBytesMax)
		own.ServeHTTP(w, r)
	})
}

// visit is one request for a page.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	session session // of the signed-in user
	console *Console
}

// visited shows errors as a page.
func (c *Console) visited(h func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r, console: c}
		if err := h(v); err != nil {
			v.fail(err)
		}
	})
}

// signed runs h if there is a session, else the user signs in first. A refused key ends the session.
func (c *Console) signed(h func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		var err error
		if v.session, err = c.vault.of(v.r); err != nil {
			return v.toSignIn("")
		}
		err = h(v)
		if no, ok := errors.AsType[*Refusal](err); ok && no.Status == http.StatusUnauthorized {
			c.vault.end(v.w)
			return v.toSignIn("refused")
		}
		return err
	}
}

// toSignIn redirects to the sign-in form, which leads back to the requested page.
func (v *visit) toSignIn(why string) error {
	query := url.Values{}
	if why != "" {
		query.Set("why", why)
	} else if _, err := v.r.Cookie(v.console.vault.name()); err == nil {
		query.Set("why", "over")
	}
	if v.r.Method == http.MethodGet && v.r.URL.Path != Path {
		query.Set("next", v.r.URL.RequestURI())
	}
	target := Path + "/sign-in"
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return v.to(target)
}

// to redirects to a page of the console.
func (v *visit) to(target string) error {
	http.Redirect(v.w, v.r, target, http.StatusSeeOther)
	return nil
}

// call calls the API with the session's key.
func (v *visit) call(c call, out any) (int, error) {
	timeout := v.console.config.Timeout
	if c.method == http.MethodPost {
		timeout = max(timeout, spendTimeout)
	}
	return v.callAs(v.session.key, timeout, c, out)
}

func (v *visit) callAs(key string, timeout time.Duration, c call, out any) (int, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), timeout)
	defer cancel()
	return v.console.api.do(ctx, key, c, out)
}

// get reads one resource.
func (v *visit) get(path string, query url.Values, out any) error {
	_, err := v.call(call{method: http.MethodGet, path: path, query: query}, out)
	return err
}

// form parses the submitted form, once.
func (v *visit) form() (url.Values, error) {
	// A slow form costs a connection, so it has a deadline. Servers that cannot set one have limits of their own.
	_ = http.NewResponseController(v.w).SetReadDeadline(time.Now().Add(formTimeout))
	if err := v.r.ParseForm(); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, errFormTooLarge
		}
		return nil, errForm
	}
	return v.r.PostForm, nil //nolint:forbidigo // the form that ParseForm read, not a function that posts
}

// asset serves a file that browsers cache for long: pages refer to it with its version.
func (c *Console) asset(mediaType string, file asset) func(*visit) error {
	return func(v *visit) error {
		v.w.Header().Set("Content-Type", mediaType)
		v.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = v.w.Write(file.content)
		return nil
	}
}

// asset is a style sheet or script, and its URL in pages.
type asset struct {
	content []byte
	address string
}

func newAsset(name string, content []byte) asset {
	sum := sha256.Sum256(content)
	return asset{content: content, address: Path + "/" + name + "?v=" + hex.EncodeToString(sum[:8])}
}
