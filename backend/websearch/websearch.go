package websearch

import (
	"context"
	"time"
)

// Limits of a query. The features that accept queries from clients check them.
const (
	QueryCharsMax = 400
	LimitMax      = 25
	DomainsMax    = 50
)

// Query is a search query.
type Query struct {
	// TeamID is the team of the query: the local provider finds what this team may see. Other providers do not receive it.
	TeamID string
	// Text is the query in the client's words.
	Text string
	// Limit is the maximum number of results, 1 to LimitMax.
	Limit int
	// Include are the only accepted hosts, with their subdomains, without scheme and in lower case; none: any host.
	Include []string
	// Exclude are hosts that are not accepted, including their subdomains.
	Exclude []string
}

// Result is a page that was found. All its text comes from strangers.
type Result struct {
	// URL is absolute, http or https, without credentials and fragment.
	URL string
	// Title and Snippet are plain text: no markup, no control characters.
	Title   string
	Snippet string
	// Published is the publication time according to the page or the provider; zero if unknown.
	Published time.Time
	// Provider is the name of the provider that found it.
	Provider string
}

// Provider finds pages. It is safe for concurrent use.
type Provider interface {
	// Name is the provider's name in configuration, metrics and logs: "local", "brave".
	Name() string
	// Search returns results by relevance, each URL once, none outside the query's domains. No results are not an error.
	// Errors are *Error, or wrap context.Canceled.
	Search(ctx context.Context, q Query) ([]Result, error)
}
