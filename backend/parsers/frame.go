package parsers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

// The service and a worker exchange frames: a head in JSON and parts of bytes, each preceded by its length. Neither side
// reads a frame that is longer than frameBytesMax.
const (
	frameBytesMax = 192 << 20
	replyBytesMax = rules.ResultBytesMax + 4<<20
	framePartsMax = 8
)

// task is the head of a frame to a worker. Its parts are the definition and, for a run, the page's body and the
// document's HTML, Markdown and text.
type task struct {
	// Loc is the definition's path in a request, for its faults.
	Loc []string `json:"loc,omitempty"`
	// Run requests a run on Source, not just a check.
	Run    bool            `json:"run,omitempty"`
	Source *extract.Source `json:"source,omitempty"`
	// Document is what was extracted from the page; nil if nothing was.
	Document *extract.Document `json:"document,omitempty"`
}

// reply is the head of a frame from a worker. Its only part is the result.
type reply struct {
	// Name and Description are the definition's; Faults are its faults.
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Faults      []problem.Fault `json:"faults,omitempty"`
	// Kind is the kind of error of a run, Error its text.
	Kind  string `json:"kind,omitempty"`
	Error string `json:"error,omitempty"`
	// Lacks say why the result is invalid, Notes are warnings for the author.
	Lacks []told `json:"lacks,omitempty"`
	Notes []told `json:"notes,omitempty"`
}

// told is a Fault or a note.
type told struct {
	Path []any  `json:"path"`
	Msg  string `json:"msg"`
}

// writeFrame writes a frame in one call.
func writeFrame(w io.Writer, head any, parts ...[]byte) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	sizes := []byte{byte(len(parts))}
	total := 0
	for _, part := range append([][]byte{text}, parts...) {
		sizes = binary.BigEndian.AppendUint32(sizes, uint32(len(part))) //nolint:gosec // frameBytesMax is checked below
		total += len(part)
	}
	if total > frameBytesMax {
		return errFrame
	}
	for _, part := range append([][]byte{sizes, text}, parts...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

var errFrame = errors.New("a frame is too long")

// readFrame reads a frame with the given number of parts and at most bytesMax bytes.
func readFrame(r io.Reader, head any, parts, bytesMax int) ([][]byte, error) {
	sizes := make([]byte, 1+4*(1+parts))
	if _, err := io.ReadFull(r, sizes[:1]); err != nil {
		return nil, err
	}
	if int(sizes[0]) != parts {
		return nil, fmt.Errorf("got a frame with %d parts, want %d", sizes[0], parts)
	}
	if _, err := io.ReadFull(r, sizes[1:]); err != nil {
		return nil, err
	}
	read := make([][]byte, 1+parts)
	for i := range read {
		size := int(binary.BigEndian.Uint32(sizes[1+4*i:]))
		if bytesMax -= size; bytesMax < 0 {
			return nil, errFrame
		}
		read[i] = make([]byte, size)
		if _, err := io.ReadFull(r, read[i]); err != nil {
			return nil, err
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(read[0]))
	decoder.UseNumber()
	if err := decoder.Decode(head); err != nil {
		return nil, fmt.Errorf("decoding a frame's head: %w", err)
	}
	return read[1:], nil
}

const (
	taskParts  = 5
	replyParts = 1
)

// pack makes the task of a run.
func pack(definition []byte, source extract.Source, document *extract.Document) (*task, [][]byte) {
	parts := [][]byte{definition, source.Body, nil, nil, nil}
	source.Body = nil
	t := &task{Run: true, Source: &source}
	if document != nil {
		parts[2], parts[3], parts[4] = []byte(document.HTML), []byte(document.Markdown), []byte(document.Text)
		head := *document
		head.HTML, head.Markdown, head.Text, head.Links, head.Feed = "", "", "", nil, nil
		t.Document = &head
	}
	return t, parts
}

// unpack restores the page from a task by pack.
func (t *task) unpack(parts [][]byte) (extract.Source, *extract.Document) {
	source := extract.Source{}
	if t.Source != nil {
		source = *t.Source
	}
	source.Body = parts[1]
	if t.Document != nil {
		t.Document.HTML, t.Document.Markdown, t.Document.Text = string(parts[2]), string(parts[3]), string(parts[4])
	}
	return source, t.Document
}
