package crawls

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// insert writes a crawl, its first URL with a task, and the job for its deadline.
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
	if err := s.enqueue(ctx, tx, c, []int32{1}); err != nil {
		return err
	}
	err = s.jobs.InsertTx(ctx, tx, deadlineArgs{Crawl: c.ID}, &river.InsertOpts{ScheduledAt: c.DeadlineAt})
	if err != nil {
		return fmt.Errorf("setting the deadline of %s: %w", c.ID, err)
	}
	return nil
}

// hostPace returns how far apart URLs of a host are opened, in milliseconds, and how many may be open at once.
func (s *Service) hostPace(host string) (intervalMs, open int32) {
	interval, n := s.config.HostPace(host)
	return int32(min(max(interval.Milliseconds(), 0), math.MaxInt32)), int32(min(max(n, 1), PagesMax)) //nolint:gosec // bounded
}
