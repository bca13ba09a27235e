package decode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Body is the field Body of an operation's input. Huma would decode a body twice, to check it and into fields; Body takes
// both from the values that the request's price was computed from.
type Body[T any] struct{ Value *T }

// Schema documents a T.
func (Body[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "Request")
}

// Resolve implements [huma.Resolver]. It reads the body that [With] has put into the context.
func (b *Body[T]) Resolve(ctx huma.Context) (errs []error) {
	b.Value, errs = read[T](From(ctx.Context()))
	return errs
}

// Unmarshal is the JSON decoder of Huma. It decodes nothing: the body of an operation must be a [Body].
func Unmarshal(_ []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	if to.Kind() == reflect.Pointer { // a body that may be missing
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if _, ok := to.Addr().Interface().(huma.Resolver); !ok {
		return fmt.Errorf("the body of the operation is a %s, want a decode.Body", to.Type())
	}
	return nil
}

type bodyKey struct{}

// With returns a context with the body of its request, which has passed [edgewire.CheckJSON].
func With(ctx context.Context, body *edgewire.Body) context.Context {
	return context.WithValue(ctx, bodyKey{}, body)
}

// From returns the body of a context, or nil.
func From(ctx context.Context) *edgewire.Body {
	body, _ := ctx.Value(bodyKey{}).(*edgewire.Body)
	return body
}

// Request reads a body for a quote, as the operation reads it. Errors are problems.
func Request[T any](body *edgewire.Body) (*T, error) {
	if body.IsEmpty() {
		return nil, problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "is empty: send a JSON object", Type: problem.FaultMissing})
	}
	if !edgewire.IsObject(body.Text()) {
		return nil, problem.Validation(problem.Fault{
			Loc: []any{"body"}, Msg: "must be a JSON object with the fields of this operation", Type: problem.FaultInvalid,
		})
	}
	request, errs := read[T](body)
	if len(errs) > 0 {
		form := formOf(reflect.TypeFor[T]())
		return nil, huma.NewError(http.StatusBadRequest, "", Explain(form.registry, form.schema, errs)...)
	}
	return request, nil
}

// read reads a body into a T and checks it against the T's schema, once for each body. A T that reads its JSON itself
// also checks it itself.
func read[T any](body *edgewire.Body) (*T, []error) {
	type outcome struct {
		request *T
		errs    []error
	}
	if known, ok := body.Request.(*outcome); ok {
		return known.request, known.errs
	}
	o := &outcome{request: new(T)}
	body.Request = o
	if own, ok := any(o.request).(json.Unmarshaler); ok {
		if err := own.UnmarshalJSON(bytes.TrimSpace(body.Text())); err != nil {
			o.errs = []error{&huma.ErrorDetail{Location: "body", Message: err.Error()}}
		}
		return o.request, o.errs
	}
	value, errs := formOf(reflect.TypeFor[T]()).check(body)
	if len(errs) == 0 {
		if err := fill(reflect.ValueOf(o.request).Elem(), value, body.Text()); err != nil {
			errs = []error{&huma.ErrorDetail{Location: "body", Message: err.Error()}}
		}
	}
	o.errs = errs
	return o.request, o.errs
}
