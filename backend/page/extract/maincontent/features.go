package maincontent

import (
	"math"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// levels are the ancestors with features, the block's own element being 0.
var levels = [...]int{0, 1, 2, 3, 4, 6, 8}

// ancestorTags are the elements whose distance above a block is a feature.
var ancestorTags = [...]atom.Atom{
	atom.Nav, atom.Header, atom.Footer, atom.Aside, atom.Main, atom.Article, atom.Form, atom.Table, atom.Ul, atom.Ol,
	atom.Section, atom.Button, atom.Noscript, atom.Figure, atom.Blockquote, atom.Dl, atom.Details,
}

const (
	// far stands for the distance of a missing ancestor.
	far = 30
	// classLevels is the number of ancestors whose class words have separate features.
	classLevels = 5
	// neighbours is the number of blocks with features on each side.
	neighbours = 2
)

// Describer computes the features of a page's blocks.
type Describer struct {
	page    *Page
	lexicon Lexicon

	page32    []float32 // the features of the page, the same for each block
	odds      []wordOdds
	classOdds []float32 // by class set
	repeats   map[uint64]int
	copies    []int // how many earlier blocks have the same text
	alike     map[uint64]int
	offsets   []int // words before the block
	firstH1   int
	lastH1    []int // for each block the last heading at or before it, -1
	tops      [guesses]top
}

// Describe prepares the features of p.
func Describe(p *Page, address string, lexicon Lexicon) *Describer {
	d := &Describer{page: p, lexicon: lexicon, firstH1: -1}
	n := len(p.Blocks)
	d.repeats, d.alike = make(map[uint64]int, n), make(map[uint64]int, n)
	d.odds, d.copies, d.offsets, d.lastH1 = make([]wordOdds, n), make([]int, n), make([]int, n), make([]int, n)
	offset, last := 0, -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		d.odds[i] = oddsOf(b.Text, lexicon)
		d.copies[i] = d.repeats[b.textHash]
		d.repeats[b.textHash]++
		d.offsets[i] = offset
		offset += b.Words
		if p.elements[b.element].tag == atom.H1 {
			if last = i; d.firstH1 < 0 {
				d.firstH1 = i
			}
		}
		d.lastH1[i] = last
	}
	for i := range p.elements {
		if p.elements[i].words > 0 {
			d.alike[p.elements[i].signature]++
		}
	}
	d.classOdds = make([]float32, len(p.classes))
	for i := range p.classes {
		var sum float32
		for _, word := range p.classes[i].tokens {
			sum += lexicon.Class(word)
		}
		d.classOdds[i] = sum
	}
	d.tops = p.tops()
	d.page32 = d.describePage(address)
	return d
}

// Block appends the features of block i to row.
func (d *Describer) Block(i int, row []float32) []float32 {
	return append(d.own(i, row), d.page32...)
}

// own are the features of block i without those of the page, which follow them in all blocks.
func (d *Describer) own(i int, row []float32) []float32 {
	return d.ancestors(i, d.around(i, d.text(i, row)))
}

// text are the features of the block's text and place.
func (d *Describer) text(i int, row []float32) []float32 {
	p, b := d.page, &d.page.Blocks[i]
	s := styleOf(b.Text)
	n := len(p.Blocks)
	titled, described := p.facts.overlap(b)
	row = append(row,
		log1(b.Words), share(b.linkWords, b.Words), share(s.runes, b.Words), share(s.digits, s.runes), share(s.uppers, s.runes),
		share(s.capitals, b.Words), flag(s.ends), log1(s.sentences), share(s.commas, b.Words), share(s.separators, b.Words),
		float32(min(s.copyrights, 3)), share(s.currencies, b.Words), share(titled, b.Words), share(described, b.Words),
		log1(d.repeats[b.textHash]), float32(min(d.copies[i], 5)), flag(b.hidden), float32(p.elements[b.element].depth),
		share(d.offsets[i], p.words), share(i, n), log1(i), log1(n-i),
	)
	sinceFirst, sinceLast := float32(-1), float32(-50)
	if d.firstH1 >= 0 {
		sinceFirst = float32(i-d.firstH1) / float32(n)
	}
	if d.lastH1[i] >= 0 {
		sinceLast = float32(min(i-d.lastH1[i], 200))
	}
	o := &d.odds[i]
	return append(row, sinceFirst, sinceLast, tagCode(p.elements[b.element].tag),
		o.mean, o.least, o.most, max(-20, min(o.sum, 20)), o.first)
}

// around are the features of the neighbours.
func (d *Describer) around(i int, row []float32) []float32 {
	p, b := d.page, &d.page.Blocks[i]
	for at := i - neighbours; at <= i+neighbours; at++ {
		switch {
		case at == i:
		case at < 0 || at >= len(p.Blocks):
			row = append(row, -1, -1, -1, -1, 0)
		default:
			o := &p.Blocks[at]
			row = append(row, log1(o.Words), share(o.linkWords, o.Words), tagCode(p.elements[o.element].tag),
				flag(p.elements[o.element].parent == p.elements[b.element].parent), d.odds[at].mean)
		}
	}
	return row
}

// surroundings are the data from the elements around a block. A distance is 1 for the nearest element, and 0 for none.
type surroundings struct {
	tags             [len(ancestorTags)]float32
	near             [len(families)]float32
	seen             uint64 // families
	odds             [classLevels]float32
	least, most, sum float32 // of the odds
	ups, aboves      [guesses]float32
	described        [len(levels)]int
	level            int
}

// ancestors are the features of the elements around the block.
func (d *Describer) ancestors(i int, row []float32) []float32 {
	p := d.page
	var s surroundings
	for t := range s.ups {
		s.ups[t] = -1
	}
	up := 0
	for at := p.Blocks[i].element; at >= 0; at = p.elements[at].parent {
		s.look(d, at, up)
		up++
	}
	row = appendDistances(row, s.tags[:])
	row = appendDistances(row, s.near[:])
	row = append(row, s.odds[:]...)
	row = append(row, s.least, s.most, s.sum)
	row = append(row, s.ups[:]...)
	row = append(row, s.aboves[:]...)
	for level, at := range s.described {
		if level >= s.level {
			row = append(row, -1, -1, -1, -1, -1, -1, -1)
			continue
		}
		e := &p.elements[at]
		row = append(row, log1(e.words), share(e.linkWords, e.words), share(e.words, e.blocks), log1(e.paragraphs),
			log1(d.alike[e.signature]), share(e.words, p.words), share(e.sentenceWords, e.words))
	}
	return row
}

// look adds the element that is up levels above the block's own.
func (s *surroundings) look(d *Describer, at, up int) {
	e := &d.page.elements[at]
	distance := float32(up + 1)
	for k, tag := range ancestorTags {
		if e.tag == tag && s.tags[k] == 0 {
			s.tags[k] = distance
		}
	}
	classes := &d.page.classes[e.classes]
	for mask := classes.families &^ s.seen; mask != 0; mask &= mask - 1 {
		s.near[bits.TrailingZeros64(mask)] = distance
	}
	s.seen |= classes.families
	o := d.classOdds[e.classes]
	s.least, s.most, s.sum = min(s.least, o), max(s.most, o), s.sum+o
	if up < classLevels {
		s.odds[up] = o
	}
	if s.level < len(levels) && levels[s.level] == up {
		s.described[s.level] = at
		s.level++
	}
	for t := range s.ups {
		if above := d.tops[t].above[at]; above > 0 && s.ups[t] < 0 {
			s.ups[t], s.aboves[t] = float32(up), float32(above-1)
		}
	}
}

func appendDistances(row, distances []float32) []float32 {
	for _, v := range distances {
		if v == 0 {
			v = far
		}
		row = append(row, v)
	}
	return row
}

// style describes how a text is written.
type style struct {
	runes, digits, uppers, capitals, sentences, commas, separators, copyrights, currencies int
	ends                                                                                   bool
}

func styleOf(text string) style {
	var s style
	before := ' '
	ended := false
	for _, r := range text {
		s.runes++
		switch {
		case 'a' <= r && r <= 'z':
		case r == ' ':
			if ended {
				s.sentences++
			}
		case '0' <= r && r <= '9':
			s.digits++
		case 'A' <= r && r <= 'Z', r >= utf8.RuneSelf && unicode.IsUpper(r):
			s.uppers++
			if before == ' ' {
				s.capitals++
			}
		default:
			s.sign(r)
		}
		ended = r == '.' || r == '?' || r == '!'
		before = r
	}
	s.ends = strings.ContainsRune(".!?:\"'…。！？”", before)
	return s
}

func (s *style) sign(r rune) {
	switch r {
	case ',', '、', '，':
		s.commas++
	case '|', '•', '»', '·', '›':
		s.separators++
	case '©':
		s.copyrights++
	case '$', '€', '£', '¥', '₹':
		s.currencies++
	}
}

// overlap is how many of a block's words are in the page's title and description.
func (f *facts) overlap(b *Block) (title, description int) {
	if len(f.title)+len(f.description) == 0 || b.Words > 500 {
		return 0, 0
	}
	for word := range eachWord(b.Text) {
		if !f.looks.mayHave(word) {
			continue
		}
		word = strings.ToLower(word)
		if f.title[word] {
			title++
		}
		if f.description[word] {
			description++
		}
	}
	return title, description
}

func tagCode(tag atom.Atom) float32 {
	switch tag {
	case atom.P:
		return 1
	case atom.Li:
		return 2
	case atom.Td, atom.Th:
		return 3
	case atom.H1:
		return 4
	case atom.H2:
		return 5
	case atom.H3:
		return 6
	case atom.H4, atom.H5, atom.H6:
		return 7
	case atom.Dt, atom.Dd:
		return 8
	case atom.Blockquote:
		return 9
	case atom.Pre:
		return 10
	case atom.Button, atom.Label, atom.Option, atom.Summary, atom.Legend:
		return 11
	case atom.Figcaption, atom.Caption:
		return 12
	case atom.Br:
		return 14
	}
	return 13
}

// log1Table has the logarithms of small numbers: a page needs thousands.
var log1Table = func() (table [2048]float32) {
	for i := range table {
		table[i] = float32(math.Log1p(float64(i)))
	}
	return table
}()

func log1(n int) float32 {
	if 0 <= n && n < len(log1Table) {
		return log1Table[n]
	}
	return float32(math.Log1p(float64(n)))
}

func share(part, whole int) float32 {
	if whole == 0 {
		return 0
	}
	return float32(part) / float32(whole)
}

func flag(is bool) float32 {
	if is {
		return 1
	}
	return 0
}
