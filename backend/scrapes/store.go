package scrapes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	errNotFound = errors.New("no such scrape")
	errRunning  = errors.New("the scrape for this identity is in progress")
	errTakenFor = errors.New("the identity was used for another request")
)

// store is the scrape table.
type store struct{ queries *db.Queries }

// job is an attempt that this process has claimed.
type job struct {
	id, retrieveID string
	attempt        int32
	created        time.Time
	expires        time.Time
}

type claim struct {
	caller        *principal.Caller
	plan          *plan
	request       []byte
	requestSHA256 [32]byte
	now           time.Time
	expires       time.Time
	staleBefore   time.Time
}

// start claims the work of an identity. If the work is already done, it returns the id of the scrape instead. The error
// is errRunning or errTakenFor if another attempt or request has the identity.
func (s *store) start(ctx context.Context, c *claim) (*job, string, error) {
	metadata, err := json.Marshal(c.plan.metadata)
	if err != nil {
		return nil, "", fmt.Errorf("writing metadata: %w", err)
	}
	row, err := s.queries.StartScrape(ctx, db.StartScrapeParams{
		ID: token.New("scrape"), TeamID: c.caller.TeamID, Jti: c.caller.IdentityID, RetrieveID: token.Random(), Url: c.plan.url.String(),
		Request: c.request, RequestSha256: c.requestSHA256[:], Metadata: metadata,
		StartedAt: c.now, ExpiresAt: c.expires, StaleBefore: c.staleBefore,
	})
	switch {
	case err == nil:
		return &job{id: row.ID, retrieveID: row.RetrieveID, attempt: row.Attempt, created: row.CreatedAt, expires: c.expires}, "", nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, "", fmt.Errorf("starting scrape: %w", err)
	}
	id, err := s.finished(ctx, c)
	return nil, id, err
}

// finished returns the id of the scrape that c's identity has paid for.
func (s *store) finished(ctx context.Context, c *claim) (string, error) {
	row, err := s.queries.ScrapeByIdentity(ctx, c.caller.IdentityID)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading scrape of an identity: %w", err)
	case row.TeamID != c.caller.TeamID || !bytes.Equal(row.RequestSha256, c.requestSHA256[:]):
		return "", errTakenFor
	case row.Status != "succeeded":
		return "", errRunning
	}
	return row.ID, nil
}

// finish writes the result of j, or returns errRunning if another attempt took over. copyKey is nil if it must not be copied.
func (s *store) finish(ctx context.Context, j *job, o *outcome, copyKey []byte, credits money.Credits, now time.Time) error {
	result, err := o.encode()
	if err != nil {
		return fmt.Errorf("writing result: %w", err)
	}
	n, err := s.queries.FinishScrape(ctx, db.FinishScrapeParams{
		Result: result, CreditsConsumed: credits, FinishedAt: now, CopySha256: copyKey, ID: j.id, Attempt: j.attempt,
	})
	if err != nil {
		return fmt.Errorf("finishing scrape %s: %w", j.id, err)
	}
	if n == 0 {
		return errRunning
	}
	return nil
}

func (s *store) fail(ctx context.Context, j *job, code problem.Code, now time.Time) error {
	_, err := s.queries.FailScrape(ctx, db.FailScrapeParams{ErrorCode: string(code), FinishedAt: now, ID: j.id, Attempt: j.attempt})
	if err != nil {
		return fmt.Errorf("failing scrape %s: %w", j.id, err)
	}
	return nil
}

// byID returns a scrape that succeeded, or errNotFound. With an error the record is empty, but never nil.
func (s *store) byID(ctx context.Context, id string) (*record, error) {
	if !isID(id) {
		return &record{}, errNotFound
	}
	row, err := s.queries.ScrapeByID(ctx, id)
	return recordOf(row, err)
}

// byRetrieveID returns stored content of any feature's page, or errNotFound. With an error it is empty, but never nil.
func (s *store) byRetrieveID(ctx context.Context, id string) (*stored, error) {
	if !isID(id) {
		return &stored{}, errNotFound
	}
	row, err := s.queries.ContentByRetrieveID(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &stored{}, errNotFound
	case err != nil:
		return &stored{}, fmt.Errorf("reading content: %w", err)
	}
	k := &stored{retrieveID: row.RetrieveID, teamID: row.TeamID, teamKind: row.TeamKind, expires: row.ExpiresAt}
	if k.outcome, err = decodeOutcome(row.Outcome); err != nil {
		return &stored{}, fmt.Errorf("reading the outcome of %s: %w", row.RetrieveID, err)
	}
	return k, nil
}

// copyOf returns a team's newest content with a key that was requested since a time, and when it was, or errNotFound. With
// an error the content is empty, but never nil.
func (s *store) copyOf(ctx context.Context, teamID string, key []byte, since, now time.Time) (*stored, time.Time, error) {
	row, err := s.queries.ScrapeCopy(ctx, db.ScrapeCopyParams{TeamID: teamID, CopySha256: key, StartedSince: since, Now: now})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &stored{}, time.Time{}, errNotFound
	case err != nil:
		return &stored{}, time.Time{}, fmt.Errorf("looking for an earlier scrape: %w", err)
	}
	k := &stored{retrieveID: row.RetrieveID, teamID: teamID, expires: row.ExpiresAt}
	if k.outcome, err = decodeOutcome(row.Result); err != nil {
		return &stored{}, time.Time{}, fmt.Errorf("reading the outcome of %s: %w", row.RetrieveID, err)
	}
	return k, row.StartedAt, nil
}

// isID reports whether id could be one of ours. Text that the database cannot store (NUL, broken UTF-8) must not cause
// an internal error.
func isID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}

func recordOf(row db.ScrapeByIDRow, err error) (*record, error) {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &record{}, errNotFound
	case err != nil:
		return &record{}, fmt.Errorf("reading scrape: %w", err)
	}
	r := &record{
		stored: stored{retrieveID: row.RetrieveID, teamID: row.TeamID, teamKind: row.TeamKind, expires: row.ExpiresAt},
		id:     row.ID, url: row.Url, metadata: map[string]string{}, credits: row.CreditsConsumed, created: row.CreatedAt,
	}
	if r.outcome, err = decodeOutcome(row.Result); err != nil {
		return &record{}, fmt.Errorf("reading result of %s: %w", row.ID, err)
	}
	if err := json.Unmarshal(row.Metadata, &r.metadata); err != nil {
		return &record{}, fmt.Errorf("reading metadata of %s: %w", row.ID, err)
	}
	return r, nil
}
