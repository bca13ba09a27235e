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
	// callTimeoutDefault is for calls whose price sets no time limit: reads.
	callTimeoutDefault = time.Minute
	// answerTimeout is how much longer than its limit a call may take, so that it can still report the timeout.
	answerTimeout = 10 * time.Second
	// recordTimeout is for writing the outcome of a call, even while the process shuts down.
	recordTimeout = 15 * time.Second
	// holdLasts is how long the hold of a call lasts: over all its attempts.
	holdLasts = time.Hour
	// againAfter, times the attempts so far, is the delay of a retry. All delays together exceed the time for which any
	// endpoint considers work in progress whose process was lost.
	againAfter = 20 * time.Second
	// errorCharsMax is how much of an error is kept.
	errorCharsMax = 1000
)

// end is the outcome of a run.
type end struct {
	state  RunState
	status int
	cost   *int64 // nil: the call made a resource that is charged by itself
	made   string
	err    string
	// again is the delay after which the call is retried instead; 0: no retry.
	again time.Duration
}

func failed(status int, err string) *end {
	return &end{state: RunFailed, status: status, cost: new(int64), err: err}
}

// call makes the call of a run and writes the outcome. It returns only errors around the call, such as an unavailable
// database: the run's lease then expires, and the call is made again.
func (s *Service) call(ctx context.Context, r *db.TakeRunsRow) error {
	if r.Attempt > triesMax {
		return s.finish(ctx, r, failed(0, "the call was interrupted several times and is not retried"))
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

// cover holds what the call may cost by the price book, unless an earlier attempt has. It returns that amount and the
// call's time limit, or the outcome if the call cannot be made.
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
			err: fmt.Sprintf("the call costs %d credits, but only %d were available", short.Required, short.Available),
		}, nil
	}
	if err != nil {
		return 0, 0, nil, fmt.Errorf("holding credits for %s of %s: %w", r.Endpoint, r.ScheduleID, err)
	}
	return quote.Amount, limit, nil, nil
}

// prolong extends a hold that an earlier attempt opened. If that hold has expired, settle still finds what the attempt made.
func (s *Service) prolong(ctx context.Context, r *db.TakeRunsRow) error {
	err := credits.NewLedger(s.config.Pool).ExtendHold(ctx, jobOf(r), holdLasts)
	if errors.Is(err, credits.ErrHoldExpired) || errors.Is(err, credits.ErrHoldClosed) || errors.Is(err, credits.ErrNoHold) {
		return nil
	}
	return err
}

var errLost = errors.New("another attempt owns the run")

// jobOf is the name of a run's hold, until a resource that the call made takes the hold over.
func jobOf(r *db.TakeRunsRow) string { return credits.RunJob(r.ID) }

// price gets a quote from the price book, or from the backend if the book leaves the price to it.
func (s *Service) price(ctx context.Context, r *db.TakeRunsRow) (price.Quote, *end, error) {
	u, err := parsed("/" + r.Endpoint)
	if err != nil {
		return price.Quote{}, failed(http.StatusNotFound, err.Error()), nil // a fault of the schedule, which its run reports
	}
	quote, err := s.config.Book.Quote(ctx, &price.Request{Method: r.Method, URL: u, Body: edgewire.NewBody(r.Payload)}, edgewire.UnitCredit)
	if errors.Is(err, price.ErrUnavailable) { // the backend sets this price; quote still has the other terms
		asking := context.WithValue(ctx, teamKey{}, r.TeamID)
		amount, asked := s.quoter.Quote(asking, &price.QuoteRequest{Method: r.Method, URI: u.RequestURI(), Unit: edgewire.UnitCredit, Body: edgewire.NewBody(r.Payload)})
		quote.Amount, err = amount, asked
	}
	if refusal, ok := errors.AsType[*price.QuoteRefusedError](err); ok {
		return price.Quote{}, failed(refusal.Status, told(readFields(refusal.Body))), nil
	}
	switch {
	case errors.Is(err, price.ErrNoRule):
		return price.Quote{}, failed(http.StatusNotFound, "this operation is not offered by this server"), nil
	case errors.Is(err, price.ErrBadRequest):
		return price.Quote{}, failed(http.StatusBadRequest, "the payload is not valid for the endpoint, so the call cannot be priced"), nil
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
	case err == nil && a.status < http.StatusBadRequest: // done, even if the time has run out meanwhile
	case ctx.Err() != nil: // the process stops; another one makes the call at once
		return &end{state: RunFailed, cost: new(int64), err: "the call was interrupted because its server stopped", again: time.Millisecond}
	case calling.Err() != nil:
		return failed(http.StatusGatewayTimeout, "the call timed out")
	case err != nil:
		s.config.Logger.ErrorContext(ctx, "a scheduled call was aborted", "schedule", r.ScheduleID, "error", err)
		return &end{state: RunFailed, status: http.StatusInternalServerError, cost: new(int64), err: "the call was aborted", again: againAfter}
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

// told is the reason that a response gives.
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

// recording returns a context that outlives the call and the shutdown of the process.
func recording(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
}

func (s *Service) postpone(ctx context.Context, r *db.TakeRunsRow, e *end) error {
	ctx, cancel := recording(ctx)
	defer cancel()
	n, err := s.queries.PostponeRun(ctx, db.PostponeRunParams{
		ReadyAt: s.config.Now().Add(e.again), HttpStatus: optional(int32(e.status)), Error: optional(e.err), //nolint:gosec // an HTTP status
		ScheduleID: r.ScheduleID, DueAt: r.DueAt, Attempt: r.Attempt,
	})
	if err != nil {
		return fmt.Errorf("postponing a run of %s: %w", r.ScheduleID, err)
	}
	outcome := outcomeRetried
	if n == 0 {
		outcome = outcomeLost
	}
	s.metrics.calls.WithLabelValues(outcome).Inc()
	return nil
}

// spend runs a transaction that may open a hold. If others used the credits before its commit, it runs again and is refused.
func (s *Service) spend(ctx context.Context, f func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, s.config.Pool, f)
	if credits.IsUncovered(err) {
		err = pgx.BeginFunc(ctx, s.config.Pool, f)
	}
	return err
}

// finish writes the outcome of a run and charges its cost in one transaction, so the run is paid once, by the attempt
// that still owns it.
func (s *Service) finish(ctx context.Context, r *db.TakeRunsRow, e *end) error {
	ctx, cancel := recording(ctx)
	defer cancel()
	err := s.spend(ctx, func(tx pgx.Tx) error {
		n, err := s.queries.WithTx(tx).EndScheduleRun(ctx, db.EndScheduleRunParams{
			State: string(e.state), Now: s.config.Now(), HttpStatus: optional(int32(e.status)), Cost: e.cost, //nolint:gosec // an HTTP status
			Made: optional(e.made), Error: optional(e.err), ScheduleID: r.ScheduleID, DueAt: r.DueAt, Attempt: r.Attempt,
			KeepRuns: int32(s.config.KeepRuns), //nolint:gosec // small
		})
		switch {
		case err != nil:
			return err
		case n == 0:
			return errLost
		case e.cost == nil: // the resource has taken over the hold
			return nil
		}
		return s.settle(ctx, tx, r, money.Credits(*e.cost))
	})
	if errors.Is(err, errLost) {
		s.metrics.calls.WithLabelValues(outcomeLost).Inc()
		s.config.Logger.WarnContext(ctx, "a run was finished by another attempt", "schedule", r.ScheduleID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("finishing a run of %s: %w", r.ScheduleID, err)
	}
	s.metrics.calls.WithLabelValues(string(e.state)).Inc()
	return nil
}

// settle charges the cost of a call and releases the rest of its hold. There is no hold for a free call, or if the
// resource took the hold over before an earlier attempt was lost.
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

// settleLate charges a call whose hold expired before any process could end the run. The operator bears what the team can
// no longer pay.
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
		s.config.Logger.WarnContext(ctx, "a scheduled call could not be charged: its hold had expired, and the team has too few credits",
			"schedule", r.ScheduleID, "run", r.ID, "credits", cost)
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

// optional is nil for a zero value.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
