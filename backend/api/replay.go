package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	// recordTimeout is for storing the outcome of a request that may have ended.
	recordTimeout = 5 * time.Second
	// routeBytesMax keeps a key's route small enough for an index.
	routeBytesMax = 512
)

// once does the work of one Idempotency-Key once. It runs before pricing: a replay costs what the request cost, or
// nothing, and works even if the operation is no longer sold.
func (s *Server) once(ctx huma.Context, next func(huma.Context)) {
	request, err := s.keyed(ctx)
	switch {
	case err != nil:
		s.fail(ctx, err)
		return
	case request == nil:
		next(ctx)
		return
	}
	attempt, answer, err := s.config.Idempotency.Begin(ctx.Context(), request)
	x := exchangeOf(ctx.Context())
	if short, ok := errors.AsType[*idempotency.NotCoveredError](err); ok {
		s.fail(ctx, notCovered(x.caller.Unit, short.Cost, request.Covered))
		return
	}
	if err != nil {
		s.fail(ctx, keyProblem(err))
		return
	}
	if answer == nil {
		x.paid = attempt.Paid
		s.attempt(ctx, next, x, attempt)
		return
	}
	x.replayed, x.paid = true, answer.Cost == 0
	if answer.Body == nil { // the feature reads the result back from its work
		x.caller.IdentityID = answer.Identity
		next(ctx)
		return
	}
	x.caller.SetCost(answer.Cost)
	x.Header().Set("Content-Type", "application/json")
	x.Header().Set("Cache-Control", "no-store")
	x.Header().Set(replayedHeader, "true")
	x.WriteHeader(answer.Status)
	_, _ = x.Write(answer.Body)
}

// keyed describes a request with a key. It returns nil for requests without a key, and for requests that neither create
// nor spend.
func (s *Server) keyed(ctx huma.Context) (*idempotency.Request, error) {
	a := admissionOf(ctx.Context())
	c := principal.From(ctx.Context())
	if a == nil || c.Anonymous() || !principal.Replays(ctx.Operation()) {
		return nil, nil
	}
	r, _ := humago.Unwrap(ctx)
	key, err := idempotencyKey(r.Header, principal.KeyNameOf(ctx.Operation()))
	if err != nil || key == "" {
		return nil, err
	}
	target, dryRun, err := pricedURL(a.id.URI)
	if err != nil || dryRun {
		return nil, err
	}
	payer, err := uuid.Parse(c.HoldID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("hold or claim %q: %w", c.HoldID, err))
	}
	route := r.Method + " " + r.URL.EscapedPath()
	if len(route) > routeBytesMax {
		sum := sha256.Sum256([]byte(route))
		route = r.Method + " " + hex.EncodeToString(sum[:])
	}
	hash := sha256.New()
	hash.Write([]byte(target.RawQuery + "\n")) // a query has no line breaks
	hash.Write(a.body.Text())
	return &idempotency.Request{
		TeamID: c.TeamID, Route: route, Key: key, SHA256: [32]byte(hash.Sum(nil)), Identity: c.IdentityID,
		Payer: payer, Covered: c.Covered,
	}, nil
}

// attempt runs a request that holds its key. The response is sent after it is stored.
func (s *Server) attempt(ctx huma.Context, next func(huma.Context), x *exchange, attempt *idempotency.Attempt) {
	stop := attempt.Keep(ctx.Context())
	defer stop()
	h := &held{server: s, ctx: ctx, x: x, attempt: attempt}
	x.caller.IdentityID = attempt.Identity
	x.caller.OnRecord(h.recordWith)
	x.held = h
	returned := false
	defer func() {
		if !returned { // a panic: guard responds to it
			x.held, x.status = nil, 0
			h.release()
		}
	}()
	next(ctx)
	returned = true
	stop()
	h.end()
}

// held is a response that is not sent until it is stored.
type held struct {
	server  *Server
	ctx     huma.Context
	x       *exchange
	attempt *idempotency.Attempt
	body    bytes.Buffer
	// recorded: the feature stored the response together with its work; remade: the response is rebuilt from that work.
	recorded, remade bool
	// refused: another response was sent, and this one is dropped.
	refused bool
}

// recordWith implements [principal.Caller.Record].
func (h *held) recordWith(ctx context.Context, tx pgx.Tx, answer any) error {
	var body bytes.Buffer
	if answer != nil {
		if err := huma.DefaultJSONFormat.Marshal(&body, answer); err != nil {
			return problem.Internal(err)
		}
	}
	status := h.ctx.Operation().DefaultStatus
	if status == 0 {
		status = http.StatusOK
	}
	if err := h.attempt.Record(ctx, tx, status, h.x.caller.Cost(), body.Bytes()); err != nil {
		return keyProblem(err)
	}
	h.recorded, h.remade = true, answer == nil
	return nil
}

// goes reports whether the response can be sent without waiting, because its body is not stored.
func (h *held) goes() bool {
	return h.remade && !h.refused && h.x.status != 0 && h.x.status < http.StatusMultipleChoices
}

// write buffers more of the response. A response that is too large is recorded without its body, and sent.
func (h *held) write(p []byte) (int, error) {
	if h.refused {
		return len(p), nil
	}
	if h.body.Len()+len(p) <= idempotency.BodyBytesMax {
		return h.body.Write(p)
	}
	if h.settle(nil); h.refused {
		return len(p), nil
	}
	return h.x.Write(p)
}

// end stores the response and sends it.
func (h *held) end() {
	if h.x.held == nil || h.refused { // it was sent, or another was
		return
	}
	if h.x.status == 0 {
		h.x.WriteHeader(http.StatusOK)
	}
	body := h.body.Bytes()
	if body == nil {
		body = []byte{} // nil would mean a body that was not kept
	}
	h.settle(body)
}

// settle decides the state of the key, then sends the buffered response, or an error if another attempt has taken the key.
func (h *held) settle(body []byte) {
	status := h.x.status
	switch {
	case !recordable(h.x.caller.Failed()):
		h.release()
	case h.recorded && status < http.StatusMultipleChoices:
	case !recordable(status):
		h.release()
	default:
		cost := h.x.caller.Cost()
		if status >= http.StatusMultipleChoices {
			cost = 0
		}
		ctx, cancel := h.context()
		err := h.attempt.Record(ctx, nil, status, cost, body)
		cancel()
		switch {
		case errors.Is(err, idempotency.ErrLost) && !h.recorded:
			h.refuse(keyProblem(err))
			return
		case err != nil && !errors.Is(err, idempotency.ErrLost):
			// The work is done and this is its response. A retry finds the key locked until its lease ends, and then
			// finds the work by its identity.
			h.server.config.Logger.ErrorContext(h.ctx.Context(), "response not recorded", "request_id", h.x.requestID, "error", err)
		}
	}
	x := h.x
	x.held, x.status = nil, 0
	x.WriteHeader(status)
	_, _ = x.Write(h.body.Bytes())
}

// refuse responds with err instead.
func (h *held) refuse(err error) {
	x := h.x
	x.held, x.status = nil, 0
	h.server.fail(h.ctx, err)
	x.held, h.refused = h, true
}

// recordable reports whether a response is final. Server errors, missing payment and transient refusals are not: such a
// request did nothing.
func recordable(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status < http.StatusInternalServerError
}

func (h *held) release() {
	ctx, cancel := h.context()
	defer cancel()
	if err := h.attempt.Release(ctx); err != nil {
		h.server.config.Logger.WarnContext(h.ctx.Context(), "idempotency key not released yet", "request_id", h.x.requestID, "error", err)
	}
}

// context outlives the request: a client that disconnected may retry.
func (h *held) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(h.ctx.Context()), recordTimeout)
}

// keyProblem tells the client why there is no response.
func keyProblem(err error) error {
	inProgress := func(after time.Duration) error {
		e := problem.Wrap(problem.IdempotencyKeyInProgress,
			"A request with this Idempotency-Key, or its payment, is in progress. Retry later to get its response. Nothing was done or charged for this request.", err)
		e.RetryAfter = max(after, time.Second)
		return e
	}
	if under, ok := errors.AsType[*idempotency.InProgressError](err); ok {
		return inProgress(under.Left)
	}
	switch {
	case errors.Is(err, idempotency.ErrLost):
		return inProgress(0)
	case errors.Is(err, idempotency.ErrReused):
		return problem.Wrap(problem.IdempotencyKeyReuse,
			"This Idempotency-Key was used for another request. Send the same body and query again, or use a new key.", err)
	default:
		return problem.Internal(err)
	}
}
