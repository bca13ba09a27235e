package fetch

import (
	"net/http"
	"slices"
)

// Exchange is one request as it was sent, and its answer as it was received.
type Exchange struct {
	Method string
	URL    URL
	// RequestHeader is what was sent, cookies included, but for Host and what the connection adds.
	RequestHeader http.Header
	// Proto is the answer's, e.g. "HTTP/1.1"; Status is as in its first line, e.g. "200 OK".
	Proto, Status string
	StatusCode    int
	// Header is as received: Content-Encoding and Content-Length are of the body as sent, not of Body.
	Header http.Header
	// Body is without its Content-Encoding, and in the target's charset. Nil for redirects, whose bodies are not read.
	Body []byte
}

// exchanged are the exchanges up to and with this hop's, if they are recorded.
func (h *hop) exchanged(response *http.Response, body []byte) []Exchange {
	if !h.record {
		return nil
	}
	return slices.Concat(h.exchanges, []Exchange{{
		Method: h.method, URL: h.url, RequestHeader: response.Request.Header, Proto: response.Proto, Status: response.Status,
		StatusCode: response.StatusCode, Header: response.Header.Clone(), Body: body,
	}})
}
