package handover

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

// request is what a server has read of one request: enough to tell, once it has been answered, whether the server has read
// more than that. It costs nothing where the request came in one piece.
type request struct {
	first  []byte // in net/http's buffer, which has it until it reads again
	copied []byte // all of it, where the buffer would not; first is then nothing
	body   int64  // how much of the body was read after that
	lost   bool
}

// copiedMax bounds what is kept of a header that came in pieces, for each connection.
const copiedMax = 8 << 10

var endOfHeader = []byte("\r\n\r\n")

// begin notes the first bytes: what was read ahead, and n bytes in p.
func (q *request) begin(ahead, p []byte, n int) {
	q.first, q.copied, q.body, q.lost = nil, append(q.copied[:0], ahead...), 0, false
	if len(ahead) > 0 {
		q.copy(p[:n])
		return
	}
	q.first = p[:n]
	q.secure(n == len(p))
}

// lose says that what is read is not the beginning of a request.
func (q *request) lose() { q.first, q.copied, q.lost = nil, q.copied[:0], true }

// grow notes the next n bytes, in p, that were read for the header.
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

// secure copies the beginning of a header that is not complete: net/http moves what it has of it in its buffer. But it does
// not while it looks for the preface of HTTP/2, for which it reads less than has come.
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

// readsBody is called before more of the body is read, possibly into net/http's buffer.
func (q *request) readsBody() {
	if len(q.first) > 0 {
		q.copy(q.first)
		q.first = nil
	}
}

// isAll reports whether what was read is the request, and nothing more.
func (q *request) isAll() bool {
	if len(q.copied) > 0 {
		return isOneRequest(q.copied, q.body)
	}
	return !q.lost && isOneRequest(q.first, q.body)
}

// isOneRequest reports whether text, and so much that was read of the body after it, is a request and nothing more, as
// net/http reads it.
func isOneRequest(text []byte, body int64) bool {
	left := bytes.NewReader(text)
	r := bufio.NewReader(left)
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	defer req.Body.Close()
	if body > 0 { // of a body in chunks, it cannot be known where it ended
		return req.ContentLength >= 0 && req.ContentLength == body+int64(r.Buffered()+left.Len())
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return false
	}
	return r.Buffered() == 0 && left.Len() == 0
}
