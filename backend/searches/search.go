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
	Metadata        map[string]string `json:"metadata" doc:"The metadata that you attached."`
	Query           string            `json:"query"`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"The cost of the search in credits; 0 if it was paid in USDC."`
	Result          Result            `json:"result"`
}

// Result is what was found.
type Result struct {
	JSON            string        `json:"json_content" doc:"The links without their content, as a string of JSON."`
	JSONHostedURL   *string       `json:"json_hosted_url" doc:"A signed, temporary URL of the same JSON."`
	Links           []Link        `json:"links" nullable:"false" doc:"The links, by relevance."`
	SizeExceeded    bool          `json:"size_exceeded" doc:"Whether the content of all links is too large for the response. It is then null here and only available at the hosted URLs."`
	CreditsConsumed money.Credits `json:"credits_consumed" doc:"The same as credits_consumed of the search."`
}

// Link is a page that was found. It has no content if it was not scraped, or not in time.
type Link struct {
	Found

	RetrieveID        *string    `json:"retrieve_id" doc:"The id to read the content again with GET /v1/retrieve. Null if the link was not scraped."`
	StatusCode        *int       `json:"status_code" doc:"The HTTP status that the target returned. Null if the link was not scraped."`
	Markdown          *string    `json:"markdown_content" doc:"The page as CommonMark with tables."`
	HTML              *string    `json:"html_content" doc:"The HTML of the page without the removed elements, with absolute links."`
	Text              *string    `json:"text_content" doc:"The page as plain text."`
	MarkdownHostedURL *string    `json:"markdown_hosted_url" doc:"A signed, temporary URL of the same content."`
	HTMLHostedURL     *string    `json:"html_hosted_url"`
	TextHostedURL     *string    `json:"text_hosted_url"`
	Error             *LinkError `json:"error" doc:"Why the link has no content although it was to be scraped; null if nothing failed."`
}

// Found is a link without its content.
type Found struct {
	URL         string  `json:"url"`
	Title       string  `json:"title" doc:"The title of the page, or an empty string."`
	Description string  `json:"description" doc:"The part of the page that matches the query, or an empty string."`
	PublishedAt *string `json:"published_at" doc:"When the page was published; null if unknown." format:"date-time"`
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
