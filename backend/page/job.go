package page

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Job is a page to fetch and keep under a retrieve_id.
type Job struct {
	// TeamID is the team of the job. It decides which parsers and cached copies are used, and whether the job is refused.
	TeamID string
	// RetrieveID is the ID of the kept content: token.Random.
	RetrieveID string
	// Attempt counts from 1 and is part of the content's keys. Concurrent attempts must not share it: an attempt that was
	// taken for dead would change what another one has finished.
	Attempt int
	// URL is the URL of the page.
	URL     string
	Options Options
	// Expires is when the content expires.
	Expires time.Time
	// Background is for jobs whose number is limited by the feature that runs them: they do not use the places for requests
	// with a waiting client. They still wait for memory.
	Background bool
	// Patience is how long the job waits for its turn at a host before it fails with ClassWait, if that is shorter than the
	// engine's own limit. 0: the engine's limit.
	Patience time.Duration
	// Follow is called with the target of each redirect before it is followed. Its error ends the job: a *problem.Error or
	// an *Error is then the job's error. Nil: redirects are followed.
	Follow func(ctx context.Context, url string) error
	// Links requests the page's links and the other fields that Kept has for such jobs. They are not stored.
	Links bool
	// Sitemaps returns the URLs in a sitemap as its links.
	Sitemaps bool
	// Bare requests only that: no content is made or stored, and Options.Formats is ignored.
	Bare bool
	// Record also keeps what was sent and received, so that the page can be read again without the network.
	Record bool
}

// Kept is the result of a job. The content is in blob storage. A row of table content with these fields makes it readable,
// and has it deleted when it expires. The feature that runs the job must write that row.
type Kept struct {
	RetrieveID string
	// Attempts is the number of the attempt: the content of all attempts up to it is deleted in the end.
	Attempts int
	// StatusCode is the status of the target's response.
	StatusCode int
	// RetryAfter is the delay that a target with 429 or 503 asks for; 0 if it does not say.
	RetryAfter time.Duration
	// Title is the title of the page, or "".
	Title string
	// Outcome is the metadata of the content and the page, for column outcome of table content.
	Outcome json.RawMessage
	// Bytes is the size of the content in all formats.
	Bytes int64
	// Expires is that of the job.
	Expires time.Time

	// The following fields are only set for jobs with Links.

	// FinalURL is the URL of the page after redirects.
	FinalURL string
	// MediaType is the media type of the response, in lower case without parameters.
	MediaType string
	// Canonical is the canonical URL that the page declares, absolute; "" if there is none.
	Canonical string
	// Heading is the page's first heading of the first level, or "".
	Heading string
	// Excerpt is the beginning of the page's text, up to 2,000 bytes.
	Excerpt string
	// Links are the links of the page, in order: none if the status is 400 or more.
	Links []Link
	// NoFollow reports whether the page asks not to follow its links, in itself or by X-Robots-Tag.
	NoFollow bool
	// ContentKey is equal for pages with the same readable text; zero if there is too little text to tell.
	ContentKey [16]byte
	// Simhash differs in few bits between pages with nearly the same text; 0 if ContentKey is zero.
	Simhash uint64
	// Form is equal for pages whose texts differ only in dates and small numbers; 0 if ContentKey is zero.
	Form uint64
}

// Link is a link of a page.
type Link struct {
	// URL is absolute.
	URL string
	// Text is the link's text, Heading the heading above it, Around the text beside it.
	Text, Heading, Around string
	// NoFollow reports whether rel asks not to follow it.
	NoFollow bool
}

// Troubled reports whether the target's status says that it is in trouble (429 and 5xx, RFC 9110 section 15.6 and RFC 6585
// section 4). The page is kept like any other; a caller with time may try again and perhaps get a better one.
func (k *Kept) Troubled() bool {
	return k.StatusCode == http.StatusTooManyRequests || k.StatusCode >= http.StatusInternalServerError
}
