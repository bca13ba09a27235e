package answers

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
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	errNotFound = errors.New("no such answer")
	errDone     = errors.New("an answer already exists for this identity")
	errRunning  = errors.New("the answer for this identity is in progress")
	errTakenFor = errors.New("the identity was already used for a different request")
)

// store accesses the table of answers.
type store struct{ queries *db.Queries }

// job is an attempt that this process has claimed.
type job struct {
	id      string
	attempt int32
	created time.Time
	expires time.Time
}

// start claims the work of an identity. The error is errDone, errRunning or errTakenFor if there is none to claim.
func (s *store) start(ctx context.Context, c *principal.Caller, p *plan, now, expires, staleBefore time.Time) (*job, error) {
	metadata, err := json.Marshal(p.metadata)
	if err != nil {
		return nil, fmt.Errorf("writing metadata: %w", err)
	}
	row, err := s.queries.StartAnswer(ctx, db.StartAnswerParams{
		ID: token.New(idPrefix), TeamID: c.TeamID, Jti: c.IdentityID, Request: p.canonical, RequestSha256: p.sha256[:],
		Metadata: metadata, StartedAt: now, ExpiresAt: expires, StaleBefore: staleBefore,
	})
	switch {
	case err == nil:
		return &job{id: row.ID, attempt: row.Attempt, created: row.CreatedAt, expires: expires}, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("starting an answer: %w", err)
	}
	if _, err := s.finished(ctx, c, p); err != nil {
		return nil, err
	}
	return nil, errDone
}

// finished returns the id of the answer that c's identity has paid for. If there is none, the error is errNotFound,
// errRunning (also for a failed one) or errTakenFor.
func (s *store) finished(ctx context.Context, c *principal.Caller, p *plan) (string, error) {
	row, err := s.queries.AnswerByIdentity(ctx, c.IdentityID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", errNotFound
	case err != nil:
		return "", fmt.Errorf("reading the answer of an identity: %w", err)
	case row.TeamID != c.TeamID:
		return "", errTakenFor
	case row.Status == "failed": // may be tried again, even for another request
		return "", errRunning
	case !bytes.Equal(row.RequestSha256, p.sha256[:]):
		return "", errTakenFor
	case row.Status != "succeeded":
		return "", errRunning
	}
	return row.ID, nil
}

// finish writes the outcome of j. The error is errRunning if another attempt took over.
func (s *store) finish(ctx context.Context, j *job, o *outcome, credits money.Credits, now time.Time) error {
	result, err := o.encode()
	if err != nil {
		return fmt.Errorf("writing the outcome of %s: %w", j.id, err)
	}
	n, err := s.queries.FinishAnswer(ctx, db.FinishAnswerParams{
		Result: result, CreditsConsumed: credits, FinishedAt: now, ID: j.id, Attempt: j.attempt,
	})
	switch {
	case err != nil:
		return fmt.Errorf("finishing answer %s: %w", j.id, err)
	case n == 0:
		return errRunning
	}
	return nil
}

func (s *store) fail(ctx context.Context, j *job, code problem.Code, now time.Time) error {
	_, err := s.queries.FailAnswer(ctx, db.FailAnswerParams{ErrorCode: string(code), FinishedAt: now, ID: j.id, Attempt: j.attempt})
	if err != nil {
		return fmt.Errorf("failing answer %s: %w", j.id, err)
	}
	return nil
}

// byID returns a successful answer, or errNotFound. With an error the record is empty, but never nil.
func (s *store) byID(ctx context.Context, id string) (*record, error) {
	if !token.Is(id, idPrefix) {
		return &record{}, errNotFound
	}
	row, err := s.queries.AnswerByID(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &record{}, errNotFound
	case err != nil:
		return &record{}, fmt.Errorf("reading answer %s: %w", id, err)
	}
	r := &record{
		id: row.ID, teamID: row.TeamID, teamKind: row.TeamKind, attempt: row.Attempt, metadata: map[string]string{},
		credits: row.CreditsConsumed, created: row.CreatedAt, expires: row.ExpiresAt,
	}
	if r.outcome, err = decodeOutcome(row.Result); err != nil {
		return &record{}, fmt.Errorf("reading the outcome of %s: %w", id, err)
	}
	if err := json.Unmarshal(row.Metadata, &r.metadata); err != nil {
		return &record{}, fmt.Errorf("reading metadata of %s: %w", id, err)
	}
	var asked struct {
		Task string `json:"task"`
	}
	if err := json.Unmarshal(row.Request, &asked); err != nil {
		return &record{}, fmt.Errorf("reading the request of %s: %w", id, err)
	}
	r.task = asked.Task
	return r, nil
}
