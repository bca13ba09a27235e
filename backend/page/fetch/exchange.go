package fetch

import (
	"net/http"
	"slices"
)

// Exchange is one request as sent, and its response as received.
type Exchange struct {
	Method string
	URL    URL
	// RequestHeader is the sent header with cookies, without Host and the fields that the connection adds.
	RequestHeader http.Header
	// Proto is the protocol of the response, e.g. "HTTP/1.1"; Status is that of its status line, e.g. "200 OK".
	Proto, Status string
	StatusCode    int
	// Header is as received: Content-Encoding and Content-Length describe the body as sent, not Body.
	Header http.Header
	// Body is without its Content-Encoding, in the target's charset. Nil for redirects, whose bodies are not read.
	Body []byte
}

// exchanged returns the exchanges up to and including this hop, if they are recorded.
func (h *hop) exchanged(response *http.Response, body []byte) []Exchange {
	if !h.record {
		return nil
	}
	return slices.Concat(h.exchanges, []Exchange{{
		Method: h.method, URL: h.url, RequestHeader: response.Request.Header, Proto: response.Proto, Status: response.Status,
		StatusCode: response.StatusCode, Header: response.Header.Clone(), Body: body,
	}})
}
