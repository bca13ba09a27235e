package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// BytesMax is the size of the largest accepted document. Decoded, it takes several times as much memory, for as
	// long as it is kept.
	BytesMax = 4 << 20
	// routesMax is how many routes a document may have.
	routesMax = 2000
)

// methods are the fields of a path item that are operations (OpenAPI 3.1, 4.8.9.1).
var methods = []string{"get", "put", "post", "delete", "head", "patch"}

// Route is the method and path of one operation.
type Route struct {
	Method string // in capitals
	// Path is the template, with variables in braces: "/v1/scrapes/{id}".
	Path string
}

// Document is a parsed description. It is safe for concurrent use.
type Document struct {
	root   map[string]any
	routes []Route
}

// Parse reads a document in JSON or YAML.
func Parse(data []byte) (*Document, error) {
	if len(data) > BytesMax {
		return nil, fmt.Errorf("OpenAPI document: is larger than %d bytes", BytesMax)
	}
	value, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	root, isObject := value.(map[string]any)
	if !isObject {
		return nil, errors.New("OpenAPI document: is no object, want one in JSON or YAML")
	}
	d := &Document{root: root}
	if version := text(d.root["openapi"]); !strings.HasPrefix(version, "3.") {
		return nil, fmt.Errorf("OpenAPI document: openapi is %q, want a version 3", version)
	}
	for path, item := range object(d.root["paths"]) {
		if !strings.HasPrefix(path, "/") {
			continue
		}
		operations := d.deref(item)
		for _, method := range methods {
			if _, isThere := operations[method].(map[string]any); isThere {
				d.routes = append(d.routes, Route{Method: strings.ToUpper(method), Path: path})
			}
		}
	}
	if len(d.routes) > routesMax {
		return nil, fmt.Errorf("OpenAPI document: has %d operations, want %d or fewer", len(d.routes), routesMax)
	}
	slices.SortFunc(d.routes, compareRoutes)
	return d, nil
}

// parse reads JSON if that begins with a brace, and YAML otherwise.
func parse(data []byte) (any, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		value, err := parseYAML(data)
		if errors.Is(err, io.EOF) {
			return nil, errors.New("is empty")
		}
		return value, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has trailing data")
	}
	return value, nil
}

// compareRoutes puts routes with fewer variables first: a literal path has precedence over a template that it matches
// (OpenAPI 3.1, 4.8.8.2).
func compareRoutes(a, b Route) int {
	if n := strings.Count(a.Path, "{") - strings.Count(b.Path, "{"); n != 0 {
		return n
	}
	if n := strings.Compare(a.Path, b.Path); n != 0 {
		return n
	}
	return strings.Compare(a.Method, b.Method)
}

// Routes returns all operations, those with fewer variables in their path first.
func (d *Document) Routes() []Route { return slices.Clone(d.routes) }

// referencesMax is how many references may follow each other.
const referencesMax = 8

// deref returns the object that v is or refers to, nil if there is none.
func (d *Document) deref(v any) map[string]any {
	for range referencesMax {
		o := object(v)
		ref, isRef := o["$ref"].(string)
		if !isRef {
			return o
		}
		v = d.find(ref)
	}
	return nil
}

// find returns the target of a reference within the document (RFC 6901), nil if there is none. Other documents are
// never fetched.
func (d *Document) find(ref string) any {
	pointer, isHere := strings.CutPrefix(ref, "#/")
	if !isHere || len(pointer) > 512 {
		return nil
	}
	var at any = d.root
	for part := range strings.SplitSeq(pointer, "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(unescape(part), "~1", "/"), "~0", "~")
		at = object(at)[part]
	}
	return at
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
