package x402

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

func init() {
	caddy.RegisterModule(new(Discovery))
}

// Discovery publishes the routes that the site charges for by x402, for programs that look for them. It lists all
// routes that `x402` handlers of the same host price, with their prices, the ways to pay, and, if the upstream
// describes them (`openapi` in `x402`), the form of requests and responses. It responds on every path that is routed to
// it; directories look at `/.well-known/x402`.
//
// The document needs no payment and no key, and the edge makes it only from what it knows. `?limit` and `?offset` page
// its items, and `?x402Version=1` gives their terms in version 1.
type Discovery struct {
	// The service's name, at most 32 printable ASCII characters. Default: none.
	Name string `json:"name,omitempty"`

	// What the service does. Default: none.
	Description string `json:"description,omitempty"`

	// How to reach the operator: a mail address, a URL, or a path of this service. Default: none.
	Contact string `json:"contact,omitempty"`

	// Instructions for readers of the document. Default: how to pay by x402.
	Instructions string `json:"instructions,omitempty"`

	// Proofs that the paid addresses belong to the origin, as directories require them. Default: none.
	OwnershipProofs []string `json:"ownership_proofs,omitempty"`

	app    app
	config *Config
	last   atomic.Pointer[madeDocument]
}

// madeDocument is the last document, with what it was made from.
type madeDocument struct {
	origin   string
	query    gate.DiscoveryQuery
	catalogs []*catalog
	body     []byte
	etag     string
}

// CaddyModule returns the Caddy module information.
func (*Discovery) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.x402_discovery",
		New: func() caddy.Module { return new(Discovery) },
	}
}

// Provision sets up the handler.
func (x *Discovery) Provision(ctx caddy.Context) error {
	var err error
	x.app, x.config, err = appOf(ctx)
	return err
}

const nameMax = 32 // the limit of catalogs

// Validate refuses what catalogs refuse.
func (x *Discovery) Validate() error {
	if len(x.Name) > nameMax || strings.ContainsFunc(x.Name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("name: %q is too long or has invalid characters: want at most %d characters of printable ASCII", x.Name, nameMax)
	}
	return nil
}

func (x *Discovery) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		return response.Preflight(w, r)
	default:
		return x.app.Refuse(w, r, response.RefusePrice(&price.MethodError{Allowed: []string{http.MethodGet, http.MethodHead}}))
	}
	query, err := readDiscoveryQuery(r.URL.Query())
	if err != nil {
		return x.app.Refuse(w, r, response.RefuseBadRequest(err))
	}
	made, err := x.document(r, query)
	if err != nil {
		return err
	}
	h := w.Header()
	h[request.IDHeader] = []string{request.ID(r)}
	h[response.HeaderAllowOrigin] = response.AnyOrigin
	h.Set("Content-Type", "application/json")
	// Prices change rarely, and the 402 has the valid price in any case.
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("ETag", made.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(made.body))
	return nil
}

const discoveryLimitMax = 100

// readDiscoveryQuery reads the parameters of a facilitator's list. Like facilitators, it ignores all others.
func readDiscoveryQuery(values url.Values) (gate.DiscoveryQuery, error) {
	query := gate.DiscoveryQuery{Version: 2}
	for _, param := range []struct {
		name       string
		to         *int
		least, top int
	}{
		{"limit", &query.Limit, 1, discoveryLimitMax},
		{"offset", &query.Offset, 0, 1 << 20},
		{"x402Version", &query.Version, 1, 2},
	} {
		text := values.Get(param.name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < param.least || n > param.top {
			return query, &price.RequestError{
				Loc: []any{"query", param.name}, Reason: fmt.Sprintf("is %q, want an integer from %d to %d", text, param.least, param.top),
			}
		}
		*param.to = n
	}
	return query, nil
}

// firstLookWait is how long a document waits for the upstream's description just after the edge has started.
const firstLookWait = 2 * time.Second

func (x *Discovery) document(r *http.Request, query gate.DiscoveryQuery) (*madeDocument, error) {
	wanted := madeDocument{origin: x.config.Origin(r), query: query}
	var sellers []*Handler
	for _, at := range x.config.places(r) {
		if at.isOn(r) {
			sellers = append(sellers, at.handler)
		}
	}
	awaitFirstLook(r.Context(), sellers)
	for _, seller := range sellers {
		if one := seller.catalog(r); one != nil {
			wanted.catalogs = append(wanted.catalogs, one)
		}
	}
	if last := x.last.Load(); last != nil && last.isFor(&wanted) {
		return last, nil
	}
	return x.make(&wanted)
}

// awaitFirstLook waits for descriptions whose first look-up has not finished.
func awaitFirstLook(ctx context.Context, sellers []*Handler) {
	ctx, cancel := context.WithTimeout(ctx, firstLookWait)
	defer cancel()
	for _, seller := range sellers {
		if seller.OpenAPI == nil {
			continue
		}
		select {
		case <-seller.OpenAPI.Looked():
		case <-ctx.Done():
			return
		}
	}
}

func (m *madeDocument) isFor(wanted *madeDocument) bool {
	if m.origin != wanted.origin || m.query != wanted.query || len(m.catalogs) != len(wanted.catalogs) {
		return false
	}
	for i := range m.catalogs {
		if m.catalogs[i] != wanted.catalogs[i] {
			return false
		}
	}
	return true
}

func (x *Discovery) make(wanted *madeDocument) (*madeDocument, error) {
	var listings []*gate.Listing
	taken := map[ruleKey]bool{}
	for _, catalog := range wanted.catalogs {
		for _, one := range catalog.listings {
			// The first handler gets the request.
			if key := (ruleKey{one.Template, one.Methods[0], one.Tool}); !taken[key] {
				taken[key] = true
				listings = append(listings, &one.Listing)
			}
		}
	}
	contact := x.Contact
	if request.IsPath(contact) {
		contact = wanted.origin + contact
	}
	doc := x.config.gate.Discover(wanted.origin, &gate.Publisher{
		Name: x.Name, Description: x.Description, Contact: contact, Instructions: x.Instructions, OwnershipProofs: x.OwnershipProofs,
	}, listings, wanted.query)
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the discovery document: %w", err)
	}
	sum := sha256.Sum256(body)
	wanted.body, wanted.etag = body, `"`+hex.EncodeToString(sum[:16])+`"`
	x.last.Store(wanted)
	return wanted, nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Discovery)(nil)
	_ caddy.Validator             = (*Discovery)(nil)
	_ caddyhttp.MiddlewareHandler = (*Discovery)(nil)
)
