package frontier

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/page"
)

const (
	// FoundMax is how many URLs one page may add, FoundBytesMax how long they may be together.
	FoundMax      = 5000
	FoundBytesMax = 1 << 20
)

// Page is what is known of a page whose links are looked at.
type Page struct {
	// URL is where the page is, after redirects.
	URL string
	// Depth is its own: links from it are one deeper.
	Depth int
	// Chain is how many links in a row led to it without leaving its shape.
	Chain int
	// External reports that it is of another site: its links are not followed.
	External bool
}

// ScoreFunc says how relevant links are to a query, in their order. 0 is not at all.
type ScoreFunc func(ctx context.Context, links []page.Link, query string) ([]float64, error)

// Limits are what bounds a crawl.
type Limits struct {
	Scope *Scope
	// DepthMax is how deep pages may be; nil: there is no limit.
	DepthMax *int
	// Seen is what is known to be in the frontier of the crawl of Mark; nil: nothing is.
	Seen *Seen
	Mark Mark
	// Noise is what of URLs says nothing of which page they are.
	Noise Noise
	// Query orders what is found by relevance, TopN keeps the most relevant of a page; 0 keeps all.
	Query string
	TopN  int
	Score ScoreFunc
	// Closed reports whether a shape has been closed (State.Closed); nil: none is.
	Closed func(shape uint64) bool
}

// Found is a URL that is to be fetched.
type Found struct {
	URL string
	ID  ID
	// Host is the URL's, with the port where it is not the scheme's own.
	Host  string
	Depth int
	Chain int
	// Shape is the URL's; Endless reports that there may be any number of its kind, so that State is worth keeping.
	Shape    uint64
	Endless  bool
	External bool
	// Relevance is that to Limits.Query; 0 without one.
	Relevance float64
}

// Dropped counts the links of a page that are not to be fetched, by why.
type Dropped struct {
	// Known are those that were on the page before, or in Limits.Seen.
	Known int
	// Invalid are no URLs, Outside are those that Limits.Scope leaves out, Deep those below Limits.DepthMax.
	Invalid, Outside, Deep int
	// Trapped are those that lead into a trap: by their form, their chain or a shape that was closed.
	Trapped int
	// Surplus are those beyond TopN, FoundMax and FoundBytesMax.
	Surplus int
}
