package api

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

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// setUpHuma sets Huma's package variables, once for the process: field names are case-sensitive, and Huma's own errors
// become problems.
var setUpHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return problemOf(status, msg, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return problemOf(status, msg, explained(ctx, errs))
	}
})

// explained adds to Huma's errors what they omit: the forms that a value with several forms may have, and the range of
// a number parameter.
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
	return decode.Explain(x.schemas, op.RequestBody.Content["application/json"].Schema, told)
}

// numberWanted returns the message for the number parameter at a location such as query.limit.
func numberWanted(op *huma.Operation, place string) string {
	for _, p := range op.Parameters {
		if p.In+"."+p.Name == place && p.Schema != nil && p.Schema.Minimum != nil && p.Schema.Maximum != nil {
			return fmt.Sprintf("must be a whole number from %.15g to %.15g, in digits", *p.Schema.Minimum, *p.Schema.Maximum)
		}
	}
	return "must be a whole number, in digits"
}

// problemOf converts an error of Huma. Huma's 422 for input that does not match the schema becomes the service contract's 400.
func problemOf(status int, msg string, errs []error) *problem.Error {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusNotAcceptable:
		faults := make([]problem.Fault, 0, len(errs))
		for _, err := range errs {
			faults = append(faults, faultOf(err))
		}
		if len(faults) == 0 {
			if msg == noBody {
				msg = "is empty: send a JSON object" // the same words as the edge
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

// faultOf converts a Huma error detail. It leaves out the value, which belongs to the client and may be a secret.
func faultOf(err error) problem.Fault {
	detailer, ok := err.(huma.ErrorDetailer)
	if !ok {
		return problem.Fault{Loc: []any{}, Msg: err.Error(), Type: problem.FaultInvalid}
	}
	detail := detailer.ErrorDetail()
	fault := problem.Fault{Loc: decode.Location(detail.Location), Msg: detail.Message, Type: problem.FaultInvalid}
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

// transformError converts a problem into the response body, wherever Huma writes one.
func (s *Server) transformError(ctx huma.Context, _ string, value any) (any, error) {
	e, ok := value.(*problem.Error)
	if !ok {
		return value, nil
	}
	return s.form(ctx, e), nil
}

// form returns the response body of a problem: the standard error object, or the format of the operation. Statuses
// that the edge also sends (401, 402, 429) have the standard object on all routes, so that both look the same.
func (s *Server) form(ctx huma.Context, e *problem.Error) any {
	object := s.object(ctx.Context(), e)
	if form := principal.ErrorFormOf(ctx.Operation()); form != nil {
		return form(e)
	}
	if !principal.HasMonitorErrors(ctx.Operation()) {
		return object
	}
	switch e.GetStatus() {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return object
	}
	return problem.MonitorObject{Error: e.Detail, MonitorID: ctx.Param("monitor_id"), Object: object}
}

// writeError responds with err outside of Huma.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	s.writeForm(w, r, e, s.object(r.Context(), e))
}

// writeForm responds with e, written as form.
func (s *Server) writeForm(w http.ResponseWriter, r *http.Request, e *problem.Error, form any) {
	body, err := json.Marshal(form)
	if err != nil {
		s.config.Logger.ErrorContext(r.Context(), "writing an error response", "error", err)
	}
	header := w.Header()
	maps.Copy(header, e.GetHeaders())
	header.Set("Content-Type", "application/json")
	w.WriteHeader(e.GetStatus())
	_, _ = w.Write(append(body, '\n'))
}
