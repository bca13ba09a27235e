package borough

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// column is a field of a kind. Variants stand between bars, and are taken in turn.
type column struct {
	// field is its name in json_format, kind its type.
	field string
	kind  answersite.Type
	// label stands beside it, said is a sentence with {n} for the subject and {v} for the value, ask what tasks call it.
	label, said, ask string
	// prop is of schema.org, allowed are the values of an enum.
	prop    string
	allowed []string
	clues   []string
}

// kind is a table of things.
type kind struct {
	name, schema, page string
	columns            []column
	// rows hold a name and a value for each column: "shown=meant", where the two differ, and "-" where no page says it.
	rows [][]string
	// hosts, skins and intros are taken in turn.
	hosts  []string
	skins  []skin
	intros []string
}

// thing is a row with its page.
type thing struct {
	*answersite.Subject
	kind *kind
	row  int
}

// turn is one of several variants between bars.
func turn(variants string, i int) string {
	all := strings.Split(variants, "|")
	return all[i%len(all)]
}

// valueOf reads a cell of a kind's table.
func valueOf(c column, cell string) (answersite.Value, string) {
	shown, meant, differs := strings.Cut(cell, "=")
	if !differs {
		meant = shown
	}
	switch c.kind {
	case answersite.Number:
		n, err := strconv.ParseFloat(meant, 64)
		must(err)
		return answersite.Num(n).Or(shown), shown
	case answersite.Price:
		amount, currency, _ := strings.Cut(meant, " ")
		n, err := strconv.ParseFloat(amount, 64)
		must(err)
		return answersite.Money(n, currency).Or(shown), shown
	case answersite.Date:
		day, err := time.Parse(time.DateOnly, meant)
		must(err)
		return answersite.Day(day).Or(shown), shown
	case answersite.Email:
		return answersite.Mail(meant), shown
	case answersite.Phone:
		return answersite.Tel(meant), shown
	case answersite.URL:
		return answersite.Link(meant), shown
	case answersite.Boolean:
		return answersite.Is(meant == "true"), shown
	case answersite.Enum:
		return answersite.OneOf(meant, c.allowed...), shown
	case answersite.List:
		items := strings.Split(meant, ";")
		return answersite.Several(items...), strings.ReplaceAll(shown, ";", ", ")
	case answersite.String:
	}
	return answersite.Str(meant).Or(shown), shown
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("borough: %v", err))
	}
}

// build makes the things of a kind and their pages.
func (k *kind) build(s *answersite.Set) []thing {
	var things []thing
	for i, row := range k.rows {
		subject := &answersite.Subject{Name: row[0], Kind: k.schema, Index: i}
		for j, cell := range row[1:] {
			c := k.columns[j]
			dropped := cell == "-"
			if dropped {
				cell = map[answersite.Type]string{
					answersite.Number: "1", answersite.Price: "1 GBP", answersite.Date: "2020-01-01", answersite.Boolean: "yes=true",
				}[c.kind]
			}
			value, shown := valueOf(c, cell)
			f := answersite.Fact{
				Field: c.field, Value: value, Label: turn(c.label, i), Shown: shown, Prop: c.prop, Ask: turn(c.ask, i), Clues: c.clues,
				Said: strings.NewReplacer("{n}", row[0], "{v}", shown).Replace(turn(c.said, i)),
			}
			if dropped {
				subject.Dropped = append(subject.Dropped, f)
				continue
			}
			subject.Facts = append(subject.Facts, f)
		}
		host := k.hosts[i%len(k.hosts)]
		intro := strings.ReplaceAll(k.intros[i%len(k.intros)], "{n}", row[0])
		body := k.skins[i%len(k.skins)](subject, intro)
		subject.Page = s.Add(host, "/"+k.name+"/"+slug(row[0]), k.page, frame(host, row[0], body))
		things = append(things, thing{subject, k, i})
	}
	return things
}

func slug(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r > 127 || r == '\'':
			return -1
		}
		return '-'
	}, strings.ToLower(name))
}

// question is a way to ask about the things of a kind.
type question struct {
	form answersite.Form
	mode answersite.Mode
	// text has {name}, {url} and {asks}.
	text string
	// fields are "name" or "name:as it is called in the format".
	fields string
}

// ask poses questions about things in turn, each of some, so that every thing and every question comes up.
func ask(s *answersite.Set, things []thing, questions []question) {
	for i, q := range questions {
		of := things[i%len(things)]
		pose(s, fmt.Sprintf("%s/%d", of.kind.name, i), of, q)
	}
}

func pose(s *answersite.Set, name string, of thing, q question) *answersite.Task {
	var fields []answersite.Described
	var asks []string
	for field := range strings.FieldsSeq(q.fields) {
		field, called, renamed := strings.Cut(field, ":")
		if !renamed {
			called = field
		}
		fact, known := of.Fact(field)
		want := answersite.Want{Value: fact.Value, Shown: fact.Shown, URLs: []string{of.Page.URL}}
		if !known {
			missing, ok := of.Missing(field)
			if !ok {
				panic("borough: " + name + ": no field " + field)
			}
			fact = missing
			want.Value = answersite.Value{Type: missing.Value.Type, Allowed: missing.Value.Allowed}
			want.Absent, want.Shown, want.Clues = answersite.NoField, "", append([]string{missing.Label}, missing.Clues...)
		}
		fields = append(fields, answersite.Described{Field: called, Ask: fact.Ask, Want: want})
		asks = append(asks, fact.Ask)
	}
	text := strings.NewReplacer("{name}", of.Name, "{url}", of.Page.URL, "{asks}", strings.Join(asks, " and ")).Replace(q.text)
	return s.Pose(name, q.mode, q.form, text, fields...)
}

// nobody poses a question about something that there is none of.
func nobody(s *answersite.Set, name string, form answersite.Form, subject, text string, fields ...answersite.Described) {
	for i := range fields {
		fields[i].Want.Absent, fields[i].Want.Subject = answersite.NoSubject, subject
	}
	s.Pose(name, answersite.Searched, form, strings.ReplaceAll(text, "{name}", subject), fields...)
}

// field is one that is written out.
func field(name, ask string, want answersite.Want) answersite.Described {
	return answersite.Described{Field: name, Ask: ask, Want: want}
}

// said is a value that a page shows.
func said(v answersite.Value, shown, url string) answersite.Want {
	return answersite.Want{Value: v, Shown: shown, URLs: []string{url}}
}

// New makes the part. origin is where a host is served; nil: https and the host.
func New(origin func(host string) string) *answersite.Set {
	s := answersite.NewSet("borough", origin)
	firms(s)
	halls(s)
	places(s)
	wares(s)
	dishes(s)
	people(s)
	happenings(s)
	offices(s)
	manuals(s)
	lists(s)
	boards(s)
	notes(s)
	files(s)
	fillers(s)
	return s
}
