package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/backend/caller"
)

// adapter mounts Huma's operations on a ServeMux and fills in what every
// operation has in common.
type adapter struct {
	mux        *http.ServeMux
	operations []*huma.Operation // as they were registered
}

// Handle implements huma.Adapter. The operation is the one that Huma documents
// and consults afterwards, so what is set here holds.
func (a *adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	op.MaxBodyBytes = -1        // the body was read, and its size checked, before Huma sees it
	op.BodyReadTimeout = -1     // likewise; a deadline that is left standing would end the request
	delete(op.Responses, "422") // Huma documents its own; here such input is a 400
	op.Security = security(caller.AccessOf(op))
	a.operations = append(a.operations, op)
	a.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
		handler(humago.NewContext(op, r, w))
	})
}

// ServeHTTP implements huma.Adapter.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }
