package load

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

var (
	headerEnd     = []byte("\r\n\r\n")
	statusOK      = []byte("HTTP/1.1 200 ")
	contentLength = []byte("\r\ncontent-length: ")
)

// responseBytesMax bounds a response: the upstream's is far smaller.
const responseBytesMax = 8 << 10

// refusal is a response with a status other than 200.
type refusal struct{ line string }

func (r *refusal) Error() string { return fmt.Sprintf("got %q, want status 200", r.line) }

// parseResponse returns the length of the response at the start of b, or 0 if it is incomplete. Anything but status 200
// with a Content-Length and the upstream's body is an error: a load generator that accepted refusals would measure how
// fast an edge can refuse.
func parseResponse(b []byte, wantBody string) (int, error) {
	header := bytes.Index(b, headerEnd)
	if header < 0 {
		if len(b) >= responseBytesMax {
			return 0, errors.New("response header does not end")
		}
		return 0, nil
	}
	if !bytes.HasPrefix(b, statusOK) {
		line, _, _ := bytes.Cut(b, []byte("\r\n"))
		return 0, &refusal{line: string(line)}
	}
	length, err := bodyLength(b[:header+2])
	if err != nil {
		return 0, err
	}
	end := header + len(headerEnd) + length
	switch {
	case end > responseBytesMax:
		return 0, fmt.Errorf("response of %d bytes is too large", end)
	case len(b) < end:
		return 0, nil
	case string(b[end-length:end]) != wantBody:
		return 0, fmt.Errorf("got body %q, want %q", b[end-length:end], wantBody)
	}
	return end, nil
}

func bodyLength(header []byte) (int, error) {
	for i := range header {
		if header[i] != '\r' || len(header)-i < len(contentLength) || !bytes.EqualFold(header[i:i+len(contentLength)], contentLength) {
			continue
		}
		value, _, _ := bytes.Cut(header[i+len(contentLength):], []byte("\r\n"))
		n, err := strconv.Atoi(string(value))
		if err != nil || n < 0 {
			return 0, fmt.Errorf("Content-Length is %q", value)
		}
		return n, nil
	}
	return 0, errors.New("response has no Content-Length")
}
