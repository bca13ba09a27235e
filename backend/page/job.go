package page

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Job is a page to be come by, and kept under a retrieve_id.
type Job struct {
	// TeamID is whose job it is: it says which parsers and copies are used, and who is refused.
	TeamID string
	// RetrieveID is what the content is kept under: token.Random.
	RetrieveID string
	// Attempt counts from 1 and is part of the content's keys. Attempts that may be under way at once must not share it:
	// one that was taken for dead would change what the other has finished.
	Attempt int
	// URL is the page's.
	URL     string
	Options Options
	// Expires is when the content's time is over.
	Expires time.Time
	// Background is for jobs whose number is kept within bounds by whoever runs them: they take none of the places for
	// requests that somebody waits for. They do wait for memory.
	Background bool
	// Patience is how long the job waits for its turn at a host before it fails with ClassWait, where that is shorter
	// than the engine would wait. 0: as long as the engine does.
	Patience time.Duration
	// Follow is asked before each redirect is followed, with the URL that it leads to. Its error ends the job: a
	// *problem.Error or an *Error is what the job then fails with. Nil: redirects are followed.
	Follow func(ctx context.Context, url string) error
	// Links asks for the page's links and what else Kept says of such jobs, which is stored nowhere.
	Links bool
	// Sitemaps has what a sitemap lists be its links.
	Sitemaps bool
	// Bare asks for nothing but that: no content is made or stored, and Options.Formats is not looked at.
	Bare bool
	// Record keeps what was sent and received beside the content, so that it can be read again without the network.
	Record bool
}

// Kept is what came of a job. The content is in blob storage; a row of table content, with the fields of this, makes it
// readable, and has it deleted when its time is over. Writing that row is for whoever ran the job.
type Kept struct {
	RetrieveID string
	// Attempts is which attempt it was: the content of all up to it is deleted in the end.
	Attempts int
	// StatusCode is what the target answered.
	StatusCode int
	// RetryAfter is when a target that answered 429 or 503 wants to be asked again; 0 where it does not say.
	RetryAfter time.Duration
	// Title is the page's, or "".
	Title string
	// Outcome is what is known of the content and the page, for column outcome of table content.
	Outcome json.RawMessage
	// Bytes is how much content there is, in all formats.
	Bytes int64
	// Expires is the job's.
	Expires time.Time

	// What follows is of jobs with Links alone.

	// FinalURL is where the page is, after redirects.
	FinalURL string
	// MediaType is the answer's, in lower case without parameters.
	MediaType string
	// Canonical is the URL that the page says is its own, absolute; "" where it says none.
	Canonical string
	// Heading is the page's first heading of the first level, or "".
	Heading string
	// Excerpt is the beginning of the page's text, up to 2,000 bytes.
	Excerpt string
	// Links are what the page leads to, in its order: none where the answer was 400 or more.
	Links []Link
	// NoFollow reports whether the page asks for its links not to be followed, in itself or by X-Robots-Tag.
	NoFollow bool
	// ContentKey is the same for pages whose readable text is; zero where there is too little of it to tell.
	ContentKey [16]byte
	// Simhash differs in few bits between pages whose text is nearly the same; 0 where ContentKey is zero.
	Simhash uint64
	// Form is the same for pages whose text differs in dates and small numbers alone; 0 where ContentKey is zero.
	Form uint64
}

// Link is a link of a page.
type Link struct {
	// URL is absolute.
	URL string
	// Text is what the link shows, Heading what it stands under, Around the text beside it.
	Text, Heading, Around string
	// NoFollow reports whether rel asks for it not to be followed.
	NoFollow bool
}

// Troubled reports whether the target answered that it is in trouble (429 and 5xx, RFC 9110 section 15.6 and RFC 6585
// section 4). That is a page like any other; who has the time may ask again, and perhaps be given a better one.
func (k *Kept) Troubled() bool {
	return k.StatusCode == http.StatusTooManyRequests || k.StatusCode >= http.StatusInternalServerError
}
