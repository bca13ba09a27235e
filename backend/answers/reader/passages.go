package reader

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Passage is a part of a page that has what a field asks for, or is nearest to it.
type Passage struct {
	URL string
	// Headings are those above it, the outermost first.
	Headings []string
	Text     string
	// Offset is the place of its first block among the page's.
	Offset int
	Score  float64
}

const (
	passageWords = 60
	passagesMax  = 3
)

// Passages are the parts of a page that are most likely to say the value of a field: those around the candidates that are trusted most,
// and those with the words of the field.
func (m *Model) Passages(task string, field ask.Field, p *Page, ranked []*Candidate) []Passage {
	v := newView(m.want(field, stemsOf(task)), p)
	score := make([]float64, len(p.blocks))
	for i := range p.blocks {
		c := v.cover(v.text[i] | v.label[i] | v.heads[i]&^v.task)
		near := v.cover(v.text[i] | v.label[i] | v.back[i] | v.heads[i])
		score[i] = float64(c[1]+near[1]/2+near[2]/4) / 20 * (1 + float64(bits.OnesCount64(v.text[i]))/8)
	}
	for _, c := range ranked {
		score[c.block] += float64(c.Trust)
	}
	order := make([]int, len(p.blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	covered := make([]bool, len(p.blocks))
	var out []Passage
	for _, at := range order {
		if len(out) == passagesMax {
			break
		}
		if covered[at] {
			continue
		}
		first, last := p.around(at)
		passage := Passage{URL: p.source.URL, Offset: first, Score: score[at]}
		var text []string
		for k := first; k <= last; k++ {
			covered[k] = true
			text = append(text, p.blocks[k].text)
		}
		passage.Text = strings.Join(text, "\n")
		for above := p.blocks[first].above; above >= 0; above = p.blocks[above].above {
			passage.Headings = append([]string{p.blocks[above].text}, passage.Headings...)
		}
		out = append(out, passage)
	}
	return out
}

// around are the blocks of a passage around one: about passageWords words.
func (p *page) around(at int) (first, last int) {
	first, last = at, at
	words := len(p.blocks[at].tokens)
	for words < passageWords && at < p.shown {
		grown := false
		if last+1 < p.shown && words+len(p.blocks[last+1].tokens) <= passageWords {
			last++
			words, grown = words+len(p.blocks[last].tokens), true
		}
		if first > 0 && words+len(p.blocks[first-1].tokens) <= passageWords {
			first--
			words, grown = words+len(p.blocks[first].tokens), true
		}
		if !grown {
			break
		}
	}
	return first, last
}
