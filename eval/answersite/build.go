package answersite

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Fact is something that a page says of its subject.
type Fact struct {
	// Field is the name that tasks give it: "opening_date". A slash makes it part of an object: "contact/phone".
	Field string
	Value Value
	// Label is what stands beside it in tables, Shown how its value is written, Said a sentence that holds Shown.
	Label, Shown, Said string
	// Prop is its property of schema.org, or "".
	Prop string
	// Ask is what it is called in tasks: "the date on which it opened".
	Ask string
	// Clues are words that would stand on a page that says it, beside Label.
	Clues []string
}

// Subject is what a page is about.
type Subject struct {
	Name string
	// Kind is of schema.org: "Product".
	Kind  string
	Facts []Fact
	// Dropped are facts of its kind that its page does not say.
	Dropped []Fact
	Page    *Page
	// Index is its number among those of its kind.
	Index int
}

// Fact returns the fact of a field that its page says.
func (s *Subject) Fact(field string) (Fact, bool) { return find(s.Facts, field) }

// Missing returns the fact of a field that its page does not say.
func (s *Subject) Missing(field string) (Fact, bool) { return find(s.Dropped, field) }

// Drop takes facts from it.
func (s *Subject) Drop(fields ...string) {
	for _, field := range fields {
		for i, f := range s.Facts {
			if f.Field == field {
				s.Dropped = append(s.Dropped, f)
				s.Facts = append(s.Facts[:i:i], s.Facts[i+1:]...)
				break
			}
		}
	}
}

func find(facts []Fact, field string) (Fact, bool) {
	for _, f := range facts {
		if f.Field == field {
			return f, true
		}
	}
	return Fact{}, false
}

// Asking is a task about a subject.
type Asking struct {
	Name    string
	Mode    Mode
	Form    Form
	Text    string // {name}, {url} and {asks} stand for what they say
	Subject *Subject
	// Fields are asked for; those that the subject's page does not say are absent.
	Fields []string
	// Absent is why; default NoField.
	Absent Absence
	// Lures are wrong values for free text.
	Lures []string
	Files []File
}

// Ask adds a task. What cannot be asked is a fault of the part, and panics.
func (s *Set) Ask(a Asking) *Task {
	t := &Task{Name: a.Name, Mode: a.Mode, Form: a.Form, Files: a.Files}
	var asks []string
	var wants []Described
	for _, field := range a.Fields {
		fact, known := a.Subject.Fact(field)
		want := Want{Value: fact.Value, Shown: fact.Shown, URLs: []string{a.Subject.Page.URL}, Lures: a.Lures}
		if !known {
			var ok bool
			if fact, ok = a.Subject.Missing(field); !ok {
				panic(fmt.Sprintf("answersite: %s: %s has no fact %s", a.Name, a.Subject.Name, field))
			}
			want.Value, want.Shown = Value{Type: fact.Value.Type, Allowed: fact.Value.Allowed}, ""
			want.Absent, want.Clues = NoField, append([]string{fact.Label}, fact.Clues...)
			if a.Absent != "" {
				want.Absent = a.Absent
			}
		}
		wants = append(wants, Described{Field: field, Ask: fact.Ask, Want: want, schemaOf: fact.Value})
		asks = append(asks, fact.Ask)
	}
	t.Text = strings.NewReplacer("{name}", a.Subject.Name, "{url}", a.Subject.Page.URL, "{asks}", enumerate(asks)).Replace(a.Text)
	return s.add(t, wants)
}

// Described is a field of a task that is written out.
type Described struct {
	Field, Ask string
	Want       Want

	schemaOf Value
}

// Pose adds a task that is written out.
func (s *Set) Pose(name string, mode Mode, form Form, text string, fields ...Described) *Task {
	return s.add(&Task{Name: name, Mode: mode, Form: form, Text: text}, fields)
}

// add sets a task's format and fields.
func (s *Set) add(t *Task, fields []Described) *Task {
	for i := range fields {
		f := &fields[i]
		if f.schemaOf.Type == "" {
			f.schemaOf = f.Want.Value
		}
		f.Want.Path = "/" + f.Field
		if t.Form == FormNone || t.Form == FormString {
			f.Want.Path = "/result"
		}
		if len(f.Want.URLs) > 0 {
			if page := s.Page(f.Want.URLs[0]); page != nil {
				f.Want.On = page.Type
			}
		}
		t.Wants = append(t.Wants, f.Want)
	}
	t.Format = formatOf(t.Form, fields)
	if (t.Form == FormNone || t.Form == FormString) && len(fields) != 1 {
		panic(fmt.Sprintf("answersite: %s: %d fields for a single result", t.Name, len(fields)))
	}
	s.Tasks = append(s.Tasks, t)
	return t
}

func formatOf(form Form, fields []Described) json.RawMessage {
	switch form {
	case FormNone:
		return nil
	case FormString:
		return marshal(fields[0].Ask)
	case FormSchema:
		return marshal(schemaOf(fields))
	case FormEmpty, FormDescribed:
	}
	var root pairs
	for _, f := range fields {
		root.put(f.Field, example(form, f))
	}
	return marshal(root)
}

// example is what stands for a field in an object that shows the form.
func example(form Form, f Described) any {
	v := f.schemaOf
	if v.Columns != nil {
		var row pairs
		for _, c := range v.Columns {
			value := ""
			if form == FormDescribed {
				value = c.Ask
			}
			row.put(c.Name, value)
		}
		return []any{row}
	}
	switch {
	case form == FormDescribed && v.Type == List:
		return []any{f.Ask}
	case form == FormDescribed:
		return f.Ask
	case v.Type == List:
		return []any{}
	case v.Type == Boolean:
		return false
	case (v.Type == Number || v.Type == Price) && len(f.Field)%2 == 1: // some callers say that it is a number, some do not
		return 0
	}
	return ""
}

func schemaOf(fields []Described) map[string]any {
	root := map[string]any{"type": "object", "properties": map[string]any{}}
	for _, f := range fields {
		at := root
		outer, inner, nested := strings.Cut(f.Field, "/")
		properties, _ := at["properties"].(map[string]any)
		if nested {
			if properties[outer] == nil {
				properties[outer] = map[string]any{"type": "object", "properties": map[string]any{}}
			}
			object, _ := properties[outer].(map[string]any)
			properties, _ = object["properties"].(map[string]any)
			properties[inner] = f.schemaOf.schema(f.Ask)
			continue
		}
		properties[outer] = f.schemaOf.schema(f.Ask)
	}
	return root
}

// pairs is a JSON object that keeps its order.
type pairs []pair

type pair struct {
	name  string
	value any
}

func (p *pairs) put(path string, value any) {
	outer, inner, nested := strings.Cut(path, "/")
	if !nested {
		*p = append(*p, pair{outer, value})
		return
	}
	for i := range *p {
		if (*p)[i].name == outer {
			if object, ok := (*p)[i].value.(*pairs); ok {
				object.put(inner, value)
				return
			}
		}
	}
	object := &pairs{}
	object.put(inner, value)
	*p = append(*p, pair{outer, object})
}

// MarshalJSON implements [json.Marshaler].
func (p pairs) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, pair := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(marshal(pair.name))
		b.WriteByte(':')
		b.Write(marshal(pair.value))
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func marshal(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("answersite: %v", err))
	}
	return out
}

// JSON is a value as JSON, for pages and files.
func JSON(v any) json.RawMessage { return marshal(v) }

// LD is a subject as a JSON-LD script, with those of its facts that have a property. Prices become an offer.
func (s *Subject) LD() string {
	object := map[string]any{"@context": "https://schema.org", "@type": s.Kind, "name": s.Name}
	for _, f := range s.Facts {
		switch {
		case f.Prop == "":
		case f.Value.Type == Price:
			object["offers"] = map[string]any{"@type": "Offer", "price": f.Value.Text, "priceCurrency": f.Value.Currency}
		case f.Value.Type == List:
			object[f.Prop] = f.Value.Items
		default:
			object[f.Prop] = f.Value.Text
		}
	}
	return `<script type="application/ld+json">` + string(marshal(object)) + `</script>`
}

// Rand is a source of chance that is the same in every run.
func Rand(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) //nolint:gosec // nothing secret: the same in every run
}

// Pick is one of several.
func Pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// Esc is a text as HTML.
func Esc(text string) string { return html.EscapeString(text) }

// On is a day.
func On(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Group writes a number with a mark between its thousands and one before its decimals, of which there are as many as are
// asked for: (1234.5, 1, " ", ",") is 1 234,5.
func Group(n float64, decimals int, thousands, point string) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(n, 'f', decimals, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + thousands + whole[i:]
	}
	if fraction == "" {
		return whole
	}
	return whole + point + fraction
}

func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

func itoa(n int) string { return strconv.Itoa(n) }
