package warc

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Writer writes records of version 1.1, each as a gzip member. It is not safe for concurrent use.
type Writer struct {
	w    io.Writer
	gzip *gzip.Writer
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, gzip: gzip.NewWriter(io.Discard)} }

// dateLayout has microseconds (ISO 28500:2017 section 5.4).
const dateLayout = "2006-01-02T15:04:05.000000Z"

// fieldsType is the media type of blocks that consist of fields.
const fieldsType = "application/warc-fields"

// Info writes a warcinfo record: what made the following records, and how.
func (w *Writer) Info(at time.Time, info Fields) error {
	return w.write(record{kind: TypeInfo, at: at, contentType: fieldsType, head: info.encode()})
}

// Metadata writes a metadata record about target, which may be "".
func (w *Writer) Metadata(at time.Time, target string, said Fields) error {
	return w.write(record{kind: TypeMetadata, at: at, target: target, contentType: fieldsType, head: said.encode()})
}

// Exchange writes a response and its request. The body is written without its Content-Encoding, as package fetch returns
// it, and the header without the fields that no longer apply.
func (w *Writer) Exchange(e *fetch.Exchange, at time.Time) error {
	response := record{
		kind: TypeResponse, id: newID(), at: at, target: e.URL.WithoutFragment(),
		contentType: "application/http;msgtype=response", head: responseHead(e), payload: e.Body, isHTTP: true,
	}
	if e.Body == nil && lacksBody(e) {
		response.extra = append(response.extra, Field{fieldTruncated, "unspecified"})
	}
	request := record{
		kind: TypeRequest, at: at, target: response.target,
		contentType: "application/http;msgtype=request", head: requestHead(e), isHTTP: true,
		extra: Fields{{fieldConcurrentTo, "<" + response.id + ">"}},
	}
	if strings.HasPrefix(e.Proto, "HTTP/2") {
		response.extra = append(response.extra, Field{fieldProtocol, "h2"})
		request.extra = append(request.extra, Field{fieldProtocol, "h2"})
	}
	if err := w.write(response); err != nil {
		return err
	}
	return w.write(request)
}

// lacksBody reports whether there was a body that was not read.
func lacksBody(e *fetch.Exchange) bool {
	return e.Method != http.MethodHead && e.StatusCode != http.StatusNoContent && e.StatusCode != http.StatusNotModified &&
		e.Header.Get("Content-Length") != "0"
}

// record is a record to write. Its block is head and payload.
type record struct {
	kind        Type
	id          string // "": a new one
	at          time.Time
	target      string
	contentType string
	extra       Fields
	head        []byte
	payload     []byte
	isHTTP      bool
}

func newID() string { return "urn:uuid:" + uuid.NewString() }

func (w *Writer) write(r record) error {
	if r.id == "" {
		r.id = newID()
	}
	fields := Fields{
		{fieldType, string(r.kind)},
		{fieldRecordID, "<" + r.id + ">"},
		{fieldDate, r.at.UTC().Format(dateLayout)},
	}
	if r.target != "" {
		fields = append(fields, Field{fieldTargetURI, r.target})
	}
	block := sha256.New()
	block.Write(r.head)
	block.Write(r.payload)
	fields = append(fields, Field{fieldBlockDigest, digestOf(block.Sum(nil))})
	if r.isHTTP {
		sum := sha256.Sum256(r.payload)
		fields = append(fields, Field{fieldPayloadDigest, digestOf(sum[:])})
	}
	fields = append(fields, r.extra...)
	fields = append(fields, Field{fieldContentType, r.contentType},
		Field{fieldLength, strconv.Itoa(len(r.head) + len(r.payload))})

	w.gzip.Reset(w.w)
	for _, part := range [][]byte{[]byte("WARC/1.1\r\n"), fields.encode(), []byte("\r\n"), r.head, r.payload, []byte("\r\n\r\n")} {
		if _, err := w.gzip.Write(part); err != nil {
			return fmt.Errorf("writing a WARC record: %w", err)
		}
	}
	if err := w.gzip.Close(); err != nil {
		return fmt.Errorf("writing a WARC record: %w", err)
	}
	return nil
}

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

func (f Fields) encode() []byte {
	var b bytes.Buffer
	for i := range f {
		b.WriteString(f[i].Name + ": " + lineEnds.Replace(f[i].Value) + "\r\n")
	}
	return b.Bytes()
}

// responseHead returns the head of a response in HTTP/1.1 syntax, whatever its protocol was.
func responseHead(e *fetch.Exchange) []byte {
	header := e.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Trailer"} {
		header.Del(name)
	}
	header.Set("Content-Length", strconv.Itoa(len(e.Body)))
	return head(protoOf(e)+" "+orStatus(e), header)
}

func requestHead(e *fetch.Exchange) []byte {
	header := e.RequestHeader.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Host", e.URL.Host())
	return head(e.Method+" "+e.URL.PathAndQuery()+" "+protoOf(e), header)
}

func head(line string, header http.Header) []byte {
	var b bytes.Buffer
	b.WriteString(lineEnds.Replace(line) + "\r\n")
	_ = header.Write(&b) // a buffer never fails
	b.WriteString("\r\n")
	return b.Bytes()
}

func protoOf(e *fetch.Exchange) string {
	if strings.HasPrefix(e.Proto, "HTTP/1.") {
		return e.Proto
	}
	return "HTTP/1.1"
}

func orStatus(e *fetch.Exchange) string {
	if e.Status != "" {
		return e.Status
	}
	return strconv.Itoa(e.StatusCode) + " " + http.StatusText(e.StatusCode)
}
