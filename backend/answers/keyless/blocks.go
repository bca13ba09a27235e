package keyless

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// definitions reads a list of terms; each may have several values.
func (p *page) definitions(dl *html.Node) {
	label := ""
	var values []string
	flush := func() {
		if label != "" && len(values) > 0 {
			value := strings.Join(values, "\n")
			outer := p.headings
			p.add(fact{label: label, value: value, quote: label + " " + value, trust: 1})
			if first, _, _ := strings.Cut(label, " "); isCode(first) {
				p.coded[label] = true
				p.headings[6] = label // what is said here is of that only
			}
			p.sentencesOf(value)
			p.within(label, value)
			p.headings = outer
		}
		label, values = "", nil
	}
	for n := range dl.Descendants() {
		switch n.DataAtom {
		case atom.Dt:
			flush()
			label = squeeze(textOf(n))
		case atom.Dd:
			values = append(values, partsOf(n))
		}
	}
	flush()
}

func (p *page) pairFact(label, value string, trust float64) {
	p.add(fact{label: label, value: value, quote: label + " " + value, trust: trust})
	p.sentencesOf(value)
}

// pair reads an element that holds a label and a value, and nothing else.
func (p *page) pair(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Tbody, atom.Tr, atom.Body, atom.Html, atom.Main, atom.Section, atom.Article, atom.Form, atom.A, atom.P:
		return false
	}
	list, own := elements(n)
	if len(list) == 1 && n.DataAtom == atom.Li && (list[0].DataAtom == atom.Ul || list[0].DataAtom == atom.Ol) && p.isLabel(squeeze(own)) {
		p.pairFact(squeeze(own), textOf(list[0]), 0.95)
		return true
	}
	if len(list) == 2 && strings.Contains(textOf(list[0]), "\n") && strings.Contains(textOf(list[1]), "\n") {
		return false // two parts of a page
	}
	if len(list) != 2 || strings.Trim(own, ": ") != "" || headingLevel(list[0]) > 0 || headingLevel(list[1]) > 0 {
		return false
	}
	for _, child := range list {
		if child.DataAtom == atom.Ul && child == list[0] || child.DataAtom == atom.Table || child.DataAtom == atom.Dl ||
			child.DataAtom == atom.Section || child.DataAtom == atom.Article {
			return false
		}
	}
	for inner := range list[1].Descendants() {
		if inner.DataAtom == atom.Table || inner.DataAtom == atom.Dl {
			return false
		}
	}
	label, value := squeeze(textOf(list[0])), textOf(list[1])
	if isVerdict(label) && !hasLetter(label) && mayLabel(value) {
		p.add(fact{label: squeeze(value), value: label, quote: label + " " + value, trust: 0.95}) // a sign, and what it is of
		return true
	}
	if p.isBelow(list, label, value) {
		p.add(fact{label: squeeze(value), value: label, quote: label + " " + value, trust: 0.95})
		return true
	}
	if strings.HasSuffix(label, "?") && value != "" && len(label) <= labelBytes && len(value) <= 3000 {
		p.add(fact{label: label, value: value, quote: value, trust: 0.85, question: true})
		p.lines(value)
		return true
	}
	if p.poster(label) {
		p.lines(value)
		return true
	}
	if value == "" || len(value) > 1000 || !mayLabel(label) {
		return false
	}
	p.pairFact(label, value, 0.95)
	return true
}

// block reads an element that is one piece of text.
func (p *page) block(n *html.Node) {
	text := textOf(n)
	p.answered(text)
	if label, value, ok := strings.Cut(text, "\n"); ok && !strings.Contains(value, "\n") && !strings.HasSuffix(label, ":") && p.isLabel(label) {
		p.add(fact{label: label, value: value, quote: label + " " + value, trust: 0.95}) // one below the other
	}
	p.noteItem(text)
	if parts, own := elements(n); own == "" && len(parts) > 1 && len(text) < 2*itemBytes {
		for _, part := range parts {
			p.noteItem(textOf(part)) // parts that style sheets set apart
		}
	}
	p.bareAmount(n, text)
	p.bold(n)
	p.leading(n)
	p.marked(n)
	p.lines(text)
}

// marked reads the parts of a block that links and classes say something about.
func (p *page) marked(n *html.Node) {
	if p.margins > 0 {
		return
	}
	p.classed(n)
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.A {
			p.linked(inner)
		}
		if inner.Type == html.ElementNode {
			p.classed(inner)
		}
	}
}

// answered reads a question that stands in a block of its own, and the block behind it as its answer.
func (p *page) answered(text string) {
	question := p.question
	p.question = ""
	switch {
	case strings.HasSuffix(text, "?") && len(text) < 150 && !strings.Contains(text, "\n"):
		p.question = strings.TrimPrefix(text, "Q: ")
	case question != "" && text != "":
		p.add(fact{label: question, value: strings.TrimPrefix(text, "A: "), quote: text, trust: 0.85, question: true})
	}
}

// isLabel is isLabel for a label that may have the page's own name in it, or be known where it stands alone.
func (p *page) isLabel(text string) bool {
	all := words(text)
	return len(alone[strings.Join(all, " ")]) > 0 || isLabel(text) ||
		isLabel(strings.Join(slices.DeleteFunc(all, func(word string) bool { return p.context[word] && senses[singular(word)] == nil }), " "))
}

// isLabel reports whether a text is short and speaks of nothing but what the lexicon knows.
func isLabel(text string) bool {
	all := words(text)
	if len(text) > 60 || len(all) > labelWords || strings.ContainsAny(text, "!?;") {
		return false
	}
	found := terms(all)
	return len(core(found)) > 0 && !slices.ContainsFunc(found, func(term string) bool {
		_, known := kindOf[term]
		return !known && !isYear(term)
	})
}

// bold reads labels that are set in bold before their values.
func (p *page) bold(n *html.Node) {
	label := ""
	var value strings.Builder
	flush := func() {
		if v := squeeze(strings.TrimLeft(strings.TrimSpace(value.String()), ":–- ")); label != "" && v != "" && len(words(label)) <= 7 {
			p.add(fact{label: label, value: strings.TrimRight(v, ","), quote: v, around: label, trust: 0.9})
		}
		label = ""
		value.Reset()
	}
	for child := range n.ChildNodes() {
		switch {
		case child.DataAtom == atom.Strong || child.DataAtom == atom.B:
			flush()
			label = squeeze(textOf(child))
			if !strings.HasSuffix(label, ":") && child.PrevSibling != nil && strings.TrimSpace(textOf(child.PrevSibling)) != "" {
				label = "" // emphasis within a sentence
			}
		case child.DataAtom == atom.Br:
			if strings.TrimSpace(value.String()) != "" {
				flush()
			}
		default:
			value.WriteString(textOf(child) + " ")
		}
	}
	flush()
}
