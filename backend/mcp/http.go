package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

const (
	path = "/mcp"
	// metadataPath is that of RFC 9728; clients ask for it with the resource's path, and without.
	metadataPath = "/.well-known/oauth-protected-resource"

	// codeInvalidRequest is JSON-RPC's code for a message that is not a valid request.
	codeInvalidRequest = -32600
)

// Register adds the routes. They are not in the OpenAPI document: messages are described by the protocol.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "mcp", Method: http.MethodPost, Path: path, Hidden: true, Metadata: principal.Keyed.Metadata(principal.EitherPays),
	}, s.serve)
	for _, at := range []string{metadataPath, metadataPath + path} {
		huma.Register(api, huma.Operation{Method: http.MethodGet, Path: at, Hidden: true, Metadata: principal.Public.Metadata()}, s.metadata)
	}
}

type resourceMetadata struct {
	Resource      string   `json:"resource"`
	BearerMethods []string `json:"bearer_methods_supported"`
	Name          string   `json:"resource_name"`
	Documentation string   `json:"resource_documentation"`
}

// metadata says that keys are sent in a header, and names no authorization server: there is no sign-in for a key.
// The format is that of the RFC, and no schema of the OpenAPI document.
func (s *Service) metadata(context.Context, *struct{}) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		_ = json.NewEncoder(hc.BodyWriter()).Encode(resourceMetadata{ // the client has left
			Resource: s.config.PublicURL + path, BearerMethods: []string{"header"}, Name: "Turnpike web data", Documentation: s.config.DocsURL,
		})
	}}, nil
}

// serve passes a message to the protocol's server. The whole response is written at once, when its cost is known.
func (s *Service) serve(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
	c := principal.From(ctx)
	if c.DryRun != nil {
		return nil, problem.Validation(problem.Fault{Loc: []any{"query", "dry_run"}, Msg: "is not available here: GET /pricing has the prices", Type: problem.FaultInvalid})
	}
	ctx = context.WithValue(ctx, callKey{}, &call{whole: c, part: c.Part()})
	c.SetCost(0) // unless a tool succeeds
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		answer := s.answer(ctx, hc, decode.From(ctx))
		for name, values := range answer.header {
			for _, value := range values {
				hc.AppendHeader(name, value)
			}
		}
		if answer.status >= http.StatusBadRequest {
			c.Fail(answer.status)
		}
		hc.SetStatus(answer.status)
		_, _ = hc.BodyWriter().Write(answer.body.Bytes()) // the client has left
	}}, nil
}

// answer returns the response to a message.
func (s *Service) answer(ctx context.Context, hc huma.Context, body *edgewire.Body) *response {
	answer := &response{header: http.Header{}, status: http.StatusOK}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, bytes.NewReader(body.Text()))
	if err != nil { // the address is constant
		answer.refuse(nil, err.Error())
		return answer
	}
	hc.EachHeader(r.Header.Add)
	r.Header.Set("Accept", "application/json, text/event-stream") // JSON is what clients get, whether they say that they take it or not
	if _, err := price.ToolOf(body, r.Header); err != nil {
		answer.refuse(body, reason(err))
		return answer
	}
	if method := methodOf(body); method == "subscriptions/listen" {
		answer.refuse(body, method+" is not offered: nothing changes here that a client could listen to")
		return answer
	}
	s.handler.ServeHTTP(answer, r)
	return answer
}

// call is what a tool needs of its request.
type call struct {
	whole *principal.Caller
	part  *principal.Caller // for the features
}

type callKey struct{}

func methodOf(body *edgewire.Body) string {
	message, _ := body.Members()
	method, _ := message["method"].(string)
	return method
}

// response is a response that is written when it is complete.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *response) Header() http.Header         { return a.header }
func (a *response) WriteHeader(status int)      { a.status = status }
func (a *response) Write(p []byte) (int, error) { return a.body.Write(p) }

// refuse answers a message that is no valid request, or none that is offered.
func (a *response) refuse(body *edgewire.Body, why string) {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	var id any
	if edgewire.IsObject(body.Text()) {
		message, _ := body.Members()
		id = message["id"]
	}
	a.status = http.StatusBadRequest
	a.header.Set("Content-Type", "application/json")
	_ = json.NewEncoder(a).Encode(struct {
		JSONRPC string   `json:"jsonrpc"`
		ID      any      `json:"id"`
		Error   rpcError `json:"error"`
	}{"2.0", id, rpcError{codeInvalidRequest, why}}) // a buffer takes everything
}
