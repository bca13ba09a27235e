package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Codes of JSON-RPC and MCP.
const (
	CodeInvalidRequest = -32600
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeHeaderMismatch = -32020
)

// Error is a message that is refused before it is priced. Its text can be shown to the client.
type Error struct {
	ID      json.RawMessage // of the request; nil if it is unknown
	Loc     []any           // the place of the fault in the HTTP request: ["body", "params", "name"]
	Code    int
	Message string
}

func (e *Error) Error() string {
	where := make([]string, len(e.Loc))
	for i, part := range e.Loc {
		where[i] = fmt.Sprint(part)
	}
	return strings.Join(where, ".") + ": " + e.Message
}

// Status is the status of the HTTP response. A well-formed request gets its error in a response that is well-formed too.
func (e *Error) Status() int {
	if e.Code == CodeInvalidParams {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// Body is the response as JSON.
func (e *Error) Body() []byte { return errorResponse(e.ID, e.Code, e.Error(), nil) }

func invalid(id json.RawMessage, loc []any, format string, args ...any) *Error {
	return &Error{ID: id, Loc: loc, Code: CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}

func (m *Message) refuse(code int, loc []any, format string, args ...any) *Error {
	return &Error{ID: m.ID, Loc: loc, Code: code, Message: fmt.Sprintf(format, args...)}
}

// in returns a place in the body.
func in(members ...any) []any { return append([]any{"body"}, members...) }

var inName = in("params", "name")

// NoPrice refuses a call of a tool that has no price.
func (m *Message) NoPrice() *Error {
	return m.refuse(CodeInvalidParams, inName, "%s is not a tool of this server", quoted(m.Name))
}

// quoted shortens what a client has sent.
func quoted(text string) string { return fmt.Sprintf("%.80q", text) }
