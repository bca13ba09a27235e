package scrapes

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Scrape is the resource as clients see it.
type Scrape struct {
	ID              string            `json:"id" example:"scrape_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object          string            `json:"object" enum:"scrape"`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Metadata        map[string]string `json:"metadata" doc:"The metadata that you attached."`
	URLToScrape     string            `json:"url_to_scrape" doc:"The URL of the page, as given in the request."`
	URL             string            `json:"url" doc:"The same as url_to_scrape."`
	RetrieveID      string            `json:"retrieve_id" doc:"The id to read the content again with GET /v1/retrieve."`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"The cost of the scrape in credits; 0 if it was paid in USDC."`
	Age             int64             `json:"age" doc:"How old the content was when the scrape was made, in seconds: 0 if the page was fetched for it, otherwise 1 to max_age."`
	Result          Result            `json:"result"`
}

// Contents is a page's content in the requested formats. Others are null.
type Contents struct {
	HTML              *string     `json:"html_content" doc:"The HTML of the page without the removed elements, with absolute links."`
	Markdown          *string     `json:"markdown_content" doc:"The page as CommonMark with tables."`
	Text              *string     `json:"text_content" doc:"The page as plain text."`
	JSON              *string     `json:"json_content" doc:"The structured data, as a string of JSON."`
	JSONObject        page.Object `json:"json" doc:"The same data as json_content, as an object."`
	HTMLHostedURL     *string     `json:"html_hosted_url" doc:"A signed, temporary URL of the same content."`
	MarkdownHostedURL *string     `json:"markdown_hosted_url"`
	TextHostedURL     *string     `json:"text_hosted_url"`
	JSONHostedURL     *string     `json:"json_hosted_url"`
	SizeExceeded      bool        `json:"size_exceeded" doc:"Whether the content is too large for the response. It is then null here and only available at the hosted URLs."`
}

// Result is the content and metadata of a page.
type Result struct {
	Contents

	ScreenshotHostedURL *string      `json:"screenshot_hosted_url" doc:"A signed URL of the screenshot, a PNG."`
	RawPDFHostedURL     *string      `json:"raw_pdf_hosted_url" doc:"A signed URL of the PDF: the original file, or the printed page."`
	WARCHostedURL       *string      `json:"warc_hosted_url" doc:"A signed URL of the requests and responses as WARC, if record was set. The traffic of a browser is not recorded."`
	LinksOnPage         []string     `json:"links_on_page" nullable:"true" doc:"The page's links, if they were requested."`
	PageMetadata        PageMetadata `json:"page_metadata"`
}

// PageMetadata is what is known of the page beside its content.
type PageMetadata struct {
	StatusCode        int      `json:"status_code" doc:"The HTTP status that the target returned."`
	Title             *string  `json:"title"`
	Description       *string  `json:"description"`
	Language          *string  `json:"language"`
	CanonicalURL      *string  `json:"canonical_url"`
	PublishedAt       *string  `json:"published_at"`
	Author            *string  `json:"author"`
	PageType          *string  `json:"page_type" doc:"The type of the page: article, documentation, service, forum, collection, listing or product. Null if it was not determined."`
	ExtractionQuality *float64 `json:"extraction_quality" minimum:"0" maximum:"1" doc:"How well the main content could be separated from the rest: the expected word-level F1 score. Null if it was not assessed."`
	Rendered          bool     `json:"rendered" doc:"Whether a browser was used."`
	RenderReason      string   `json:"render_reason" doc:"Why a browser was used, or why not. See the documentation of rendering."`
	LLMExtract        *LLMRead `json:"llm_extract" doc:"How much of the page the language model read for llm_extract. Null if no model was used."`
}

// LLMRead is how much of a page a language model was given, in estimated tokens.
type LLMRead struct {
	TokensMax         int  `json:"tokens_max" doc:"The maximum number of tokens that the extraction may use, input and output together." example:"16000"`
	PageTokens        int  `json:"page_tokens" doc:"The number of tokens in the page: its content and its structured data." example:"41200"`
	Truncated         bool `json:"truncated" doc:"Whether part of the page was left out. Values that are missing in json_content may be in that part."`
	ContentLeftOut    int  `json:"content_tokens_left_out" doc:"The number of tokens of content that were left out: the sections least related to the schema or prompt."`
	StructuredLeftOut int  `json:"structured_data_tokens_left_out" doc:"The number of tokens of structured data that were left out, from its end."`
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
	HasRecord bool `json:"has_record,omitempty"`
	// Age is how old a copy was, in seconds: at least 1. 0: it is no copy.
	Age  int64        `json:"age,omitempty"`
	Page PageMetadata `json:"page"`
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
		RetrieveID: r.retrieveID, CreditsConsumed: r.credits, Age: r.outcome.Age, Result: Result{PageMetadata: r.outcome.Page},
	}
}

// canBeCopied reports whether later scrapes may read the content instead of the page. An error may be over by then, and a
// copy's age would not be that of its own scrape.
func (o *outcome) canBeCopied() bool {
	return o.Age == 0 && o.Page.StatusCode >= http.StatusOK && o.Page.StatusCode < http.StatusMultipleChoices
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
