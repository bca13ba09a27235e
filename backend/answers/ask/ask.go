package ask

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// NotFound is the value of a field that no source supports.
const NotFound = "NOT_FOUND"

// Task is a task to answer.
type Task struct {
	// Text is the task in the client's words.
	Text string
	// Format is the form of the answer.
	Format *Format
	// Now is the time of the request.
	Now time.Time
}

// Kind is the form in which json_format was given.
type Kind int

const (
	// KindText means that there is no json_format: {"result": "…"}.
	KindText Kind = iota
	// KindExample is an object whose values are empty or describe the fields.
	KindExample
	// KindSchema is a JSON Schema.
	KindSchema
	// KindString is a string: a description of the single result, {"result": "…"}.
	KindString
)

// Format is a parsed json_format.
type Format struct {
	Kind Kind
	// Raw is json_format as given; empty for KindText.
	Raw json.RawMessage
	// Schema is the schema of answers for every kind. It is generated if json_format is not a schema.
	Schema *jsonschema.Schema
	// Fields are the leaves of Schema in order, each of which is looked for. A list of objects is one Field with Items.
	Fields []Field
}

// Field is one field of the answer.
type Field struct {
	// Path is its location in the answer, as a JSON Pointer (RFC 6901): "/harbour/berths".
	Path string
	// Name is the last part of Path. Description is the client's text about the field; "" if there is none.
	Name        string
	Description string
	// Type is a type of JSON Schema: "string", "number", "integer", "boolean", "array"; "" for any.
	Type string
	// ItemType is the type of the entries of a list of single values, to which Form and Enum then apply; "" for any.
	ItemType string
	// Form is a JSON Schema format ("date", "email", "uri" …), or "".
	Form string
	// Enum are the allowed values; none: any.
	Enum []string
	// Items are the fields of each entry of a list of objects, with paths within the entry; none for all other fields.
	Items []Field
}

// Source is a page or file from which values may be taken. All of it is text by strangers.
type Source struct {
	// URL is the page's URL; for a context file "file:" and its id.
	URL string
	// Title is the page's own title.
	Title string
	// Document is what was extracted from it, with its Structured data.
	Document *extract.Document
	// Page is the response that Document was extracted from, for reading it again; its Body may be nil.
	Page extract.Source
	// JSON is the content of a context file; nil for pages.
	JSON json.RawMessage
	// Named reports whether the task itself names the source, by URL or as a context file.
	Named bool
	// Published is the publication time, or zero.
	Published time.Time
}

// Value is a value found for a field.
type Value struct {
	// Path is the field's path, with indexes within lists: "/crew/0/name".
	Path string
	// JSON is the value in the field's type.
	JSON json.RawMessage
	// URL is the source's. Quote is its text that proves the value, as it is in Document.Text, Markdown or Structured, or
	// in the text of the response.
	URL, Quote string
}

// Citation is the evidence for a field, as clients see it.
type Citation struct {
	Field string `json:"field" doc:"The field, as a JSON Pointer into the answer."`
	URL   string `json:"url" doc:"The source: the URL of a page, or file: with the id of a context file."`
	Quote string `json:"quote" doc:"The words in the source that support the value."`
}

// Answer is the result of a task.
type Answer struct {
	// JSON is valid for the format, except for NotFound, which stands for everything without support.
	JSON json.RawMessage
	// Citations are one or more for each field that was found.
	Citations []Citation
	// Sources are the URLs of all citations without duplicates, the most cited first.
	Sources []string
}
