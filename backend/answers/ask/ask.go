package ask

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// NotFound is the value of a field that no source supports.
const NotFound = "NOT_FOUND"

// Task is what is to be answered.
type Task struct {
	// Text is the task in the caller's words.
	Text string
	// Format is the form of the answer.
	Format *Format
	// Now is when it was asked.
	Now time.Time
}

// Kind is in which of its four forms json_format came.
type Kind int

const (
	// KindText is no json_format at all: {"result": "…"}.
	KindText Kind = iota
	// KindExample is an object whose values are empty or describe the fields.
	KindExample
	// KindSchema is a JSON Schema.
	KindSchema
	// KindString is a string: a description of the single result, {"result": "…"}.
	KindString
)

// Format is a json_format that was read.
type Format struct {
	Kind Kind
	// Raw is as it was given; empty for KindText.
	Raw json.RawMessage
	// Schema is what answers are held to, of whatever kind: made of the example where there is no schema.
	Schema *jsonschema.Schema
	// Fields are its leaves, in order: what is looked for one by one. A list of objects is one Field with Items.
	Fields []Field
}

// Field is one thing that is wanted.
type Field struct {
	// Path is where it stands in the answer, as a JSON Pointer (RFC 6901): "/harbour/berths".
	Path string
	// Name is the last part of it, Description what the caller says of it; "" where nothing.
	Name        string
	Description string
	// Type is of JSON Schema: "string", "number", "integer", "boolean", "array"; "" where any will do.
	Type string
	// ItemType is the type of the entries of a list of single values, whose Form and Enum are the field's; "" for any.
	ItemType string
	// Form is a JSON Schema format ("date", "email", "uri" …), or "".
	Form string
	// Enum are the values that are allowed, none: any.
	Enum []string
	// Items are the fields of each entry of a list of objects, with paths within the entry; none where it is no such list.
	Items []Field
}

// Source is a page or a file that answers may be taken from. All of it is a stranger's text.
type Source struct {
	// URL is where it came from; for a context file "file:" and its id.
	URL string
	// Title is the page's own.
	Title string
	// Document is what was read of it, with its Structured data.
	Document *extract.Document
	// Page is what Document was made of, for who reads it again; its Body may be nil.
	Page extract.Source
	// JSON is the content of a context file; nil for pages.
	JSON json.RawMessage
	// Named reports whether the task itself names it, by its URL or as a context file.
	Named bool
	// Published is when it was, or zero.
	Published time.Time
}

// Value is a field that was found.
type Value struct {
	// Path is the field's, with indexes where it is in a list: "/crew/0/name".
	Path string
	// JSON is the value in the form that the field wants.
	JSON json.RawMessage
	// URL is the source's, Quote the words there that prove it, as they stand in Document.Text, Markdown or Structured, or in
	// the Edges.
	URL, Quote string
}

// Citation is the proof of a field, as callers see it.
type Citation struct {
	Field string `json:"field" doc:"The field, as a JSON Pointer into the answer."`
	URL   string `json:"url" doc:"Where it stands: a page, or file: and the id of a context file."`
	Quote string `json:"quote" doc:"The words there that support it."`
}

// Answer is what came of a task.
type Answer struct {
	// JSON is valid for the format, but for NotFound, which stands wherever nothing is supported.
	JSON json.RawMessage
	// Citations are one or more for each field that was found.
	Citations []Citation
	// Sources are the URLs of all citations, each once, the most cited first.
	Sources []string
}
