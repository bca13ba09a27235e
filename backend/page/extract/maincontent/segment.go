package maincontent

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Block is the text between two borders of block elements, with its white space folded.
type Block struct {
	Text string
	// Words are the runs of letters, digits and underscores in Text.
	Words int

	linkWords int
	element   int // the nearest block element around it
	hidden    bool
	textHash  uint64
}

// element is an element of the walk; it precedes everything that it contains.
type element struct {
	parent    int // -1 for the root
	depth     int
	tag       atom.Atom
	classes   int // index into Page.classes
	signature uint64

	// Sums over everything that it contains.
	words, linkWords, blocks, paragraphs, sentenceWords int
}

// attachment is visible content without words: an image, a line, a cell with a tick. It is kept if its surroundings are.
type attachment struct {
	node    *html.Node
	element int
}

// Page is a page split into blocks.
type Page struct {
	Blocks []Block

	elements []element
	classes  []classSet
	facts    facts
	words    int

	// What Keep needs of the tree.
	texts       []text
	attachments []attachment
	root        *html.Node
	completed   map[*html.Node]bool
}

// text is a text node and its block, -1 if it has no words.
type text struct {
	node    *html.Node
	block   int
	element int
}

// isSkipped reports whether an element's content is no text of the page.
func isSkipped(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Title, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Select,
		atom.Textarea, atom.Video, atom.Audio, atom.Noembed, atom.Noframes, atom.Datalist:
		return true
	}
	return false
}

// isAttached reports whether an element shows something without text.
func isAttached(tag atom.Atom) bool {
	switch tag {
	case atom.Img, atom.Picture, atom.Video, atom.Audio, atom.Hr, atom.Embed, atom.Iframe, atom.Math:
		return true
	}
	return false
}

// isBorder reports whether an element ends the block before and after it.
func isBorder(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tr, atom.Td, atom.Th,
		atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section,
		atom.Article, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Main, atom.Blockquote, atom.Pre, atom.Figure,
		atom.Figcaption, atom.Form, atom.Fieldset, atom.Body, atom.Html, atom.Br, atom.Hr, atom.Address, atom.Details,
		atom.Summary, atom.Button, atom.Label, atom.Option, atom.Center, atom.Noscript, atom.Legend, atom.Dialog, atom.Search,
		atom.Hgroup:
		return true
	}
	return false
}

// Segment splits the page under root into blocks. The content of noscript must have been parsed as markup.
func Segment(root *html.Node) *Page {
	p := &Page{root: root, facts: readFacts(root)}
	p.elements, p.texts = make([]element, 0, p.facts.elements+1), make([]text, 0, p.facts.texts+1)
	p.Blocks = make([]Block, 0, p.facts.texts/2+1)
	w := &walker{page: p, classIndex: map[string]int{}, seed: signatureSeed}
	w.walk(root, place{element: -1, block: -1})
	w.flush()
	p.sum()
	return p
}

// Detach releases the tree. Keep does nothing afterwards.
func (p *Page) Detach() { p.texts, p.attachments, p.root = nil, nil, nil }

// signatureSeed is random, because signatures are only compared within one page, and equality holds under any seed.
var signatureSeed = maphash.MakeSeed()

// place is where in the tree the walker is.
type place struct {
	element int // innermost
	block   int // innermost that is a border
	depth   int
	inLink  bool
	inPre   bool
	hidden  bool
}

type walker struct {
	page       *Page
	classIndex map[string]int
	seed       maphash.Seed

	// The current block.
	text      []byte
	space     bool
	linkWords int
	first     int // of its texts
	started   bool
	at        place
}

// walk recurses: the tree's depth is bounded by the parser.
func (w *walker) walk(n *html.Node, at place) {
	switch n.Type {
	case html.TextNode:
		w.add(n, at)
		return
	case html.ElementNode:
		if isAttached(n.DataAtom) || n.DataAtom == atom.Input && isCheckbox(n) {
			w.page.attachments = append(w.page.attachments, attachment{n, at.element})
		}
		if isSkipped(n.DataAtom) {
			return
		}
	case html.DocumentNode:
	default:
		return
	}
	border := false
	if n.Type == html.ElementNode {
		at.hidden = at.hidden || isHidden(n)
		at.inLink = at.inLink || n.DataAtom == atom.A
		// Lines of code are one block, whatever their markup.
		border = isBorder(n.DataAtom) && !at.inPre
		at.inPre = at.inPre || n.DataAtom == atom.Pre
		at.depth++
		at.element = w.element(n, at)
		if border {
			w.flush()
			at.block = at.element
		} else if n.DataAtom == atom.Img || n.DataAtom == atom.Input || isBorder(n.DataAtom) {
			w.space = true
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.walk(child, at)
	}
	if border {
		w.flush()
	} else if isBorder(n.DataAtom) {
		w.space = true
	}
}

func (w *walker) element(n *html.Node, at place) int {
	e := element{parent: at.element, depth: at.depth, tag: n.DataAtom, classes: w.classesOf(n)}
	name := uint64(n.DataAtom)
	if name == 0 {
		name = maphash.String(w.seed, n.Data)
	}
	e.signature = joined(name, w.page.classes[e.classes].hash)
	if at.element >= 0 {
		parent := &w.page.elements[at.element]
		e.signature = joined(e.signature, joined(uint64(parent.tag), w.page.classes[parent.classes].hash))
	}
	w.page.elements = append(w.page.elements, e)
	return len(w.page.elements) - 1
}

// joined combines two hashes.
func joined(a, b uint64) uint64 {
	const odd1, odd2 = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	high, low := bits.Mul64(a^odd1, b^odd2)
	return high ^ low
}

func (w *walker) add(n *html.Node, at place) {
	data := n.Data
	if data == "" {
		return
	}
	blank := strings.TrimSpace(data) == ""
	if !w.started && !blank {
		w.started, w.at = true, at
	}
	if blank && !w.started {
		return
	}
	if !w.started {
		return
	}
	w.page.texts = append(w.page.texts, text{node: n, block: -1, element: at.element})
	w.fold(data)
	if at.inLink {
		w.linkWords += countWords(data)
	}
}

// fold adds text with each run of white space as one space.
func (w *walker) fold(data string) {
	for i := 0; i < len(data); {
		r, size := rune(data[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(data[i:])
		}
		if unicode.IsSpace(r) {
			w.space = true
			i += size
			continue
		}
		// Words with single spaces between them are copied at once.
		begin := i
		for i += size; i < len(data); i += size {
			if r, size = rune(data[i]), 1; r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(data[i:])
			}
			if unicode.IsSpace(r) && (r != ' ' || i+1 == len(data) || data[i+1] <= ' ' || data[i+1] >= utf8.RuneSelf) {
				break
			}
		}
		if w.space && len(w.text) > 0 {
			w.text = append(w.text, ' ')
		}
		w.space = false
		w.text = append(w.text, data[begin:i]...)
	}
}

// flush ends the current block.
func (w *walker) flush() {
	p := w.page
	texts := p.texts[w.first:]
	w.first = len(p.texts)
	if !w.started {
		return
	}
	written := string(w.text)
	if words := countWords(written); words > 0 && w.at.block >= 0 {
		for i := range texts {
			texts[i].block = len(p.Blocks)
		}
		p.Blocks = append(p.Blocks, Block{
			Text: written, Words: words, linkWords: min(w.linkWords, words), element: w.at.block, hidden: w.at.hidden,
			textHash: maphash.String(w.seed, written),
		})
	}
	w.text = w.text[:0]
	w.linkWords, w.started, w.space = 0, false, false
}

// sum adds up for each element the counts of its content.
func (p *Page) sum() {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		e := &p.elements[b.element]
		e.words += b.Words
		e.linkWords += b.linkWords
		e.blocks++
		if e.tag == atom.P {
			e.paragraphs++
		}
		if b.Words > sentenceWordsMin {
			e.sentenceWords += b.Words
		}
		p.words += b.Words
	}
	for i := len(p.elements) - 1; i >= 0; i-- { // an element comes before its content
		e := &p.elements[i]
		if e.parent < 0 {
			continue
		}
		parent := &p.elements[e.parent]
		parent.words += e.words
		parent.linkWords += e.linkWords
		parent.blocks += e.blocks
		parent.paragraphs += e.paragraphs
		parent.sentenceWords += e.sentenceWords
	}
}

// sentenceWordsMin is the length from which a block is more likely a sentence than a label.
const sentenceWordsMin = 10

// isCheckbox reports whether an input is a checkbox, which task lists show.
func isCheckbox(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "type" {
			return a.Val == "checkbox"
		}
	}
	return false
}

func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "style":
			if len(a.Val) > 2000 {
				continue
			}
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// wordBytes are the ASCII characters of words.
var wordBytes = func() (table [utf8.RuneSelf]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" {
		table[c] = true
	}
	return table
}()

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordBytes[r]
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func countWords(s string) int {
	words, inside := 0, false
	for _, r := range s {
		is := r < utf8.RuneSelf && wordBytes[r] || r >= utf8.RuneSelf && isWordRune(r)
		if is && !inside {
			words++
		}
		inside = is
	}
	return words
}

// eachWord yields the words of s: the runs of letters, digits and underscores, as written.
func eachWord(s string) iter.Seq[string] {
	return func(yield func(word string) bool) {
		start := -1
		for i, r := range s {
			switch is := r < utf8.RuneSelf && wordBytes[r] || r >= utf8.RuneSelf && isWordRune(r); {
			case is && start < 0:
				start = i
			case !is && start >= 0:
				if !yield(s[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(s[start:])
		}
	}
}
