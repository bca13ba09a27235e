package reader

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Candidate is what may be the value of a field.
type Candidate struct {
	// Value is of the field's type: a string, json.Number, bool or list of strings.
	Value any
	// Quote are the words of the source that show it.
	Quote string
	// Key is the same for equal values.
	Key string
	// Row are its figures, and Chance is what they say of it as log odds. Final are the figures among the best candidates, and Trust
	// is the probability that it is the value.
	Row, Final    []float32
	Chance, Trust float32

	view   *view
	page   *page
	block  int
	span   span
	cheap  float32
	linked float32
	base   []float32 // the figures that no model has a part in
	hashes []uint32  // see Model.Links
}

const (
	// firstMax candidates are looked at by the words beside them, and candidatesMax of these by all figures.
	firstMax, candidatesMax = 250, 40
	// equalsMax is how many candidates of the same value are looked at.
	equalsMax  = 4
	quoteBytes = 300
)

// shapesFor are the shapes that a field's values may have.
func (w *want) shapesFor() (out [shapes]bool) {
	likely := func(k Kind) bool { return w.kinds[k] >= 0.04 }
	switch w.field.Type {
	case "boolean", "array":
		return out
	case "number", "integer":
		out[money] = likely(Price)
		out[number], out[measure] = true, true
		return out
	}
	out[money], out[date], out[phone], out[email], out[link] = likely(Price), likely(Date), likely(Phone), likely(Email), likely(URL)
	out[times] = likely(Hours)
	out[code] = likely(ID)
	out[number] = likely(Number) || likely(Duration) || w.field.Type == ""
	out[measure] = out[number]
	text := likely(Person) || likely(Name) || likely(Text) || likely(Address) || likely(Hours) || likely(ID) || likely(Duration)
	for _, s := range []shape{proper, whole, after, inside, part} {
		out[s] = text
	}
	out[run] = likely(Address) || likely(Hours)
	return out
}

// typed gives a span's text in the type of a field.
func (w *want) typed(p *page, b *block, s *span) (any, bool) {
	text := strings.Trim(b.text[s.start:s.end], " ,;")
	if w.field.Type == "number" || w.field.Type == "integer" {
		return w.numeric(p, s)
	}
	switch s.shape { //nolint:exhaustive // the others are given as they are written
	case date:
		return s.value, true
	case link:
		return strings.TrimPrefix(text, "mailto:"), true
	case number:
		return text, w.field.Type != "string" || s.unit == "" || w.kinds[Number] > 0.3
	case measure:
		end := s.end
		for end < len(b.text) && strings.IndexByte(" -", b.text[end]) >= 0 {
			end++
		}
		if strings.HasPrefix(strings.ToLower(b.text[end:]), s.unit) {
			return b.text[s.start : end+len(s.unit)], true
		}
		return text, true
	}
	return text, text != ""
}

func (w *want) numeric(p *page, s *span) (any, bool) {
	text := s.value
	if s.shape == money {
		found := ask.NumbersIn(ask.Plain(text), p.language)
		if len(found) != 1 {
			return nil, false
		}
		text = strings.TrimSuffix(strings.TrimRight(found[0].Value.FloatString(4), "0"), ".")
		if w.currency != "" && !strings.HasSuffix(s.unit, "$") && codeOf(s.unit) != w.currency {
			return nil, false
		}
	}
	text = strings.TrimSuffix(text, ".")
	if w.field.Type == "integer" && strings.Contains(text, ".") {
		return nil, false
	}
	if _, ok := new(big.Rat).SetString(text); !ok {
		return nil, false
	}
	if units := ask.UnitNames(); w.unit != "" && s.shape == measure {
		if own := units[s.unit]; own[1] != w.unit {
			return nil, false
		}
	}
	return json.Number(text), true
}

// located is a span with its block.
type located struct {
	block int
	span  span
}

// groups are the shapes that are found together.
var groups = []shape{money, date, phone, email, link, number, times, code, whole, run}

// spans finds the spans of the wanted shapes, those of each group once.
func (p *page) spans(wanted [shapes]bool) []located {
	var out []located
	for _, group := range groups {
		if !wanted[group] {
			continue
		}
		if p.found[group] == nil {
			found := p.find(group)
			p.found[group] = &found
		}
		out = append(out, *p.found[group]...)
	}
	return out
}

func (p *page) find(group shape) []located {
	var out []located
	var wanted [shapes]bool
	wanted[group] = true
	for i := range p.blocks {
		b := &p.blocks[i]
		switch {
		case b.origin == inLink && strings.HasPrefix(b.href, "tel:"):
			if group == phone {
				out = append(out, located{i, span{shape: phone, start: 0, end: len(b.text)}})
			}
		case group == run:
			out = append(out, p.runs(i)...)
			out = append(out, p.stretches(i)...)
		default:
			for _, s := range p.spansOf(b, wanted) {
				out = append(out, located{i, s})
			}
		}
	}
	return out
}

const (
	runBlocks = 4
	runWords  = 8
)

// runs are a block and up to three more, short ones, that follow.
func (p *page) runs(at int) []located {
	if at >= p.shown || len(p.blocks[at].tokens) > runWords {
		return nil
	}
	var out []located
	text := []byte(p.blocks[at].text)
	for k := at + 1; k < p.shown && k < at+runBlocks; k++ {
		b := &p.blocks[k]
		if b.level > 0 || p.blocks[at].level > 0 || len(b.tokens) > runWords || len(b.text) > 80 {
			break
		}
		text = append(append(text, '\n'), b.text...)
		out = append(out, located{at, span{shape: run, start: 0, end: len(p.blocks[at].text), value: string(text)}})
	}
	return out
}

// stretches are what stands from one comma, or the start, to another, as addresses do.
func (p *page) stretches(at int) []located {
	const most, bytes = 8, 160
	text := p.blocks[at].text
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	edges := commas.FindAllStringIndex(text, most)
	if len(edges) == 0 {
		return nil
	}
	edges = append(append([][]int{{0, 0}}, edges...), []int{len(text), len(text)})
	var out []located
	for i, from := range edges {
		for _, to := range edges[i+1:] {
			if start, end := from[1], to[0]; end > start && end-start < bytes && strings.Contains(text[start:end], ",") {
				out = append(out, located{at, span{shape: part, start: start, end: end}})
			}
		}
	}
	return out
}

// commas are the marks between which stretches lie.
var commas = regexp.MustCompile(`, |: |\. | \| | at | in `)

// candidates are the candidates of a field in a page around which its words are.
func (m *Model) candidates(w *want, p *page) []*Candidate {
	view := newView(w, p)
	var all []*Candidate
	switch {
	case w.field.Type == "array":
		all = lists(p)
	case w.field.Type == "boolean":
		all = truths(w, p, view)
	case len(w.field.Enum) > 0:
		all = choices(w, p)
	default:
		wanted := w.shapesFor()
		for _, l := range p.spans(wanted) {
			b := &p.blocks[l.block]
			c := &Candidate{page: p, block: l.block, span: l.span}
			if l.span.shape == run {
				c.Value, c.Quote = strings.ReplaceAll(l.span.value, "\n", " "), l.span.value
			} else {
				value, ok := w.typed(p, b, &l.span)
				if !ok {
					continue
				}
				c.Value, c.Quote = value, quoteOf(b, &l.span)
			}
			all = append(all, c)
		}
	}
	for _, c := range all {
		c.view, c.Key = view, keyOf(c.Value)
		c.cheap = view.cheap(c)
	}
	slices.SortStableFunc(all, func(a, b *Candidate) int { return cmp.Compare(b.cheap, a.cheap) })
	view.uses, view.found = map[string]int{}, len(all)
	all = slices.DeleteFunc(all, func(c *Candidate) bool {
		view.uses[c.Key]++
		return view.uses[c.Key] > equalsMax
	})
	all = all[:min(len(all), firstMax)]
	for _, c := range all {
		c.hashes = view.links(c, nil)
	}
	return all
}

// quoteOf are the words of a block around a span.
func quoteOf(b *block, s *span) string {
	if b.quote != "" {
		return b.quote
	}
	if len(b.text) <= quoteBytes {
		return b.text
	}
	start, end := s.start, s.end
	if at := strings.LastIndex(b.text[:start], ". "); at >= 0 && start-at < quoteBytes {
		start = at + 2
	} else {
		start = max(0, start-quoteBytes/2)
		for start > 0 && b.text[start-1] != ' ' {
			start--
		}
	}
	if at := strings.Index(b.text[end:], ". "); at >= 0 && at < quoteBytes {
		end += at + 1
	} else {
		end = min(len(b.text), end+quoteBytes/2)
		for end < len(b.text) && b.text[end] != ' ' {
			end++
		}
	}
	return b.text[start:end]
}

// keyOf is a value as it is compared with others.
func keyOf(value any) string {
	switch v := value.(type) {
	case string:
		return strings.Join(strings.FieldsFunc(strings.ToLower(ask.Plain(v)), func(r rune) bool { return strings.ContainsRune(" ,.;:-/()'\"\n", r) }), " ")
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return r.RatString()
		}
	case []string:
		var out []string
		for _, s := range v {
			out = append(out, keyOf(s))
		}
		return strings.Join(out, "|")
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}
