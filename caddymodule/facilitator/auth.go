package facilitator

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

func init() {
	caddy.RegisterModule(new(AuthCDP))
}

// Auth is a module in the namespace `turnpike.facilitator_auths`: it gives each request to a remote
// facilitator its own credentials.
type Auth interface {
	// Authorize sets the credentials in the request's header. It must be safe for concurrent use.
	Authorize(r *http.Request) error
	// Fingerprint returns a value that differs for different credentials and does not reveal them. Configurations share
	// a facilitator if it is the same.
	Fingerprint() string
}

// AuthCDP signs a token for each request with an API key of the Coinbase Developer Platform, as its facilitator
// requires: `https://api.cdp.coinbase.com/platform/v2/x402`. A token is valid for one method and address, and for two minutes.
type AuthCDP struct {
	// The key's id. Placeholders are replaced. Required.
	KeyID string `json:"key_id"`

	// The key's secret as the platform gives it: Ed25519 (base64) or ECDSA (PEM, with `\n` for line breaks if
	// necessary). Give it as a placeholder such as `{env.CDP_API_KEY_SECRET}`. Required.
	KeySecret string `json:"key_secret"`

	key         *remote.CDPKey
	fingerprint string
}

// CaddyModule returns the Caddy module information.
func (*AuthCDP) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.facilitator_auths.cdp",
		New: func() caddy.Module { return new(AuthCDP) },
	}
}

// Provision reads the key.
func (a *AuthCDP) Provision(caddy.Context) error {
	id, err := config.Resolve("auth cdp: key_id", a.KeyID)
	if err != nil {
		return err
	}
	secret, err := config.ResolveSecret("auth cdp: key_secret", a.KeySecret)
	if err != nil {
		return err
	}
	if a.key, err = remote.ParseCDPKey(id, secret, time.Now); err != nil {
		return fmt.Errorf("auth cdp: %w", err)
	}
	a.fingerprint = fmt.Sprintf("cdp %x", sha256.Sum256([]byte(id+"\n"+secret)))
	return nil
}

// Authorize implements Auth.
func (a *AuthCDP) Authorize(r *http.Request) error { return a.key.Authorize(r) }

// Fingerprint implements Auth.
func (a *AuthCDP) Fingerprint() string { return a.fingerprint }

// Interface guards
var (
	_ caddy.Provisioner = (*AuthCDP)(nil)
	_ Auth              = (*AuthCDP)(nil)
)
