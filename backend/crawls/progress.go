package crawls

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

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
