package handover

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

// request records what a server has read of one request, so that after the response it is known whether the server has
// read more than that. A request that comes in one piece costs nothing.
type request struct {
	first  []byte // part of net/http's buffer, valid until its next read
	copied []byte // a copy of all of it, if the buffer does not keep it; first is then empty
	body   int64  // how much of the body was read after that
	lost   bool
}

// copiedMax limits the copy of a header that comes in pieces, in bytes per connection.
const copiedMax = 8 << 10

var endOfHeader = []byte("\r\n\r\n")

// begin records the first bytes: those read ahead, and n bytes in p.
func (q *request) begin(ahead, p []byte, n int) {
	q.first, q.copied, q.body, q.lost = nil, append(q.copied[:0], ahead...), 0, false
	if len(ahead) > 0 {
		q.copy(p[:n])
		return
	}
	q.first = p[:n]
	q.secure(n == len(p))
}

// lose records that the start of the request is unknown.
func (q *request) lose() { q.first, q.copied, q.lost = nil, q.copied[:0], true }

// grow records the next n bytes of the header, in p.
func (q *request) grow(p []byte, n int) {
	had := len(q.first)
	switch {
	case q.lost:
	case len(q.copied) > 0:
		q.copy(p[:n])
	case had+n <= cap(q.first) && &q.first[:had+1][had] == &p[0]:
		q.first = q.first[:had+n]
		q.secure(n == len(p))
	default:
		q.lose()
	}
}

// secure copies an incomplete header, because net/http moves such a header within its buffer. It does not move it while
// it looks for the HTTP/2 preface, when it reads less than has come (more).
func (q *request) secure(more bool) {
	if !more && !bytes.Contains(q.first, endOfHeader) {
		q.copy(q.first)
		q.first = nil
	}
}

func (q *request) copy(b []byte) {
	if len(q.copied)+len(b) > copiedMax {
		q.lose()
		return
	}
	q.copied = append(q.copied, b...)
}

// readsBody runs before more of the body is read, possibly into net/http's buffer.
func (q *request) readsBody() {
	if len(q.first) > 0 {
		q.copy(q.first)
		q.first = nil
	}
}

// isAll reports whether exactly one request was read, and nothing more.
func (q *request) isAll() bool {
	if len(q.copied) > 0 {
		return isOneRequest(q.copied, q.body)
	}
	return !q.lost && isOneRequest(q.first, q.body)
}

// isOneRequest reports whether text, followed by body bytes of the body, is exactly one request as net/http reads it.
func isOneRequest(text []byte, body int64) bool {
	left := bytes.NewReader(text)
	r := bufio.NewReader(left)
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	defer req.Body.Close()
	if body > 0 { // the end of a chunked body is unknown
		return req.ContentLength >= 0 && req.ContentLength == body+int64(r.Buffered()+left.Len())
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return false
	}
	return r.Buffered() == 0 && left.Len() == 0
}
