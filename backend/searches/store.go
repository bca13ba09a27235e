package searches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const idPrefix = "search"

// job is an attempt that this process has claimed.
type job struct {
	id          string
	attempt     int32
	retrieveIDs []string // one for each link that may be scraped
	created     time.Time
	expires     time.Time
}

// start claims the work of an identity. If the search is already finished, it returns its ID instead. The error is a
// problem.
func (s *Service) start(ctx context.Context, c *principal.Caller, p *plan) (*job, string, error) {
	attached, err := json.Marshal(p.metadata)
	if err != nil {
		return nil, "", problem.Internal(fmt.Errorf("writing metadata: %w", err))
	}
	retrieveIDs := make([]string, p.linksMax())
	for i := range retrieveIDs {
		retrieveIDs[i] = token.Random()
	}
	now := s.config.Now()
	expires := now.Add(s.config.Retention)
	row, err := s.config.Queries.StartSearch(ctx, db.StartSearchParams{
		ID: token.New(idPrefix), TeamID: c.TeamID, Jti: c.IdentityID, Request: p.canonical, RequestSha256: p.sha256[:], Metadata: attached,
		RetrieveIds: retrieveIDs, StartedAt: now, ExpiresAt: expires, StaleBefore: s.staleBefore(now),
	})
	switch {
	case err == nil:
		return &job{id: row.ID, attempt: row.Attempt, retrieveIDs: row.RetrieveIds, created: row.CreatedAt, expires: expires}, "", nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, "", problem.Internal(fmt.Errorf("starting a search: %w", err))
	}
	id, err := s.finished(ctx, c, p)
	return nil, id, err
}

// finished returns the ID of the search that c's identity has paid for.
func (s *Service) finished(ctx context.Context, c *principal.Caller, p *plan) (string, error) {
	row, err := s.config.Queries.SearchByIdentity(ctx, c.IdentityID)
	switch {
	case err != nil:
		return "", problem.Internal(fmt.Errorf("reading the search of an identity: %w", err))
	case row.TeamID != c.TeamID || !bytes.Equal(row.RequestSha256, p.sha256[:]):
		return "", problem.New(problem.InvalidState, "This payment or authorization was already used for a different request.")
	case row.Status != "succeeded":
		return "", problem.New(problem.InvalidState, "The same request is already in progress. Wait for its response, then try again.")
	}
	return row.ID, nil
}

// finish completes a search, unless another attempt took over, and makes its content readable.
func (s *Service) finish(ctx context.Context, j *job, links []foundLink, kept []page.Kept, cost money.Credits) error {
	stored, err := encode(links)
	if err != nil {
		return problem.Internal(fmt.Errorf("writing links: %w", err))
	}
	row := db.FinishSearchParams{
		ID: j.id, Attempt: j.attempt, Links: stored, CreditsConsumed: cost, FinishedAt: s.config.Now(),
		RetrieveIds: []string{}, Outcomes: []string{},
	}
	for i := range kept {
		row.RetrieveIds, row.Outcomes = append(row.RetrieveIds, kept[i].RetrieveID), append(row.Outcomes, string(kept[i].Outcome))
	}
	n, err := s.config.Queries.FinishSearch(ctx, row)
	switch {
	case err != nil:
		return problem.Internal(fmt.Errorf("finishing search %s: %w", j.id, err))
	case n == 0:
		return problem.New(problem.RequestTimeout, "The search took too long, and another attempt took over.")
	}
	return nil
}

func (s *Service) fail(ctx context.Context, j *job, code problem.Code) error {
	_, err := s.config.Queries.FailSearch(ctx, db.FailSearchParams{ErrorCode: string(code), FinishedAt: s.config.Now(), ID: j.id, Attempt: j.attempt})
	if err != nil {
		return fmt.Errorf("failing search %s: %w", j.id, err)
	}
	return nil
}

// byID returns a team's successful search, or with paid also one that a wallet has paid for; or pgx.ErrNoRows.
func (s *Service) byID(ctx context.Context, teamID, id string, paid bool) (*db.Search, error) {
	if !token.Is(id, idPrefix) {
		return nil, pgx.ErrNoRows
	}
	row, err := s.config.Queries.SearchByID(ctx, db.SearchByIDParams{ID: id, TeamID: teamID, ByID: paid})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("reading search %s: %w", id, err)
	}
	return &row, err
}
