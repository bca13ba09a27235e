package fetch

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
)

// Archive answers requests in place of the network, from what was recorded of it. Package warc has one.
type Archive interface {
	// Recorded returns the answer to a request as it was received, its body still in its Content-Encoding. The error is
	// fs.ErrNotExist where none was recorded. Many may ask at once.
	Recorded(ctx context.Context, method string, u URL) (*http.Response, error)
}

// errArchiveOnly is what is said to browsers, which would speak to targets themselves.
var errArchiveOnly = errors.New("pages are read from an archive, and no connections made")

// dialNothing is the way to targets where there is an archive.
func dialNothing(context.Context, string, string) (net.Conn, error) {
	return nil, &archiveError{errArchiveOnly}
}

// exchange sends request on the way that s goes, or finds the answer in the archive. What is done with it is the same:
// redirects, cookies, decompression, the caps.
func (c *Client) exchange(s *Session, h *hop, request *http.Request) (*http.Response, error) {
	if c.config.Archive == nil {
		return s.route.transport.RoundTrip(request)
	}
	response, err := c.config.Archive.Recorded(request.Context(), h.method, h.url)
	if err != nil {
		return nil, &archiveError{err}
	}
	return response, nil
}

// archiveError is that of an archive.
type archiveError struct{ err error }

func (e *archiveError) Error() string {
	switch {
	case errors.Is(e.err, errArchiveOnly):
		return e.err.Error()
	case e.missing():
		return "is not in the archive"
	}
	return "reading the archive: " + e.err.Error()
}

func (e *archiveError) Unwrap() error { return e.err }

func (e *archiveError) missing() bool {
	return errors.Is(e.err, fs.ErrNotExist) || errors.Is(e.err, errArchiveOnly)
}
