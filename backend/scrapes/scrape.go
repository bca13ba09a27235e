package scrapes

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Scrape is the resource as clients see it.
type Scrape struct {
	ID              string            `json:"id" example:"scrape_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object          string            `json:"object" enum:"scrape"`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Metadata        map[string]string `json:"metadata" doc:"What you attached."`
	URLToScrape     string            `json:"url_to_scrape" doc:"The page, as it was asked for."`
	URL             string            `json:"url" doc:"The same."`
	RetrieveID      string            `json:"retrieve_id" doc:"Reads the content again: GET /v1/retrieve."`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"What the scrape did cost, in credits; 0 where it was paid in USDC."`
	Result          Result            `json:"result"`
}

// Contents is a page's content in the requested formats. Others are null.
type Contents struct {
	HTML              *string `json:"html_content" doc:"The page without what was to be removed, with absolute links."`
	Markdown          *string `json:"markdown_content" doc:"CommonMark with tables."`
	Text              *string `json:"text_content" doc:"Plain text."`
	JSON              *string `json:"json_content" doc:"Structured data, as a string that holds JSON."`
	HTMLHostedURL     *string `json:"html_hosted_url" doc:"A signed URL of the same content, for a time."`
	MarkdownHostedURL *string `json:"markdown_hosted_url"`
	TextHostedURL     *string `json:"text_hosted_url"`
	JSONHostedURL     *string `json:"json_hosted_url"`
	SizeExceeded      bool    `json:"size_exceeded" doc:"True where the content is too large for an answer: it is then null here and only under the hosted URLs."`
}

// Result is the content and metadata of a page.
type Result struct {
	Contents

	ScreenshotHostedURL *string      `json:"screenshot_hosted_url" doc:"A signed URL of the screenshot, a PNG."`
	RawPDFHostedURL     *string      `json:"raw_pdf_hosted_url" doc:"A signed URL of the PDF: the file, or the page as printed."`
	WARCHostedURL       *string      `json:"warc_hosted_url" doc:"A signed URL of what was sent and received, as WARC, where record asked for it. A browser's own traffic is not recorded."`
	LinksOnPage         []string     `json:"links_on_page" nullable:"true" doc:"The page's links, where they were asked for."`
	PageMetadata        PageMetadata `json:"page_metadata"`
}

// PageMetadata is what is known of the page beside its content.
type PageMetadata struct {
	StatusCode        int      `json:"status_code" doc:"What the target answered."`
	Title             *string  `json:"title"`
	Description       *string  `json:"description"`
	Language          *string  `json:"language"`
	CanonicalURL      *string  `json:"canonical_url"`
	PublishedAt       *string  `json:"published_at"`
	Author            *string  `json:"author"`
	PageType          *string  `json:"page_type" doc:"article, documentation, service, forum, collection, listing or product. Null where it was not determined."`
	ExtractionQuality *float64 `json:"extraction_quality" minimum:"0" maximum:"1" doc:"How well the main content can be told from the rest: the word F1 that is expected. Null where it was not assessed."`
	Rendered          bool     `json:"rendered" doc:"Whether a browser was used."`
	RenderReason      string   `json:"render_reason" doc:"Why, or why not: see the documentation of rendering."`
	LLMExtract        *LLMRead `json:"llm_extract" doc:"How much of the page the language model read for llm_extract. Null where no model was asked."`
}

// LLMRead is how much of a page a language model was given, in estimated tokens.
type LLMRead struct {
	TokensMax         int  `json:"tokens_max" doc:"What the extraction may use at most: input and output together." example:"16000"`
	PageTokens        int  `json:"page_tokens" doc:"What the page has: its content and its structured data." example:"41200"`
	Truncated         bool `json:"truncated" doc:"True where some of the page was left out: what json_content lacks may stand there."`
	ContentLeftOut    int  `json:"content_tokens_left_out" doc:"How much of the content was left out: the sections that have least in common with the schema or prompt."`
	StructuredLeftOut int  `json:"structured_data_tokens_left_out" doc:"How much of the structured data was left out, from its end."`
}

// Retrieved is the response of GET /v1/retrieve: the stored content of a page of any feature.
type Retrieved struct {
	RetrieveID string `json:"retrieve_id"`
	Result
}

// outcome describes stored content and its page. The content itself is in blob storage.
type outcome struct {
	Attempt  int32          `json:"attempt"` // part of the content's keys
	Contents []storedFormat `json:"contents"`
	HasLinks bool           `json:"has_links"`
	// HasRecord: a recording of the exchanges is stored.
	HasRecord bool         `json:"has_record,omitempty"`
	Page      PageMetadata `json:"page"`
	// Search says how full-text search finds the page; nil: it does not.
	Search *searched `json:"search,omitempty"`

	retryAfter time.Duration // of the target; not stored
	found      *findings     // nil: not requested; not stored
}

type storedFormat struct {
	Format page.Format `json:"format"`
	Bytes  int64       `json:"bytes"`
}

// stored is the stored content of a page, and its owner.
type stored struct {
	retrieveID, teamID string
	teamKind           string
	outcome            outcome
	expires            time.Time
}

// record is a stored scrape that succeeded.
type record struct {
	stored

	id, url  string
	metadata map[string]string
	credits  money.Credits
	created  time.Time
}

// scrape returns the resource without its contents.
func (r *record) scrape() *Scrape {
	return &Scrape{
		ID: r.id, Object: "scrape", Created: r.created.Unix(), Metadata: r.metadata, URLToScrape: r.url, URL: r.url,
		RetrieveID: r.retrieveID, CreditsConsumed: r.credits, Result: Result{PageMetadata: r.outcome.Page},
	}
}

func (o *outcome) encode() ([]byte, error) { return json.Marshal(o) }

func decodeOutcome(data []byte) (outcome, error) {
	var o outcome
	err := json.Unmarshal(data, &o)
	return o, err
}

// textOrNil returns nil for missing values.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
