package decode

import (
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// form is a type of requests: its schema, and its fields by their JSON names.
type form struct {
	registry huma.Registry
	schema   *huma.Schema
	// raw are the members that a field with the tag decode:"raw" takes as they were sent: the operation checks them instead
	// of the schema, and they may be most of the body.
	raw []string
}

var forms sync.Map // of *form, by type

func formOf(t reflect.Type) *form {
	if known, ok := forms.Load(t); ok {
		return known.(*form) //nolint:forcetypeassert // nothing else is stored
	}
	f := &form{registry: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)}
	f.schema = f.registry.Schema(t, true, "Request")
	for name, field := range fieldsOf(t) {
		if field.Tag.Get("decode") == "raw" {
			f.raw = append(f.raw, name)
		}
	}
	known, _ := forms.LoadOrStore(t, f)
	return known.(*form) //nolint:forcetypeassert // nothing else is stored
}

// check returns the decoded body, or what the schema says against it.
func (f *form) check(body *edgewire.Body) (value any, errs []error) {
	var err error
	if edgewire.IsObject(body.Text()) {
		value, err = body.Members(f.raw...)
	} else {
		value, err = body.Value()
	}
	if err != nil {
		return nil, []error{&huma.ErrorDetail{Location: "body", Message: err.Error()}}
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(f.registry, f.schema, path, huma.ModeWriteToServer, value, &found)
	return value, found.Errors
}

var fields sync.Map // of map[string]reflect.StructField, by type

// fieldsOf returns the fields of a struct by their JSON names, with those of embedded structs.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	if known, ok := fields.Load(t); ok {
		return known.(map[string]reflect.StructField) //nolint:forcetypeassert // nothing else is stored
	}
	all := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() && name != "" && name != "-" {
			all[name] = field
		}
	}
	known, _ := fields.LoadOrStore(t, all)
	return known.(map[string]reflect.StructField) //nolint:forcetypeassert // nothing else is stored
}
