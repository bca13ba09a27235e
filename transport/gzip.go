package transport

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// unzipped decompresses the body if this transport asked for gzip itself.
func unzipped(resp *http.Response) {
	if resp.Body == http.NoBody || !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	resp.Body = &unzip{body: resp.Body}
}

// unzipper is a gzip reader with its input buffer, which it would otherwise allocate each time.
type unzipper struct {
	in  *bufio.Reader
	zip gzip.Reader
}

// unzippers reuses them, because each has a window of 32 KiB.
var unzippers = sync.Pool{New: func() any { return &unzipper{in: bufio.NewReader(nil)} }}

// unzip is a decompressed body. The first Read reads the gzip header. As with body, Close may be called during a Read.
type unzip struct {
	body io.ReadCloser

	mu   sync.Mutex
	from *unzipper // nil before the first Read and after the last
	err  error     // what Read returns from now on
}

// Read implements io.Reader.
func (u *unzip) Read(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil && u.from == nil {
		u.from, _ = unzippers.Get().(*unzipper)
		u.from.in.Reset(u.body)
		if err := u.from.zip.Reset(u.from.in); err != nil {
			u.end(err)
		}
	}
	if u.err != nil {
		return 0, u.err
	}
	n, err := u.from.zip.Read(p)
	if err != nil {
		u.end(err)
	}
	return n, err
}

func (u *unzip) end(err error) {
	if u.from != nil {
		u.from.in.Reset(nil)
		unzippers.Put(u.from)
	}
	u.from, u.err = nil, err
}

// Close implements io.Closer.
func (u *unzip) Close() error {
	err := u.body.Close() // ends a Read that holds the lock
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end(errClosed)
	return err
}
