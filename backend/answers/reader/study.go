package reader

import (
	"slices"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Page is a source that has been read.
type Page = page

// Read splits a source into blocks.
func Read(source *ask.Source) *Page { return read(source) }

// Words are the hashes of the page's words, each once.
func (p *page) Words() []uint32 {
	var out []uint32
	for i := range p.blocks[:p.shown] {
		for _, t := range p.blocks[i].tokens {
			out = append(out, uint32(t.stem))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Candidates are the likeliest candidates of a field in a page, with their rows.
func (m *Model) Candidates(task string, field ask.Field, p *Page) []*Candidate {
	return m.candidates(m.want(field, stemsOf(task)), p)
}

// KindOf is the name of the kind of a field.
func (m *Model) KindOf(field ask.Field) string {
	all := m.kindsOf(field)
	best := 0
	for k := range all {
		if all[k] > all[best] {
			best = k
		}
	}
	return Kinds()[best]
}

// Holds reports whether ask.Check takes the candidate as the value at a path.
func (c *Candidate) Holds(format *ask.Format, path string) bool {
	checker := ask.NewChecker(format)
	checker.Add(c.page.source)
	return checker.Check(c.at(path)) == nil
}
