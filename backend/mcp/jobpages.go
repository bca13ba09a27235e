package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// listMax is how many pages of a job are listed at once.
const listMax = 50

// jobPage is a page of a crawl or an item of a batch.
type jobPage struct {
	retrieveID, url, title string
	failed                 string // why there is no content
}

// pages shows how a crawl or a batch is doing, and its pages from a place on.
func (s *Service) pages(ctx context.Context, c *principal.Caller, in *jobInput, at place) (*result, error) {
	now, err := waits(ctx, in.Wait, func() (jobStatus, error) { return s.jobStatus(ctx, c, at.id) })
	if err != nil {
		return nil, err
	}
	var l list
	if at.after == nil && at.from == 0 {
		l.linef("%s\n", now.sentence)
	}
	m := newRoom(in.MaxChars)
	m.take(l.String())
	next, err := s.jobPages(ctx, c, at, in.Contents, m, &l)
	if err != nil {
		return nil, err
	}
	r := &result{text: l.String(), id: at.id, status: now.status, used: now.used}
	if next != nil {
		r.cursor = next.cursor()
	}
	return r, nil
}

// jobStatus is how a job is doing, in a word and in a sentence.
type jobStatus struct {
	status, sentence string
	used             *money.Credits
}

func (s *Service) jobStatus(ctx context.Context, c *principal.Caller, id string) (jobStatus, error) {
	if strings.HasPrefix(id, "crawl") {
		j, err := s.config.Crawls.Crawl(ctx, c, id)
		if err != nil {
			return jobStatus{}, err
		}
		sentence := fmt.Sprintf("%s of %s: %s, %d of at most %d pages, %d failed.", id, j.StartURL, j.Status, j.PagesCount, j.MaxPages, j.Failed)
		return jobStatus{string(j.Status), withOutcome(sentence, j.Outcome), j.CreditsConsumed}, nil
	}
	j, err := s.config.Batches.Batch(ctx, c, id)
	if err != nil {
		return jobStatus{}, err
	}
	sentence := fmt.Sprintf("%s: %s, %d of %d pages, %d failed.", id, j.Status, j.CompletedURLs, j.TotalURLs, j.FailedURLs)
	return jobStatus{string(j.Status), withOutcome(sentence, j.Outcome), j.CreditsConsumed}, nil
}

func withOutcome(sentence string, outcome *string) string {
	if outcome == nil {
		return sentence + " It goes on: job with wait_seconds waits for its end."
	}
	return sentence + " Outcome: " + *outcome + "."
}

// jobPages writes pages as far as there is room, and returns the place after them: nil at the end of a completed job.
func (s *Service) jobPages(ctx context.Context, c *principal.Caller, at place, contents bool, m *room, l *list) (*place, error) {
	limit := int32(listMax)
	if contents {
		limit = 1 // a place is known after each page only
	}
	for next := at; ; {
		pages, after, err := s.listPages(ctx, c, next.id, next.after, limit)
		if err != nil {
			return nil, err
		}
		next.contents = contents
		for i, p := range pages {
			cut := 0
			if contents {
				if cut, err = s.writePage(ctx, c, &p, next.from, m, l); err != nil {
					return nil, err
				}
			} else {
				line := p.line()
				if len(m.take(line)) < len(line) && i > 0 {
					return s.placeAfter(ctx, c, next, int32(i)) //nolint:gosec // at most listMax
				}
				l.WriteString(line)
			}
			if next.from = cut; cut > 0 {
				return &next, nil
			}
		}
		switch {
		case after == nil:
			return nil, nil //nolint:nilnil // documented
		case len(pages) == 0: // of a job that goes on
			next.after = after
			return &next, nil
		}
		if next.after = after; m.full() {
			return &next, nil
		}
	}
}

// placeAfter returns the place after n further pages. A list has a position only after its last page.
func (s *Service) placeAfter(ctx context.Context, c *principal.Caller, at place, n int32) (*place, error) {
	_, after, err := s.listPages(ctx, c, at.id, at.after, n)
	at.after = after
	return &at, err
}

// listPages returns up to limit pages after a position, and the position after them.
func (s *Service) listPages(ctx context.Context, c *principal.Caller, id string, after *int32, limit int32) ([]jobPage, *int32, error) {
	if strings.HasPrefix(id, "crawl") {
		found, err := s.config.Crawls.Pages(ctx, c, id, after, limit)
		if err != nil {
			return nil, nil, err
		}
		pages := make([]jobPage, len(found.Pages))
		for i := range found.Pages {
			p := &found.Pages[i]
			pages[i] = jobPage{retrieveID: p.RetrieveID, url: p.URL, title: text(p.Title)}
		}
		return pages, found.Cursor, nil
	}
	start := int32(0)
	if after != nil {
		start = *after
	}
	items, next, err := s.config.Batches.Items(ctx, c, id, start, int(limit))
	if err != nil {
		return nil, nil, err
	}
	pages := make([]jobPage, len(items))
	for i := range items {
		pages[i] = jobPage{retrieveID: items[i].RetrieveID, url: items[i].URL, title: items[i].CustomID}
		if e := items[i].Error; e != nil {
			pages[i].failed = e.Code + ": " + e.Detail
		}
	}
	return pages, next, nil
}

func (p *jobPage) line() string {
	if p.failed != "" {
		return fmt.Sprintf("- %s %s: failed, %s\n", oneLine(p.title, 150), p.url, oneLine(p.failed, 200))
	}
	return fmt.Sprintf("- %s %s (%s%s)\n", oneLine(p.title, 150), p.url, pagePrefix, p.retrieveID)
}

// writePage writes the text of a page from a position on. cut is where there was no more room, 0 if all was written.
func (s *Service) writePage(ctx context.Context, c *principal.Caller, p *jobPage, from int, m *room, l *list) (cut int, err error) {
	if p.failed != "" {
		l.WriteString(p.line())
		return 0, nil
	}
	found, err := s.config.Scrapes.Retrieve(ctx, c, p.retrieveID, nil)
	if err != nil {
		return 0, err
	}
	whole := pageText(&found.Result)
	if from > len(whole) {
		return 0, badCursor()
	}
	head := fmt.Sprintf("--- %s\n", p.url)
	m.take(head)
	shown := m.take(whole[from:])
	l.linef("%s%s", head, shown)
	if end := from + len(shown); end < len(whole) {
		return end, nil
	}
	return 0, nil
}
