package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errStreamTooLong ends a stream at the size limit of all replies, whatever it contains.
var errStreamTooLong = errors.New("the stream exceeds the maximum length of a reply")

// events reads server-sent events (HTML Standard, 9.2.6): lines end with CR, LF or both, an empty line ends an event, and
// comments are skipped.
type events struct {
	in *bufio.Reader
	// left is how many bytes may still be read.
	left int
	// afterCR is set if a following LF belongs to the previous line.
	afterCR bool
	ended   bool
}

func newEvents(body io.Reader, bytesMax int) *events {
	return &events{in: bufio.NewReader(body), left: bytesMax}
}

// next returns the next event that has data, and io.EOF at the end. An unfinished event at the end is returned too,
// because some servers omit the last empty line.
func (e *events) next() (name string, data []byte, err error) {
	hasData := false
	for !e.ended {
		line, err := e.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		e.ended = err != nil
		if len(line) == 0 {
			if hasData {
				return name, data, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if hasData {
				data = append(data, '\n')
			}
			data, hasData = append(data, value...), true
		}
	}
	if hasData {
		return name, data, nil
	}
	return "", nil, io.EOF
}

// line reads a line without its end.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.in.ReadByte()
		if err != nil {
			return line, err
		}
		if e.left--; e.left < 0 {
			return nil, errStreamTooLong
		}
		after := e.afterCR
		e.afterCR = b == '\r'
		switch {
		case b == '\n' && after:
		case b == '\n', b == '\r':
			return bytes.TrimPrefix(line, []byte("\ufeff")), nil
		default:
			line = append(line, b)
		}
	}
}
