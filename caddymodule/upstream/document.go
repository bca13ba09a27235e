package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

// NewClient returns a client for the documents that an upstream publishes. It uses no proxy from the environment,
// and follows no redirects.
func NewClient(connsIdle int) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: connsIdle, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// DocumentURL completes the address of an upstream to that of a document on it.
func DocumentURL(what, address, path string) (string, error) {
	address = strings.TrimSpace(caddy.NewReplacer().ReplaceKnown(address, ""))
	if address == "" {
		return "", errors.New(what + ": its address is missing: set it here, or with `upstream` in the global option `turnpike`")
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("%s: %q is not an address, want one such as http://127.0.0.1:8701", what, address)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = path
	}
	return u.String(), nil
}

// ParseDocument parses where to find a document, and how often to look. See prices.parsePrice for the syntax.
func ParseDocument(d *caddyfile.Dispenser, args []string, address *string, refresh *caddy.Duration) error {
	if len(args) > 1 {
		return d.ArgErr()
	}
	*address = strings.Join(args, "")
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "refresh":
			return config.ParseDuration(d, refresh)
		default:
			return config.Unrecognized(d)
		}
	})
}
