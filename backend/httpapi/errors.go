package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// setUpHuma sets what Huma keeps in package variables, once for the process:
// field names are case-sensitive, and what Huma itself refuses is one of our
// problems.
var setUpHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return problemOf(status, msg, errs)
	}
})

// problemOf maps what Huma refuses. Its 422 for input that does not match the
// schema is the contract's 400.
func problemOf(status int, msg string, errs []error) *problem.Error {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusNotAcceptable:
		faults := make([]problem.Fault, 0, len(errs))
		for _, err := range errs {
			faults = append(faults, faultOf(err))
		}
		if len(faults) == 0 {
			faults = append(faults, problem.Fault{Loc: []any{"body"}, Msg: msg, Type: problem.FaultMissing})
		}
		return problem.Validation(faults...)
	case http.StatusRequestEntityTooLarge:
		return problem.New(problem.PayloadTooLarge, msg)
	case http.StatusRequestTimeout:
		return problem.New(problem.RequestTimeout, "The request body did not arrive in time.")
	default:
		return problem.Internal(joinedError(errs))
	}
}

func joinedError(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

const (
	missingPrefix = "expected required property "
	missingSuffix = " to be present"
)

// faultOf translates a Huma error detail. The value is left out: it is the
// caller's own and may be a secret.
func faultOf(err error) problem.Fault {
	detailer, ok := err.(huma.ErrorDetailer)
	if !ok {
		return problem.Fault{Loc: []any{}, Msg: err.Error(), Type: problem.FaultInvalid}
	}
	detail := detailer.ErrorDetail()
	fault := problem.Fault{Loc: location(detail.Location), Msg: detail.Message, Type: problem.FaultInvalid}
	switch {
	case strings.HasPrefix(detail.Message, missingPrefix):
		field := strings.TrimSuffix(strings.TrimPrefix(detail.Message, missingPrefix), missingSuffix)
		fault.Loc = append(fault.Loc, field)
		fault.Type, fault.Msg = problem.FaultMissing, "is required"
	case strings.HasPrefix(detail.Message, "required "):
		fault.Type, fault.Msg = problem.FaultMissing, "is required"
	case detail.Message == "unexpected property":
		fault.Type, fault.Msg = problem.FaultUnknown, "is not a field of this request"
	}
	return fault
}

// location reads "body.formats[0].type" as ["body", "formats", 0, "type"].
func location(text string) []any {
	loc := []any{}
	for part := range strings.SplitSeq(text, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name != "" {
			loc = append(loc, name)
		}
		for index := range strings.SplitSeq(rest, "[") {
			if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
				loc = append(loc, n)
			}
		}
	}
	return loc
}

// transformError turns a problem into what is written, wherever Huma writes one.
func (s *Server) transformError(ctx huma.Context, _ string, value any) (any, error) {
	e, ok := value.(*problem.Error)
	if !ok {
		return value, nil
	}
	return s.object(ctx.Context(), e), nil
}

// writeError answers with e where Huma is not involved.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	body, marshalErr := json.Marshal(s.object(r.Context(), e))
	if marshalErr != nil {
		s.config.Logger.ErrorContext(r.Context(), "writing an error", "error", marshalErr)
	}
	header := w.Header()
	maps.Copy(header, e.GetHeaders())
	header.Set("Content-Type", "application/json")
	w.WriteHeader(e.GetStatus())
	_, _ = w.Write(append(body, '\n'))
}
