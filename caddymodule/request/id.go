package request

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// IDHeader carries the id of a request, and returns it in the response.
	IDHeader   = "X-Request-Id"
	idBytesMax = 128
)

// ID returns the client's own id if it is valid. Otherwise it makes a new one and sets it on the request, so
// that edge and upstream log and return the same.
func ID(r *http.Request) string { return IDValue(r)[0] }

// IDValue returns ID as a header value. The slice is capped, so that appending to one header does not
// change another.
func IDValue(r *http.Request) []string {
	if sent := r.Header[IDHeader]; len(sent) == 1 && isID(sent[0]) {
		return sent[:1:1]
	}
	id := []string{token.New("req")}
	r.Header[IDHeader] = id
	return id
}

// isID reports whether id is 1 to 128 visible ASCII characters.
func isID(id string) bool {
	return id != "" && len(id) <= idBytesMax &&
		!strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' })
}
