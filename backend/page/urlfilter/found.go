package urlfilter

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/page"
)

const (
	// FoundMax is how many URLs one page may add, FoundBytesMax their maximum total length.
	FoundMax      = 5000
	FoundBytesMax = 1 << 20
)

// Page describes a page whose links are selected.
type Page struct {
	// URL is the URL of the page after redirects.
	URL string
	// Depth is the depth of the page; its links are one deeper.
	Depth int
	// Chain is how many consecutive links within its shape led to the page.
	Chain int
	// External reports that the page belongs to another site: its links are not followed.
	External bool
}

// ScoreFunc returns how relevant each of links is to a query, in the order of links. 0 means not relevant.
type ScoreFunc func(ctx context.Context, links []page.Link, query string) ([]float64, error)

// Limits restrict which links of a page are selected.
type Limits struct {
	Scope *Scope
	// DepthMax is the maximum depth of pages; nil: no limit.
	DepthMax *int
	// Seen is the cache of known URLs, Mark stands for the crawl in it; nil: no URL is known.
	Seen *Seen
	Mark Mark
	// Noise is what is known about insignificant parts of URLs.
	Noise Noise
	// Query orders the links by relevance. TopN keeps only the first of a page; 0 keeps all.
	Query string
	TopN  int
	Score ScoreFunc
	// Closed reports whether a shape is closed (State.Closed); nil: none is.
	Closed func(shape uint64) bool
}

// Found is a URL to fetch.
type Found struct {
	URL string
	ID  ID
	// Host is the host of the URL, with the port if it is not the default port of the scheme.
	Host  string
	Depth int
	Chain int
	// Shape is the shape of the URL. Endless reports that the shape may have any number of URLs, so that State is needed.
	Shape    uint64
	Endless  bool
	External bool
	// Relevance is the relevance to Limits.Query; 0 without one.
	Relevance float64
}

// Dropped counts the links of a page that are not fetched, by reason.
type Dropped struct {
	// Known are links that the page has already, or that are in Limits.Seen.
	Known int
	// Invalid are not URLs, Outside are outside Limits.Scope, Deep are deeper than Limits.DepthMax.
	Invalid, Outside, Deep int
	// Trapped are links into a trap: by their form, their chain or a closed shape.
	Trapped int
	// Surplus are links beyond TopN, FoundMax and FoundBytesMax.
	Surplus int
}
