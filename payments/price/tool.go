package price

import (
	"errors"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
)

// AnyTool is the Tool of a rule for every tool.
const AnyTool = "*"

// ToolOf returns the name of the MCP tool that a JSON-RPC message calls, "" for a message that calls none. Errors are
// [ErrBadRequest]: a batch of messages, and fields that an upstream could read in another way. header may be nil; what
// its Mcp-Method and Mcp-Name say must be what the body says.
func ToolOf(body *edgewire.Body, header http.Header) (string, error) {
	message, err := readMessage(body, header)
	if err != nil || !message.IsCall() {
		return "", err
	}
	return message.Name, nil
}

func readMessage(body *edgewire.Body, header http.Header) (*mcp.Message, error) {
	if body.IsEmpty() {
		return nil, emptyBody()
	}
	message, err := mcp.Read(body, header)
	if err != nil {
		return nil, messageError(err)
	}
	return message, nil
}

// messageError makes a message that is refused a request that cannot be priced.
func messageError(err error) error {
	if refused, ok := errors.AsType[*mcp.Error](err); ok {
		return &RequestError{Loc: refused.Loc, Reason: refused.Message, err: refused}
	}
	return badRequest(inBody, "%w", err)
}

// takeMessage reads the message that r carries. Its payment is for the edge: the upstream gets the body without it.
func (req *Request) takeMessage(r *http.Request, bytesMax int64) (*mcp.Message, error) {
	text, err := readBody(r, bytesMax)
	if err != nil {
		return nil, err
	}
	req.Body = edgewire.NewBody(text)
	message, err := readMessage(req.Body, r.Header)
	if err == nil && message.Payment != nil {
		req.Body = edgewire.NewBody(message.Text)
		putBack(r, message.Text)
	}
	return message, err
}
