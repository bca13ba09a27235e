package fetch

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
)

// Archive answers requests from recorded traffic instead of the network. Package warc implements it.
type Archive interface {
	// Recorded returns the recorded response to a request as it was received, its body still in its Content-Encoding. The
	// error is fs.ErrNotExist if none was recorded. It must be safe for concurrent use.
	Recorded(ctx context.Context, method string, u URL) (*http.Response, error)
}

// errArchiveOnly is the error for browsers, which would connect to targets themselves.
var errArchiveOnly = errors.New("pages are read from an archive; connections are disabled")

// dialNothing replaces the dialer if there is an archive.
func dialNothing(context.Context, string, string) (net.Conn, error) {
	return nil, &archiveError{errArchiveOnly}
}

// exchange sends request on the route of s, or reads the response from the archive. Both are processed alike: redirects,
// cookies, decompression, limits.
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

// archiveError is a failure of the archive.
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
