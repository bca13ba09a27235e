package searches

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// scraped is the result of one link: the kept content, or why there is none.
type scraped struct {
	n       int
	kept    page.Kept
	failure *LinkError
}

// scrape scrapes links concurrently within their common time limit p.timeout, stores the results in links, and returns what
// was kept. It does not wait for a scrape that ignores its cancellation: the retrieve ID of anything it may still store is
// in the search's row, and is deleted with the search.
func (s *Service) scrape(ctx context.Context, teamID string, p *plan, j *job, links []foundLink) []page.Kept {
	n := min(len(links), p.linksMax(), len(j.retrieveIDs))
	if n == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	ended := make(chan scraped, n) // buffered, so that no sender blocks
	for i := range n {
		one := page.Job{
			TeamID: teamID, RetrieveID: j.retrieveIDs[i], Attempt: int(j.attempt), URL: links[i].URL, Options: p.options,
			Expires: j.expires, Background: true,
		}
		go func() {
			kept, err := s.scrapeLink(limited, one)
			ended <- scraped{i, kept, s.linkError(limited, j, err)}
		}()
		links[i].Error = late()
	}
	patience, forget := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+lateTimeout)
	defer forget()
	var kept []page.Kept
	for range n {
		select {
		case one := <-ended:
			if links[one.n].Error = one.failure; one.failure == nil {
				links[one.n].take(&one.kept)
				kept = append(kept, one.kept)
			}
		case <-patience.Done():
			return kept
		}
	}
	return kept
}

func late() *LinkError {
	return &LinkError{Code: string(problem.RequestTimeout), Detail: "The link was not scraped within the time limit."}
}

// scrapeLink waits for a place and scrapes a link.
func (s *Service) scrapeLink(ctx context.Context, j page.Job) (_ page.Kept, err error) {
	defer func() {
		if r := recover(); r != nil { // a page must not end the process
			err = fmt.Errorf("scraping a link: %v", r)
		}
	}()
	place, err := s.config.Scrapes.Acquire(ctx, 1)
	if err != nil {
		return page.Kept{}, err
	}
	defer place.Release()
	return s.config.Pages.Keep(ctx, j)
}

// take copies what was kept of a link into it.
func (l *foundLink) take(kept *page.Kept) {
	l.RetrieveID, l.StatusCode = kept.RetrieveID, kept.StatusCode
	if l.Title == "" {
		l.Title = within(kept.Title, titleCharsMax)
	}
}

// linkError returns why a link has no content, from the error of its scrape within limited.
func (s *Service) linkError(limited context.Context, j *job, err error) *LinkError {
	switch {
	case err == nil:
		return nil
	case limited.Err() != nil: // the time limit caused the error
		return late()
	}
	e := problem.From(err)
	if e.Code == problem.InternalServerError {
		s.config.Logger.ErrorContext(limited, "scraping a link failed with an internal error", "search", j.id, "error", err)
	}
	return &LinkError{Code: string(e.Code), Detail: e.Detail}
}
