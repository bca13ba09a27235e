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
