package crawls

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// purgeChunk is how many URLs of a crawl are read at once.
	purgeChunk = 500
	// forgetChunk is how many URLs are deleted at once.
	forgetChunk = 10_000
)

// Purge cleans up crawls that ended longer ago than the retention, up to rowsMax of them, and returns how many it cleaned.
// It deletes what unsuccessful attempts may have stored, and URLs that did not become pages or failures. Any replica may
// run it at any time, and repeat it.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	ids, err := s.queries.ListCrawlsToPurge(ctx, db.ListCrawlsToPurgeParams{CompletedBefore: now.Add(-s.config.Retention), RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing crawls to purge: %w", err)
	}
	for i, id := range ids {
		if err := s.discard(ctx, id); err != nil {
			return i, err
		}
		if err := s.forget(ctx, id); err != nil {
			return i, err
		}
		if err := s.queries.MarkCrawlPurged(ctx, db.MarkCrawlPurgedParams{ID: id, PurgedAt: now}); err != nil {
			return i, fmt.Errorf("marking crawl %s purged: %w", id, err)
		}
	}
	return len(ids), nil
}

func (s *Service) discard(ctx context.Context, id string) error {
	for after := int32(0); ; {
		rows, err := s.queries.ListUncountedPages(ctx, db.ListUncountedPagesParams{CrawlID: id, AfterN: after, RowsMax: purgeChunk})
		if err != nil {
			return fmt.Errorf("listing the leftover content of %s: %w", id, err)
		}
		for _, row := range rows {
			if err := s.config.Pages.Discard(ctx, row.RetrieveID, int(row.Attempts)); err != nil {
				return fmt.Errorf("deleting the leftover content of URL %d of %s: %w", row.N, id, err)
			}
			after = row.N
		}
		if len(rows) < purgeChunk {
			return nil
		}
	}
}

// forget deletes the URLs of a crawl that are neither pages nor failures. Run it after discard, which needs these rows.
func (s *Service) forget(ctx context.Context, id string) error {
	for {
		n, err := s.queries.ForgetFrontier(ctx, db.ForgetFrontierParams{CrawlID: id, RowsMax: forgetChunk})
		if err != nil {
			return fmt.Errorf("deleting URLs of %s: %w", id, err)
		}
		if n < forgetChunk {
			return nil
		}
	}
}
