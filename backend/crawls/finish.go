package crawls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

// contentSource marks content of crawls in table content.
const contentSource = "crawl"

var errURLNotOpen = errors.New("the URL of a finished task is not open")

// ended is a URL whose task has ended.
type ended struct {
	result

	n, tries int32
}

// Finish implements [jobs.Handler]: it ends URLs of one crawl, and does all that follows from it, in one transaction.
func (s *Service) Finish(ctx context.Context, done []jobs.Done) error {
	if len(done) == 0 {
		return nil
	}
	id := done[0].Group
	var keys []urlfilter.ID
	err := s.inTx(ctx, func(tx pgx.Tx) (err error) {
		keys, err = s.finish(ctx, tx, id, done)
		return err
	})
	if billing.IsOver(err) {
		// The hold is gone, so nothing more can be charged or fetched.
		s.config.Logger.ErrorContext(ctx, "a crawl lost its hold and was ended", "crawl", id, "error", err)
		return s.fail(ctx, id)
	}
	if err != nil {
		return err
	}
	s.config.Seen.Add(urlfilter.MarkOf(id), keys...) // only what is committed
	s.jobs.Wake(Queue)
	return nil
}

func (s *Service) finish(ctx context.Context, tx pgx.Tx, id string, done []jobs.Done) ([]urlfilter.ID, error) {
	c, err := db.New(tx).LockCrawl(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("locking crawl %s: %w", id, err)
	}
	valid, err := jobs.Complete(ctx, tx, done)
	if err != nil || len(valid) == 0 || c.Status != string(StatusInProgress) {
		return nil, err
	}
	now := s.config.Now()
	pages, err := s.park(ctx, tx, &c, s.endings(ctx, valid), now)
	if err != nil {
		return nil, err
	}
	captured := 0
	if len(pages) > 0 {
		told, err := s.tell(ctx, tx, &c, pages)
		if err != nil {
			return nil, err
		}
		if captured, err = s.write(ctx, tx, &c, pages, now); err != nil {
			return nil, err
		}
		if err := told.write(ctx, tx, &c, now); err != nil {
			return nil, err
		}
	}
	if !now.Before(c.DeadlineAt) {
		if err := fundsOf(&c).Capture(ctx, tx, captured); err != nil {
			return nil, err
		}
		return nil, s.expire(ctx, tx, &c)
	}
	keys, err := s.widen(ctx, tx, &c, pages)
	if err != nil {
		return nil, err
	}
	admitted, err := s.admit(ctx, tx, &c, len(valid), now)
	if err != nil {
		return nil, err
	}
	if err := fundsOf(&c).Capture(ctx, tx, captured); err != nil {
		return nil, err
	}
	if c.Open > 0 || admitted > 0 {
		return keys, nil
	}
	return keys, s.end(ctx, tx, &c, nil)
}

// endings returns the results of tasks in the order in which their URLs were found.
func (s *Service) endings(ctx context.Context, done []jobs.Done) []ended {
	pages := make([]ended, 0, len(done))
	for i := range done {
		d := &done[i]
		e := ended{n: d.N, tries: tries(&d.Task)}
		if r, ok := d.Result.(*result); ok && d.Err == nil {
			e.result = *r
		} else {
			e.state, e.reason = stateFailed, s.reason(ctx, d)
			e.kept.StatusCode = statusOf(d.Err)
		}
		pages = append(pages, e)
	}
	slices.SortFunc(pages, func(a, b ended) int { return cmp.Compare(a.n, b.n) })
	return pages
}

// reason returns why a URL failed.
func (s *Service) reason(ctx context.Context, d *jobs.Done) string {
	_, busy := errors.AsType[*fetch.BusyError](d.Err)
	switch status := statusOf(d.Err); {
	case busy, status == http.StatusTooManyRequests:
		return reasonRateLimited
	case status > 0:
		return reasonTarget
	}
	if e, ok := errors.AsType[*problem.Error](d.Err); ok && e.Code != problem.InternalServerError {
		return string(e.Code)
	}
	s.config.Logger.ErrorContext(ctx, "a page of a crawl failed with an internal error", "crawl", d.Group, "n", d.N, "error", d.Err)
	return string(problem.InternalServerError)
}

func statusOf(err error) int {
	if troubled, ok := errors.AsType[*troubledError](err); ok {
		return troubled.status
	}
	return 0
}

// write ends the URLs of a batch, makes their content readable, and returns the number of pages to charge.
func (s *Service) write(ctx context.Context, tx pgx.Tx, c *db.Crawl, pages []ended, now time.Time) (int, error) {
	queries := db.New(tx)
	rows := db.FinishPagesParams{CrawlID: c.ID, FinishedAt: now}
	contents := db.KeepContentsParams{TeamID: c.TeamID, Source: contentSource, CreatedAt: now}
	moves := db.TakeKnownURLsParams{CrawlID: c.ID, FinishedAt: now}
	place := int32(0)
	for i := range pages {
		p := &pages[i]
		listed := int32(0)
		if p.state == stateDone || p.state == stateFailed {
			place++
			listed = place
		}
		p.fill(&rows, listed)
		if p.home != "" {
			rows.Home = &p.home
		}
		if p.state != stateDone {
			continue
		}
		contents.RetrieveIds = append(contents.RetrieveIds, p.kept.RetrieveID)
		contents.Attempts = append(contents.Attempts, int32(p.kept.Attempts)) //nolint:gosec // a few
		contents.Outcomes = append(contents.Outcomes, outcome(p.kept.Outcome))
		contents.Expiries = append(contents.Expiries, p.kept.Expires)
		if p.final != nil {
			moves.Keys, moves.Urls, moves.OfNs = append(moves.Keys, p.final[:]), append(moves.Urls, p.url), append(moves.OfNs, p.n)
		}
	}
	var err error
	*c, err = queries.FinishPages(ctx, rows)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, fmt.Errorf("finishing %d URLs of %s: %w", len(pages), c.ID, errURLNotOpen)
	case err != nil:
		return 0, fmt.Errorf("finishing %d URLs of a crawl: %w", len(pages), err)
	}
	if len(moves.Keys) > 0 {
		if err := queries.TakeKnownURLs(ctx, moves); err != nil {
			return 0, fmt.Errorf("storing the final URLs of pages of %s: %w", c.ID, err)
		}
	}
	if len(contents.RetrieveIds) > 0 {
		if err := queries.KeepContents(ctx, contents); err != nil {
			return 0, fmt.Errorf("storing the content of %s: %w", c.ID, err)
		}
	}
	return len(contents.RetrieveIds), nil
}

// fill adds p to the rows to write. listed is its place in the list, 0 if it has none.
func (p *ended) fill(rows *db.FinishPagesParams, listed int32) {
	rows.Ns, rows.States, rows.Places = append(rows.Ns, p.n), append(rows.States, p.state), append(rows.Places, listed)
	rows.Tries, rows.OfNs, rows.Reasons = append(rows.Tries, p.tries), append(rows.OfNs, p.of), append(rows.Reasons, p.reason)
	rows.StatusCodes = append(rows.StatusCodes, int32(p.kept.StatusCode)) //nolint:gosec // three digits
	rows.Titles = append(rows.Titles, p.kept.Title)
	key := []byte{}
	if p.kept.ContentKey != ([16]byte{}) {
		key = p.kept.ContentKey[:]
	}
	rows.ContentKeys, rows.Simhashes = append(rows.ContentKeys, key), append(rows.Simhashes, int64(p.kept.Simhash)) //nolint:gosec // 64 bits
	rows.Kins, rows.Relevances = append(rows.Kins, int64(p.kin)), append(rows.Relevances, relevance(p.relevance))   //nolint:gosec // 64 bits
	at := ""
	if p.state == stateDone && p.final != nil {
		at = p.url
	}
	rows.Urls = append(rows.Urls, at)
}

// outcome returns what is known about content; for content that was not kept that is an empty object.
func outcome(raw []byte) string {
	if len(raw) == 0 {
		return "{}"
	}
	return string(raw)
}
