package heldout

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// New makes the set. origin is where a host is served; nil: https and the host.
func New(origin func(host string) string) *answersite.Set {
	w := &world{Set: answersite.NewSet("heldout", origin), of: map[string][]*answersite.Subject{}}
	for _, part := range []func(){
		w.lakes, w.physicians, w.bicycles, w.inns, w.concerts, w.expeditions, w.clubs, w.commands, w.buses, w.reports, w.gauges, w.flats, w.garage, w.dishes,
		w.board, w.attachments, w.phantoms,
	} {
		part()
	}
	return w.Set
}

type world struct {
	*answersite.Set

	of    map[string][]*answersite.Subject
	turns int
}

type fact = answersite.Fact

// add makes the page of a subject.
func (w *world) add(kind string, s *answersite.Subject, f frame, pageType, host, path, head, body string) {
	s.Index = len(w.of[kind])
	w.of[kind] = append(w.of[kind], s)
	s.Page = w.Add(host, path, pageType, f.page(s.Name, head, body))
}

var turn = []answersite.Form{
	answersite.FormSchema, answersite.FormNone, answersite.FormEmpty, answersite.FormDescribed, answersite.FormString, answersite.FormSchema, answersite.FormEmpty,
	answersite.FormDescribed, answersite.FormNone,
}

// quiz asks for all subjects of a kind: three fields from the one that its number points at, two for some.
func (w *world) quiz(kind string, fields []string, byURL, byName, one []string) {
	for n, s := range w.of[kind] {
		form, mode := turn[w.turns%len(turn)], answersite.Searched
		wanted := []string{fields[n*2%len(fields)], fields[(n*2+1)%len(fields)], fields[(n*2+3)%len(fields)]}[:2+n%2]
		text := byName[n%len(byName)]
		if n%5 < 2 {
			mode, text = answersite.Named, byURL[n%len(byURL)]
		}
		if form == answersite.FormNone || form == answersite.FormString {
			wanted = w.alone(s, fields, n)
			text = one[n%len(one)]
			if mode == answersite.Named {
				text = "Going by {url}: " + text
			}
		}
		w.Ask(answersite.Asking{Name: fmt.Sprintf("%s-%d", kind, n), Mode: mode, Form: form, Text: text, Subject: s, Fields: wanted})
		w.turns++
	}
}

func (w *world) alone(s *answersite.Subject, fields []string, n int) []string {
	for i := range fields {
		field := fields[(n+i)%len(fields)]
		f, known := s.Fact(field)
		if !known {
			f, _ = s.Missing(field)
		}
		if f.Value.Type != answersite.Boolean && f.Value.Type != answersite.List && f.Value.Type != answersite.Enum {
			return []string{field}
		}
	}
	panic("heldout: no field by itself")
}

// astray asks for what only the namesake has: each lacks is asked for of the subject at, whose namesake is beside it.
func (w *world) astray(kind, field, text string, form answersite.Form, at ...int) {
	for _, i := range at {
		s, other := w.of[kind][i], w.of[kind][i^1]
		f, has := other.Fact(field)
		if _, lacks := s.Missing(field); !lacks || !has {
			panic("heldout: no namesake for " + s.Name + " " + field)
		}
		w.Ask(answersite.Asking{
			Name: fmt.Sprintf("%s-%d-astray", kind, i), Mode: answersite.Searched, Form: form, Text: text, Subject: s, Fields: []string{field},
			Absent: answersite.OnlyTwin,
			Lures:  []string{f.Shown},
		})
	}
}

// said is a field that a page says.
func said(field, ask string, value answersite.Value, shown string, page *answersite.Page, lures ...string) answersite.Described {
	return answersite.Described{Field: field, Ask: ask, Want: answersite.Want{Value: value, Shown: shown, URLs: []string{page.URL}, Lures: lures}}
}

// unsaid is one that no page says.
func unsaid(field, ask string, value answersite.Value, why answersite.Absence, pages []*answersite.Page, clues []string, lures ...string) answersite.Described {
	d := answersite.Described{Field: field, Ask: ask, Want: answersite.Want{Value: value, Absent: why, Clues: clues, Lures: lures}}
	for _, p := range pages {
		d.Want.URLs = append(d.Want.URLs, p.URL)
	}
	return d
}

func path(name string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r == ' ' || r == '-':
			return '_'
		}
		return -1
	}, strings.ToLower(name)), "__", "_")
}

func yes(b bool, a, z string) string {
	if b {
		return a
	}
	return z
}

var people = []string{
	"Beata Kowal", "Lionel Strand", "Mirjam Aebischer", "Oddvar Nes", "Chiara Polidori", "Teun van Wijk", "Salome Bürki", "Harald Wirén", "Agnete Dahl",
	"Rémi Gaillard",
	"Ottilie Graf", "Marek Zielinski", "Sanne de Boer", "Felipe Arce", "Kirsi Laine", "Urs Wyler", "Dolores Peña", "Ewan Galbraith", "Yvette Camus", "Bogdan Ilic",
	"Linnea Forsberg", "Arno Tschudi", "Maeve Dillon", "Stanislaw Bąk",
}
