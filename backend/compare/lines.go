package compare

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// run is a piece of text between the borders of blocks.
type run struct {
	text  strings.Builder
	links []string
	title string // the text of its first link or emphasis
	apart []Block

	label string // a bold line of its own that stands above it
	bold  [2]int // where its last emphasis begins and ends
	line  int    // where its last line begins
	above int    // how many links are above that line
}

// boldLineMax bounds a bold line that is read as a heading.
const boldLineMax = 80

// breakLine ends a line of text. A line without text parts paragraphs, and a bold line of its own is a label of what is below it.
func (r *reader) breakLine(at around) {
	r.run.add(" ")
	if at.kind != KindParagraph {
		return
	}
	text := r.run.text.String()
	line := strings.TrimSpace(text[r.run.line:])
	switch {
	case strings.TrimSpace(text) == "":
	case line == "":
		r.flush(at)
		return
	case r.run.bold[0] >= r.run.line && strings.TrimSpace(text[r.run.bold[0]:r.run.bold[1]]) == line && len(line) <= boldLineMax && strings.ContainsFunc(line, unicode.IsLetter):
		below := run{label: labelOf(cleanText(line)), links: slices.Clone(r.run.links[r.run.above:]), apart: r.run.apart}
		before := run{label: r.run.label, title: r.run.title, links: r.run.links[:r.run.above]}
		before.add(text[:r.run.line])
		r.run = before
		r.flush(at)
		r.run = below
		return
	}
	r.run.line, r.run.above = r.run.text.Len(), len(r.run.links)
}

// inline adds an element within a line to the run of text. What is noise by its markup, and what is a button, is put apart.
func (r *reader) inline(n *html.Node, at around) {
	switch n.DataAtom {
	case atom.Br:
		r.breakLine(at)
		return
	case atom.Img:
		if alt := cleanText(attribute(n, "alt")); alt != "" {
			r.run.apart = append(r.run.apart, Block{Kind: KindImage, Text: alt, Part: at.place(), Noise: at.noise, Group: at.group})
		}
		return
	case atom.Input:
		r.input(n, at)
		return
	}
	reason := at.noise
	if reason == "" {
		reason = r.lookOf(n)
	}
	kind := at.kind
	if isButton(n) {
		kind = KindButton
	}
	link := ""
	if n.DataAtom == atom.A {
		link = canonicalLink(attribute(n, "href"))
	}
	if r.facts[n].bytes > 0 && (reason != at.noise || kind == KindButton) {
		b := Block{Kind: kind, Text: textOf(n), Part: at.place(), Noise: reason, Form: formOf(n)}
		if link != "" {
			b.Links = []string{link}
		}
		r.run.apart = append(r.run.apart, b)
		r.run.add(" ")
		return
	}
	if !isFormatting[n.DataAtom] {
		r.run.add(" ")
	}
	if link != "" && len(r.run.links) < linksMax && (r.facts[n].bytes > 0 || hasImage(n)) {
		r.run.links = append(r.run.links, link)
	}
	before := r.run.text.Len()
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			r.run.add(c.Data)
		} else if c.Type == html.ElementNode && !isDropped(c) {
			r.inline(c, at)
		}
	}
	// A break within may have ended the run that it began in.
	if (n.DataAtom == atom.Strong || n.DataAtom == atom.B) && r.run.text.Len() > before {
		r.run.bold = [2]int{before, r.run.text.Len()}
	}
	if r.run.title == "" && (n.DataAtom == atom.A || n.DataAtom == atom.Strong || n.DataAtom == atom.B) && before <= 2 && r.run.text.Len() > before {
		r.run.title = r.run.text.String()[before:]
	}
	if !isFormatting[n.DataAtom] {
		r.run.add(" ")
	}
}

func hasImage(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.DataAtom == atom.Img {
			return true
		}
	}
	return false
}

func (r *reader) input(n *html.Node, at around) {
	switch strings.ToLower(attribute(n, "type")) {
	case "submit", "button":
		if text := cleanText(attribute(n, "value")); text != "" {
			r.run.apart = append(r.run.apart, Block{Kind: KindButton, Text: text, Part: at.place(), Noise: at.noise, Form: "button"})
		}
	}
}

// isButton reports whether an element is one to readers.
func isButton(n *html.Node) bool {
	if n.DataAtom == atom.Button || strings.EqualFold(attribute(n, "role"), "button") {
		return true
	}
	if n.DataAtom != atom.A {
		return false
	}
	for name := range strings.FieldsSeq(cutText(attribute(n, "class"), 200)) {
		for _, word := range classWords(name) {
			if word == "btn" || word == "button" || word == "cta" {
				return true
			}
		}
	}
	return false
}

func (r *run) add(text string) {
	if r.text.Len() < 2*blockBytesMax {
		_, _ = r.text.WriteString(text)
	}
}

// flush ends a run: what it says becomes a block.
func (r *reader) flush(at around) {
	text, label := cleanText(r.run.text.String()), at.label
	noise := at.noise
	switch {
	case r.run.label == "":
	case text == "":
		text = r.run.label
	default:
		label = r.run.label
		if noise == "" {
			noise = noiseHeading(label)
		}
	}
	if text != "" {
		r.emit(Block{
			Kind: at.kind, Text: text, Label: label, Group: at.group, Ordered: at.ordered, Links: r.run.links, Part: at.place(),
			Form: at.form, Noise: noise,
		})
		if last := len(r.blocks) - 1; at.kind == KindItem && at.label == "" && last >= 0 {
			if title := labelOf(cleanText(r.run.title)); title != "" && title != text && len(title) < len(text) {
				r.blocks[last].Label = title
			}
		}
	}
	apart := r.run.apart
	r.run = run{}
	for _, b := range apart {
		b.Label, b.Text = at.label, cleanText(b.Text)
		r.emit(b)
	}
}

// emit keeps a block within the bounds.
func (r *reader) emit(b Block) {
	if b.Text == "" {
		return
	}
	if len(r.headings) > 0 {
		b.Under = r.headings[len(r.headings)-1].number
	}
	b.Text, b.Label = cutText(b.Text, blockBytesMax), cutText(b.Label, labelBytesMax)
	if b.Noise == "" && b.Kind != KindHeading && b.Kind != KindRow && b.Kind != KindCode {
		if b.Noise = noiseText(b.Text); b.Noise == "" && b.Kind == KindTerm {
			b.Noise = noiseHeading(b.Label)
		}
	}
	if b.Noise == noiseDaily && hasMoney(b.Text) {
		b.Noise = "" // an offer, whatever it is called
	}
	size := len(b.Text) + len(b.Label)
	for _, link := range b.Links {
		size += len(link)
	}
	for _, cell := range b.Cells {
		size += len(cell)
	}
	if len(r.blocks) >= blocksMax || r.bytes+size > pageBytesMax {
		r.page.Cut = true
		return
	}
	r.bytes += size
	if utf8.ValidString(b.Form) {
		r.blocks = append(r.blocks, b)
		return
	}
	b.Form = ""
	r.blocks = append(r.blocks, b)
}
