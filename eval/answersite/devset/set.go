package devset

import (
	"fmt"
	"math/rand/v2"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// New makes the set. origin is where a host is served; nil: https and the host.
func New(origin func(host string) string) *answersite.Set {
	b := &builder{Set: answersite.NewSet("devset", origin), r: answersite.Rand(1)}
	b.all()
	return b.Set
}

// all makes all worlds.
func (b *builder) all() {
	b.towns()
	b.staff()
	b.shop()
	b.venues()
	b.recipes()
	b.events()
	b.works()
	b.firms()
	b.software()
	b.ferries()
	b.sheets()
	b.stations()
	b.jobs()
	b.council()
	b.forum()
	b.files()
	b.nobody()
}

type builder struct {
	*answersite.Set

	r *rand.Rand
	// of each kind
	made map[string][]*answersite.Subject
	// asked counts the tasks, which take the forms in turn.
	asked int
	// reworded has the set said in other words, and worded counts the facts that were.
	reworded bool
	worded   int
}

func (b *builder) keep(kind string, s *answersite.Subject) {
	if b.made == nil {
		b.made = map[string][]*answersite.Subject{}
	}
	s.Index = len(b.made[kind])
	b.made[kind] = append(b.made[kind], s)
}

// fact is one, in short.
func fact(field string, value answersite.Value, label, shown, said, prop, ask string, clues ...string) answersite.Fact {
	return answersite.Fact{Field: field, Value: value, Label: label, Shown: shown, Said: said, Prop: prop, Ask: ask, Clues: clues}
}

var forms = []answersite.Form{
	answersite.FormEmpty, answersite.FormDescribed, answersite.FormSchema, answersite.FormNone, answersite.FormDescribed, answersite.FormSchema,
	answersite.FormString, answersite.FormEmpty,
}

// plan is how the subjects of a kind are asked for.
type plan struct {
	kind  string
	every int // of how many subjects one is asked for
	// fields are taken in turn.
	fields          [][]string
	named, searched []string
	single          []string // with one field, for forms with a single result
}

// ask asks for a kind's subjects by a plan.
func (b *builder) ask(p plan) {
	n := 0
	if b.reworded {
		p.named, p.searched, p.single = rewordedNamed, rewordedSearched, rewordedSingle
	}
	for i, s := range b.made[p.kind] {
		if i%p.every != 0 {
			continue
		}
		fields, form, mode := p.fields[n%len(p.fields)], forms[b.asked%len(forms)], answersite.Named
		text := p.named[n%len(p.named)]
		if n%2 == 1 {
			mode, text = answersite.Searched, p.searched[n/2%len(p.searched)]
		}
		if form == answersite.FormNone || form == answersite.FormString {
			fields = b.singular(s, fields)
			text = p.single[n%len(p.single)]
			if mode == answersite.Named {
				text += " See {url}"
			}
		}
		b.Ask(answersite.Asking{
			Name: fmt.Sprintf("%s/%d/%s", p.kind, i, form), Mode: mode, Form: form, Text: text, Subject: s, Fields: fields,
		})
		n++
		b.asked++
	}
}

// singular is the first field that can be asked for by itself without saying what form it has.
func (b *builder) singular(s *answersite.Subject, fields []string) []string {
	for _, field := range fields {
		f, known := s.Fact(field)
		if !known {
			f, _ = s.Missing(field)
		}
		if f.Value.Type != answersite.Boolean && f.Value.Type != answersite.List {
			return []string{field}
		}
	}
	panic("devset: no field to ask for by itself")
}

// only asks for a field that only a twin has.
func (b *builder) only(s *answersite.Subject, form answersite.Form, mode answersite.Mode, text, field string, lures ...string) {
	b.Ask(answersite.Asking{
		Name: fmt.Sprintf("twin of %s/%s", s.Name, field), Mode: mode, Form: form, Text: text, Subject: s, Fields: []string{field},
		Absent: answersite.OnlyTwin, Lures: lures,
	})
}

// page adds the page of a subject.
func (b *builder) page(c chrome, s *answersite.Subject, kind, host, path, head, body string) {
	s.Page = b.Add(host, path, kind, c.wrap(s.Name, head, body))
}
