package websearch

import (
	"context"
	"time"
)

// Bounds of a query, which those who take queries from callers hold them to.
const (
	QueryCharsMax = 400
	LimitMax      = 25
	DomainsMax    = 50
)

// Query is what is looked for.
type Query struct {
	// TeamID is whose query it is: the local provider finds what this team may see. Others are not told it.
	TeamID string
	// Text is what is looked for, in the words of whoever asks.
	Text string
	// Limit is how many results are wanted at most, 1 to LimitMax.
	Limit int
	// Include are the only hosts that are wanted, with their subdomains, bare and in lower case; none: any host.
	Include []string
	// Exclude are hosts that are not wanted, nor their subdomains.
	Exclude []string
}

// Result is a page that was found. All of it is a stranger's text.
type Result struct {
	// URL is absolute, http or https, without credentials and fragment.
	URL string
	// Title and Snippet are plain text: no markup, no control characters.
	Title   string
	Snippet string
	// Published is when the page says, or the provider thinks, that it was published; zero where nobody does.
	Published time.Time
	// Provider is the name of who found it.
	Provider string
}

// Provider finds pages. It is safe for concurrent use.
type Provider interface {
	// Name is the provider's name in configuration, metrics and logs: "local", "brave".
	Name() string
	// Search returns results by relevance, each URL once, none outside the query's domains. None at all is no error.
	// Errors are *Error, or wrap context.Canceled.
	Search(ctx context.Context, q Query) ([]Result, error)
}
