package crawls

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/db"
)

// shapes are statistics about the pages of a crawl, by URL shape, for shapes that may have endlessly many URLs.
type shapes map[uint64]*shape

type shape struct {
	urlfilter.State

	// of is the last page that brought something new.
	of int32
	// path is the path of a family; "": this is a shape. closed is whether it was already closed when it was read.
	path   string
	closed bool
}

// sweepMax is the largest number of waiting URLs that is searched for URLs of a shape that closes. In larger crawls such
// URLs are skipped one by one when they run.
const sweepMax = 50_000

// readShapes reads the statistics for the shapes of a batch.
func readShapes(ctx context.Context, tx pgx.Tx, c *db.Crawl, pages []ended) (shapes, error) {
	known := shapes{}
	p := db.ShapesOfParams{CrawlID: c.ID}
	for i := range pages {
		if !pages[i].said() {
			continue
		}
		for at, of := range []uint64{pages[i].shape, pages[i].family} {
			if of == 0 || known[of] != nil {
				continue
			}
			known[of] = &shape{}
			if at == 1 {
				known[of].path, _, _ = strings.Cut(pages[i].url, "?")
			}
			p.Shapes = append(p.Shapes, int64(of)) //nolint:gosec // 64 bits, whatever their sign
		}
		for _, choice := range pages[i].choices {
			if known[choice] == nil {
				known[choice] = &shape{}
				p.Shapes = append(p.Shapes, int64(choice)) //nolint:gosec // as above
			}
		}
	}
	if len(known) == 0 {
		return known, nil
	}
	rows, err := db.New(tx).ShapesOf(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("reading shapes of %s: %w", c.ID, err)
	}
	for _, row := range rows {
		of := known[uint64(row.Shape)]                                                                                 //nolint:gosec // as above
		of.State, of.of = urlfilter.State{Seen: int(row.Seen), Fresh: int(row.Fresh), Last: uint64(row.Mark)}, row.OfN //nolint:gosec // as above
		of.closed = of.Closed()
	}
	return known, nil
}

// said reports whether the site responded as if there were a page. A soft 404 counts as a page that brings nothing new.
func (p *ended) said() bool {
	return p.state == stateDone || p.state == stateDuplicate || p.reason == reasonSoftMissing
}

// mark returns the fingerprint by which a page is compared with the last page of its shape.
func (p *ended) mark() uint64 {
	if p.serial {
		return p.kept.Form
	}
	return p.kept.Simhash
}

// same returns the page of a series that equals p except for dates and small numbers; 0: none.
func (s shapes) same(p *ended) int32 {
	if of := s[p.shape]; p.serial && of != nil && of.of != 0 && of.Last != 0 && of.Last == p.kept.Form {
		return of.of
	}
	return 0
}

// count counts a page after its comparison.
func (s shapes) count(p *ended) {
	if !p.said() {
		return
	}
	known := p.state != stateDone
	if of := s[p.shape]; of != nil {
		of.Add(p.mark(), known)
		if !known {
			of.of = p.n
		}
	}
	chosen := s.chosen(p)
	if of := s[p.family]; of != nil {
		// Filters over values already seen, leading only to further filters, bring nothing new. Pages that are
		// distinguished by a parameter each have a value that was not seen before.
		of.Add(p.kept.Simhash, known || chosen && p.onlyFamily && urlfilter.Reshuffled(p.kept.Simhash, of.Last))
	}
}

// chosen counts the parameter values of a page, and reports whether all of them were seen before.
func (s shapes) chosen(p *ended) bool {
	all := true
	for _, choice := range p.choices {
		of := s[choice]
		all = all && of.Seen > 0
		of.Seen, of.Fresh = of.Seen+1, of.Fresh+1 // always fresh, so that a parameter value never closes
	}
	return all
}

// write stores the counts, under the crawl's lock, and skips waiting URLs of shapes that close.
func (s shapes) write(ctx context.Context, tx pgx.Tx, c *db.Crawl, now time.Time) error {
	if len(s) == 0 {
		return nil
	}
	p := db.SeeShapesParams{CrawlID: c.ID}
	closing := db.SkipClosedParams{CrawlID: c.ID, Reason: reasonTrap, FinishedAt: now}
	for of, state := range s {
		p.Shapes, p.Seen = append(p.Shapes, int64(of)), append(p.Seen, int32(state.Seen)) //nolint:gosec // as many as pages
		p.Fresh = append(p.Fresh, int32(state.Fresh))                                     //nolint:gosec // as above
		p.Marks, p.OfNs = append(p.Marks, int64(state.Last)), append(p.OfNs, state.of)    //nolint:gosec // 64 bits, whatever their sign
		switch {
		case state.closed || !state.Closed():
		case state.path == "":
			closing.Shapes = append(closing.Shapes, int64(of)) //nolint:gosec // as above
		default:
			closing.Families = append(closing.Families, state.path)
		}
	}
	queries := db.New(tx)
	if err := queries.SeeShapes(ctx, p); err != nil {
		return fmt.Errorf("counting shapes of %s: %w", c.ID, err)
	}
	if len(closing.Shapes)+len(closing.Families) == 0 || c.Waiting > sweepMax {
		return nil
	}
	left, err := queries.SkipClosed(ctx, closing)
	if err != nil {
		return fmt.Errorf("closing shapes of %s: %w", c.ID, err)
	}
	c.Waiting, c.Skipped = left.Waiting, left.Skipped
	return nil
}
