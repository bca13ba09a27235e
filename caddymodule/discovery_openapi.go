package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/payments/follow"
	"github.com/turnpike-edge/turnpike/payments/openapi"
)

const (
	openAPIPath           = "/openapi.json"
	openAPIRefreshDefault = caddy.Duration(5 * time.Minute)
)

// OpenAPISource says where the upstream describes its API, in OpenAPI 3. The edge refreshes the description in the
// background. As long as there is none, routes are listed without it.
type OpenAPISource struct {
	// The address of the upstream, or of the document itself (JSON, at most 4 MiB). Without a path, the document is at
	// `/openapi.json`. Default: the app's `upstream`.
	URL string `json:"url,omitempty"`

	// How often to look for changes. Default: 5m.
	Refresh caddy.Duration `json:"refresh,omitempty"`

	document *follow.Document[openapi.Document]
	poolKey  string
}

// provision starts to fetch the document, or continues with that of another configuration or handler.
func (s *OpenAPISource) provision(app *App) error {
	if s.URL == "" {
		s.URL = app.Upstream
	}
	address, err := documentURL("openapi", s.URL, openAPIPath)
	if err != nil {
		return err
	}
	if s.Refresh < 0 {
		return fmt.Errorf("openapi refresh: got %s, want more than 0", time.Duration(s.Refresh))
	}
	if s.Refresh == 0 {
		s.Refresh = openAPIRefreshDefault
	}
	key := fmt.Sprintf("OpenAPI document %s every %s", address, time.Duration(s.Refresh))
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) {
		return followOpenAPI(address, time.Duration(s.Refresh)), nil
	})
	if err != nil {
		return err
	}
	pooled, ok := shared.(*pooledOpenAPI)
	if !ok {
		return fmt.Errorf("pool holds a %T as OpenAPI document", shared)
	}
	s.document, s.poolKey = pooled.Document, key
	return nil
}

func (s *OpenAPISource) cleanup() error {
	if s.poolKey == "" {
		return nil
	}
	_, err := reload.Pool.Delete(s.poolKey)
	return err
}

type pooledOpenAPI struct {
	*follow.Document[openapi.Document]

	client *http.Client
}

func followOpenAPI(address string, refresh time.Duration) *pooledOpenAPI {
	client := upstreamClient(1)
	return &pooledOpenAPI{client: client, Document: follow.Start(follow.Config[openapi.Document]{
		What: "OpenAPI document", URL: address, Accept: "application/json, application/openapi+json", Refresh: refresh,
		BytesMax: openapi.BytesMax, Parse: openapi.Parse, Client: client, Logger: reload.CurrentLogger("turnpike.discovery"),
	})}
}

// Destruct implements caddy.Destructor.
func (p *pooledOpenAPI) Destruct() error {
	p.Close()
	p.client.CloseIdleConnections()
	return nil
}

// upstreamClient returns a client for the documents that an upstream publishes. It uses no proxy from the environment,
// and follows no redirects.
func upstreamClient(connsIdle int) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: connsIdle, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// documentURL completes the address of an upstream to that of a document on it.
func documentURL(what, address, path string) (string, error) {
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
