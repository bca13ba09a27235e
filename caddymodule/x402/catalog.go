package x402

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/openapi"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// listingsMax is how many routes one handler lists.
const listingsMax = 500

// catalog is the listings of one x402 handler, made from its price book and the upstream's description. It is made once
// for each pair of these, and never modified.
type catalog struct {
	book     *price.Book
	document *openapi.Document
	listings []*listed
	byRule   map[ruleKey][]*listed
}

// listed is a listed route, with what its challenges say about it.
type listed struct {
	gate.Listing

	segments []string // of the template
}

type ruleKey struct{ pattern, method, tool string }

// catalogs keeps the listings of one handler up to date.
type catalogs struct {
	at     atomic.Pointer[place]
	now    atomic.Pointer[catalog]
	making sync.Mutex
}

// catalog returns the current listings, or nil if they are unknown. The first request that finds them outdated makes them
// again; other requests use the old ones meanwhile.
func (x *Handler) catalog(r *http.Request) *catalog {
	catalogue, ok := x.pricer.(price.Catalogue)
	if !ok {
		return nil
	}
	book := catalogue.Book()
	if book == nil {
		return nil
	}
	document := x.OpenAPI.Last()
	last := x.catalogs.now.Load()
	if last != nil && last.book == book && last.document == document {
		return last
	}
	if last == nil {
		x.catalogs.making.Lock()
	} else if !x.catalogs.making.TryLock() {
		return last
	}
	defer x.catalogs.making.Unlock()
	if last = x.catalogs.now.Load(); last != nil && last.book == book && last.document == document {
		return last
	}
	at := x.place(r)
	if at == nil {
		return nil
	}
	made := x.makeCatalog(r, at, book, document)
	x.catalogs.now.Store(made)
	return made
}

// place returns the handler's position, or nil if it cannot be found.
func (x *Handler) place(r *http.Request) *place {
	if at := x.catalogs.at.Load(); at != nil {
		return at
	}
	for _, at := range x.config.places(r) {
		if at.handler == x {
			x.catalogs.at.Store(at)
			return at
		}
	}
	return nil
}

func (x *Handler) makeCatalog(r *http.Request, at *place, book *price.Book, document *openapi.Document) *catalog {
	m := catalogMaker{
		x: x, r: r, at: at, document: document, taken: map[ruleKey]bool{},
		catalog: &catalog{book: book, document: document, byRule: map[ruleKey][]*listed{}}, updated: time.Now(),
	}
	for _, listing := range book.Listings(edgewire.UnitUSDC) {
		m.add(&listing)
	}
	if m.left > 0 {
		x.logger.Warn("some priced routes are not listed: there are too many", zap.Int("listed", listingsMax), zap.Int("left_out", m.left))
	}
	return m.catalog
}

type catalogMaker struct {
	x        *Handler
	r        *http.Request
	at       *place
	document *openapi.Document
	taken    map[ruleKey]bool // templates that an earlier rule covers
	catalog  *catalog
	updated  time.Time
	left     int
}

// add lists the routes of a rule: those that the document describes or, if there are none, the rule's pattern.
func (m *catalogMaker) add(listing *price.Listing) {
	described := false
	if m.document != nil && listing.Rule.Tool == "" { // messages to an MCP server are described by its protocol
		for _, route := range m.document.Routes() {
			if len(listing.Rule.Methods) > 0 && !slices.Contains(listing.Rule.Methods, route.Method) || route.Method == http.MethodHead {
				continue
			}
			template, ok := price.Meet(m.at.prefix+route.Path, listing.Rule.Path)
			if !ok || !m.at.reaches(m.r, route.Method, samplePath(template, nil)) {
				continue
			}
			described = true
			m.put(listing, &route, template, []string{route.Method})
		}
	}
	if described {
		return
	}
	methods := listing.Rule.Methods
	if len(methods) == 0 {
		m.putPattern(listing, http.MethodGet, anyMethod)
		return
	}
	for _, method := range methods {
		m.putPattern(listing, method, []string{method})
	}
}

// anyMethod lists the methods of a rule that names none.
var anyMethod = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

func (m *catalogMaker) putPattern(listing *price.Listing, method string, methods []string) {
	for _, pattern := range m.at.narrow(m.r, method, listing.Rule.Path) {
		m.put(listing, &openapi.Route{Method: method}, nameVariables(pattern), methods)
	}
}

// nameVariables names the stars of a pattern, except one at the end, which means several segments.
func nameVariables(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if segment == "*" && i < len(segments)-1 {
			segments[i] = fmt.Sprintf("{segment%d}", i)
		}
	}
	return strings.Join(segments, "/")
}

// put lists one route, unless an earlier rule covers it.
func (m *catalogMaker) put(listing *price.Listing, route *openapi.Route, template string, methods []string) {
	key := ruleKey{template, route.Method, listing.Rule.Tool}
	if m.taken[key] {
		return
	}
	m.taken[key] = true
	if listing.Terms.Free {
		return
	}
	if len(m.catalog.listings) == listingsMax {
		m.left++
		return
	}
	one := m.newListing(listing, route, template, methods)
	m.catalog.listings = append(m.catalog.listings, one)
	for _, method := range methods {
		rule := ruleKey{listing.Rule.Path, method, listing.Rule.Tool}
		m.catalog.byRule[rule] = append(m.catalog.byRule[rule], one)
	}
}

func (m *catalogMaker) newListing(listing *price.Listing, route *openapi.Route, template string, methods []string) *listed {
	usage, summary := m.usage(route, template)
	terms := &listing.Terms
	one := &listed{segments: strings.Split(template, "/"), Listing: gate.Listing{
		Template: template, Methods: methods, Tool: listing.Rule.Tool, Updated: m.updated,
		Offer: x402.Offer{
			Amount: money.MicroUSDC(terms.Amount), Description: terms.Description, MimeType: m.x.MimeType, Operation: terms.Operation,
			Settle: terms.Settle, UpstreamTimeout: terms.Timeout,
		},
	}}
	if listing.Rule.Tool == "" {
		one.Offer.Bazaar, one.Offer.OutputSchema = usage.Bazaar(), usage.OutputSchema()
	}
	if one.Offer.Description == "" {
		one.Offer.Description = summary
	}
	if _, isFixed := listing.Rule.Price.Units(); !isFixed {
		one.Dynamic = true
		if !listing.Rule.Price.IsQuoted() { // a quote depends on the client, so the upstream is not asked for examples
			one.Expression = listing.Rule.Price.String()
			one.Offer.Amount = m.priceExample(usage)
		}
	}
	return one
}

// usage describes a route by the document, as far as the document does.
func (m *catalogMaker) usage(route *openapi.Route, template string) (usage *x402.Usage, summary string) {
	usage = &x402.Usage{Method: route.Method, Template: template}
	if route.Path == "" {
		return usage, ""
	}
	op, ok := m.document.Describe(*route)
	if !ok {
		return usage, ""
	}
	usage.QueryParams, usage.BodyType, usage.Body = x402.Shape(op.Query), op.BodyType, x402.Shape(op.Body)
	usage.OutputType, usage.Output = op.AnswerType, x402.Shape(op.Answer)
	if strings.Contains(template, "{") {
		usage.PathParams = x402.Shape(op.Path)
	}
	return usage, op.Summary
}

// priceExample returns the price of the example request, or 0 if it is unknown.
func (m *catalogMaker) priceExample(usage *x402.Usage) money.MicroUSDC {
	u := &url.URL{Path: samplePath(usage.Template, textValues(usage.PathParams.Example))}
	query := url.Values{}
	for name, value := range textValues(usage.QueryParams.Example) {
		query.Set(name, value)
	}
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(context.WithoutCancel(m.r.Context()), usage.Method, u.String(), bytes.NewReader(usage.Body.Example))
	if err != nil {
		return 0
	}
	quote, err := m.x.pricer.Price(r.Context(), r, edgewire.UnitUSDC)
	if err != nil || quote.Amount < 0 {
		return 0
	}
	return money.MicroUSDC(quote.Amount)
}

// textValues returns the members of an object as they are written in a URL.
func textValues(object json.RawMessage) map[string]string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	values := map[string]string{}
	for name, raw := range members {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		values[name] = s
	}
	return values
}

// describe adds the description of the request to an offer, for its challenges. A message to an MCP server is described by
// its protocol.
func (x *Handler) describe(r *http.Request, quote *price.Quote, offer *x402.Offer) {
	s := x.catalog(r)
	if s == nil || quote.Message != nil {
		return
	}
	method, u := request.Sent(r)
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := u.EscapedPath()
	for _, one := range s.byRule[ruleKey{quote.Pattern, method, ""}] {
		if one.matches(path) {
			offer.Bazaar, offer.OutputSchema = one.Offer.Bazaar, one.Offer.OutputSchema
			return
		}
	}
}

// matches reports whether the template matches a path.
func (w *listed) matches(path string) bool {
	last := len(w.segments) - 1
	for i, want := range w.segments {
		if i == last && want == "*" {
			return path != ""
		}
		segment, rest, more := strings.Cut(path, "/")
		if more == (i == last) || segment != want && (!price.IsVariable(want) || segment == "") {
			return false
		}
		path = rest
	}
	return true
}
