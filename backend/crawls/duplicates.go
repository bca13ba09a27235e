package crawls

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/db"
)

// original is a page that other pages may duplicate.
type original struct {
	n       int32
	simhash uint64
	url     string
}

// comparison holds what the pages of a batch are compared with: known pages of the crawl and the batch itself.
type comparison struct {
	pages    []ended // by n
	contents map[urlfilter.ID]original
	kin      map[uint64][]original
	// finals are the URLs to which redirects of the batch led.
	finals map[urlfilter.ID]db.KnownURLsRow
	// promised maps the number of a URL to the page that was found there through a redirect.
	promised map[int32]int32
	shapes   shapes
	noise    urlfilter.Noise
	learned  bool
}

// tell finds the duplicates in a batch: pages with the content of a done page, pages whose redirect ends at another page,
// and pages of a series that differ only in a date or number. Duplicates cost nothing. Their links have been found already,
// except the links by which a series continues.
func (s *Service) tell(ctx context.Context, tx pgx.Tx, c *db.Crawl, pages []ended) (*comparison, error) {
	t := &comparison{
		pages: pages, contents: map[urlfilter.ID]original{}, kin: map[uint64][]original{}, finals: map[urlfilter.ID]db.KnownURLsRow{},
		promised: map[int32]int32{}, noise: urlfilter.NewNoise(c.Noise),
	}
	var err error
	if t.shapes, err = readShapes(ctx, tx, c, pages); err != nil {
		return nil, err
	}
	if err := t.read(ctx, tx, c); err != nil {
		return nil, err
	}
	// Pages fetched at their own URL come first, so that a redirect to one of them is its duplicate, not the reverse.
	for _, redirected := range []bool{false, true} {
		for i := range pages {
			if (pages[i].final != nil) == redirected {
				t.compare(&pages[i])
				t.shapes.count(&pages[i])
			}
		}
	}
	return t, nil
}

// read loads the known pages that the batch may duplicate.
func (t *comparison) read(ctx context.Context, tx pgx.Tx, c *db.Crawl) error {
	queries := db.New(tx)
	p := db.KnownPagesParams{CrawlID: c.ID}
	var finalKeys [][]byte
	for i := range t.pages {
		page := &t.pages[i]
		p.Ns = append(p.Ns, page.n)
		if page.state != stateDone {
			continue
		}
		if page.kept.ContentKey != ([16]byte{}) {
			p.ContentKeys = append(p.ContentKeys, page.kept.ContentKey[:])
		}
		if page.kin != 0 && page.kept.Simhash != 0 {
			p.Kins = append(p.Kins, int64(page.kin)) //nolint:gosec // 64 bits, whatever their sign
		}
		if page.final != nil {
			finalKeys = append(finalKeys, page.final[:])
		}
	}
	known, err := queries.KnownPages(ctx, p)
	if err != nil {
		return fmt.Errorf("looking for pages of %s: %w", c.ID, err)
	}
	for i := range known {
		row := &known[i]
		o := original{n: row.OfN, simhash: uint64(row.Simhash), url: row.Url} //nolint:gosec // as above
		switch {
		case row.N != 0:
			t.promised[row.N] = row.OfN
		case len(row.ContentKey) > 0:
			t.contents[urlfilter.ID(row.ContentKey)] = o
		default:
			t.kin[uint64(row.Kin)] = append(t.kin[uint64(row.Kin)], o) //nolint:gosec // as above
		}
	}
	if len(finalKeys) == 0 {
		return nil
	}
	rows, err := queries.KnownURLs(ctx, db.KnownURLsParams{CrawlID: c.ID, Keys: finalKeys})
	if err != nil {
		return fmt.Errorf("looking for URLs of %s: %w", c.ID, err)
	}
	for _, row := range rows {
		t.finals[urlfilter.ID(row.Key)] = row
	}
	return nil
}

// compare marks p as a duplicate, or records it for later pages of its batch.
func (t *comparison) compare(p *ended) {
	if of := t.promised[p.n]; of != 0 && (p.state == stateDone || p.state == stateFailed) {
		// The page at this URL was already fetched through a redirect.
		p.repeat(of)
		return
	}
	if p.state != stateDone {
		return
	}
	if of := t.original(p); of.n != 0 && of.n != p.n {
		t.learn(p, of)
		p.repeat(of.n)
		return
	}
	if of := t.shapes.same(p); of != 0 && p.final == nil {
		found, dropped := p.found, p.dropped
		p.repeat(of)
		p.found, p.dropped = found, dropped // a series continues until its shape is closed
		return
	}
	t.add(p)
}

// repeat makes p a duplicate of page number of.
func (p *ended) repeat(of int32) {
	p.state, p.reason, p.of, p.found, p.dropped = stateDuplicate, "", of, nil, 0
}

// original returns the page that p duplicates; the zero value if there is none.
func (t *comparison) original(p *ended) original {
	if p.final != nil {
		if of := t.at(*p.final); of != 0 {
			return original{n: of}
		}
	}
	if content := urlfilter.ID(p.kept.ContentKey); content != (urlfilter.ID{}) {
		if of, known := t.contents[content]; known {
			return of
		}
	}
	for _, of := range t.kin[p.kin] {
		if p.kin != 0 && urlfilter.Akin(of.simhash, p.kept.Simhash) {
			return of
		}
	}
	return original{}
}

// at returns the page at the target of a redirect; 0: none. A URL that waits or is open in another batch does not count: it
// may still fail, and then the content fetched through the redirect would be lost.
func (t *comparison) at(final urlfilter.ID) int32 {
	row, known := t.finals[final]
	switch {
	case !known:
		return 0
	case row.State == stateDone:
		return row.N
	case row.State == stateDuplicate:
		return row.OfN
	}
	if p := t.inFlight(row.N); p != nil {
		switch {
		case p.state == stateDone && (p.final == nil || t.promised[row.N] != 0):
			return p.n
		case p.state == stateDuplicate:
			return p.of
		}
	}
	return 0
}

// inFlight returns the page of the batch with number n, or nil.
func (t *comparison) inFlight(n int32) *ended {
	i, is := slices.BinarySearchFunc(t.pages, n, func(e ended, n int32) int { return cmp.Compare(e.n, n) })
	if !is {
		return nil
	}
	return &t.pages[i]
}

// add records a page that others of its batch may duplicate.
func (t *comparison) add(p *ended) {
	o := original{n: p.n, simhash: p.kept.Simhash, url: p.url}
	if content := urlfilter.ID(p.kept.ContentKey); content != (urlfilter.ID{}) {
		t.contents[content] = o
	}
	if p.kin != 0 && o.simhash != 0 {
		t.kin[p.kin] = append(t.kin[p.kin], o)
	}
	if p.final == nil {
		return
	}
	if row, known := t.finals[*p.final]; known {
		t.promised[row.N] = p.n
		if other := t.inFlight(row.N); other != nil && other.state == stateFailed {
			other.repeat(p.n)
		}
	}
	t.finals[*p.final] = db.KnownURLsRow{N: p.n, State: stateDone}
}

// learn derives from a duplicate which part of URLs is insignificant.
func (t *comparison) learn(p *ended, of original) {
	if of.url == "" || p.final != nil {
		return
	}
	a, err := fetch.ParseURL(p.url)
	if err != nil {
		return
	}
	b, err := fetch.ParseURL(of.url)
	if err != nil {
		return
	}
	if noise, more := t.noise.With(a, b); more {
		t.noise, t.learned = noise, true
	}
}

// write stores what was learned about shapes and URLs.
func (t *comparison) write(ctx context.Context, tx pgx.Tx, c *db.Crawl, now time.Time) error {
	if err := t.shapes.write(ctx, tx, c, now); err != nil {
		return err
	}
	if !t.learned {
		return nil
	}
	if err := db.New(tx).KeepNoise(ctx, db.KeepNoiseParams{ID: c.ID, Noise: t.noise.Proofs()}); err != nil {
		return fmt.Errorf("storing the insignificant URL parts of %s: %w", c.ID, err)
	}
	return nil
}
