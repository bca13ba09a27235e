package maps

import (
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// PageURLsMax is how many URLs one response has, PageBytesMax how many bytes they take (service contract, "Maps").
	PageURLsMax  = 100_000
	PageBytesMax = 10_000_000
	// URLsMax is how many URLs a map has, listBytesMax their maximum total length.
	URLsMax      = 500_000
	listBytesMax = 64 << 20
)

// Map is one response of a map: as many of its URLs as fit a response.
type Map struct {
	ID        string        `json:"id"`
	Object    string        `json:"object" enum:"map"`
	Created   int64         `json:"created" doc:"Unix time in seconds."`
	URL       string        `json:"url" doc:"The URL of the site, as requested."`
	URLsCount int           `json:"urls_count" doc:"The number of URLs in the whole map."`
	URLs      []string      `json:"urls" nullable:"false" doc:"The URLs, by relevance to search_query if it was given, otherwise in alphabetical order."`
	Cursor    *string       `json:"cursor" doc:"The cursor of the next page; null on the last page."`
	Truncated bool          `json:"truncated" doc:"Whether URLs may be missing because the search ran out of time or memory."`
	Credits   money.Credits `json:"credits_consumed" doc:"The cost of this response, in credits."`
}

// chunk is a part of a map in blob storage, and the most that a response has.
type chunk struct {
	URLs int `json:"urls"`
	// Bytes is the size of the URLs in a response.
	Bytes int `json:"bytes"`
}
