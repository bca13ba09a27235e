package jsonscan

import (
	"errors"
	"fmt"
	"io"
)

// ErrNotArray is returned by [Elements] for a text that is not an array.
var ErrNotArray = errors.New("the JSON is not an array")

// ElementError is a fault of one element.
type ElementError struct {
	// Index counts from 0.
	Index int64
	// Line is where the fault was found.
	Line int64
	// BytesMax is the limit that the element exceeds.
	BytesMax int
}

func (e *ElementError) Error() string {
	return fmt.Sprintf("line %d: element %d is larger than %d bytes", e.Line, e.Index, e.BytesMax)
}

// Elements reads an array from r and calls fn with each element as it is written there, without surrounding bytes. raw is
// valid only until fn returns. Elements ends with the first error: fn's own; *ElementError for an element of more than
// bytesMax bytes; ErrNotArray; and those of [Scan], which may come after fn has seen the elements before the fault.
func Elements(r io.Reader, bytesMax int, fn func(index int64, raw []byte) error) error {
	m := newMachine()
	_, err := m.read(r, &collector{bytesMax: bytesMax, fn: fn})
	return err
}

// collector assembles elements. A nil one does nothing.
type collector struct {
	bytesMax int
	fn       func(index int64, raw []byte) error

	inside bool
	index  int64
	raw    []byte
}

func (c *collector) add(p []byte) error {
	if c == nil || !c.inside {
		return nil
	}
	if len(c.raw)+len(p) > c.bytesMax {
		return &ElementError{Index: c.index, BytesMax: c.bytesMax}
	}
	c.raw = append(c.raw, p...)
	return nil
}

// take follows m, which has just processed the byte b.
func (c *collector) take(m *machine, b byte) error {
	if c == nil {
		return nil
	}
	if m.started && m.topLevel != Array {
		return ErrNotArray
	}
	switch m.event {
	case began:
		c.inside, c.raw = true, c.raw[:0]
	case endedBefore:
		return c.emit()
	case endedWith:
		if err := c.add([]byte{b}); err != nil {
			return err
		}
		return c.emit()
	case noEvent:
	}
	if !c.inside {
		return nil
	}
	return c.add([]byte{b})
}

func (c *collector) emit() error {
	c.inside = false
	err := c.fn(c.index, c.raw)
	c.index++
	return err
}
