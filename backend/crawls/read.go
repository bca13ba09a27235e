package crawls

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Crawl returns a crawl of c's team. A crawl that a wallet created may be read without authentication.
func (s *Service) Crawl(ctx context.Context, c *principal.Caller, id string) (*Crawl, error) {
	row, err := s.visible(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.shown(row)
}

func (s *Service) shown(row *db.Crawl) (*Crawl, error) {
	answer, err := s.object(row)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return answer, nil
}

// visible returns a crawl that c may read.
func (s *Service) visible(ctx context.Context, c *principal.Caller, id string) (*db.Crawl, error) {
	row, err := db.CrawlByIDRow{}, pgx.ErrNoRows
	if isID(id) {
		row, err = s.queries.CrawlByID(ctx, id)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.Internal(fmt.Errorf("reading crawl %s: %w", id, err))
	}
	if err := c.Reads(row.Crawl.TeamID, row.TeamKind, crawlNotFound()); err != nil {
		return nil, err
	}
	return &row.Crawl, nil
}

// List returns up to limit crawls of c's team, latest first, and the cursor for the next part, nil at the end.
func (s *Service) List(ctx context.Context, c *principal.Caller, status, cursor string, limit int) ([]*Crawl, *string, error) {
	after, err := paging.Parse(cursor, "crawl")
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.queries.ListCrawls(ctx, db.ListCrawlsParams{
		TeamID: c.TeamID, Status: orNull(status), BeforeCreatedAt: after.Created, BeforeID: after.ID, RowsMax: int32(limit) + 1, //nolint:gosec // a page
	})
	if err != nil {
		return nil, nil, problem.Internal(fmt.Errorf("listing crawls: %w", err))
	}
	var next *string
	if len(rows) > limit {
		rows = rows[:limit]
		next = paging.Position{Created: rows[limit-1].CreatedAt, ID: rows[limit-1].ID}.Cursor()
	}
	out := make([]*Crawl, 0, len(rows))
	for i := range rows {
		shown, err := s.shown(&rows[i])
		if err != nil {
			return nil, nil, err
		}
		out = append(out, shown)
	}
	return out, next, nil
}

// Progress is a crawl so far, with some of its pages.
type Progress struct {
	Crawl *Crawl
	// Open is how many URLs are being fetched or wait for it.
	Open int32
	// Credits is what the pages fetched so far cost.
	Credits money.Credits
	// Pages are in the order in which they were fetched. The place of each, counted from 1 with gaps, is in Places.
	Pages  []Page
	Places []int32
}

// Progress returns a crawl that c may read, with up to limit of its pages after a place.
func (s *Service) Progress(ctx context.Context, c *principal.Caller, id string, after, limit int32) (*Progress, error) {
	row, err := s.visible(ctx, c, id) // before its pages: if it is completed, they are complete
	if err != nil {
		return nil, err
	}
	p := &Progress{Open: row.Open, Credits: row.UnitCredits * money.Credits(row.Pages)}
	if p.Crawl, err = s.shown(row); err != nil {
		return nil, err
	}
	rows, err := s.queries.ListPages(ctx, db.ListPagesParams{CrawlID: id, AfterSeq: after, RowsMax: limit})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing pages of %s: %w", id, err))
	}
	for i := range rows {
		p.Pages = append(p.Pages, pageOf(&rows[i], false))
		p.Places = append(p.Places, rows[i].Seq)
	}
	return p, nil
}

// Failed returns the URLs of a crawl that failed, up to the first 1,000.
func (s *Service) Failed(ctx context.Context, c *principal.Caller, id string) ([]FailedURL, error) {
	list := &PageList{ID: id}
	if _, err := s.visible(ctx, c, id); err != nil {
		return nil, err
	}
	err := s.beside(ctx, list)
	return list.Metadata.FailedURLs, err
}
