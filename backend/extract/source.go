package extract

import (
	"net/http"
	"time"
)

// Source is what was fetched or rendered.
type Source struct {
	// URL is where the body came from, absolute, after redirects.
	URL string
	// StatusCode is what the target answered; 0 where nobody was asked.
	StatusCode int
	// MediaType is in lower case and without parameters.
	MediaType string
	// Header is the response's; it may be nil.
	Header http.Header
	// Body is in UTF-8 where it is text.
	Body []byte
	// Rendered reports whether a browser made the body.
	Rendered bool

	// sniffed is set where the body is not what it looked like.
	sniffed bool
}

// Structured is the data that a page holds for machines, and its tables. All of it is bounded in depth and count.
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
	// ID is its identifier, mostly a URL; empty where it has none.
	ID string `json:"id,omitempty"`
	// Properties are its values by name, without the prefix of schema.org. A value is a string, a bool, a json.Number or
	// an *Item.
	Properties map[string][]any `json:"properties"`
}

// Table is a data table; one that is there for the layout is none. Rows have as many cells as Header, if there is one.
type Table struct {
	Caption string     `json:"caption,omitempty"`
	Header  []string   `json:"header,omitempty"`
	Rows    [][]string `json:"rows"`
}

// Feed is what an RSS, Atom or JSON feed holds.
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
