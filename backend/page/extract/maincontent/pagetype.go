package maincontent

import (
	"golang.org/x/net/html/atom"
)

// Page returns the features for a page's type: those of the page and of the chosen blocks.
func (d *Describer) Page(c Choice) []float32 {
	p := d.page
	var words, links, sentences, blocks, headings, items, cells, codes, paragraphs, currencies, bylines int
	var odds float32
	alike := map[uint64]int{}
	mostAlike := 0
	for i, chosen := range c.Blocks {
		if !chosen {
			continue
		}
		b := &p.Blocks[i]
		e := &p.elements[b.element]
		blocks++
		words += b.Words
		links += b.linkWords
		odds += d.odds[i].mean
		if b.Words > sentenceWordsMin {
			sentences += b.Words
		}
		if b.Words <= 8 && hasCurrency(b.Text) {
			currencies++
		}
		switch e.tag {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			headings++
		case atom.Li:
			items++
		case atom.Td, atom.Th:
			cells++
		case atom.Pre:
			codes++
		case atom.P:
			paragraphs += b.Words
		case atom.Time:
			bylines++
		}
		alike[e.signature]++
		mostAlike = max(mostAlike, alike[e.signature])
	}
	row := append([]float32{}, d.page32...)
	row = append(row, log1(words), share(words, p.words), float32(c.Expected), share(links, words), share(words, blocks),
		share(sentences, words), share(headings, blocks), log1(headings), share(items, blocks), share(cells, blocks), log1(codes),
		share(paragraphs, words), log1(currencies), log1(blocks), share(mostAlike, blocks), odds/float32(max(blocks, 1)))
	return append(row, d.familyShares(c)...)
}

// familyShares are, for each family of class words, the share of the chosen words within elements of it.
func (d *Describer) familyShares(c Choice) []float32 {
	p := d.page
	// Families of an element apply to all that it contains; an element comes before its content.
	within := make([]uint64, len(p.elements))
	for i := range p.elements {
		e := &p.elements[i]
		within[i] = p.classes[e.classes].families
		if e.parent >= 0 && e.depth > pageDepth {
			within[i] |= within[e.parent]
		}
	}
	var words [len(families)]int
	all := 0
	for i, chosen := range c.Blocks {
		if !chosen {
			continue
		}
		b := &p.Blocks[i]
		all += b.Words
		for k := range words {
			if within[b.element]&(1<<k) != 0 {
				words[k] += b.Words
			}
		}
	}
	row := make([]float32, len(words))
	for k, n := range words {
		row[k] = share(n, all)
	}
	return row
}

// pageDepth is the depth of the elements around everything: html and body.
const pageDepth = 2
