package extract

import (
	"net/http"
	"time"
)

// Source is a fetched or rendered body.
type Source struct {
	// URL is the address of the body, absolute, after redirects.
	URL string
	// StatusCode is that of the target's response; 0 if there was no request.
	StatusCode int
	// MediaType is in lower case and without parameters.
	MediaType string
	// Header is the response's; it may be nil.
	Header http.Header
	// Body is in UTF-8 if it is text.
	Body []byte
	// Rendered reports whether a browser produced the body.
	Rendered bool

	// sniffed is set if the body is not what it looked like.
	sniffed bool
}

// Structured is the page's structured data and its tables. All of it is bounded in depth and count.
type Structured struct {
	JSONLD    []*Item `json:"json_ld"`
	Microdata []*Item `json:"microdata"`
	RDFa      []*Item `json:"rdfa"`
	Tables    []Table `json:"tables"`
}

// Item is a thing that structured data describes.
type Item struct {
	// Types are as written, without the prefix of schema.org: "Product".
	Types []string `json:"types"`
	// ID is its identifier, mostly a URL; empty if it has none.
	ID string `json:"id,omitempty"`
	// Properties are its values by name, without the prefix of schema.org. A value is a string, a bool, a json.Number or
	// an *Item.
	Properties map[string][]any `json:"properties"`
}

// Table is a data table, not one for layout. Rows have as many cells as Header, if there is one.
type Table struct {
	Caption string     `json:"caption,omitempty"`
	Header  []string   `json:"header,omitempty"`
	Rows    [][]string `json:"rows"`
}

// Feed is the content of an RSS, Atom or JSON feed.
type Feed struct {
	Title       string
	Description string
	URL         string // of the site
	Entries     []FeedEntry
}

// FeedEntry is one entry of a feed, in the feed's order.
type FeedEntry struct {
	ID        string
	URL       string
	Title     string
	Author    string
	Published time.Time // zero where not given
	Updated   time.Time // zero where not given
	Summary   string    // text
	Content   string    // HTML
}
