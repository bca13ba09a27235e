package maps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Create makes a map, once per identity, or returns more of one. A dry run is validated like any request and returns nil.
// The memory of the response is held until ctx ends, that is, until the response is sent.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request) (*Map, error) {
	p, err := s.plan(r)
	if err != nil {
		return nil, err
	}
	switch {
	case c.DryRun != nil:
		return nil, nil //nolint:nilnil // documented: a dry run is answered with the quote
	case p.cursor != nil:
		return s.more(ctx, c, p)
	}
	if done, err := s.made(ctx, c, p); done != nil || err != nil {
		return done, err
	}
	leave, err := principal.Enter(ctx, s.config.Places, "maps", overloadRetry)
	if err != nil {
		return nil, err
	}
	defer leave()
	hold := s.config.Memory.Hold()
	context.AfterFunc(ctx, hold.Release)
	m, err := s.fresh(ctx, c, p, &room{hold: hold})
	if err != nil {
		hold.Release()
		return nil, err
	}
	_ = hold.Set(ctx, min(hold.Bytes(), answerBytes(divide(m.URLs)[0]))) // shrinking never waits
	return m, nil
}

func (s *Service) fresh(ctx context.Context, c *principal.Caller, p *plan, r *room) (*Map, error) {
	if err := r.hold.Set(ctx, baseBytes); err != nil {
		return nil, noRoom(err)
	}
	urls, truncated, err := s.collect(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return s.keep(ctx, c, p, urls, truncated)
}

func noRoom(err error) error {
	e := problem.Wrap(problem.Overloaded, "There was not enough memory for the map. Nothing was charged.", err)
	e.RetryAfter = overloadRetry
	return e
}

// made returns the map that was made for c's identity before; nil if there is none.
func (s *Service) made(ctx context.Context, c *principal.Caller, p *plan) (*Map, error) {
	row, err := s.config.Queries.MapByIdentity(ctx, c.IdentityID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil //nolint:nilnil // documented
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading the map of an identity: %w", err))
	case row.TeamID != c.TeamID || !bytes.Equal(row.RequestSha256, p.sha256[:]):
		return nil, takenFor()
	case row.ReadyAt != nil:
		c.SetCredits(row.Credits)
		return s.answer(ctx, &row, reading{urls: firstURLs(&row), credits: row.Credits})
	case s.config.Now().Sub(row.CreatedAt) < staleAfter:
		return nil, problem.New(problem.InvalidState, "The same request is already in progress. Wait for its response, then try again.")
	}
	return nil, nil //nolint:nilnil // the process that made it died
}

func takenFor() error {
	return problem.New(problem.InvalidState, "This payment or authorisation was used for another request.")
}

// keep stores a map and returns the first response. The map is complete, so a closed request does not abort the storing.
func (s *Service) keep(ctx context.Context, c *principal.Caller, p *plan, urls []string, truncated bool) (*Map, error) {
	if err := ctx.Err(); err != nil {
		return nil, problem.Wrap(problem.RequestTimeout, "The request was canceled before the map was complete. Nothing was charged.", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	chunks := divide(urls)
	encoded, err := json.Marshal(chunks)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing chunks: %w", err))
	}
	first := min(chunks[0].URLs, s.limit(c))
	now := s.config.Now()
	id, err := s.config.Queries.StartMap(ctx, db.StartMapParams{
		ID: token.New(idPrefix), TeamID: c.TeamID, Jti: c.IdentityID, RequestSha256: p.sha256[:], Request: p.canonical, Url: p.url.String(),
		UrlsCount: int32(len(urls)), Chunks: encoded, Truncated: truncated, Credits: s.price(c, first), //nolint:gosec // at most URLsMax
		CreatedAt: now, ExpiresAt: now.Add(s.config.Retention), StaleBefore: now.Add(-staleAfter),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if done, err := s.made(ctx, c, p); done != nil || err != nil {
			return done, err
		}
		return nil, takenFor()
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("starting a map: %w", err))
	}
	if err := s.store(ctx, id, urls, chunks); err != nil {
		return nil, problem.Internal(fmt.Errorf("storing the URLs of %s: %w", id, err))
	}
	n, err := s.config.Queries.FinishMap(ctx, db.FinishMapParams{ID: id, CreatedAt: now, ReadyAt: s.config.Now()})
	switch {
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("finishing map %s: %w", id, err))
	case n == 0:
		return nil, problem.New(problem.RequestTimeout, "The map took too long to be stored, and another attempt took over.")
	}
	answer := &Map{
		ID: id, Object: idPrefix, Created: now.Unix(), URL: p.url.String(), URLsCount: len(urls), URLs: slices.Clone(urls[:first]),
		Truncated: truncated, Credits: s.price(c, first),
	}
	if first < len(urls) {
		answer.Cursor = position{id: id, first: first}.cursor()
	}
	c.SetCredits(cost(first))
	return answer, nil
}

// limit returns how many URLs c has paid for; a wallet has paid for a full response.
func (s *Service) limit(c *principal.Caller) int {
	if c.Unit == edgewire.UnitUSDC {
		return PageURLsMax
	}
	return afforded(c.Credits)
}

// price returns the price of n URLs in credits: 0 if c pays in USDC.
func (s *Service) price(c *principal.Caller, n int) money.Credits {
	if c.Unit == edgewire.UnitUSDC {
		return 0
	}
	return cost(n)
}

// expired reports whether the retention of a map is over.
func (s *Service) expired(expires time.Time) bool { return !s.config.Now().Before(expires) }
