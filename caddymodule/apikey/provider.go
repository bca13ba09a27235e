package apikey

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/caddyauth"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/apikey"
)

func init() {
	caddy.RegisterModule(new(Provider))
}

// Provider is an authentication provider for sites that need only the key check. It does not meter. The user's id is the
// team, `{http.auth.user.key_id}` is the key's public id, and `{http.auth.user.scopes}` are its scopes, separated by
// commas, for the site to check. In a Caddyfile it is the directive `turnpike_key`.
type Provider struct {
	app app
}

// CaddyModule returns the Caddy module information.
func (*Provider) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.authentication.providers.turnpike_key",
		New: func() caddy.Module { return new(Provider) },
	}
}

// Provision sets up the provider.
func (k *Provider) Provision(ctx caddy.Context) error {
	var err error
	k.app, err = handler.AppOf[app](ctx)
	return err
}

// Authenticate implements caddyauth.Authenticator.
func (k *Provider) Authenticate(w http.ResponseWriter, r *http.Request) (caddyauth.User, bool, error) {
	request.Clean(r)
	principal, err := bearer(k.app.Keys(), r)
	switch {
	case err != nil && !errors.Is(err, apikey.ErrInvalid):
		return caddyauth.User{}, false, fmt.Errorf("looking up a key: %w", err)
	case principal == nil:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return caddyauth.User{}, false, nil
	}
	return caddyauth.User{ID: principal.TeamID, Metadata: map[string]string{"key_id": principal.KeyID, "scopes": principal.Scopes.String()}}, true, nil
}

// Interface guards
var (
	_ caddy.Provisioner       = (*Provider)(nil)
	_ caddyauth.Authenticator = (*Provider)(nil)
)
