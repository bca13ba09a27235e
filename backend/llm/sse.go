package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errStreamTooLong ends a stream at the bound of all replies, whatever it consists of.
var errStreamTooLong = errors.New("the stream is longer than any reply")

// events reads server-sent events (HTML Standard, 9.2.6): lines that end with CR, LF or both, an empty one after each
// event, comments left out.
type events struct {
	in *bufio.Reader
	// left are the bytes that may still come.
	left int
	// afterCR is set where a LF belongs to the line before.
	afterCR bool
	ended   bool
}

func newEvents(body io.Reader, bytesMax int) *events {
	return &events{in: bufio.NewReader(body), left: bytesMax}
}

// next returns an event that has data. The end is io.EOF; an event that the end cuts off is returned too: some servers
// leave out the last empty line.
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

// line reads up to the end of a line, without it.
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
