package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	requestIDHeader   = "X-Request-Id"
	requestIDBytesMax = 128
)

// exchange is one request and its response, from the outermost handler on.
type exchange struct {
	http.ResponseWriter

	requestID string
	pattern   string            // of the route, for the log
	caller    *principal.Caller // nil on public routes and before authentication
	errorID   string
	problem   *problem.Error
	status    int
	bytes     int64
	held      *held         // set while the response waits to be stored
	replayed  bool          // the response is a replay
	paid      bool          // another request has paid for the response
	schemas   huma.Registry // of the operations, for explaining validation errors
}

// WriteHeader adds what the request cost: nothing, unless it succeeded.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	if status < http.StatusOK { // informational: the final response is still to come
		x.ResponseWriter.WriteHeader(status)
		return
	}
	x.status = status
	if x.held != nil {
		return
	}
	if status >= http.StatusBadRequest {
		x.Header().Set("Cache-Control", "no-store")
		x.Header().Set("X-Content-Type-Options", "nosniff")
	}
	adopted := x.caller != nil && x.caller.Adopted()
	if adopted {
		x.Header().Set(edgewire.AdoptedHeader, "true")
	}
	if x.replayed && status < http.StatusMultipleChoices {
		x.Header().Set(replayedHeader, "true")
	}
	switch {
	case status >= http.StatusMultipleChoices || adopted || x.paid:
		// Nothing of an adopted hold is captured yet. Send 0 even without a principal, because without this header the
		// edge captures the announced price.
		x.Header().Set(edgewire.CostHeader, "0")
	case x.caller != nil:
		x.Header().Set(edgewire.CostHeader, strconv.FormatInt(x.caller.Cost(), 10))
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	if x.held != nil {
		return x.held.write(p)
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// FlushError sends what was written. A response that waits to be stored keeps waiting, unless its work is stored and
// can produce it again for a retry: a stream.
func (x *exchange) FlushError() error {
	if x.held != nil {
		if !x.held.goes() {
			return nil
		}
		x.held.settle(nil)
	}
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(x.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

type exchangeKey struct{}

// exchangeOf returns the exchange that every request to the Server has.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// identify gives the request its id and its exchange.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !visible(id, requestIDBytesMax) { // so that the id is safe to log and to echo
			id = token.New("req")
		}
		w.Header().Set(requestIDHeader, id)
		x := &exchange{ResponseWriter: w, requestID: id, schemas: s.api.OpenAPI().Components.Schemas}
		next.ServeHTTP(x, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	})
}

// log writes one line for each request.
func (s *Server) log(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.config.Now()
		x := exchangeOf(r.Context())
		defer func() {
			level := slog.LevelInfo
			attrs := []slog.Attr{
				slog.String("request_id", x.requestID), slog.String("method", r.Method), slog.String("route", x.pattern),
				slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", s.config.Now().Sub(start)),
			}
			if x.caller != nil {
				attrs = append(attrs, slog.String("team", x.caller.TeamID), slog.String("identity", x.caller.IdentityID))
			}
			if x.problem != nil {
				attrs = append(attrs, slog.String("error_id", x.errorID), slog.String("error", x.problem.Error()))
			}
			if x.status >= http.StatusInternalServerError {
				level = slog.LevelError
			}
			s.config.Logger.LogAttrs(r.Context(), level, "request", attrs...)
		}()
		next.ServeHTTP(w, r)
	})
}

// guard responds 500 to a panic. It passes on http.ErrAbortHandler, which ends a connection on purpose, to net/http.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			thrown := recover()
			if thrown == nil {
				return
			}
			if thrown == http.ErrAbortHandler { //nolint:errorlint,err113 // net/http compares it so
				panic(thrown)
			}
			x := exchangeOf(r.Context())
			s.config.Logger.ErrorContext(r.Context(), "panic", "request_id", x.requestID, "panic", thrown, "stack", string(debug.Stack()))
			if x.status != 0 {
				// Part of the response is sent, so the connection must be aborted.
				panic(http.ErrAbortHandler)
			}
			s.writeError(w, r, problem.Internal(errPanic))
		}()
		next.ServeHTTP(w, r)
	})
}

// object assigns e an id, records e for the log and returns its response body.
func (s *Server) object(ctx context.Context, e *problem.Error) problem.Object {
	id := token.New("error")
	if x := exchangeOf(ctx); x != nil {
		x.errorID, x.problem = id, e
	}
	return e.Object(id, s.config.DocsURL, s.config.Now().Unix())
}
