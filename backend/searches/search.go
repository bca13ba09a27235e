package searches

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// limitDefault is the default of limit (service contract, "Searches and answers").
	limitDefault = 12
	// Limits in characters for texts of a result: they come from strangers and may be long.
	titleCharsMax, descriptionCharsMax = 500, 2000
)

// Search is the resource as the API shows it.
type Search struct {
	ID              string            `json:"id" example:"search_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object          string            `json:"object" enum:"search"`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Metadata        map[string]string `json:"metadata" doc:"What you attached."`
	Query           string            `json:"query"`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"What the search did cost, in credits; 0 where it was paid in USDC."`
	Result          Result            `json:"result"`
}

// Result is what was found.
type Result struct {
	JSON            string        `json:"json_content" doc:"The links without their content, as a string that holds JSON."`
	JSONHostedURL   *string       `json:"json_hosted_url" doc:"A signed URL of the same, for a time."`
	Links           []Link        `json:"links" nullable:"false" doc:"By relevance."`
	SizeExceeded    bool          `json:"size_exceeded" doc:"True where the content of all links is too large for an answer: it is then null here and only under the hosted URLs."`
	CreditsConsumed money.Credits `json:"credits_consumed" doc:"As above."`
}

// Link is a page that was found. It has no content if it was not scraped, or not in time.
type Link struct {
	Found

	RetrieveID        *string    `json:"retrieve_id" doc:"Reads the content again: GET /v1/retrieve. Null where the link was not scraped."`
	StatusCode        *int       `json:"status_code" doc:"What the target answered. Null where the link was not scraped."`
	Markdown          *string    `json:"markdown_content" doc:"CommonMark with tables."`
	HTML              *string    `json:"html_content" doc:"The page without what was to be removed, with absolute links."`
	Text              *string    `json:"text_content" doc:"Plain text."`
	MarkdownHostedURL *string    `json:"markdown_hosted_url" doc:"A signed URL of the same content, for a time."`
	HTMLHostedURL     *string    `json:"html_hosted_url"`
	TextHostedURL     *string    `json:"text_hosted_url"`
	Error             *LinkError `json:"error" doc:"Why a link that was to be scraped has no content; null where nothing failed."`
}

// Found is a link without its content.
type Found struct {
	URL         string  `json:"url"`
	Title       string  `json:"title" doc:"The page's, or an empty string."`
	Description string  `json:"description" doc:"What of the page fits the query, or an empty string."`
	PublishedAt *string `json:"published_at" doc:"When the page was published, where that is known." format:"date-time"`
}

// LinkError is why a link has no content.
type LinkError struct {
	Code   string `json:"code" doc:"One of the error codes." example:"fetch_failed"`
	Detail string `json:"detail"`
}

// foundLink is a link as it is stored.
type foundLink struct {
	Found

	// RetrieveID is the ID of the kept content; "" if there is none.
	RetrieveID string     `json:"retrieve_id,omitempty"`
	StatusCode int        `json:"status_code,omitempty"`
	Error      *LinkError `json:"error,omitempty"`
}

// wordsOf returns links without their content, as JSON.
func wordsOf(links []foundLink) ([]byte, error) {
	words := make([]Found, len(links))
	for i := range links {
		words[i] = links[i].Found
	}
	return encode(words)
}

// encode writes JSON without HTML escapes.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

func publishedAt(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}
