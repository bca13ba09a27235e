package maps

import (
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// PageURLsMax is how many URLs one answer has, PageBytesMax how many bytes they take in it (service contract, "Maps").
	PageURLsMax  = 100_000
	PageBytesMax = 10_000_000
	// URLsMax is how many URLs a map has, listBytesMax how long they may be together.
	URLsMax      = 500_000
	listBytesMax = 64 << 20

	// urlsPerCredit: an answer costs 1, and 1 for each further so many URLs (service contract, "Prices").
	urlsPerCredit = 1000
	// creditsMax is what the largest answer costs.
	creditsMax = 1 + (PageURLsMax-1)/urlsPerCredit
)

// cost is what an answer of n URLs costs.
func cost(n int) money.Credits { return money.Credits(1 + max(n-1, 0)/urlsPerCredit) }

// afforded is how many URLs an answer may have for so much.
func afforded(c money.Credits) int { return int(min(max(c, 1), creditsMax)) * urlsPerCredit }

// Map is one answer of a map: as many of its URLs as an answer has.
type Map struct {
	ID        string        `json:"id"`
	Object    string        `json:"object" enum:"map"`
	Created   int64         `json:"created" doc:"Unix seconds."`
	URL       string        `json:"url" doc:"The site, as asked for."`
	URLsCount int           `json:"urls_count" doc:"How many URLs the whole map has."`
	URLs      []string      `json:"urls" nullable:"false" doc:"In the order of their relevance to search_query, or else of their letters."`
	Cursor    *string       `json:"cursor" doc:"Asks for what follows; null where nothing does."`
	Truncated bool          `json:"truncated" doc:"There was no time, or no room, to find more."`
	Credits   money.Credits `json:"credits_consumed" doc:"What this answer cost."`
}

// chunk is a part of a map in blob storage, and the most that an answer has.
type chunk struct {
	URLs int `json:"urls"`
	// Bytes are those of the URLs in an answer.
	Bytes int `json:"bytes"`
}
