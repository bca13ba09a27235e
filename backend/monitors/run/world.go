package run

import (
	"context"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Kind is what kind of operation costs something.
type Kind string

// The kinds.
const (
	// KindDiscover is a map of a site.
	KindDiscover Kind = "discover"
	KindSearch   Kind = "search"
	// KindFetch is of one page.
	KindFetch Kind = "fetch"
)

// World is the outside, as a run sees it for one team. It is safe for concurrent use. Errors are problems whose text is fit
// for the team, or the context's.
type World interface {
	// Price is what one operation of a kind costs at most, by the price book. extracts reports whether a page is read with
	// an output schema.
	Price(ctx context.Context, kind Kind, extracts bool) (money.Credits, error)
	// Discover lists URLs of a site, as robots.txt allows. It asks before each page and list that it fetches to find them, and
	// before each redirect.
	Discover(ctx context.Context, d Discovery) ([]string, error)
	// Search lists pages of the web.
	Search(ctx context.Context, s Search) ([]string, error)
	// Fetch comes by a page. It asks Fetch.Allow before each redirect is followed, and obeys robots.txt.
	Fetch(ctx context.Context, f Fetch) (Page, error)
	// Read makes of a page what is compared: its blocks (compare.PageOf), and with a schema its fields in Data, by the same
	// means as a scrape with llm_extract. It may release the page.
	Read(ctx context.Context, r Reading) (compare.Page, error)
	// Summarize says in words what changed. ok is false where there is no model, or it failed.
	Summarize(ctx context.Context, s Summary) (text string, ok bool)
}

// Discovery asks for URLs of a site.
type Discovery struct {
	URL string
	// Query puts those first that have to do with it; "": the site's order.
	Query string
	// Include are globs of what is kept. None: all.
	Include []string
	Limit   int
	// Allow is asked before a page is fetched for its links, AllowList before a sitemap or a feed is, with where it is. Their
	// errors are why it may not be.
	Allow, AllowList func(u fetch.URL) error
}

// Search asks for pages of the web.
type Search struct {
	Query                          string
	IncludeDomains, ExcludeDomains []string
	Limit                          int
}

// Fetch asks for a page.
type Fetch struct {
	URL string
	// Validators are those of the last time; zero: the page is wanted whatever it is.
	Validators Validators
	// Allow is asked before a redirect is followed, with where it leads. Its error is Fetch's.
	Allow func(url string) error
}

// Page is what a host answered.
type Page struct {
	// NotModified reports that the page is as it was (304); then there is nothing else.
	NotModified bool
	// Source is the answer. A status of 400 or more is no page.
	Source extract.Source
	// Validators are for the next time.
	Validators Validators
	// Release gives back what the page takes; nil: nothing does. It may be called again.
	Release func()
}

// Reading is a page to be read.
type Reading struct {
	// URL is by what the page goes, whatever it was redirected to.
	URL  string
	Page Page
	// Schema is the monitor's output schema; empty where none is wanted.
	Schema json.RawMessage
}

// Summary is what a model is asked to put into words.
type Summary struct {
	// Query is what is watched, Diff what changed. Both are data, and the latter is strangers'.
	Query, Diff string
}
