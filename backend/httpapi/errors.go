package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/turnpike-edge/turnpike/backend/body"
	"github.com/turnpike-edge/turnpike/backend/caller"
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
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return problemOf(status, msg, explained(ctx, errs))
	}
})

// explained says of what Huma refuses what it leaves out: which forms there are of what may have several, and which
// numbers a parameter may be.
func explained(ctx huma.Context, errs []error) []error {
	op, x := ctx.Operation(), exchangeOf(ctx.Context())
	if op == nil || x == nil {
		return errs
	}
	told := make([]error, len(errs))
	for i, err := range errs {
		told[i] = err
		if detail, ok := errors.AsType[*huma.ErrorDetail](err); ok && detail.Message == "invalid integer" {
			told[i] = &huma.ErrorDetail{Location: detail.Location, Message: numberWanted(op, detail.Location)}
		}
	}
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return told
	}
	return body.Explain(x.schemas, op.RequestBody.Content["application/json"].Schema, told)
}

// numberWanted is what the parameter at a place such as query.limit may be.
func numberWanted(op *huma.Operation, place string) string {
	for _, p := range op.Parameters {
		if p.In+"."+p.Name == place && p.Schema != nil && p.Schema.Minimum != nil && p.Schema.Maximum != nil {
			return fmt.Sprintf("must be a whole number from %.15g to %.15g, in digits", *p.Schema.Minimum, *p.Schema.Maximum)
		}
	}
	return "must be a whole number, in digits"
}

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
			if msg == noBody {
				msg = "is empty: send a JSON object" // as the edge says it
			}
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
	noBody        = "request body is required"
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
	fault := problem.Fault{Loc: body.Location(detail.Location), Msg: detail.Message, Type: problem.FaultInvalid}
	switch {
	case strings.HasPrefix(detail.Message, missingPrefix):
		field := strings.TrimSuffix(strings.TrimPrefix(detail.Message, missingPrefix), missingSuffix)
		fault.Loc = append(fault.Loc, field)
		fault.Type, fault.Msg = problem.FaultMissing, "is required"
	case strings.HasPrefix(detail.Message, "required "):
		fault.Type, fault.Msg = problem.FaultMissing, "is required"
	case detail.Message == huma.ErrorFormatter(validation.MsgExpectedMinLength, 1):
		fault.Msg = "is empty: " + detail.Message
	case detail.Message == "unexpected property":
		fault.Type, fault.Msg = problem.FaultUnknown, "is not a field of this request"
	}
	return fault
}

// transformError turns a problem into what is written, wherever Huma writes one.
func (s *Server) transformError(ctx huma.Context, _ string, value any) (any, error) {
	e, ok := value.(*problem.Error)
	if !ok {
		return value, nil
	}
	return s.form(ctx, e), nil
}

// form is a problem as the operation's callers see it: the standard object, or the form of monitors' errors. What the edge
// refuses has the standard one on all routes, and so has the same refusal here.
func (s *Server) form(ctx huma.Context, e *problem.Error) any {
	object := s.object(ctx.Context(), e)
	if !caller.HasMonitorErrors(ctx.Operation()) {
		return object
	}
	switch e.GetStatus() {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return object
	}
	return e.MonitorObject(ctx.Param("monitor_id"))
}

// writeError answers with e where Huma is not involved.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	s.writeForm(w, r, e, s.object(r.Context(), e))
}

// writeForm answers with e in a form.
func (s *Server) writeForm(w http.ResponseWriter, r *http.Request, e *problem.Error, form any) {
	body, err := json.Marshal(form)
	if err != nil {
		s.config.Logger.ErrorContext(r.Context(), "writing an error", "error", err)
	}
	header := w.Header()
	maps.Copy(header, e.GetHeaders())
	header.Set("Content-Type", "application/json")
	w.WriteHeader(e.GetStatus())
	_, _ = w.Write(append(body, '\n'))
}
