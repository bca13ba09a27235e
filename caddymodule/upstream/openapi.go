package upstream

import (
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/payments/follow"
	"github.com/turnpike-edge/turnpike/payments/openapi"
)

const (
	openAPIPath           = "/openapi.json"
	openAPIRefreshDefault = caddy.Duration(5 * time.Minute)
)

// OpenAPI says where the upstream describes its API, in OpenAPI 3. The edge refreshes the description in the
// background. As long as there is none, routes are listed without it.
type OpenAPI struct {
	// The address of the upstream, or of the document itself (JSON or YAML, at most 4 MiB). Without a path, the document is at
	// `/openapi.json`. Default: the app's `upstream`.
	URL string `json:"url,omitempty"`

	// How often to look for changes. Default: 5m.
	Refresh caddy.Duration `json:"refresh,omitempty"`

	document *follow.Document[openapi.Document]
	poolKey  string
}

// Open starts to fetch the document, by default from the upstream at fallback, or continues with that of another configuration or handler.
func (s *OpenAPI) Open(fallback string) error {
	if s.URL == "" {
		s.URL = fallback
	}
	address, err := DocumentURL("openapi", s.URL, openAPIPath)
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

// Close stops the use of the document.
func (s *OpenAPI) Close() error {
	if s.poolKey == "" {
		return nil
	}
	_, err := reload.Pool.Delete(s.poolKey)
	return err
}

// Last returns the last description, or nil if there is none.
func (s *OpenAPI) Last() *openapi.Document {
	if s == nil {
		return nil
	}
	return s.document.Last()
}

// Looked returns a channel that is closed after the first fetch, successful or not.
func (s *OpenAPI) Looked() <-chan struct{} { return s.document.Looked() }

// ParseOpenAPI parses the subdirective openapi of x402.
func ParseOpenAPI(d *caddyfile.Dispenser, to **OpenAPI) error {
	if *to != nil {
		return d.Err("openapi appears more than once")
	}
	*to = new(OpenAPI)
	return ParseDocument(d, d.RemainingArgs(), &(*to).URL, &(*to).Refresh)
}

type pooledOpenAPI struct {
	*follow.Document[openapi.Document]

	client *http.Client
}

func followOpenAPI(address string, refresh time.Duration) *pooledOpenAPI {
	client := NewClient(1)
	return &pooledOpenAPI{client: client, Document: follow.Start(follow.Config[openapi.Document]{
		What: "OpenAPI document", URL: address, Accept: "application/openapi+json, application/json, application/openapi+yaml, application/yaml", Refresh: refresh,
		BytesMax: openapi.BytesMax, Parse: openapi.Parse, Client: client, Logger: reload.CurrentLogger("turnpike.discovery"),
	})}
}

// Destruct implements caddy.Destructor.
func (p *pooledOpenAPI) Destruct() error {
	p.Close()
	p.client.CloseIdleConnections()
	return nil
}
