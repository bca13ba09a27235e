package maincontent

import "strings"

// Lexicon says how much more, or less, likely than average a word is with content, as a log odds ratio; 0 for an unknown
// word.
type Lexicon interface {
	// Class is for a word of a class name or id, in lower case.
	Class(word string) float32
	// Word is for a word of the text, in lower case.
	Word(word string) float32
}

// Dictionary is a Lexicon of two lists.
type Dictionary struct{ Classes, Words map[string]float32 }

// Class returns the log odds of a word of class names.
func (d *Dictionary) Class(word string) float32 { return d.Classes[word] }

// Word returns the log odds of a word of text.
func (d *Dictionary) Word(word string) float32 { return d.Words[word] }

// ClassWords calls yield with each element's words of class names and the blocks it contains, for all elements that
// contain words, each once.
func (p *Page) ClassWords(yield func(words []string, firstBlock, lastBlock int)) {
	spans := p.spans()
	for i := range p.elements {
		if e := &p.elements[i]; e.words > 0 {
			yield(p.classes[e.classes].tokens, spans[i].first, spans[i].last)
		}
	}
}

// span is the run of blocks within an element.
type span struct{ first, last int }

func (p *Page) spans() []span {
	spans := make([]span, len(p.elements))
	for i := range spans {
		spans[i] = span{len(p.Blocks), -1}
	}
	for i := range p.Blocks {
		s := &spans[p.Blocks[i].element]
		s.first, s.last = min(s.first, i), max(s.last, i)
	}
	for i := len(p.elements) - 1; i >= 0; i-- {
		if parent := p.elements[i].parent; parent >= 0 {
			s := &spans[parent]
			s.first, s.last = min(s.first, spans[i].first), max(s.last, spans[i].last)
		}
	}
	return spans
}

// EachWord calls yield with each word of a block, in lower case.
func (b *Block) EachWord(yield func(word string)) {
	for word := range eachWord(b.Text) {
		yield(strings.ToLower(word))
	}
}

// wordOdds summarise the lexicon's odds for a block's words.
type wordOdds struct{ mean, least, most, sum, first float32 }

// oddsWordsMax is how many words of a block are looked up: the beginning of a long text is enough.
const oddsWordsMax = 60

func oddsOf(text string, lexicon Lexicon) wordOdds {
	var o wordOdds
	n := 0
	for word := range eachWord(text[:min(len(text), oddsWordsMax*10)]) {
		if n >= oddsWordsMax {
			break
		}
		v := lexicon.Word(strings.ToLower(word))
		if n == 0 {
			o.first = v
		}
		n++
		o.least, o.most = min(o.least, v), max(o.most, v)
		o.sum += v
	}
	if n > 0 {
		o.mean = o.sum / float32(n)
	}
	return o
}
