package searches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
)

// Search returns a search of c's team as it was stored; for an anonymous client, one that a wallet has paid for. It makes no
// requests and is free.
func (s *Service) Search(ctx context.Context, c *principal.Caller, id string) (*Search, error) {
	row, err := s.byID(ctx, c.TeamID, id, c.Anonymous())
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, problem.New(problem.SearchNotFound, "There is no search with this id.")
	case err != nil:
		return nil, problem.Internal(err)
	}
	return s.answer(ctx, row)
}

// read returns a search that is known to belong to the team.
func (s *Service) read(ctx context.Context, teamID, id string) (*Search, error) {
	row, err := s.byID(ctx, teamID, id, false)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading %s again: %w", id, err))
	}
	return s.answer(ctx, row)
}

// answer returns a stored search with the content that still exists.
func (s *Service) answer(ctx context.Context, row *db.Search) (*Search, error) {
	search, found, err := fromRow(row)
	if err != nil {
		return nil, problem.Internal(err)
	}
	words, err := wordsOf(found)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the links of %s: %w", row.ID, err))
	}
	search.Result.JSON = string(words)
	search.Result.Links = make([]Link, len(found))
	for i := range found {
		search.Result.Links[i] = found[i].link()
	}
	if s.expired(row.ExpiresAt) || row.PurgedAt != nil {
		return search, nil // the content is gone, the search is not
	}
	hosted, err := s.config.Signer.URL(wordsKey(row.ID, row.Attempt), wordsName, "", row.ExpiresAt.Sub(s.config.Now()))
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("signing the links of %s: %w", row.ID, err))
	}
	search.Result.JSONHostedURL = &hosted
	if err := s.fill(ctx, row, search, int64(len(words))); err != nil {
		return nil, problem.Internal(err)
	}
	return search, nil
}

// fill adds the links' content, if it exists and fits into a response that already has bytes.
func (s *Service) fill(ctx context.Context, row *db.Search, search *Search, bytes int64) error {
	var ids []string
	for i := range search.Result.Links {
		if id := search.Result.Links[i].RetrieveID; id != nil {
			ids = append(ids, *id)
		}
	}
	contents, whole, err := s.config.Contents.Contents(ctx, row.TeamID, ids, s.config.InlineBytesMax-bytes)
	if err != nil {
		return fmt.Errorf("reading the content of %s: %w", row.ID, err)
	}
	search.Result.SizeExceeded = !whole
	for i := range search.Result.Links {
		if id := search.Result.Links[i].RetrieveID; id != nil {
			search.Result.Links[i].fill(contents[*id])
		}
	}
	return nil
}

// fill adds the content of a link; missing content stays null.
func (l *Link) fill(c page.Content) {
	for _, field := range []struct {
		format       page.Format
		text, hosted **string
	}{
		{page.FormatMarkdown, &l.Markdown, &l.MarkdownHostedURL},
		{page.FormatHTML, &l.HTML, &l.HTMLHostedURL},
		{page.FormatText, &l.Text, &l.TextHostedURL},
	} {
		if text, ok := c.Text[field.format]; ok {
			*field.text = &text
		}
		if hosted, ok := c.Hosted[field.format]; ok {
			*field.hosted = &hosted
		}
	}
}

// link returns a stored link without its content.
func (l *foundLink) link() Link {
	shown := Link{Found: l.Found, Error: l.Error}
	if l.RetrieveID != "" {
		shown.RetrieveID, shown.StatusCode = &l.RetrieveID, &l.StatusCode
	}
	return shown
}

// fromRow decodes the search and its links from a row.
func fromRow(row *db.Search) (*Search, []foundLink, error) {
	cost := row.CreditsConsumed
	search := &Search{
		ID: row.ID, Object: idPrefix, Created: row.CreatedAt.Unix(), Metadata: map[string]string{}, CreditsConsumed: cost,
		Result: Result{CreditsConsumed: cost},
	}
	var request Request
	var found []foundLink
	err := errors.Join(json.Unmarshal(row.Request, &request), json.Unmarshal(row.Metadata, &search.Metadata), json.Unmarshal(row.Links, &found))
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", row.ID, err)
	}
	search.Query = request.Query
	return search, found, nil
}
