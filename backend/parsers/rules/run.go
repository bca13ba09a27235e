package rules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// run is one run of a definition on a page.
type run struct {
	source     extract.Source
	document   *extract.Document
	structured *extract.Structured
	root       *html.Node
	base       *whatwg.Url
	budget     *budget
	numbers    numberOptions
	notes      []Note
}

// Note is a warning about a field for the definition's author. It does not fail the run.
type Note struct {
	Path []any
	Msg  string
}

const notesMax = 100

func (r *run) notef(path []any, format string, args ...any) {
	if len(r.notes) < notesMax {
		r.notes = append(r.notes, Note{In(path), fmt.Sprintf(format, args...)})
	}
}

// newRun extracts the parts of the page that a definition needs.
func newRun(ctx context.Context, n needs, source extract.Source, document *extract.Document) (*run, error) {
	r := &run{source: source, document: document, budget: newBudget(ctx)}
	if document == nil || (n.structured && document.Structured == nil) || (n.mainContent && !document.MainContent) {
		options := extract.Options{Structured: n.structured}
		if n.mainContent {
			options.Transformer = extract.TransformerPostlight
		}
		read, err := extract.Read(ctx, source, options)
		if err != nil {
			return nil, err
		}
		if document == nil || n.mainContent {
			r.document = read
		}
		r.structured = read.Structured
	} else {
		r.structured = document.Structured
	}
	if r.structured == nil {
		r.structured = &extract.Structured{}
	}
	if n.tree && isPage(source.MediaType) {
		root, err := extract.Parse(source.Body)
		if err != nil {
			return nil, err
		}
		r.root = root
	}
	r.base = baseOf(r.root, source.URL)
	r.numbers = numberOptions{comma: usesDecimalComma(r.document.Metadata.Language)}
	return r, nil
}

func isPage(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// Outcome is the result of a run.
type Outcome struct {
	JSON   []byte  // the result; nil if the parser does not apply
	Faults []Fault // why the result is invalid
	Notes  []Note
}

// Do runs a definition. An error is about the page or the limits; missing values are in the outcome.
func (d *Compiled) Do(ctx context.Context, source extract.Source, document *extract.Document) (*Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, TimeMax, ErrSteps)
	defer cancel()
	if d.needs.tree && !isPage(source.MediaType) {
		return nil, fmt.Errorf("%w, but this page is %.100s", ErrNoPage, source.MediaType)
	}
	r, err := newRun(ctx, d.needs, source, document)
	if err != nil {
		return nil, err
	}
	result, missing, err := r.object(d.fields, r.root, nil)
	if err != nil {
		return nil, limitOf(ctx, err)
	}
	out := &Outcome{Notes: r.notes}
	err = out.check(result, d.schema, countValues(result))
	if len(missing) > 0 {
		out.Faults = missing // the schema would report the same missing fields again
	}
	return out, err
}

// ErrNoPage is the error of a run on a document that is no HTML page.
var ErrNoPage = errors.New("the parser reads the elements of HTML pages")

// limitOf returns err, or ErrSteps if the run exceeded its time.
func limitOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrSteps) {
		return ErrSteps
	}
	return err
}

// check validates a result against its schema and its size limit.
func (o *Outcome) check(result any, s *schema, values int) error {
	encoded, err := EncodeJSON(result)
	if err != nil {
		return err
	}
	if len(encoded) > ResultBytesMax {
		return ErrText
	}
	if o.Faults, err = s.validate(result, values); err != nil {
		return err
	}
	o.JSON = encoded
	return nil
}

// EncodeJSON does not escape markup, because results are never HTML.
func EncodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("writing the result: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// object makes an object of fields within scope. missing are its required fields without a value.
func (r *run) object(fields []namedField, scope any, path []any) (map[string]any, []Fault, error) {
	result := make(map[string]any, len(fields))
	var missing []Fault
	for _, f := range fields {
		at := In(path, f.name)
		if err := r.budget.value(); err != nil {
			return nil, nil, err
		}
		value, err := r.eval(f.field, scope, at)
		if err != nil {
			return nil, nil, err
		}
		if isEmpty(value) {
			if f.field.required {
				missing = append(missing, Fault{at, "nothing was found, but the field is required"})
			} else if f.field.fallback == nil {
				r.notef(at, "nothing was found")
			}
		}
		if value, kept := f.shape.convert(value, &r.numbers); kept {
			result[f.name] = value
		}
	}
	return result, missing, nil
}

// eval returns the value of one field: nil or an empty list if nothing is found.
func (r *run) eval(f *field, scope any, path []any) (any, error) {
	value, err := r.raw(f, scope, path)
	if err != nil {
		return nil, err
	}
	for _, t := range f.transforms {
		if value, err = r.transform(t, value, path); err != nil {
			return nil, err
		}
	}
	if isEmpty(value) && f.fallback != nil {
		return *f.fallback, r.budget.put(*f.fallback)
	}
	return value, nil
}

func (r *run) raw(f *field, scope any, path []any) (any, error) {
	switch {
	case f.constant != nil:
		return *f.constant, r.budget.put(*f.constant)
	case f.anyOf != nil:
		var value any
		for _, alternative := range f.anyOf {
			var err error
			if value, err = r.eval(alternative, scope, path); err != nil || !isEmpty(value) {
				return value, err
			}
		}
		return value, nil
	case f.source == nil:
		return r.one(f, scope, path)
	}
	found, err := f.source.find(r, scope, f.all)
	if err != nil {
		return nil, err
	}
	if !f.all {
		for _, one := range found {
			if value, err := r.one(f, one, path); err != nil || !isEmpty(value) {
				return value, err
			}
		}
		return nil, nil
	}
	list := make([]any, 0, len(found))
	for i, one := range found {
		if err := r.budget.value(); err != nil {
			return nil, err
		}
		value, err := r.one(f, one, In(path, i))
		if err != nil {
			return nil, err
		}
		if !isEmpty(value) {
			list = append(list, value)
		}
	}
	return list, nil
}

// one makes a value of one found thing: an object if the field has fields, else its plain value. An object without its
// required fields becomes nothing.
func (r *run) one(f *field, found any, path []any) (any, error) {
	if !f.object {
		return r.plain(found)
	}
	object, missing, err := r.object(f.fields, found, path)
	if err != nil {
		return nil, err
	}
	for _, fault := range missing {
		r.notef(fault.Path, "nothing was found, but %v requires it", pathText(path))
	}
	if len(missing) > 0 || allEmpty(object) {
		return nil, nil
	}
	return object, nil
}

func pathText(path []any) string {
	return Fault{Path: path[:max(len(path)-1, 0)], Msg: fmt.Sprint(path[len(path)-1])}.String()
}

// isEmpty reports whether nothing was found.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

func allEmpty(object map[string]any) bool {
	for _, value := range object {
		if !isEmpty(value) {
			return false
		}
	}
	return true
}
