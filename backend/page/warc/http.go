package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// Limits of an HTTP message's header; the size is that of package fetch.
const (
	httpHeaderBytesMax = 256 << 10
	httpFieldsMax      = 2000
)

var (
	errNoResponse = errors.New("the record holds no HTTP response")
	errNoStatus   = errors.New("the HTTP response has no status line")
)

// Response returns the HTTP response in r: of a response or revisit record, or a resource record, as status 200. The body
// is without its Transfer-Encoding. If the writer has decoded the body without changing the header, the Content-Encoding is
// removed. The body reads from r's block.
func (r *Record) Response() (*http.Response, error) {
	switch r.Type { //nolint:exhaustive // other types hold no response
	case TypeResource:
		header := http.Header{}
		if mediaType := r.Fields.Value(fieldContentType); mediaType != "" {
			header.Set("Content-Type", mediaType)
		}
		return &http.Response{
			StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
			ContentLength: r.Length, Body: io.NopCloser(r.Block),
		}, nil
	case TypeResponse, TypeRevisit:
		if !r.isHTTP() {
			return nil, errNoResponse
		}
		return readResponse(bufio.NewReader(r.Block))
	}
	return nil, errNoResponse
}

func (r *Record) isHTTP() bool {
	mediaType, _, _ := strings.Cut(r.Fields.Value(fieldContentType), ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "application/http")
}

func readResponse(br *bufio.Reader) (*http.Response, error) {
	head := &headReader{r: br, left: httpHeaderBytesMax, fieldsMax: httpFieldsMax, lenient: true}
	line, err := head.line()
	if err != nil {
		return nil, err
	}
	response, err := statusOf(clean(line))
	if err != nil {
		return nil, err
	}
	fields, err := head.fields()
	if err != nil {
		return nil, err
	}
	response.Header = make(http.Header, len(fields))
	for _, f := range fields {
		response.Header.Add(f.Name, f.Value)
	}
	var body io.Reader = br
	if isChunked(response.Header, br) {
		body = httputil.NewChunkedReader(br)
	}
	response.Header.Del("Transfer-Encoding")
	response.Header.Del("Content-Length") // describes the sent body, which often differs
	if isDecoded(response.Header, body, br) {
		response.Header.Del("Content-Encoding")
	}
	response.ContentLength, response.Body = -1, io.NopCloser(body)
	return response, nil
}

// statusOf parses a status line (RFC 9112 section 4), also one without minor version or reason phrase.
func statusOf(line string) (*http.Response, error) {
	proto, status, _ := strings.Cut(line, " ")
	status = strings.TrimSpace(status)
	digits, _, _ := strings.Cut(status, " ")
	code, err := strconv.Atoi(digits)
	if !strings.HasPrefix(proto, "HTTP/") || err != nil || code < 100 || code > 999 {
		return nil, fmt.Errorf("%w: %.60q", errNoStatus, line)
	}
	major, minor, ok := http.ParseHTTPVersion(proto)
	if !ok {
		major, minor = 1, 1
	}
	return &http.Response{Status: status, StatusCode: code, Proto: proto, ProtoMajor: major, ProtoMinor: minor}, nil
}

// isChunked reports whether the body really is chunked: some writers decode it and leave the header field.
func isChunked(header http.Header, br *bufio.Reader) bool {
	if !strings.Contains(strings.ToLower(header.Get("Transfer-Encoding")), "chunked") {
		return false
	}
	head, _ := br.Peek(20)
	line, _, found := bytes.Cut(head, []byte("\n"))
	size, _, _ := bytes.Cut(line, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return found && err == nil
}

// isDecoded reports whether the body cannot have the Content-Encoding that the header names.
func isDecoded(header http.Header, body io.Reader, br *bufio.Reader) bool {
	magic := map[string][]byte{"gzip": gzipMagic[:2], "x-gzip": gzipMagic[:2], "zstd": zstdMagic}[strings.ToLower(strings.TrimSpace(header.Get("Content-Encoding")))]
	if magic == nil || body != io.Reader(br) {
		return false
	}
	head, _ := br.Peek(len(magic))
	return len(head) > 0 && !bytes.Equal(head, magic)
}
