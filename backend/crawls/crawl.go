package crawls

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// Queue is the job queue that fetches pages. All pages of a team share a lane of it, and each crawl is a group.
	Queue = "page"
	// GroupPrefix begins the names of crawl groups in the queue.
	GroupPrefix = "crawl_"

	// PagesMax is the upper limit of max_pages.
	PagesMax = 100_000
	// TimeoutDefault is the default and the maximum duration of a crawl.
	TimeoutDefault = 72 * time.Hour
	// RetentionDefault is how long content is kept by default.
	RetentionDefault = 7 * 24 * time.Hour

	// holdSpare is how much longer the hold lasts than the crawl, so that the hold does not expire first.
	holdSpare = time.Hour
)

// Status says whether the crawl is still running.
type Status string

// The statuses.
const (
	StatusInProgress Status = "in_progress"
	StatusCompleted  Status = "completed"
)

// outcomeCanceled is the only outcome that does not follow from the pages' results (succeeded or failed).
const outcomeCanceled = "canceled"

// Final states of URLs. Done URLs are pages, which are counted and charged. Failed URLs are listed separately.
// Duplicate and skipped URLs are neither listed nor charged.
const (
	stateDone      = "done"
	stateFailed    = "failed"
	stateDuplicate = "duplicate"
	stateSkipped   = "skipped"
	// stateWaiting is not final: the URL goes back to the frontier until its host may be asked again.
	stateWaiting = "waiting"
)

// How a crawl is paid.
const (
	paidCredits = "credits"
	paidUSDC    = "usdc"
)

// Spec is the part of a request that a worker needs: which pages to fetch and how to keep them.
type Spec struct {
	IncludeURLs      []string `json:"include_urls,omitempty"`
	ExcludeURLs      []string `json:"exclude_urls,omitempty"`
	IncludeExternal  bool     `json:"include_external,omitempty"`
	IncludeSubdomain bool     `json:"include_subdomain,omitempty"`
	// IgnoreRobots is set if follow_robots_txt is false: disallow rules and nofollow instructions of pages are ignored.
	IgnoreRobots bool         `json:"ignore_robots,omitempty"`
	SearchQuery  string       `json:"search_query,omitempty"`
	TopN         int          `json:"top_n,omitempty"`
	Options      page.Options `json:"options,omitzero"`
	// Bare is set if no formats are requested: pages are listed, but none of their content is kept.
	Bare bool `json:"bare,omitempty"`
}

// Crawl is a crawl as the API shows it.
type Crawl struct {
	ID               string            `json:"id" example:"crawl_7w3v1m9x0q2k5t8c4n6d0f2h"`
	CrawlID          string            `json:"crawl_id" doc:"The same as id."`
	Object           string            `json:"object" enum:"crawl"`
	Status           Status            `json:"status" enum:"in_progress,completed"`
	Outcome          *string           `json:"outcome" enum:"succeeded,failed,canceled" doc:"The outcome of the crawl; failed if no page could be fetched. Null while the crawl is in progress."`
	Created          int64             `json:"created" doc:"Unix time in seconds."`
	StartEpoch       int64             `json:"start_epoch" doc:"The same as created."`
	StartDate        string            `json:"start_date" format:"date-time"`
	CreatedAt        string            `json:"created_at" format:"date-time" doc:"The same as start_date."`
	CompletedAt      *string           `json:"completed_at" format:"date-time" doc:"The time when the crawl was completed. Null while it is in progress."`
	StartURL         string            `json:"start_url"`
	MaxPages         int32             `json:"max_pages"`
	MaxDepth         *int32            `json:"max_depth" doc:"The maximum number of links from start_url. Null if there is no limit."`
	IncludeURLs      []string          `json:"include_urls" nullable:"false"`
	ExcludeURLs      []string          `json:"exclude_urls" nullable:"false"`
	IncludeExternal  bool              `json:"include_external"`
	IncludeSubdomain bool              `json:"include_subdomain"`
	SearchQuery      *string           `json:"search_query"`
	TopN             *int              `json:"top_n"`
	Timeout          int64             `json:"timeout" doc:"The number of seconds after which the crawl ends with the pages fetched by then."`
	FollowRobotsTxt  bool              `json:"follow_robots_txt"`
	ScrapeOptions    ScrapeOptions     `json:"scrape_options" doc:"The scrape options, as they were sent."`
	Record           bool              `json:"record" doc:"Whether the requests and responses of the crawl are recorded."`
	CurrentDepth     int32             `json:"current_depth" doc:"The depth of the URLs being fetched: the number of links from start_url."`
	ActualMaxDepth   int32             `json:"actual_max_depth" doc:"The depth of the deepest page fetched so far."`
	PagesCount       int32             `json:"pages_count" doc:"The number of pages fetched so far. These are charged."`
	Completed        int32             `json:"completed" doc:"The same as pages_count."`
	URLsCount        int32             `json:"urls_count" doc:"The same as pages_count."`
	Failed           int32             `json:"failed" doc:"The number of URLs that failed. They cost nothing."`
	Metadata         map[string]string `json:"metadata" nullable:"false"`
	Webhook          *string           `json:"webhook"`
	CreditsConsumed  *money.Credits    `json:"credits_consumed" doc:"The credits that were charged; 0 for wallets. Null while in progress."`
	// CostUSD is exact: an integer number of millionths written as a decimal.
	CostUSD *json.Number `json:"cost_usd" doc:"The cost in US dollars: the credits at 0.001 USD each, or what a wallet paid. Null while in progress."`
	// WebhookSecret is set only for wallets, which have no API key to read it with.
	WebhookSecret *string `json:"webhook_secret,omitempty" doc:"The secret that verifies requests to the webhook. Present only in the response to a wallet that creates a crawl with a webhook."`
}

// TransformSchema documents cost_usd as a number; json.Number would be documented as a string.
func (Crawl) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["cost_usd"].Type, s.Properties["cost_usd"].Nullable = huma.TypeNumber, true
	return s
}

// isID reports whether id has the form of a crawl ID.
func isID(id string) bool { return token.Is(id, "crawl") }

// fundsOf returns the funds that pay for c.
func fundsOf(c *db.Crawl) *billing.Funds {
	return &billing.Funds{Job: c.ID, Unit: c.UnitCredits, Claim: c.ClaimID}
}

// object returns c as the API shows it.
func (s *Service) object(c *db.Crawl) (*Crawl, error) {
	var spec Spec
	if err := json.Unmarshal(c.Request, &spec); err != nil {
		return nil, fmt.Errorf("reading the request of %s: %w", c.ID, err)
	}
	out := &Crawl{
		ID: c.ID, CrawlID: c.ID, Object: "crawl", Status: Status(c.Status), Outcome: c.Outcome, Created: c.CreatedAt.Unix(),
		StartEpoch: c.CreatedAt.Unix(), StartDate: isoTime(c.CreatedAt), CreatedAt: isoTime(c.CreatedAt), StartURL: c.StartUrl, MaxPages: c.MaxPages, MaxDepth: c.MaxDepth,
		IncludeURLs: includeOf(spec.IncludeURLs), ExcludeURLs: listOf(spec.ExcludeURLs),
		IncludeExternal: spec.IncludeExternal, IncludeSubdomain: spec.IncludeSubdomain, FollowRobotsTxt: !spec.IgnoreRobots,
		SearchQuery: orNull(spec.SearchQuery), TopN: orNull(spec.TopN), Timeout: int64(c.DeadlineAt.Sub(c.CreatedAt) / time.Second),
		ScrapeOptions: spec.shown(), Record: c.Record, CurrentDepth: c.Depth, ActualMaxDepth: c.DepthMax, PagesCount: c.Pages, Completed: c.Pages,
		URLsCount: c.Pages, Failed: c.Failed,
		Metadata: map[string]string{}, Webhook: c.Webhook,
	}
	if err := json.Unmarshal(c.Metadata, &out.Metadata); err != nil {
		return nil, fmt.Errorf("reading the metadata of %s: %w", c.ID, err)
	}
	if c.CompletedAt == nil {
		return out, nil
	}
	ended := isoTime(*c.CompletedAt)
	cost := c.PaidUsdc
	if c.Paid == paidCredits {
		var err error
		if cost, err = money.CreditPrice.Mul(int64(c.Credits)); err != nil {
			return nil, fmt.Errorf("converting the cost of %s: %w", c.ID, err)
		}
	}
	usd := json.Number(cost.String())
	out.CompletedAt, out.CreditsConsumed, out.CostUSD = &ended, &c.Credits, &usd
	return out, nil
}

func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// listOf replaces nil with an empty list, so that JSON shows [] and not null.
func listOf(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// includeOf returns include_urls, or its default if it was left out.
func includeOf(globs []string) []string {
	if len(globs) == 0 {
		return []string{"/**"}
	}
	return globs
}

func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// notice is the payload of the event that a crawl has ended.
type notice struct {
	ID             string            `json:"id"`
	Object         string            `json:"object"`
	Status         Status            `json:"status"`
	Outcome        *string           `json:"outcome"`
	StartURL       string            `json:"start_url"`
	URLsCount      int32             `json:"urls_count"`
	PagesCount     int32             `json:"pages_count"`
	MaxPages       int32             `json:"max_pages"`
	MaxDepth       *int32            `json:"max_depth"`
	ActualMaxDepth int32             `json:"actual_max_depth"`
	StartEpoch     int64             `json:"start_epoch"`
	StartDate      string            `json:"start_date"`
	Created        int64             `json:"created"`
	CreatedAt      string            `json:"created_at"`
	CompletedAt    *string           `json:"completed_at"`
	Metadata       map[string]string `json:"metadata"`
}

func (c *Crawl) notice() notice {
	return notice{
		ID: c.ID, Object: c.Object, Status: c.Status, Outcome: c.Outcome, StartURL: c.StartURL, URLsCount: c.PagesCount, PagesCount: c.PagesCount,
		MaxPages: c.MaxPages, MaxDepth: c.MaxDepth, ActualMaxDepth: c.ActualMaxDepth, StartEpoch: c.Created, StartDate: c.StartDate,
		Created: c.Created, CreatedAt: c.CreatedAt, CompletedAt: c.CompletedAt, Metadata: c.Metadata,
	}
}
