package handover

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

// isOneRequest reports whether text is a request and nothing more, as net/http reads it.
func isOneRequest(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	left := bytes.NewReader(text)
	r := bufio.NewReader(left)
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	defer req.Body.Close()
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return false
	}
	return r.Buffered() == 0 && left.Len() == 0
}
