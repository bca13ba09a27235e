package schedules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// listMax is how many schedules a list shows: more than a team may have, including those of monitors and deleted ones.
const listMax = 10_000

// Create adds a schedule for c. Faults of the call that its endpoint can detect are refused now, rather than when it is first due.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request) (*Schedule, error) {
	p, err := s.plan(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.rehearse(ctx, c, p); err != nil {
		return nil, err
	}
	id := token.New(idPrefix)
	row := db.InsertScheduleParams{
		ID: id, TeamID: c.TeamID, Type: string(p.kind), Method: p.method, Endpoint: p.endpoint, Payload: p.payload, ExecuteAt: p.executeAt,
		ExpressionTimezone: p.timezone, ScheduleName: r.ScheduleName, ScheduleGroup: r.ScheduleGroup, Jti: &c.IdentityID,
		Now: s.config.Now(), LimitRows: int64(s.config.TeamMax), LimitBytes: payloadsBytesMax,
	}
	if p.kind == TypeOnetime {
		row.NextRunAt = *p.executeAt
	} else {
		off := offset(id, &p.frequency)
		row.CronExpression, row.Text, row.OffsetSeconds = &p.frequency.Cron, p.frequency.Text, seconds(off)
		if row.NextRunAt, err = next(p.frequency.Cron, p.timezone, off, row.Now); err != nil {
			return nil, problem.Internal(err)
		}
	}
	var made *Schedule
	err = pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) error {
		if made, err = s.insert(ctx, tx, c, &row); err != nil {
			return err
		}
		return c.Record(ctx, tx, &scheduleAnswer{made})
	})
	return made, asProblem(err)
}

// insert adds a schedule, or finds the one that the same identity added.
func (s *Service) insert(ctx context.Context, tx pgx.Tx, c *principal.Caller, row *db.InsertScheduleParams) (*Schedule, error) {
	queries := s.queries.WithTx(tx)
	if err := queries.LockTeamForSchedules(ctx, c.TeamID); err != nil {
		return nil, fmt.Errorf("locking team %s: %w", c.TeamID, err)
	}
	id, err := queries.InsertSchedule(ctx, *row)
	if errors.Is(err, pgx.ErrNoRows) {
		id, err = queries.ScheduleByIdentity(ctx, db.ScheduleByIdentityParams{Jti: c.IdentityID, TeamID: c.TeamID})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, problem.New(problem.InvalidState, fmt.Sprintf(
				"The limit of %d schedules, or of %d MiB for all their payloads, is reached. Delete one first.",
				s.config.TeamMax, payloadsBytesMax>>20))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("creating a schedule: %w", err)
	}
	return read(ctx, queries, c.TeamID, id)
}

// asProblem returns problems unchanged, and other errors as internal ones.
func asProblem(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e
	}
	return problem.Internal(err)
}

func missing(err error) error {
	return problem.Wrap(problem.ScheduleNotFound, "There is no schedule with this id.", err)
}

// Schedule returns c's schedule, even a deleted one.
func (s *Service) Schedule(ctx context.Context, c *principal.Caller, id string) (*Schedule, error) {
	made, err := read(ctx, s.queries, c.TeamID, id)
	return made, asProblem(err)
}

func read(ctx context.Context, queries *db.Queries, teamID, id string) (*Schedule, error) {
	if !token.Is(id, idPrefix) {
		return nil, missing(nil)
	}
	row, err := queries.ScheduleByID(ctx, db.ScheduleByIDParams{ID: id, TeamID: teamID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing(err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading schedule %s: %w", id, err)
	}
	return view(&row.Schedule, row.LastRun)
}

// Delete ends c's schedule for good and returns it. It may be repeated.
func (s *Service) Delete(ctx context.Context, c *principal.Caller, id string) (*Schedule, error) {
	var left *Schedule
	err := pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) (err error) {
		queries := s.queries.WithTx(tx)
		if _, err := read(ctx, queries, c.TeamID, id); err != nil {
			return err
		}
		err = s.remove(ctx, tx, c.TeamID, id, false)
		if errors.Is(err, ErrNoSchedule) {
			return problem.Wrap(problem.InvalidState, "This schedule belongs to a monitor. Pause or delete the monitor instead.", err)
		}
		if err != nil {
			return err
		}
		left, err = read(ctx, queries, c.TeamID, id)
		return err
	})
	return left, asProblem(err)
}

// dryRun makes an endpoint only check a request.
const dryRun = "?dry_run=true"

// rehearse makes a dry run of the call, and refuses the request if the endpoint does.
func (s *Service) rehearse(ctx context.Context, c *principal.Caller, p *plan) error {
	if p.method != http.MethodPost || strings.HasPrefix(p.endpoint, "v1/monitors/") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, rehearseTimeout)
	defer cancel()
	answer, err := s.send(ctx, &request{
		id: c.IdentityID, teamID: c.TeamID, keyID: c.KeyID, method: p.method, uri: "/" + p.endpoint + dryRun, body: p.payload,
	})
	if err != nil {
		return problem.Internal(err)
	}
	if answer.status < http.StatusBadRequest || answer.status >= http.StatusInternalServerError ||
		answer.status == http.StatusPaymentRequired || answer.status == http.StatusTooManyRequests {
		return nil
	}
	msg := strings.TrimSuffix(strings.TrimPrefix(answer.fields.Detail, "The request is not valid: "), ".")
	if msg == "" {
		msg = "the endpoint gave no reason"
	}
	return problem.Validation(problem.BodyFault("payload", "the call would be refused: "+msg))
}

// rehearseTimeout is for a dry run, which fetches nothing.
const rehearseTimeout = 10 * time.Second

// parsed parses a URI for pricing.
func parsed(uri string) (*url.URL, error) {
	u, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", uri, err)
	}
	return u, nil
}
