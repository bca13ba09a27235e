package schedules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

const (
	// callTimeoutDefault is for calls whose price has no limit of its own: reads.
	callTimeoutDefault = time.Minute
	// answerTimeout is how long a call may take beyond its limit to say so.
	answerTimeout = 10 * time.Second
	// recordTimeout is for writing down what came of a call, also when the process is told to stop.
	recordTimeout = 15 * time.Second
	// holdLasts is how long what is set aside for a call stays so: over all its tries.
	holdLasts = time.Hour
	// againAfter is when a call is made again that was told to come later, times the tries so far: all of them together take
	// longer than any endpoint takes the work of one who was lost to be under way.
	againAfter = 20 * time.Second
	// errorCharsMax is what is kept of an error.
	errorCharsMax = 1000
)

// end is what came of a run.
type end struct {
	state  RunState
	status int
	cost   *int64 // nil: what was made is charged by itself
	made   string
	err    string
	// again is when the call is to be made again instead; 0: not.
	again time.Duration
}

func failed(status int, err string) *end {
	return &end{state: RunFailed, status: status, cost: new(int64), err: err}
}

// call makes the call of a run and writes down what came of it. An error is of what surrounds calls, such as a database that
// is away: the run's lease then ends, and it is made again.
func (s *Service) call(ctx context.Context, r *db.TakeRunsRow) error {
	if r.Attempt > triesMax {
		return s.finish(ctx, r, failed(0, "the call was lost several times, and is not made again"))
	}
	held, limit, refused, err := s.cover(ctx, r)
	if err != nil {
		if errors.Is(err, errLost) {
			s.metrics.calls.WithLabelValues(outcomeLost).Inc()
		}
		return err
	}
	if refused == nil {
		refused = s.make(ctx, r, held, limit)
	}
	if refused.again > 0 && r.Attempt < triesMax {
		return s.postpone(ctx, r, refused)
	}
	return s.finish(ctx, r, refused)
}

// cover sets aside what the call may cost, by the price book, unless an attempt before has done so. It returns how much, and
// how long the call may take; or how the run ends without it.
func (s *Service) cover(ctx context.Context, r *db.TakeRunsRow) (held int64, limit time.Duration, refused *end, err error) {
	quote, refused, err := s.price(ctx, r)
	if refused != nil || err != nil {
		return 0, 0, refused, err
	}
	limit = max(quote.Timeout, callTimeoutDefault) + answerTimeout
	switch {
	case r.Held != nil:
		return *r.Held, limit, nil, s.prolong(ctx, r)
	case quote.Amount == 0:
		return 0, limit, nil, nil
	}
	err = s.spend(ctx, func(tx pgx.Tx) error {
		n, err := s.queries.WithTx(tx).HoldForRun(ctx, db.HoldForRunParams{Held: quote.Amount, ScheduleID: r.ScheduleID, DueAt: r.DueAt, Attempt: r.Attempt})
		if err == nil && n == 0 {
			err = errLost
		}
		if err != nil {
			return err
		}
		_, err = credits.NewLedger(tx).OpenHold(ctx, credits.NewJobHold{
			ID: r.ID, JobID: jobOf(r), TeamID: r.TeamID, Operation: quote.Operation, Amount: money.Credits(quote.Amount), Lasts: holdLasts,
		})
		return err
	})
	if short, ok := errors.AsType[*credits.Insufficient](err); ok {
		return 0, 0, &end{
			state: RunUnpaid, status: http.StatusPaymentRequired, cost: new(int64),
			err: fmt.Sprintf("the call costs %d credits, and %d were available", short.Required, short.Available),
		}, nil
	}
	if err != nil {
		return 0, 0, nil, fmt.Errorf("setting credits aside for %s of %s: %w", r.Endpoint, r.ScheduleID, err)
	}
	return quote.Amount, limit, nil, nil
}

// prolong has a hold last that an attempt before has opened. One whose time was up is not needed to find what that attempt
// has made: see settle.
func (s *Service) prolong(ctx context.Context, r *db.TakeRunsRow) error {
	err := credits.NewLedger(s.config.Pool).ExtendHold(ctx, jobOf(r), holdLasts)
	if errors.Is(err, credits.ErrHoldExpired) || errors.Is(err, credits.ErrHoldClosed) || errors.Is(err, credits.ErrNoHold) {
		return nil
	}
	return err
}

var errLost = errors.New("another attempt has the run")

// jobOf is the name of a run's hold, until something that it has made takes it over.
func jobOf(r *db.TakeRunsRow) string { return credits.RunJob(r.ID) }

// price asks the book, and the backend where the book leaves it to that.
func (s *Service) price(ctx context.Context, r *db.TakeRunsRow) (price.Quote, *end, error) {
	u, err := parsed("/" + r.Endpoint)
	if err != nil {
		return price.Quote{}, failed(http.StatusNotFound, err.Error()), nil // what is wrong is the schedule's, and told
	}
	quote, err := s.config.Book.Quote(ctx, &price.Request{Method: r.Method, URL: u, Body: r.Payload}, edgewire.UnitCredit)
	if errors.Is(err, price.ErrUnavailable) { // a book at hand says so of what is quoted, and knows its terms
		asking := context.WithValue(ctx, teamKey{}, r.TeamID)
		amount, asked := s.quoter.Quote(asking, &price.QuoteRequest{Method: r.Method, URI: u.RequestURI(), Unit: edgewire.UnitCredit, Body: r.Payload})
		quote.Amount, err = amount, asked
	}
	if refusal, ok := errors.AsType[*price.QuoteRefusedError](err); ok {
		return price.Quote{}, failed(refusal.Status, told(readFields(refusal.Body))), nil
	}
	switch {
	case errors.Is(err, price.ErrNoRule):
		return price.Quote{}, failed(http.StatusNotFound, "this operation is not sold here"), nil
	case errors.Is(err, price.ErrBadRequest):
		return price.Quote{}, failed(http.StatusBadRequest, "the payload is not as the endpoint takes it: its price depends on it"), nil
	case err != nil:
		return price.Quote{}, nil, fmt.Errorf("pricing %s of %s: %w", r.Endpoint, r.ScheduleID, err)
	}
	return quote, nil, nil
}

// make makes the call.
func (s *Service) make(ctx context.Context, r *db.TakeRunsRow, held int64, limit time.Duration) *end {
	calling, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := s.send(calling, &request{
		id: r.ID.String(), teamID: r.TeamID, method: r.Method, uri: "/" + r.Endpoint, body: r.Payload, covered: held,
	})
	switch {
	case err == nil && a.status < http.StatusBadRequest: // it is done, even if time is up by now
	case ctx.Err() != nil: // the process stops: somebody else makes it, at once
		return &end{state: RunFailed, cost: new(int64), err: "the call was broken off as its server stopped", again: time.Millisecond}
	case calling.Err() != nil:
		return failed(http.StatusGatewayTimeout, "the call took too long")
	case err != nil:
		s.config.Logger.ErrorContext(ctx, "a scheduled call broke off", "schedule", r.ScheduleID, "error", err)
		return &end{state: RunFailed, status: http.StatusInternalServerError, cost: new(int64), err: "the call broke off", again: againAfter}
	}
	e := &end{state: RunSucceeded, status: a.status, made: a.fields.ID}
	if a.header.Get(edgewire.AdoptedHeader) != "true" {
		cost := int64(0)
		if a.status < http.StatusBadRequest {
			cost = a.cost(held)
		}
		e.cost = &cost
	}
	if a.status < http.StatusBadRequest {
		return e
	}
	e.state, e.made, e.err = RunFailed, "", told(a.fields)
	switch a.status {
	case http.StatusPaymentRequired:
		e.state = RunUnpaid
	case http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		e.again = againAfter * time.Duration(r.Attempt)
		if after, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil && after > 0 && after < int(holdLasts.Seconds())/triesMax {
			e.again = time.Duration(after) * time.Second
		}
	}
	return e
}

// told is what an answer says of why.
func told(f fields) string {
	text := f.Detail
	if text == "" {
		text = f.Error
	}
	if f.Code != "" {
		text = f.Code + ": " + text
	}
	if runes := []rune(text); len(runes) > errorCharsMax {
		text = string(runes[:errorCharsMax])
	}
	return text
}

// recording outlives the call and the process' wish to stop.
func recording(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
}

func (s *Service) postpone(ctx context.Context, r *db.TakeRunsRow, e *end) error {
	ctx, cancel := recording(ctx)
	defer cancel()
	n, err := s.queries.PostponeRun(ctx, db.PostponeRunParams{
		ReadyAt: s.config.Now().Add(e.again), HttpStatus: optional(int32(e.status)), Error: optional(e.err), //nolint:gosec // a status
		ScheduleID: r.ScheduleID, DueAt: r.DueAt, Attempt: r.Attempt,
	})
	if err != nil {
		return fmt.Errorf("putting off a run of %s: %w", r.ScheduleID, err)
	}
	outcome := outcomeRetried
	if n == 0 {
		outcome = outcomeLost
	}
	s.metrics.calls.WithLabelValues(outcome).Inc()
	return nil
}

// spend runs a transaction that may open a hold: once more where others have taken the credits before its commit, so that it
// is refused.
func (s *Service) spend(ctx context.Context, f func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, s.config.Pool, f)
	if credits.IsUncovered(err) {
		err = pgx.BeginFunc(ctx, s.config.Pool, f)
	}
	return err
}

// finish writes down what came of a run and takes what it did cost, in one transaction: so it is paid once, by whichever
// attempt still has the run.
func (s *Service) finish(ctx context.Context, r *db.TakeRunsRow, e *end) error {
	ctx, cancel := recording(ctx)
	defer cancel()
	err := s.spend(ctx, func(tx pgx.Tx) error {
		n, err := s.queries.WithTx(tx).EndScheduleRun(ctx, db.EndScheduleRunParams{
			State: string(e.state), Now: s.config.Now(), HttpStatus: optional(int32(e.status)), Cost: e.cost, //nolint:gosec // a status
			Made: optional(e.made), Error: optional(e.err), ScheduleID: r.ScheduleID, DueAt: r.DueAt, Attempt: r.Attempt,
			KeepRuns: int32(s.config.KeepRuns), //nolint:gosec // small
		})
		switch {
		case err != nil:
			return err
		case n == 0:
			return errLost
		case e.cost == nil: // the hold is another's
			return nil
		}
		return s.settle(ctx, tx, r, money.Credits(*e.cost))
	})
	if errors.Is(err, errLost) {
		s.metrics.calls.WithLabelValues(outcomeLost).Inc()
		s.config.Logger.WarnContext(ctx, "a run was ended by another attempt", "schedule", r.ScheduleID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("ending a run of %s: %w", r.ScheduleID, err)
	}
	s.metrics.calls.WithLabelValues(string(e.state)).Inc()
	return nil
}

// settle takes what a call did cost from its hold and gives the rest back. There is no hold for what is free, nor any more
// where what was made has taken it over before its maker was lost.
func (s *Service) settle(ctx context.Context, tx pgx.Tx, r *db.TakeRunsRow, cost money.Credits) error {
	ledger, job := credits.NewLedger(tx), jobOf(r)
	if cost > 0 {
		err := ledger.CaptureHold(ctx, job, cost, 1)
		switch {
		case errors.Is(err, credits.ErrNoHold):
			return nil
		case errors.Is(err, credits.ErrHoldExpired), errors.Is(err, credits.ErrHoldClosed):
			return s.settleLate(ctx, ledger, r, cost)
		case err != nil:
			return err
		}
	}
	if _, err := ledger.CloseHold(ctx, job); err != nil && !errors.Is(err, credits.ErrNoHold) {
		return err
	}
	return nil
}

// settleLate takes what a call did cost whose hold has expired, since nobody was there to end the run for as long as that.
// What the team has not got any more, the operator bears.
func (s *Service) settleLate(ctx context.Context, ledger *credits.Ledger, r *db.TakeRunsRow, cost money.Credits) error {
	lapsed, err := ledger.JobHold(ctx, jobOf(r))
	if err != nil {
		return err
	}
	job := jobOf(r) + ":late"
	_, err = ledger.OpenHold(ctx, credits.NewJobHold{
		JobID: job, TeamID: r.TeamID, Operation: lapsed.Operation, Amount: cost, Lasts: holdLasts,
	})
	if _, short := errors.AsType[*credits.Insufficient](err); short {
		s.config.Logger.WarnContext(ctx, "a scheduled call is not paid: its hold had expired, and credits are short", "schedule", r.ScheduleID, "run", r.ID, "credits", cost)
		return nil
	}
	if err == nil {
		err = ledger.CaptureHold(ctx, job, cost, 1)
	}
	if err == nil {
		_, err = ledger.CloseHold(ctx, job)
	}
	return err
}

// optional is nil for what is not said.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
