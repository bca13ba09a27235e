package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(APIKey))
}

// APIKey finds the team of a request's key, from `Authorization: Bearer <key>`.
// A request without one is refused with 401, and a key that is there and not
// valid always is. The key itself is not handed on.
//
// It sets these placeholders:
//
// Placeholder | Description
// ------------|-------------
// `{http.turnpike.team_id}` | the team that the key speaks for
// `{http.turnpike.key_id}` | the key's public id
// `{http.auth.user.id}` | the team, which access logs then show as `user_id`
//
// From every request it removes `Turnpike-Identity` and the other headers that
// only the edge may send. `OPTIONS` is answered here (CORS preflight).
type APIKey struct {
	// Let requests without a key go on, to be paid for by an `x402` handler that
	// comes after. A `meter` in between needs `optional` too. Default: false.
	Optional bool `json:"optional,omitempty"`

	// Paths on which GET and HEAD need no key: they go on with an anonymous
	// identity. `meter` then lets pass what is free. Patterns are those of price
	// rules: `*` is one segment, a trailing `/*` any further ones. Default: none.
	Anonymous []string `json:"anonymous,omitempty"`

	// Paths that need no key, and are neither priced nor metered. Default: none.
	Public []string `json:"public,omitempty"`

	app       *App
	anonymous *price.Paths
	public    *price.Paths
	logger    *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*APIKey) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.api_key",
		New: func() caddy.Module { return new(APIKey) },
	}
}

// Provision sets up the handler.
func (k *APIKey) Provision(ctx caddy.Context) error {
	var err error
	if k.app, err = appOf(ctx); err != nil {
		return err
	}
	if k.anonymous, err = price.NewPaths(k.Anonymous...); err != nil {
		return fmt.Errorf("anonymous: %w", err)
	}
	if k.public, err = price.NewPaths(k.Public...); err != nil {
		return fmt.Errorf("public: %w", err)
	}
	k.logger = ctx.Logger()
	return nil
}

func (k *APIKey) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	defer k.app.begin()()
	stripHeaders(r.Header)
	if r.Method == http.MethodOptions {
		return preflight(w, r)
	}
	principal, err := bearer(k.app.ledger.Keys(), r)
	switch {
	case errors.Is(err, apikey.ErrInvalid):
		decisions.keyInvalid.Inc()
		return k.app.errs.write(w, r, refuseInvalidKey(err))
	case err != nil:
		k.logger.Error("looking up a key", zap.Error(err))
		decisions.overloaded.Inc()
		return k.app.errs.write(w, r, refuseOverloaded("Keys cannot be checked at the moment."))
	}
	method, u := sent(r)
	found := &access{principal: principal, public: k.public.Match(u.EscapedPath())}
	if principal == nil && !found.public {
		isRead := method == http.MethodGet || method == http.MethodHead
		found.anonymous = isRead && k.anonymous.Match(u.EscapedPath())
		if !found.anonymous && !k.Optional {
			decisions.keyMissing.Inc()
			return k.app.errs.write(w, r, refuseNoKey())
		}
	}
	caddyhttp.SetVar(r.Context(), accessVar, found)
	if principal != nil {
		delete(r.Header, "Authorization")
		setPlaceholders(r, principal)
	}
	return next.ServeHTTP(w, r)
}

// bearer returns the principal of the key that r carries, nil if it carries
// none, and ErrInvalid for anything else that stands in Authorization.
func bearer(keys apikey.Resolver, r *http.Request) (*apikey.Principal, error) {
	values := r.Header["Authorization"]
	switch len(values) {
	case 0:
		return nil, nil //nolint:nilnil // no key
	case 1:
	default:
		return nil, &apikey.MalformedError{Reason: fmt.Sprintf("the request carries %d Authorization headers", len(values))}
	}
	scheme, key, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return nil, &apikey.MalformedError{Reason: "Authorization has no key by the scheme Bearer"}
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
	_ caddy.Provisioner           = (*APIKey)(nil)
	_ caddyhttp.MiddlewareHandler = (*APIKey)(nil)
)
