package apikey

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler finds the team of a request's key, from `Authorization: Bearer <key>`. It refuses a request without a key with
// 401, unless a setting allows it, and one with an invalid key always. The key is not passed on to the upstream.
//
// It sets these placeholders:
//
// Placeholder | Description
// ------------|-------------
// `{http.turnpike.team_id}` | the team that the key speaks for
// `{http.turnpike.key_id}` | the key's public id
// `{http.auth.user.id}` | the team, which access logs then show as `user_id`
//
// A key needs the scope `read` for GET and HEAD, and `write` for other methods; on the paths in `scopes` it needs the
// scope given there instead. Without it the response is 403. Public paths need no scope.
//
// It removes `Turnpike-Identity` and the other headers that only the edge may send from every request. It answers
// `OPTIONS` itself (CORS preflight).
type Handler struct {
	// Let requests without a key pass, for an `x402` handler that follows to charge. A `meter` in between needs
	// `optional` too. Default: false.
	Optional bool `json:"optional,omitempty"`

	// Paths on which GET and HEAD need no key: the request gets an anonymous identity, and `meter` lets it pass if it
	// is free. Patterns are those of price rules: `*` is one segment, a trailing `/*` any further ones. Default: none.
	Anonymous []string `json:"anonymous,omitempty"`

	// Paths that need no key and are neither priced nor metered. Default: none.
	Public []string `json:"public,omitempty"`

	// Paths that need another scope than that of their method. The first match applies. Default: none.
	Scopes []ScopePaths `json:"scopes,omitempty"`

	app       app
	anonymous *price.Paths
	public    *price.Paths
	scopes    []scopeRule
	logger    *zap.Logger
}

// ScopePaths lists the paths that need a scope.
type ScopePaths struct {
	// The scope: `read`, `write` or `billing`. Required.
	Scope string `json:"scope"`
	// The paths, as patterns like those of `anonymous`. They also match every form that could be read as such a path:
	// another case, doubled slashes, an encoding. Required.
	Paths []string `json:"paths"`
}

type scopeRule struct {
	scope apikey.Scopes
	paths *price.Paths
}

// app is what the modules of this package need of the app.
type app interface {
	handler.App
	// Begin counts a request that uses the app's ledger, until end is called.
	Begin() (end func())
	// Keys returns the resolver from keys to principals.
	Keys() apikey.Resolver
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.api_key",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler.
func (k *Handler) Provision(ctx caddy.Context) error {
	var err error
	if k.app, err = handler.AppOf[app](ctx); err != nil {
		return err
	}
	if k.anonymous, err = price.NewPaths(k.Anonymous...); err != nil {
		return fmt.Errorf("anonymous: %w", err)
	}
	if k.public, err = price.NewPaths(k.Public...); err != nil {
		return fmt.Errorf("public: %w", err)
	}
	for _, s := range k.Scopes {
		rule, err := s.compile()
		if err != nil {
			return err
		}
		k.scopes = append(k.scopes, rule)
	}
	k.logger = ctx.Logger()
	return nil
}

func (k *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	defer k.app.Begin()()
	request.Clean(r)
	if r.Method == http.MethodOptions {
		return response.Preflight(w, r)
	}
	principal, err := bearer(k.app.Keys(), r)
	switch {
	case errors.Is(err, apikey.ErrInvalid):
		metrics.Decisions.KeyInvalid.Inc()
		return k.app.Refuse(w, r, response.RefuseInvalidKey(err))
	case err != nil:
		k.logger.Error("looking up a key", zap.Error(err))
		metrics.Decisions.Overloaded.Inc()
		return k.app.Refuse(w, r, response.RefuseOverloaded("API keys cannot be verified at the moment."))
	}
	method, u := request.Sent(r)
	path := u.EscapedPath()
	found := &request.Access{Principal: principal, Public: k.public.Match(path)}
	if principal != nil && !found.Public {
		if needed := k.needed(method, path); !principal.Scopes.Has(needed) {
			metrics.Decisions.ScopeMissing.Inc()
			return k.app.Refuse(w, r, response.RefuseScope(needed))
		}
	}
	if principal == nil && !found.Public {
		found.Anonymous = isRead(method) && k.anonymous.Match(path)
		if !found.Anonymous && !k.Optional {
			metrics.Decisions.KeyMissing.Inc()
			return k.app.Refuse(w, r, response.RefuseNoKey())
		}
	}
	caddyhttp.SetVar(r.Context(), request.AccessVar, found)
	if principal != nil {
		delete(r.Header, "Authorization")
		setPlaceholders(r, principal)
	}
	return next.ServeHTTP(w, r)
}

// needed returns the scope that a request needs.
func (k *Handler) needed(method, escapedPath string) apikey.Scopes {
	for i := range k.scopes {
		if rule := &k.scopes[i]; rule.paths.MatchAny(escapedPath) {
			return rule.scope
		}
	}
	if isRead(method) {
		return apikey.ScopeRead
	}
	return apikey.ScopeWrite
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (s *ScopePaths) compile() (scopeRule, error) {
	scope, err := apikey.ParseScopes([]string{s.Scope})
	if err != nil {
		return scopeRule{}, fmt.Errorf("scope: %w", err)
	}
	if len(s.Paths) == 0 {
		return scopeRule{}, fmt.Errorf("scope %s: at least one path is required", s.Scope)
	}
	paths, err := price.NewPaths(s.Paths...)
	if err != nil {
		return scopeRule{}, fmt.Errorf("scope %s: %w", s.Scope, err)
	}
	return scopeRule{scope: scope, paths: paths}, nil
}

// bearer returns the principal of the request's key, nil without a key, and ErrInvalid for any other Authorization header.
func bearer(keys apikey.Resolver, r *http.Request) (*apikey.Principal, error) {
	values := r.Header["Authorization"]
	switch len(values) {
	case 0:
		return nil, nil //nolint:nilnil // no key
	case 1:
	default:
		return nil, &apikey.MalformedError{Reason: fmt.Sprintf("the request has %d Authorization headers", len(values))}
	}
	scheme, key, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return nil, &apikey.MalformedError{Reason: "the Authorization header does not use the scheme Bearer"}
	}
	return keys.Resolve(r.Context(), strings.TrimSpace(key))
}

func setPlaceholders(r *http.Request, p *apikey.Principal) {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	repl.Map(func(name string) (any, bool) {
		switch name {
		case "http.turnpike.team_id", "http.auth.user.id":
			return p.TeamID, true
		case "http.turnpike.key_id":
			return p.KeyID, true
		}
		return nil, false
	})
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
