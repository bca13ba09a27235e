package crawls

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	errMadeBefore = errors.New("a crawl already exists for this identity")
	errNoJobs     = errors.New("this process has no job queue")
)

// Order is a validated request.
type Order struct {
	StartURL string
	MaxPages int32
	MaxDepth *int32 // nil: no limit
	// Timeout is the duration after which the crawl ends with the pages it has. 0: [TimeoutDefault].
	Timeout  time.Duration
	Spec     Spec
	Metadata map[string]string
	// Webhook is the URL that receives the end event; "": none.
	Webhook string
	// Record keeps everything that is sent and received.
	Record bool
	// Digest is the hash of the request. It distinguishes the request from other requests with the same identity.
	Digest [sha256.Size]byte
}

// Start validates a request and creates its crawl: see [Service.Create].
func (s *Service) Start(ctx context.Context, c *principal.Caller, r *Request) (*Crawl, error) {
	o, err := s.order(ctx, c.TeamID, r)
	if err != nil {
		return nil, err
	}
	return s.Create(ctx, c, o)
}

// Create creates the crawl of an order, once per identity, and returns it. When it returns, the work is durably enqueued
// and the crawl owns the principal's hold. A dry run returns nil.
func (s *Service) Create(ctx context.Context, c *principal.Caller, o *Order) (*Crawl, error) {
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: a dry run is answered with the quote
	}
	if s.jobs == nil {
		return nil, problem.Internal(errNoJobs)
	}
	row, start, err := s.newCrawl(ctx, c, o)
	if err != nil {
		return nil, err
	}
	secret, err := s.secretFor(ctx, c, row)
	if err != nil {
		return nil, err
	}
	var answer *Crawl
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.insert(ctx, tx, row, &start); err != nil {
			return err
		}
		if answer, err = s.object(row); err != nil {
			return err
		}
		if err := c.Record(ctx, tx, principal.Priced[Crawl]{Result: answer}); err != nil {
			return err
		}
		return fundsOf(row).Adopt(ctx, tx, c, row.DeadlineAt.Add(holdSpare))
	})
	switch {
	case errors.Is(err, errMadeBefore):
		return s.madeBefore(ctx, c, o)
	case err != nil:
		return nil, problem.From(err)
	}
	if row.Paid == paidCredits {
		c.Adopt()
	}
	s.jobs.Wake(Queue)
	answer.WebhookSecret = secret // not part of the recorded response: secrets are never stored
	return answer, nil
}

// secretFor returns the webhook secret for a wallet with a webhook, else nil: other clients read it with their key.
func (s *Service) secretFor(ctx context.Context, c *principal.Caller, row *db.Crawl) (*string, error) {
	if c.Unit != edgewire.UnitUSDC || row.Webhook == nil {
		return nil, nil //nolint:nilnil // documented
	}
	secret, err := s.config.Webhooks.Secret(ctx, c.TeamID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("creating the webhook's secret: %w", err))
	}
	return &secret, nil
}

// newCrawl returns the row of a new crawl and its first URL. It fails if the hold does not cover the price of max_pages.
func (s *Service) newCrawl(ctx context.Context, c *principal.Caller, o *Order) (*db.Crawl, urlfilter.Found, error) {
	now := s.config.Now()
	request, err := json.Marshal(&o.Spec)
	if err != nil {
		return nil, urlfilter.Found{}, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	metadata := []byte(`{}`)
	if o.Metadata != nil {
		if metadata, err = json.Marshal(o.Metadata); err != nil {
			return nil, urlfilter.Found{}, problem.Internal(fmt.Errorf("writing metadata: %w", err))
		}
	}
	row := &db.Crawl{
		ID: token.New("crawl"), TeamID: c.TeamID, Jti: c.IdentityID, RequestSha256: o.Digest[:], Paid: paidCredits, StartUrl: o.StartURL,
		Request: request, MaxPages: o.MaxPages, MaxDepth: o.MaxDepth, Metadata: metadata, Webhook: orNull(o.Webhook), Record: o.Record,
		Status: string(StatusInProgress), Found: 1, Open: 1, CreatedAt: now, DeadlineAt: now.Add(cmp.Or(o.Timeout, TimeoutDefault)),
	}
	r, err := s.rules.get(&site{id: row.ID, startURL: row.StartUrl, maxDepth: row.MaxDepth, request: row.Request})
	if err != nil {
		return nil, urlfilter.Found{}, problem.From(err)
	}
	start := r.first()
	if row.ClaimID, err = billing.ClaimOf(c); err != nil {
		return nil, urlfilter.Found{}, err
	}
	if row.ClaimID != nil {
		row.Paid, row.PaidUsdc = paidUSDC, money.MicroUSDC(c.Cost())
		return row, start, nil
	}
	unit, err := s.config.Pages.Price(ctx, c.TeamID, o.Spec.Options)
	if err != nil {
		return nil, urlfilter.Found{}, problem.From(err)
	}
	row.UnitCredits = unit
	return row, start, billing.Covered(c, unit, int(o.MaxPages))
}

// madeBefore answers a repeated request whose identity has already paid: nothing is held or charged a second time.
func (s *Service) madeBefore(ctx context.Context, c *principal.Caller, o *Order) (*Crawl, error) {
	row, err := s.queries.CrawlByIdentity(ctx, c.IdentityID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the crawl of an identity: %w", err))
	}
	if row.TeamID != c.TeamID || !bytes.Equal(row.RequestSha256, o.Digest[:]) {
		return nil, problem.New(problem.InvalidState, "This payment or authorization was already used for a different request.")
	}
	if err := fundsOf(&row).Repeated(ctx, credits.NewLedger(s.config.Pool), c); err != nil {
		return nil, err
	}
	answer, err := s.object(&row)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return answer, nil
}

// insert writes a crawl, and its first URL with a task.
func (s *Service) insert(ctx context.Context, tx pgx.Tx, c *db.Crawl, start *urlfilter.Found) error {
	queries := db.New(tx)
	n, err := queries.InsertCrawl(ctx, db.InsertCrawlParams{
		ID: c.ID, TeamID: c.TeamID, Jti: c.Jti, RequestSha256: c.RequestSha256, Paid: c.Paid, UnitCredits: c.UnitCredits,
		ClaimID: c.ClaimID, PaidUsdc: c.PaidUsdc, StartUrl: c.StartUrl, Request: c.Request, MaxPages: c.MaxPages, MaxDepth: c.MaxDepth,
		Metadata: c.Metadata, Webhook: c.Webhook, Record: c.Record, CreatedAt: c.CreatedAt, DeadlineAt: c.DeadlineAt,
	})
	switch {
	case err != nil:
		return fmt.Errorf("inserting crawl: %w", err)
	case n == 0:
		return errMadeBefore
	}
	intervalMs, open := s.hostPace(start.Host)
	err = queries.InsertCrawlStart(ctx, db.InsertCrawlStartParams{
		CrawlID: c.ID, TeamID: c.TeamID, Key: start.ID[:], Url: start.URL, Host: start.Host, OpenMax: open, IntervalMs: intervalMs,
		Shape: int64(start.Shape), RetrieveID: new(token.Random()), //nolint:gosec // 64 bits, whatever their sign
	})
	if err != nil {
		return fmt.Errorf("inserting the start URL of %s: %w", c.ID, err)
	}
	return s.enqueue(ctx, tx, c, []int32{1})
}

// hostPace returns how far apart URLs of a host are opened, in milliseconds, and how many may be open at once.
func (s *Service) hostPace(host string) (intervalMs, open int32) {
	interval, n := s.config.HostPace(host)
	return int32(min(max(interval.Milliseconds(), 0), math.MaxInt32)), int32(min(max(n, 1), PagesMax)) //nolint:gosec // bounded
}
