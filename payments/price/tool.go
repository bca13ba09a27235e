package price

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const (
	// AnyTool is the Tool of a rule for every tool.
	AnyTool = "*"
	// callMethod is the method of the Model Context Protocol (MCP) that runs a tool. No other method has a price.
	callMethod = "tools/call"

	methodHeader, nameHeader = "Mcp-Method", "Mcp-Name"
	base64Prefix             = "=?base64?"
	base64Suffix             = "?="
)

// ToolOf returns the name of the MCP tool that a JSON-RPC message calls, "" for a message that calls none. Errors are
// [ErrBadRequest]: a batch of messages, and fields that an upstream could read in another way. header may be nil; what
// its Mcp-Method and Mcp-Name say must be what the body says.
func ToolOf(body *edgewire.Body, header http.Header) (string, error) {
	if body.IsEmpty() {
		return "", emptyBody()
	}
	if err := body.Check(); err != nil {
		return "", badRequest(inBody, "%w", err)
	}
	if !edgewire.IsObject(body.Text()) {
		return "", badRequest(inBody, "must be one JSON-RPC message: batches are not supported, send a request for each message")
	}
	message, err := body.Members()
	if err != nil {
		return "", badRequest(inBody, "%w", err)
	}
	if err := checkKeys(message, "method", "params"); err != nil {
		return "", err
	}
	method, _ := message["method"].(string)
	if err := checkHeader(header, methodHeader, method); err != nil || method != callMethod {
		return "", err
	}
	params, _ := message["params"].(map[string]any)
	if err := checkKeys(params, "name", "arguments"); err != nil {
		return "", err
	}
	name, _ := params["name"].(string)
	if name == "" {
		return "", badRequest([]any{"body", "params", "name"}, "must be the name of a tool")
	}
	return name, checkHeader(header, nameHeader, name)
}

func checkKeys(object map[string]any, fields ...string) error {
	for key := range object {
		if err := checkCase(key, fields); err != nil {
			return err
		}
	}
	return nil
}

// checkHeader refuses a header that says something else than the body: others between client and upstream may go by it.
func checkHeader(header http.Header, name, want string) error {
	for _, value := range header[name] {
		if encoded, ok := strings.CutPrefix(value, base64Prefix); ok {
			encoded, _ = strings.CutSuffix(encoded, base64Suffix)
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return badRequest([]any{"header", name}, "is not valid base64")
			}
			value = string(decoded)
		}
		if value != want {
			return badRequest([]any{"header", name}, "is %.80q, but the body says %.80q", value, want)
		}
	}
	return nil
}
