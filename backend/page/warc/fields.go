package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a record's header. Real headers have a dozen fields.
const (
	headerBytesMax = 64 << 10
	fieldsMax      = 100
)

// Field is a named field of a record.
type Field struct{ Name, Value string }

// Fields are the fields of a record, in order. A name may occur several times (ISO 28500:2017 section 4).
type Fields []Field

// Value returns the first value of a name, ignoring case, or "".
func (f Fields) Value(name string) string {
	for i := range f {
		if strings.EqualFold(f[i].Name, name) {
			return f[i].Value
		}
	}
	return ""
}

// Values returns all values of a name.
func (f Fields) Values(name string) []string {
	var values []string
	for i := range f {
		if strings.EqualFold(f[i].Name, name) {
			values = append(values, f[i].Value)
		}
	}
	return values
}

// headReader reads the header lines of a record or HTTP message, within limits.
type headReader struct {
	r         *bufio.Reader
	left      int // bytes
	fieldsMax int
	// lenient skips invalid lines, as browsers do in HTTP headers.
	lenient bool
}

var (
	errHeadTooLong = errors.New("the header is too long")
	errFieldsMany  = errors.New("the header has too many fields")
)

// line reads a line without its end: CRLF or, from some writers, LF.
func (h *headReader) line() ([]byte, error) {
	var long []byte
	for {
		part, err := h.r.ReadSlice('\n')
		if h.left -= len(part); h.left < 0 {
			return nil, errHeadTooLong
		}
		switch {
		case err == nil && long == nil:
			return trimEnd(part), nil
		case err == nil:
			return trimEnd(append(long, part...)), nil
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// fields reads fields up to the empty line that ends them.
func (h *headReader) fields() (Fields, error) {
	var fields Fields
	for {
		line, err := h.line()
		switch {
		case err != nil:
			return nil, err
		case len(line) == 0:
			return fields, nil
		case (line[0] == ' ' || line[0] == '\t') && len(fields) > 0: // continuation of the last field
			last := &fields[len(fields)-1]
			last.Value = strings.TrimSpace(last.Value + " " + clean(bytes.TrimSpace(line)))
			continue
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		name = bytes.TrimSpace(name)
		if !found || len(name) == 0 {
			if h.lenient {
				continue
			}
			return nil, fmt.Errorf("the line %.60q is not a header field", line)
		}
		if len(fields) >= h.fieldsMax {
			return nil, errFieldsMany
		}
		fields = append(fields, Field{Name: clean(name), Value: clean(bytes.TrimSpace(value))})
	}
}

// clean converts input to valid text.
func clean(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
