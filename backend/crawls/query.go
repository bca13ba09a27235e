package crawls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// pageIDPrefix and the retrieve_id form the ID of a page, because a retrieve_id is unique and hard to guess.
	pageIDPrefix = "page_"
	// sideListMax is how many external URLs and how many failed URLs a response lists.
	sideListMax = 1000
	// searchTimeout limits a search, which reads the titles of all pages.
	searchTimeout = 10 * time.Second
)

// PageList is a part of a crawl's pages as the API shows it.
type PageList struct {
	ID          string        `json:"id" doc:"The id of the crawl."`
	CrawlID     string        `json:"crawl_id" doc:"The same as id."`
	Object      string        `json:"object" enum:"crawl"`
	Status      Status        `json:"status" enum:"in_progress,completed" doc:"The status of the crawl."`
	SearchQuery *string       `json:"search_query" doc:"The search_query of the request, or else of the crawl."`
	PagesCount  int32         `json:"pages_count" doc:"The number of pages that the crawl had fetched at the time of the response."`
	Pages       []Page        `json:"pages" nullable:"false"`
	Metadata    PagesMetadata `json:"metadata"`

	paging.Page[Page, int32]
}

// Page is a page of a crawl as the API shows it.
type Page struct {
	ID         string   `json:"id" example:"page_7w3v1m9x0q2k5t8c4n6d0f2h"`
	RetrieveID string   `json:"retrieve_id" doc:"The id of the content for GET /v1/retrieve."`
	URL        string   `json:"url"`
	Title      *string  `json:"title"`
	Depth      int32    `json:"depth" doc:"The number of links from start_url to the page."`
	StatusCode *int32   `json:"status_code" doc:"The HTTP status that the site returned."`
	IsExternal bool     `json:"is_external" doc:"Whether the page belongs to another site."`
	Score      *float32 `json:"score,omitempty" doc:"The relevance of the page to search_query, relative to the other pages. Present only if there is a search_query."`
}

// PagesMetadata is what a page list says about the crawl besides its pages.
type PagesMetadata struct {
	ExternalURLs []string    `json:"external_urls" nullable:"false" doc:"The URLs of pages of other sites, up to the first 1,000."`
	FailedURLs   []FailedURL `json:"failed_urls" nullable:"false" doc:"The URLs that failed, up to the first 1,000. They cost nothing."`
}

// FailedURL is a URL that did not become a page.
type FailedURL struct {
	URL    string `json:"url"`
	Reason string `json:"reason" doc:"The reason why the URL failed: not_found, rate_limited, target_error, soft_404, or an error code such as robots_disallowed, fetch_failed or request_timeout." example:"not_found"`
}

// cursor is a position in a page list: after the page with number seq, in the order in which pages finished or, if scored,
// by relevance. Both are encoded in one number, so that a cursor keeps its order.
type cursor struct {
	seq    int32
	scored bool
}

func parseCursor(n int32) *cursor { return &cursor{seq: n / 2, scored: n%2 == 1} }

func (c cursor) number() *int32 {
	n := 2 * c.seq
	if c.scored {
		n++
	}
	return &n
}

// notOurs is the error for a cursor that this list never returned.
func notOurs() error {
	return problem.Validation(problem.Fault{
		Loc: []any{"query", "cursor"}, Msg: "is not a cursor of this crawl and search_query", Type: problem.FaultInvalid,
	})
}

// Pages returns up to limit of a crawl's pages, from the start or after the cursor of an earlier list.
func (s *Service) Pages(ctx context.Context, c *principal.Caller, id string, after *int32, limit int32) (*PageList, error) {
	in := &pagesInput{ID: id, limit: limit}
	if after != nil {
		in.cursor = parseCursor(*after)
	}
	return s.pages(ctx, c, in)
}

// pages returns a part of a crawl's pages.
func (s *Service) pages(ctx context.Context, c *principal.Caller, in *pagesInput) (*PageList, error) {
	// Read the crawl first: if it is completed, the pages read afterwards are complete.
	row, err := s.visible(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	crawl, err := s.shown(row)
	if err != nil {
		return nil, err
	}
	list := &PageList{
		ID: row.ID, CrawlID: row.ID, Object: crawl.Object, Status: crawl.Status, SearchQuery: crawl.SearchQuery, PagesCount: row.Pages,
		Pages: []Page{},
	}
	if in.query != "" {
		list.SearchQuery = &in.query
	}
	after := cursor{scored: in.query != "" || crawl.SearchQuery != nil && crawl.Status == StatusCompleted}
	if in.cursor != nil {
		sortable := after.scored
		if after = *in.cursor; after.scored != sortable && (after.scored || in.query != "") {
			return nil, notOurs()
		}
	}
	if err := s.listed(ctx, list, in, after); err != nil {
		return nil, err
	}
	return list, s.beside(ctx, list)
}

// listed adds the pages after a position to list, and the cursor for the next part.
func (s *Service) listed(ctx context.Context, list *PageList, in *pagesInput, after cursor) error {
	rows, err := s.pageRows(ctx, in, after)
	if err != nil {
		return err
	}
	if after.scored && after.seq > 0 && len(rows) == 0 {
		return notOurs() // cursors are only given out if more pages follow
	}
	limit := int(in.limit)
	more := len(rows) > limit
	for i := range rows[:min(len(rows), limit)] {
		list.Pages = append(list.Pages, pageOf(&rows[i], list.SearchQuery != nil))
		after.seq = rows[i].Seq
	}
	var next *int32
	if more || !after.scored && list.Status == StatusInProgress {
		next = after.number()
	}
	list.Page = paging.NewPage(list.Pages, more, next)
	return nil
}

func pageOf(row *db.ListPagesRow, scored bool) Page {
	p := Page{
		ID: pageIDPrefix + row.RetrieveID, RetrieveID: row.RetrieveID, URL: row.Url, Title: row.Title, Depth: row.Depth,
		StatusCode: row.StatusCode, IsExternal: row.External,
	}
	if scored {
		p.Score = row.Score
	}
	return p
}

// pageRows reads the pages after a position, one more than the response shows.
func (s *Service) pageRows(ctx context.Context, in *pagesInput, after cursor) ([]db.ListPagesRow, error) {
	rowsMax := in.limit + 1
	switch {
	case in.query != "":
		return s.search(ctx, in, after.seq)
	case after.scored:
		return s.byRelevance(ctx, in, after.seq)
	}
	rows, err := s.queries.ListPages(ctx, db.ListPagesParams{CrawlID: in.ID, AfterSeq: after.seq, RowsMax: rowsMax})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing pages of %s: %w", in.ID, err))
	}
	return rows, nil
}

// byRelevance reads the pages after the one with number seq, by relevance; 0 starts at the first.
func (s *Service) byRelevance(ctx context.Context, in *pagesInput, seq int32) ([]db.ListPagesRow, error) {
	params := db.ListPagesByRelevanceParams{CrawlID: in.ID, AfterNegated: float32(math.Inf(-1)), AfterSeq: seq, RowsMax: in.limit + 1}
	if seq > 0 {
		relevance, err := s.queries.PageRelevance(ctx, db.PageRelevanceParams{CrawlID: in.ID, Seq: seq})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil, notOurs()
		case err != nil:
			return nil, problem.Internal(fmt.Errorf("reading position %d of %s: %w", seq, in.ID, err))
		case relevance != nil:
			params.AfterNegated = -*relevance
		default: // it is among the pages without relevance, which come last
			params.AfterNegated, params.RestSeq = float32(math.Inf(1)), seq
		}
	}
	found, err := s.queries.ListPagesByRelevance(ctx, params)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing pages of %s by relevance: %w", in.ID, err))
	}
	rows := make([]db.ListPagesRow, 0, len(found))
	for _, row := range found {
		rows = append(rows, db.ListPagesRow(row))
	}
	return rows, nil
}

// search reads pages that match the words of a query, after the one with number seq.
func (s *Service) search(ctx context.Context, in *pagesInput, seq int32) ([]db.ListPagesRow, error) {
	limited, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	found, err := s.queries.SearchPages(limited, db.SearchPagesParams{
		CrawlID: in.ID, Query: strings.TrimSpace(in.query), AfterSeq: seq, RowsMax: in.limit + 1,
	})
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return nil, problem.Wrap(problem.RequestTimeout, "The search took too long.", err)
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("searching the pages of %s: %w", in.ID, err))
	}
	rows := make([]db.ListPagesRow, 0, len(found))
	for i := range found {
		row := &found[i]
		rows = append(rows, db.ListPagesRow{
			Seq: row.Seq, RetrieveID: row.RetrieveID, Url: row.Url, Title: row.Title, Depth: row.Depth, StatusCode: row.StatusCode,
			External: row.External, Score: &row.Score,
		})
	}
	return rows, nil
}

// beside adds the external and failed URLs.
func (s *Service) beside(ctx context.Context, list *PageList) error {
	external, err := s.queries.ListExternalPages(ctx, db.ListExternalPagesParams{CrawlID: list.ID, RowsMax: sideListMax})
	if err != nil {
		return problem.Internal(fmt.Errorf("listing external pages of %s: %w", list.ID, err))
	}
	failed, err := s.queries.ListFailedPages(ctx, db.ListFailedPagesParams{CrawlID: list.ID, RowsMax: sideListMax})
	if err != nil {
		return problem.Internal(fmt.Errorf("listing failures of %s: %w", list.ID, err))
	}
	list.Metadata = PagesMetadata{ExternalURLs: listOf(external), FailedURLs: make([]FailedURL, 0, len(failed))}
	for _, row := range failed {
		list.Metadata.FailedURLs = append(list.Metadata.FailedURLs, FailedURL{URL: row.Url, Reason: row.Reason})
	}
	return nil
}
