package problem

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Object is the standard error object that clients get.
type Object struct {
	ID       string         `json:"id" doc:"The id of this error, for support." example:"error_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object   string         `json:"object" enum:"error"`
	Code     Code           `json:"code" doc:"The error code, for programs."`
	Type     string         `json:"type" format:"uri" doc:"The URL of a page about errors with this status."`
	Status   int            `json:"status" doc:"The HTTP status."`
	Title    string         `json:"title" doc:"The HTTP status in words."`
	Detail   string         `json:"detail" doc:"An explanation of what was wrong, where, and what would be right."`
	Created  int64          `json:"created" doc:"Unix time in seconds."`
	Metadata map[string]any `json:"metadata" doc:"More about the error, depending on its code. For validation_error, metadata.errors lists the faults as {loc, msg, type}."`
}

// Object returns e as the response body. docsURL is the address of the documentation; id and created belong to this one error.
func (e *Error) Object(id, docsURL string, created int64) Object {
	kind := e.Kind()
	metadata := e.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return Object{
		ID: id, Object: "error", Code: e.Code, Type: TypeURL(docsURL, kind.Slug), Status: kind.Status, Title: kind.Title,
		Detail: e.Detail, Created: created, Metadata: metadata,
	}
}

// MonitorObject is the error object of the monitor routes: it has the two fields of the service contract, and those of the
// standard object.
type MonitorObject struct {
	Error     string `json:"error" doc:"The same as detail."`
	MonitorID string `json:"monitor_id" doc:"The id of the monitor in the request. Empty if there was none."`

	Object
}

// TypeURL returns the address of the page about errors with a slug.
func TypeURL(docsURL, slug string) string {
	return strings.TrimSuffix(docsURL, "/") + "/api-reference/errors/" + slug
}

// Schema documents an Error as its response body.
func (Error) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Object](), true, "Error")
}

// Schema lists all codes.
func (Code) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, code := range Codes() {
		s.Enum = append(s.Enum, string(code))
	}
	return s
}
