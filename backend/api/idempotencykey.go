package api

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	idempotencyKeyHeader = "Idempotency-Key"
	// replayedHeader marks a stored response that is sent again.
	replayedHeader = "Idempotent-Replayed"

	idempotencyKeyBytesMax = 255
)

// idempotencyKey returns the key of a request, or "" without one. The key is plain text, or a quoted string of RFC 9651
// as in draft-ietf-httpapi-idempotency-key-header; both are the same key. other is another header for it; "": none.
func idempotencyKey(header http.Header, other string) (string, error) {
	refused := func(msg string) (string, error) {
		return "", problem.Validation(problem.Fault{Loc: []any{"header", idempotencyKeyHeader}, Msg: msg, Type: problem.FaultInvalid})
	}
	values := header.Values(idempotencyKeyHeader)
	if other != "" {
		values = append(values, header.Values(other)...)
	}
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return refused("is given more than once: send one")
	}
	key := strings.Trim(values[0], " \t")
	if strings.HasPrefix(key, `"`) {
		unquoted, ok := unquote(key)
		if !ok {
			return refused("starts with a quote but is not a quoted string: quote all of it or none of it")
		}
		key = unquoted
	}
	if !visible(key, idempotencyKeyBytesMax) {
		return refused("must be 1 to 255 visible ASCII characters")
	}
	return key, nil
}

// unquote reads a string of RFC 9651, section 4.2.5, without parameters.
func unquote(text string) (string, bool) {
	inner, ok := strings.CutSuffix(text[1:], `"`)
	if !ok {
		return "", false
	}
	var out strings.Builder
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '"':
			return "", false
		case '\\':
			if i++; i == len(inner) || inner[i] != '\\' && inner[i] != '"' {
				return "", false
			}
		}
		out.WriteByte(inner[i])
	}
	return out.String(), true
}

// visible reports whether text is 1 to bytesMax visible ASCII characters.
func visible(text string, bytesMax int) bool {
	if text == "" || len(text) > bytesMax {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
