package jsonscan

import (
	"errors"
	"fmt"
	"io"
)

const bufferBytes = 64 << 10

// SyntaxError says where a text stops being valid JSON.
type SyntaxError struct {
	// Line counts from 1, by line feeds.
	Line int64
	// Column counts the characters of the line from 1.
	Column int64
	// Msg says what was found and what was expected.
	Msg string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Kind is the kind of a value.
type Kind string

// The kinds of values in RFC 8259.
const (
	Object  Kind = "object"
	Array   Kind = "array"
	String  Kind = "string"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Null    Kind = "null"
)

// Summary describes a valid text.
type Summary struct {
	TopLevel Kind
	// Items counts the elements of a top-level array; 0 for anything else.
	Items int64
	// Bytes and Lines count the text. A last line without a line feed counts.
	Bytes, Lines int64
}

// Scan reads r to its end. The error is a *SyntaxError, or that of r.
func Scan(r io.Reader) (Summary, error) {
	m := newMachine()
	n, err := m.read(r, nil)
	if err != nil {
		return Summary{}, err
	}
	return Summary{TopLevel: m.topLevel, Items: m.items, Bytes: n, Lines: m.line}, nil
}

// read passes the content of r to m, and then to sink, which may be nil.
func (m *machine) read(r io.Reader, sink *collector) (int64, error) {
	buffer := make([]byte, bufferBytes)
	var total int64
	for {
		n, err := r.Read(buffer)
		total += int64(n)
		if err := m.feed(buffer[:n], sink); err != nil {
			return total, err
		}
		switch {
		case errors.Is(err, io.EOF):
			return total, m.end()
		case err != nil:
			return total, fmt.Errorf("reading JSON: %w", err)
		}
	}
}

// feed processes the next bytes.
func (m *machine) feed(p []byte, sink *collector) error {
	for i := 0; i < len(p); i++ {
		if m.state == inString {
			run := plainPrefix(p[i:])
			m.column += int64(run)
			if err := sink.add(p[i : i+run]); err != nil {
				return m.at(err)
			}
			if i += run; i == len(p) {
				return nil
			}
		}
		if err := m.step(p[i]); err != nil {
			return err
		}
		if err := sink.take(m, p[i]); err != nil {
			return m.at(err)
		}
	}
	return nil
}

// plainPrefix returns how many bytes at the start of p are plain single-byte characters in a string.
func plainPrefix(p []byte) int {
	for i, c := range p {
		if c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return i
		}
	}
	return len(p)
}
