package batches

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
	// Queue is the jobs queue for fetching pages. A team's pages share one of its lanes, and a batch is a group.
	Queue = "page"

	// ItemsMax is how many items a batch has at most.
	ItemsMax = 10_000
	// BodyBytesMax is the largest body that creates a batch.
	BodyBytesMax = 16 << 20

	// TimeoutDefault is how long a round of a batch may take.
	TimeoutDefault = 72 * time.Hour
	// RetentionDefault is how long content is kept.
	RetentionDefault = 7 * 24 * time.Hour

	// holdSpare is how much longer than the batch its hold lasts, so that the deadline ends both.
	holdSpare = time.Hour
)

// Status says whether the batch is still running.
type Status string

// The statuses.
const (
	StatusInProgress Status = "in_progress"
	StatusCompleted  Status = "completed"
)

// outcomeCanceled is the only outcome that does not follow from the items; the others are succeeded and failed.
const outcomeCanceled = "canceled"

// The states of ended items. Open and canceled items are not in the list.
const (
	itemCompleted = "completed"
	itemFailed    = "failed"
)

// The ways to pay for a batch.
const (
	paidCredits = "credits"
	paidUSDC    = "usdc"
)

// noParser is shown for a batch without a parser.
const noParser = "none"

// Batch is a batch as clients see it.
type Batch struct {
	ID              string            `json:"id" example:"batch_7w3v1m9x0q2k5t8c4n6d0f2h"`
	BatchID         string            `json:"batch_id" doc:"The same as id."`
	Object          string            `json:"object" enum:"batch"`
	Status          Status            `json:"status" enum:"in_progress,completed"`
	Outcome         *string           `json:"outcome" enum:"succeeded,failed,canceled" doc:"The outcome of the batch; failed if no page could be fetched. Null while the batch is in progress."`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	StartDate       string            `json:"start_date" format:"date-time"`
	CreatedAt       string            `json:"created_at" format:"date-time" doc:"The same as start_date."`
	CompletedAt     *string           `json:"completed_at" format:"date-time" doc:"The time when the batch was completed. Null while it is in progress."`
	NumberRetried   int32             `json:"number_retried" doc:"The number of items that were retried, over all retries."`
	Parser          string            `json:"parser" doc:"The id of the parser, as it was sent; none if there is no parser."`
	Country         *string           `json:"country"`
	FileID          *string           `json:"file_id" doc:"The id of the file that lists the items. Null if they were in the request."`
	Metadata        map[string]string `json:"metadata" nullable:"false"`
	Webhook         *string           `json:"webhook"`
	CreditsConsumed *money.Credits    `json:"credits_consumed" doc:"The credits that were charged; 0 for wallets. Null while in progress."`
	// CostUSD is exact: an integer number of millionths written as a decimal.
	CostUSD *json.Number `json:"cost_usd" doc:"The cost in US dollars: the credits at 0.001 USD each, or what a wallet paid. Null while in progress."`
	// WebhookSecret is for wallets, which have no key to request it with.
	WebhookSecret *string `json:"webhook_secret,omitempty" doc:"The secret that verifies requests to the webhook. Present only in the response to a wallet that creates a batch with a webhook."`

	Counts
}

// Counts are how many items a batch has, by the names of the service contract's batches and of its webhooks.
type Counts struct {
	TotalURLs      int32 `json:"total_urls" doc:"The number of items."`
	CompletedURLs  int32 `json:"completed_urls" doc:"The number of items that were fetched. These are charged."`
	FailedURLs     int32 `json:"failed_urls" doc:"The number of items that failed. They cost nothing and can be retried."`
	ItemsTotal     int32 `json:"items_total" doc:"The same as total_urls."`
	ItemsCompleted int32 `json:"items_completed" doc:"The same as completed_urls."`
	ItemsFailed    int32 `json:"items_failed" doc:"The same as failed_urls."`
}

func countsOf(b *db.Batch) Counts {
	return Counts{
		TotalURLs: b.Total, CompletedURLs: b.Completed, FailedURLs: b.Failed,
		ItemsTotal: b.Total, ItemsCompleted: b.Completed, ItemsFailed: b.Failed,
	}
}

// TransformSchema documents cost_usd as a number. The default for a json.Number is a string.
func (Batch) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["cost_usd"].Type, s.Properties["cost_usd"].Nullable = huma.TypeNumber, true
	return s
}

// Item is an ended item, as clients see it.
type Item struct {
	CustomID   string            `json:"custom_id" doc:"The custom_id of the item, as it was sent, or else the number of the item, starting at 1."`
	RetrieveID string            `json:"retrieve_id" doc:"The id of the content for GET /v1/retrieve."`
	URL        string            `json:"url"`
	Status     string            `json:"status" enum:"completed,failed"`
	Metadata   map[string]string `json:"metadata,omitempty" doc:"The metadata of the item. Present only if it was sent."`
	Error      *ItemError        `json:"error,omitempty" doc:"The reason why the item failed. Present only if it failed."`
}

// ItemError is why an item failed.
type ItemError struct {
	Code   string `json:"code" doc:"One of the error codes."`
	Detail string `json:"detail"`
}

// isID reports whether id could be a batch's.
func isID(id string) bool { return token.Is(id, "batch") }

// fundsOf returns what pays for the current round of b: each round has its own hold.
func fundsOf(b *db.Batch) *billing.Funds {
	job := b.ID
	if b.Round > 0 {
		job = fmt.Sprintf("%s/%d", b.ID, b.Round)
	}
	return &billing.Funds{Job: job, Unit: b.UnitCredits, Claim: b.ClaimID}
}

// object returns b as clients see it.
func (s *Service) object(b *db.Batch) (*Batch, error) {
	out := &Batch{
		ID: b.ID, BatchID: b.ID, Object: "batch", Status: Status(b.Status), Outcome: b.Outcome, Created: b.CreatedAt.Unix(),
		StartDate: isoTime(b.CreatedAt), CreatedAt: isoTime(b.CreatedAt), Counts: countsOf(b), NumberRetried: b.Retried,
		Parser: noParser, Metadata: map[string]string{}, Webhook: b.Webhook, FileID: b.FileID,
	}
	var options page.Options
	if err := json.Unmarshal(b.Options, &options); err != nil {
		return nil, fmt.Errorf("reading the options of %s: %w", b.ID, err)
	}
	if id := options.Parser.ID(); id != "" {
		out.Parser = id
	}
	if options.Country != "" {
		out.Country = &options.Country
	}
	if err := json.Unmarshal(b.Metadata, &out.Metadata); err != nil {
		return nil, fmt.Errorf("reading the metadata of %s: %w", b.ID, err)
	}
	if b.CompletedAt == nil {
		return out, nil
	}
	ended := isoTime(*b.CompletedAt)
	cost := b.PaidUsdc
	if b.Paid == paidCredits {
		var err error
		if cost, err = money.CreditPrice.Mul(int64(b.Credits)); err != nil {
			return nil, fmt.Errorf("converting the cost of %s: %w", b.ID, err)
		}
	}
	usd := json.Number(cost.String())
	out.CompletedAt, out.CreditsConsumed, out.CostUSD = &ended, &b.Credits, &usd
	return out, nil
}

func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// notice is the event payload of a batch's end.
type notice struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Status      Status            `json:"status"`
	Outcome     *string           `json:"outcome"`
	Created     int64             `json:"created"`
	CreatedAt   string            `json:"created_at"`
	CompletedAt *string           `json:"completed_at"`
	Metadata    map[string]string `json:"metadata"`

	Counts
}

func (b *Batch) notice() notice {
	return notice{
		ID: b.ID, Object: b.Object, Status: b.Status, Outcome: b.Outcome, Created: b.Created, CreatedAt: b.CreatedAt, CompletedAt: b.CompletedAt,
		Metadata: b.Metadata, Counts: b.Counts,
	}
}
