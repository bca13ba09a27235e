package page

import "github.com/danielgtaylor/huma/v2"

// Content is the kept content of a page.
type Content struct {
	// Text is the content in its text formats; empty if it was too large to read.
	Text map[Format]string
	// Hosted are signed URLs of the content, valid as long as it is kept.
	Hosted map[Format]string
}

// Object is a JSON object in a response, for clients that would otherwise parse json_content. Nil is null.
type Object []byte

// MarshalJSON writes the object.
func (o Object) MarshalJSON() ([]byte, error) { return orNull(o), nil }

// UnmarshalJSON keeps the object as it is.
func (o *Object) UnmarshalJSON(data []byte) error {
	*o = orNothing(data)
	return nil
}

// Schema allows any fields: a parser, a schema or a task defines them.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Nullable: true}
}
