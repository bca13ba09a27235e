package mcp

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
)

const (
	// pagePrefix and the retrieve_id of a page are its id, as in the lists of crawls.
	pagePrefix = "page_"
	// completed is the status of jobs that have ended.
	completed = "completed"
	// pollEvery is how often a job is read while a call waits for its end.
	pollEvery = 500 * time.Millisecond
)

type crawlInput struct {
	URL      string   `json:"url"`
	MaxPages int64    `json:"max_pages"`
	MaxDepth *int64   `json:"max_depth"`
	Include  []string `json:"include"`
	Exclude  []string `json:"exclude"`
	Search   string   `json:"search"`
	Wait     int      `json:"wait_seconds"`
	MaxChars int      `json:"max_chars"`
}

func (s *Service) crawl(ctx context.Context, c *principal.Caller, in *crawlInput) (*result, error) {
	request := &crawls.Request{
		StartURL: in.URL, MaxPages: whole(in.MaxPages), IncludeURLs: in.Include, ExcludeURLs: in.Exclude, SearchQuery: in.Search,
		ScrapeOptions: &crawls.ScrapeOptions{Formats: []page.Format{page.FormatMarkdown}, Transformer: mainContent},
	}
	if in.MaxDepth != nil {
		request.MaxDepth = whole(*in.MaxDepth)
	}
	made, err := s.config.Crawls.Start(ctx, c, request)
	if err != nil {
		return nil, err
	}
	// From here on the crawl is there and paid for, and its id must get to the client.
	begun := &result{text: "The crawl has begun. Call job with its id.", id: made.ID, status: string(made.Status)}
	if r, err := s.pages(ctx, c, &jobInput{ID: made.ID, Wait: in.Wait, MaxChars: in.MaxChars}, place{id: made.ID}); err == nil {
		return r, nil
	}
	return begun, nil
}

func whole(n int64) decode.Whole { return decode.Whole(strconv.FormatInt(n, 10)) }

type jobInput struct {
	ID       string `json:"id"`
	Cursor   string `json:"cursor"`
	Contents bool   `json:"contents"`
	Wait     int    `json:"wait_seconds"`
	MaxChars int    `json:"max_chars"`
}

// job reads what an id or a cursor names.
func (s *Service) job(ctx context.Context, c *principal.Caller, in *jobInput) (*result, error) {
	at := place{id: in.ID}
	if in.Cursor != "" {
		if in.ID != "" {
			return nil, fault("cursor", "is given with id: give only one")
		}
		var ok bool
		if at, ok = parsePlace(in.Cursor); !ok {
			return nil, badCursor()
		}
		in.Contents = at.contents
	}
	kind, rest, _ := strings.Cut(at.id, "_")
	m := newRoom(in.MaxChars)
	switch kind {
	case "crawl", "batch":
		return s.pages(ctx, c, in, at)
	case "page":
		r, err := s.config.Scrapes.Retrieve(ctx, c, rest, nil)
		if err != nil {
			return nil, err
		}
		return paged(rest, "", &r.Result, at.from, m)
	case "search":
		r, err := s.config.Searches.Search(ctx, c, at.id)
		if err != nil {
			return nil, err
		}
		return windowed(at.id, "", searchText(r), at.from, m)
	case "map":
		r, err := s.config.Maps.Map(ctx, c, at.id, "")
		if err != nil {
			return nil, err
		}
		return mapped(r, at.from, m)
	case "answer":
		r, err := s.config.Answers.Answer(ctx, c, at.id)
		if err != nil {
			return nil, err
		}
		return windowed(at.id, "", answerText(r), at.from, m)
	}
	return nil, fault("id", "must begin with crawl_, batch_, page_, answer_, search_ or map_; or give a cursor instead")
}

// waits calls read until a job has ended or the time is over.
func waits(ctx context.Context, seconds int, read func() (jobStatus, error)) (jobStatus, error) {
	over := time.NewTimer(time.Duration(seconds) * time.Second)
	defer over.Stop()
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for {
		now, err := read()
		if err != nil || now.status == completed || seconds == 0 {
			return now, err
		}
		select {
		case <-again.C:
		case <-over.C:
			return now, nil
		case <-ctx.Done():
			return now, problem.Wrap(problem.RequestTimeout, "The request was canceled.", ctx.Err())
		}
	}
}

// windowed is the text of a resource from a position on, as far as there is room, behind a head.
func windowed(id, head, whole string, from int, m *room) (*result, error) {
	if from > len(whole) {
		return nil, badCursor()
	}
	shown := m.take(whole[from:])
	r := &result{text: head + shown, id: id}
	if end := from + len(shown); end < len(whole) {
		r.cursor = place{id: id, from: end}.cursor()
	}
	return r, nil
}
