package mcp

import "bytes"

// events splits an event stream (HTML, section 9.2) into its events.
type events struct {
	text []byte // not yet split
	line int    // where the line begins that has not ended yet
}

func (e *events) add(text []byte) { e.text = append(e.text, text...) }

// rest returns and forgets what has not ended yet.
func (e *events) rest() []byte {
	rest := e.text
	*e = events{}
	return rest
}

// next returns the next whole event as it was written, with the empty line that ends it.
func (e *events) next() (event []byte, ok bool) {
	for {
		length := bytes.IndexAny(e.text[e.line:], "\r\n")
		if length < 0 {
			return nil, false
		}
		end := e.line + length
		after := end + 1
		if e.text[end] == '\r' {
			if after == len(e.text) {
				return nil, false // a line feed may follow
			}
			if e.text[after] == '\n' {
				after++
			}
		}
		if length > 0 {
			e.line = after
			continue
		}
		event, e.text, e.line = e.text[:after:after], e.text[after:], 0
		return event, true
	}
}

// data returns the data of an event that carries a message, and nil for any other.
func data(event []byte) []byte {
	var text []byte
	found := false
	for line := range bytes.FieldsFuncSeq(event, func(r rune) bool { return r == '\n' || r == '\r' }) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			if string(value) != "message" {
				return nil
			}
		case "data":
			if found {
				text = append(text, '\n')
			}
			text, found = append(text, value...), true
		}
	}
	return text
}

// Event returns a message as an event. JSON that has no line breaks outside of strings is one line.
func Event(message []byte) []byte {
	out := append([]byte("event: message\n"), "data: "...)
	out = append(out, bytes.ReplaceAll(bytes.ReplaceAll(message, []byte("\r"), nil), []byte("\n"), []byte("\ndata: "))...)
	return append(out, "\n\n"...)
}
