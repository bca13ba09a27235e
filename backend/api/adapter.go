package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

// adapter mounts Huma's operations on a ServeMux and adds what all operations have in common.
type adapter struct {
	mux        *http.ServeMux
	operations []*huma.Operation // in the order of registration
	feature    Feature           // the feature that is registering now
	owners     map[string]Feature
	forms      map[string]principal.ErrorForm // of operations that have one, by pattern
	targets    []string                       // path prefixes of the operations with a [principal.TargetInPath]
}

// pattern returns op's pattern in the mux.
func pattern(op *huma.Operation) string { return op.Method + " " + op.Path }

// Handle implements huma.Adapter. Huma documents this operation and reads it for each request, so changes made here
// take effect.
func (a *adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	op.MaxBodyBytes = -1        // readBody reads the body and checks its size before Huma sees it
	op.BodyReadTimeout = -1     // likewise; a deadline that stays set would end the request
	op.SkipValidateBody = true  // decode.Body does it
	delete(op.Responses, "422") // Huma documents 422 for invalid input; this API responds with 400
	op.Security = security(principal.AccessOf(op))
	if principal.Replays(op) {
		documentKey(op)
	}
	if principal.HasTargetInPath(op) {
		prefix, _, _ := strings.Cut(op.Path, "{")
		a.targets = append(a.targets, prefix)
	}
	if form := principal.ErrorFormOf(op); form != nil {
		a.forms[pattern(op)] = form
	}
	a.operations = append(a.operations, op)
	if a.feature != nil {
		a.owners[pattern(op)] = a.feature
	}
	a.mux.HandleFunc(pattern(op), func(w http.ResponseWriter, r *http.Request) {
		handler(humago.NewContext(op, r, w))
	})
}

// documentKey documents Idempotency-Key for an operation that supports it.
func documentKey(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: idempotencyKeyHeader, In: "header",
		Description: "Makes the request idempotent: a retry with the same key and body returns the response that is stored " +
			"for 24 hours, with " + replayedHeader + ": true, and is not charged again. 1 to 255 visible ASCII characters of your choice.",
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(idempotencyKeyBytesMax)},
	})
}

// ServeHTTP implements huma.Adapter.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }
