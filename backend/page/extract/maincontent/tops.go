package maincontent

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// top is a guess of the element around the content, with the distance of each element from it: 1 for itself, 0 for those
// that do not contain it.
type top struct{ above []int32 }

// heavyShare is the share of an element's unlinked words from which on the content is taken to be within one child.
const heavyShare = 0.6

// guesses is the number of tops.
const guesses = 2

// tops are two guesses: the element around the best paragraphs, and the innermost one that still has most unlinked words.
func (p *Page) tops() [guesses]top {
	return [guesses]top{p.topOf(p.bestParagraphs()), p.topOf(p.heaviest())}
}

func (p *Page) topOf(element int) top {
	t := top{above: make([]int32, len(p.elements))}
	for above := int32(1); element >= 0; element, above = p.elements[element].parent, above+1 {
		t.above[element] = above
	}
	return t
}

// bestParagraphs scores parents and grandparents by their paragraphs.
func (p *Page) bestParagraphs() int {
	scores := make([]float32, len(p.elements))
	for i := range p.Blocks {
		b := &p.Blocks[i]
		e := &p.elements[b.element]
		if b.Words < sentenceWordsMin || b.linkWords*2 > b.Words || e.parent < 0 {
			continue
		}
		score := 1 + float32(strings.Count(b.Text, ",")) + min(float32(len(b.Text))/100, 3)
		if e.tag == atom.Li {
			score /= 2
		}
		scores[e.parent] += score
		if up := p.elements[e.parent].parent; up >= 0 {
			scores[up] += score / 2
		}
	}
	best, most := -1, float32(0)
	for i, score := range scores {
		e := &p.elements[i]
		if score *= 1 - share(e.linkWords, e.words); score > most {
			best, most = i, score
		}
	}
	return best
}

// heaviest descends from the root while one child has most of the words outside links.
func (p *Page) heaviest() int {
	if len(p.elements) == 0 {
		return -1
	}
	heavy := make([]int, len(p.elements)) // of each element the heaviest child
	for i := range heavy {
		heavy[i] = -1
	}
	plain := func(i int) int { return p.elements[i].words - p.elements[i].linkWords }
	for i := range p.elements {
		parent := p.elements[i].parent
		if parent >= 0 && (heavy[parent] < 0 || plain(i) > plain(heavy[parent])) {
			heavy[parent] = i
		}
	}
	at := 0
	for heavy[at] >= 0 && float64(plain(heavy[at])) >= heavyShare*float64(plain(at)) && plain(at) > 0 {
		at = heavy[at]
	}
	return at
}
