package response

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/mcp"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Answered responds to a message to an MCP server that is refused, in the protocol's form, and reports whether it has. It
// does so for requests that were read, because their clients look for the reason in a message. To them, a status of 404
// ends a session, and one of 401 is a question of keys, which stays one.
func Answered(w http.ResponseWriter, r *http.Request, no *Refusal, quote *price.Quote, err error) bool {
	if refused, ok := errors.AsType[*mcp.Error](err); ok {
		writeMessage(w, r, refused.Status(), refused.Body())
		return true
	}
	if quote.Message == nil || !quote.Message.IsRequest() || no.Status == http.StatusUnauthorized {
		return false
	}
	writeMessage(w, r, http.StatusOK, quote.Message.Refuse(no.Text(), nil))
	return true
}

// writeMessage responds with a message of an MCP server.
func writeMessage(w http.ResponseWriter, r *http.Request, status int, message []byte) {
	h := w.Header()
	AllowOrigins(h, true)
	h.Set(request.IDHeader, request.ID(r))
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(message)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(message) // an error means that the client has left
}
