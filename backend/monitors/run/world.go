package run

import (
	"context"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Kind is a kind of operation that has a price.
type Kind string

// The kinds.
const (
	// KindDiscover is a map of a site.
	KindDiscover Kind = "discover"
	KindSearch   Kind = "search"
	// KindFetch is the fetch of one page.
	KindFetch Kind = "fetch"
)

// World gives a run access to the outside on behalf of one team. It is safe for concurrent use. Errors are problems in
// words for the team, or the context's.
type World interface {
	// Price is the most that one operation of a kind costs, by the price book. extracts reports whether a page is read
	// with an output schema.
	Price(ctx context.Context, kind Kind, extracts bool) (money.Credits, error)
	// Discover lists URLs of a site, as robots.txt allows. It calls Allow or AllowList before each page or list that it
	// fetches for this, and before each redirect.
	Discover(ctx context.Context, d Discovery) ([]string, error)
	// Search lists pages of the web.
	Search(ctx context.Context, s Search) ([]string, error)
	// Fetch fetches a page. It calls Fetch.Allow before it follows a redirect, and obeys robots.txt.
	Fetch(ctx context.Context, f Fetch) (Page, error)
	// Read extracts from a page what is compared: its blocks (compare.PageOf), and with a schema its fields in Data, in
	// the same way as a scrape with llm_extract. It may release the page.
	Read(ctx context.Context, r Reading) (compare.Page, error)
	// Summarize describes what changed. ok is false if there is no model, or it failed.
	Summarize(ctx context.Context, s Summary) (text string, ok bool)
}

// Discovery is a request for URLs of a site.
type Discovery struct {
	URL string
	// Query ranks the URLs that relate to it first; "": the site's order.
	Query string
	// Include are globs of the URLs to keep. None: all.
	Include []string
	Limit   int
	// Allow is called with the URL before a page is fetched for its links, AllowList before a sitemap or feed is. Their
	// errors say why it may not be fetched.
	Allow, AllowList func(u fetch.URL) error
}

// Search is a web search.
type Search struct {
	Query                          string
	IncludeDomains, ExcludeDomains []string
	Limit                          int
}

// Fetch is a request for a page.
type Fetch struct {
	URL string
	// Validators are those of the last response; zero fetches unconditionally.
	Validators Validators
	// Allow is called with the target before a redirect is followed. Its error becomes that of World.Fetch.
	Allow func(url string) error
}

// Page is a host's response.
type Page struct {
	// NotModified reports that the page is unmodified (304); the other fields are then empty.
	NotModified bool
	// Source is the response. One with a status of 400 or more is not the page.
	Source extract.Source
	// Validators are for the next request.
	Validators Validators
	// Release frees the page's memory; nil: nothing to free. It may be called repeatedly.
	Release func()
}

// Reading is a page to extract.
type Reading struct {
	// URL is the page's identity, whatever it was redirected to.
	URL  string
	Page Page
	// Schema is the monitor's output schema; empty if there is none.
	Schema json.RawMessage
}

// Summary is what a model is asked to describe.
type Summary struct {
	// Query is what is watched, Diff what changed. Both are data, and the latter is written by strangers.
	Query, Diff string
}
