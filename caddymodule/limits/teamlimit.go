package limits

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

func init() {
	caddy.RegisterModule(new(TeamLimit))
}

// TeamLimit limits how many requests a team makes, by classes of requests, and how many it has in flight at once. It
// comes after `api_key`, which finds the team, and before `meter` and `x402`: a request that it refuses (429
// `rate_limit_exceeded` with `Retry-After`) is neither charged nor recorded.
//
// Requests without a key, also those that pay by x402, count for the client's address: the one that Caddy determines, with
// `trusted_proxies` if configured. Of an IPv6 address the first 64 bits count, because a subscriber has all addresses below.
//
// Every response states the limits and what is left of them, in `RateLimit-Policy` and `RateLimit`. The handler answers
// `OPTIONS` itself (CORS preflight).
//
// Each edge counts for itself: with n edges a team can have up to n times its limits. The counts outlive a reload, and
// all `team_limit` handlers share them: a class is identified by its name.
type TeamLimit struct {
	// The classes of requests. The first one that matches a request's method and path applies. Default: none.
	Classes []Class `json:"classes,omitempty"`

	// The limit of requests that are in no class; its name is `default`. Default: 600 in a minute.
	Default *RequestRate `json:"default,omitempty"`

	// One limit for all requests without a key, instead of those of the classes; its name is `keyless`. Default: none;
	// then requests without a key have the limits of the classes, for each address.
	Keyless *RequestRate `json:"keyless,omitempty"`

	// How many requests of all classes a team, or an address, may have in flight at once. Default: 64.
	InFlight int64 `json:"in_flight,omitempty"`

	app     handler.App
	state   *limitState
	classes []limitClass
	others  limitClass
	keyless *limitClass
}

// Class is a class of requests with its limit.
type Class struct {
	// The name, as clients and metrics see it: a to z, 0 to 9, `-` and `_`. Required.
	Name string `json:"name"`

	// The HTTP methods; GET includes HEAD. Default: any.
	Methods []string `json:"methods,omitempty"`

	// The paths, as the client sends them. Patterns are those of price rules: `*` is one segment, a trailing `/*` any
	// further ones. Required.
	Paths []string `json:"paths"`

	RequestRate
}

// RequestRate is a number of requests in a time.
type RequestRate struct {
	// How many requests. Required.
	Events int64 `json:"events"`

	// The time in which they may come, in whole seconds. Required.
	Window caddy.Duration `json:"window"`

	// How many may come at once after a pause. Default: as many as `events`.
	Burst int64 `json:"burst,omitempty"`
}

const (
	inFlightDefault = 64
	classDefault    = "default"
	classKeyless    = "keyless"
)

// rateDefault is the limit of requests that are in no class.
var rateDefault = RequestRate{Events: 600, Window: caddy.Duration(time.Minute)}

func (r RequestRate) limit() ratelimit.Limit {
	return ratelimit.Limit{Events: r.Events, Window: time.Duration(r.Window), Burst: r.Burst}
}

// CaddyModule returns the Caddy module information.
func (*TeamLimit) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.team_limit",
		New: func() caddy.Module { return new(TeamLimit) },
	}
}

// Provision sets up the handler.
func (t *TeamLimit) Provision(ctx caddy.Context) error {
	var err error
	if t.app, err = handler.AppOf[handler.App](ctx); err != nil {
		return err
	}
	if t.InFlight == 0 {
		t.InFlight = inFlightDefault
	}
	if t.Default == nil {
		t.Default = &rateDefault
	}
	if t.state, err = openLimitState(); err != nil {
		return err
	}
	return t.compile()
}

func (t *TeamLimit) compile() error {
	names := map[string]bool{classDefault: true, classKeyless: true}
	for _, c := range t.Classes {
		if names[c.Name] {
			return fmt.Errorf("class %s appears more than once, or has the name of a built-in class", c.Name)
		}
		names[c.Name] = true
		class, err := t.class(c)
		if err != nil {
			return err
		}
		t.classes = append(t.classes, class)
	}
	var err error
	if t.others, err = t.class(Class{Name: classDefault, RequestRate: *t.Default}); err != nil {
		return err
	}
	if t.Keyless != nil {
		keyless, err := t.class(Class{Name: classKeyless, RequestRate: *t.Keyless})
		if err != nil {
			return err
		}
		t.keyless = &keyless
	}
	return nil
}

// Cleanup releases the counts. Caddy also calls it when Provision failed half-way.
func (t *TeamLimit) Cleanup() error {
	if t.state == nil {
		return nil
	}
	return t.state.release()
}

const (
	headerPolicy = "Ratelimit-Policy" // the canonical form of http.Header
	headerState  = "Ratelimit"
)

func (t *TeamLimit) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	request.Clean(r)
	if r.Method == http.MethodOptions {
		return response.Preflight(w, r)
	}
	class := t.classOf(r)
	decision, rule, who := t.take(class, r)
	defer decision.Release()
	h := w.Header()
	h[headerPolicy] = rule.policy
	h[headerState] = []string{rule.State(&decision)}
	switch decision.Outcome {
	case ratelimit.Allowed:
		return next.ServeHTTP(w, r)
	case ratelimit.RateExceeded:
		rule.exceeded.Inc()
	case ratelimit.Busy:
		rule.busy.Inc()
	}
	return t.app.Refuse(w, r, refuseLimited(who, rule.Rule, &decision))
}

// take counts one request for its team or address.
func (t *TeamLimit) take(class *limitClass, r *http.Request) (ratelimit.Decision, *limitRule, string) {
	if found := request.AccessOf(r); found != nil && found.Principal != nil {
		return t.state.teams.Take(found.Principal.TeamID, class.team.Rule), &class.team, "team"
	}
	if t.keyless != nil {
		class = t.keyless
	}
	return t.state.addresses.Take(subscriber(r), class.address.Rule), &class.address, "address"
}

func (t *TeamLimit) classOf(r *http.Request) *limitClass {
	method, u := request.Sent(r)
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := u.EscapedPath()
	for i := range t.classes {
		c := &t.classes[i]
		if (len(c.methods) == 0 || slices.Contains(c.methods, method)) && c.paths.Match(path) {
			return c
		}
	}
	return &t.others
}

// limitClass is a compiled class.
type limitClass struct {
	methods       []string
	paths         *price.Paths
	team, address limitRule
}

// limitRule is a class's rule for teams or for addresses, with its header value and metrics.
type limitRule struct {
	*ratelimit.Rule

	policy         []string // shared by responses, never modified
	exceeded, busy prometheus.Counter
}

func (t *TeamLimit) class(c Class) (limitClass, error) {
	paths, err := price.NewPaths(c.Paths...)
	if err != nil {
		return limitClass{}, fmt.Errorf("class %s: %w", c.Name, err)
	}
	team, err := t.state.teams.Rule(c.Name, c.limit(), t.InFlight)
	if err != nil {
		return limitClass{}, err
	}
	address, err := t.state.addresses.Rule(c.Name, c.limit(), t.InFlight)
	if err != nil {
		return limitClass{}, err
	}
	return limitClass{methods: c.Methods, paths: paths, team: newLimitRule(team), address: newLimitRule(address)}, nil
}

func newLimitRule(r *ratelimit.Rule) limitRule {
	return limitRule{
		Rule: r, policy: []string{r.Policy()},
		exceeded: metrics.LimitedTotal.WithLabelValues(r.Name(), "rate"), busy: metrics.LimitedTotal.WithLabelValues(r.Name(), "in_flight"),
	}
}

// refuseLimited names the limit that a team, or an address, has reached.
func refuseLimited(who string, rule *ratelimit.Rule, d *ratelimit.Decision) *response.Refusal {
	wait := d.RetryAfter()
	no := &response.Refusal{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Slug: "too_many_requests", RetryAfter: wait,
		Metadata: map[string]any{"policy": rule.Name(), "retry_after": int64(wait.Seconds())},
	}
	if d.Outcome == ratelimit.Busy {
		no.Metadata["policy"] = ratelimit.InFlight
		no.Detail = fmt.Sprintf("This %s has reached its limit of %d concurrent requests: try again when one has finished. Nothing was charged.",
			who, rule.InFlightMax())
		return no
	}
	limit := rule.Limit()
	no.Detail = fmt.Sprintf("This %s has reached its limit of %d requests of the class %s in %d s: try again in %d s. Nothing was charged.",
		who, limit.Events, rule.Name(), int64(limit.Window.Seconds()), int64(wait.Seconds()))
	return no
}

// Interface guards
var (
	_ caddy.Provisioner           = (*TeamLimit)(nil)
	_ caddy.CleanerUpper          = (*TeamLimit)(nil)
	_ caddyhttp.MiddlewareHandler = (*TeamLimit)(nil)
)
