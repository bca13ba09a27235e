package transport

import (
	"compress/gzip"
	"io"
	"net/http"
)

// unzipped takes the gzip off that the transport itself has asked for.
func unzipped(resp *http.Response) {
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	if resp.Body != http.NoBody {
		resp.Body = &unzip{body: resp.Body}
	}
}

// unzip is a body without its gzip, whose header is read with the first Read.
type unzip struct {
	body io.ReadCloser
	zip  *gzip.Reader
	err  error
}

// Read implements io.Reader.
func (u *unzip) Read(p []byte) (int, error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.body)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zip.Read(p)
}

// Close implements io.Closer.
func (u *unzip) Close() error { return u.body.Close() }
