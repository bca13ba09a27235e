package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// group is elements of one sort side by side, such as cards, entries of a list and rows of a table without a header, each with its texts.
type group struct {
	entries []entry
	// around are the words of what names it: the headings above it, its class.
	around string
}

// entry is one of a group: its texts in their order, and all that it shows.
type entry struct {
	pieces []string
	quote  string
	// isLabelled reports that it is a label with its value.
	isLabelled bool
}

const (
	groupsMax   = 200
	entriesMax  = 300
	piecesMax   = 10
	pieceBytes  = 120
	entryNodes  = 80
	entryHeight = 8
)

// group takes down what an element holds that is a group, and reports whether it is one whose entries have several texts each.
func (p *page) group(n *html.Node) bool {
	if p.margins > 0 || len(p.groups) >= groupsMax || isAside(p.headings[2:]) {
		return false
	}
	var run []*html.Node
	found := false
	flush := func() {
		found = p.entries(n, run) || found
		run = nil
	}
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "":
			flush()
		case child.Type != html.ElementNode:
		case isInline(child) || skipped(child) || headingLevel(child) > 0 || slices.Contains([]atom.Atom{atom.Dl, atom.Table, atom.Dt, atom.Dd}, child.DataAtom):
			flush()
		default:
			if len(run) > 0 && sortOf(run[0]) != sortOf(child) {
				flush()
			}
			if len(run) < entriesMax {
				run = append(run, child)
			}
		}
	}
	flush()
	return found
}

// isCardNode reports whether an element is one of several of a sort side by side that begin with a heading of one level: what stands behind it
// is not under that heading.
func isCardNode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Li, atom.Article, atom.Section, atom.Td:
	default:
		return false
	}
	level := firstHeading(n)
	if level < 2 {
		return false
	}
	for _, next := range []func(*html.Node) *html.Node{
		func(x *html.Node) *html.Node { return x.PrevSibling }, func(x *html.Node) *html.Node { return x.NextSibling },
	} {
		if other := besides(n, next); other != nil && sortOf(other) == sortOf(n) && firstHeading(other) == level {
			return true
		}
	}
	return false
}

// firstHeading is the level of the heading that an element begins with, 0 where there is none near its beginning.
func firstHeading(n *html.Node) int {
	nodes := 0
	for inner := range n.Descendants() {
		if nodes++; nodes > entryNodes/2 {
			return 0
		}
		if level := headingLevel(inner); level > 0 {
			return level
		}
	}
	return 0
}

// sortOf is by what elements are told to be alike: their names and first classes, which those behind only vary.
func sortOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "class" {
			return n.Data + " " + firstWordOf(limit(a.Val, 300))
		}
	}
	return n.Data
}

// chosen reads what may be chosen among buttons, or in a list that opens, under the title before them: "Choose your size:".
func (p *page) chosen(n *html.Node) {
	if p.margins > 0 || !offersChoice(n) {
		return
	}
	label := ""
	var entries []string
	nodes := 0
	for inner := range n.Descendants() {
		if nodes++; nodes > 10*entryNodes {
			return
		}
		switch {
		case inner.DataAtom == atom.Button || inner.DataAtom == atom.Option && !isPlaceholder(inner):
			if entry := squeeze(textOfAll(inner)); entry != "" && len(entry) <= titledBytes && label != "" {
				entries = append(entries, entry)
			}
		case inner.Type == html.TextNode && strings.TrimSpace(inner.Data) != "" && !isWithin(inner, n, atom.Button, atom.Option):
			if label != "" {
				return // more than a title
			}
			label = squeeze(inner.Data)
		}
	}
	label = strings.TrimSpace(chooseText.ReplaceAllString(strings.TrimRight(label, ": "), ""))
	if label == "" || len(label) > 40 || len(entries) < 2 || len(entries) > titledMax {
		return
	}
	value := strings.Join(entries, "\n")
	p.add(fact{label: label, value: value, quote: value, around: label, trust: 0.9, list: true})
}

// chooseText matches what a title has before the name of what may be chosen.
var chooseText = regexp.MustCompile(`(?i)^(?:please )?(?:choose|select|pick)(?: an?| your| the)?\b`)

// isPlaceholder reports whether an option is none.
func isPlaceholder(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "value" && a.Val == "" || a.Key == "disabled" })
}

// isWithin reports whether a node stands in an element of some sorts, below an outer one.
func isWithin(n, outer *html.Node, sorts ...atom.Atom) bool {
	for at := n.Parent; at != nil && at != outer; at = at.Parent {
		if slices.Contains(sorts, at.DataAtom) {
			return true
		}
	}
	return false
}

// offersChoice reports whether an element has buttons or options among its children, or those of its cells.
func offersChoice(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Button || child.DataAtom == atom.Select {
			return true
		}
		if child.DataAtom != atom.Td {
			continue
		}
		for inner := range child.ChildNodes() {
			if inner.DataAtom == atom.Select {
				return true
			}
		}
	}
	return false
}

const (
	// titledMax is how many entries a list may have that is elements with a title before them, titledBytes how long each may be.
	titledMax, titledBytes = 60, 60
)

// titledList reads an element whose first part is a title, and whose other parts are of one sort and name one thing each, as a list.
func (p *page) titledList(n *html.Node) {
	if p.margins > 0 || n.DataAtom != atom.Div && n.DataAtom != atom.Section {
		return
	}
	nodes, texts, ok := leavesOf(n)
	if !ok || len(texts) < 3 || len(texts) > titledMax {
		return
	}
	title := texts[0]
	if len(plainWords(title)) > 5 || digits(title) || strings.HasSuffix(title, ".") || strings.HasSuffix(title, "?") || isVerdict(title) {
		return
	}
	entries := texts[1:]
	for i, text := range entries {
		if sortOf(nodes[i+1]) != sortOf(nodes[1]) || len(text) > titledBytes || strings.ContainsAny(text, ":@") || strings.HasSuffix(text, ".") || isVerdict(text) ||
			mayBeMoney(text) || slices.Contains(entries[:i], text) {
			return
		}
	}
	value := strings.Join(entries, "\n")
	p.add(fact{label: title, value: value, quote: value, around: title, trust: 0.9, list: true})
}

// entries takes down elements of one sort as a group, where all of them are short and have several texts.
func (p *page) entries(n *html.Node, run []*html.Node) bool {
	if len(run) < 2 {
		return false
	}
	g := group{around: strings.Join(p.headings[2:], " ") + " " + strings.Join(classWords(n), " ")}
	for _, child := range run {
		pieces, ok := piecesOf(child)
		if ok && len(pieces) == 1 {
			pieces = splitEntry(pieces[0])
		}
		if !ok || len(pieces) < 2 {
			return false
		}
		g.entries = append(g.entries, entry{pieces: pieces, quote: squeeze(textOf(child))})
	}
	return p.keep(g)
}

// entryMarks matches what parts the values of an entry that is one text: "Eastgate: leaves at 11:10, £2.75".
var entryMarks = regexp.MustCompile(`\s*(?:: | [–—] |\.{3,}|, )\s*`)

// splitEntry parts an entry that is one text.
func splitEntry(text string) []string {
	var out []string
	for _, part := range entryMarks.Split(text, piecesMax) {
		if part = strings.Trim(part, " .;"); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// keep keeps a group, and its prices under their names.
func (p *page) keep(g group) bool {
	named := setOf(nil)
	labels := 0
	for _, e := range g.entries {
		name := e.pieces[0]
		if !hasLetter(name) || named[name] || isVerdict(name) || moneyText.MatchString(name) || strings.HasSuffix(name, ":") || strings.HasSuffix(name, "?") {
			return false
		}
		if named[name] = true; p.isLabel(name) {
			labels++
		}
	}
	if labels*2 > len(g.entries) {
		return false // labels with their values
	}
	p.groups = append(p.groups, g)
	for _, e := range g.entries {
		if at := e.amount(p.language); at > 0 && len(e.pieces[0]) <= labelBytes && isAmount(e.pieces[at], p.language) {
			p.add(fact{label: e.pieces[0], value: e.pieces[at], quote: e.quote, around: g.around, trust: 0.82})
		}
	}
	return true
}

// amount is the one piece with an amount of money, 0 where there is none or are several.
func (e entry) amount(language string) int {
	at := 0
	for i, piece := range e.pieces {
		switch n := len(parts(piece, "money", language, nil)); {
		case n == 0:
		case n > 1 || at > 0 || i == 0:
			return 0
		default:
			at = i
		}
	}
	return at
}

// piecesOf are the texts of an element one by one, but for marks; it reports false where they are many or long.
func piecesOf(n *html.Node) ([]string, bool) {
	var out []string
	nodes := 0
	var visit func(n *html.Node, depth int) bool
	visit = func(n *html.Node, depth int) bool {
		for child := range n.ChildNodes() {
			nodes++
			switch {
			case nodes > entryNodes || depth > entryHeight:
				return false
			case child.Type == html.TextNode:
				if len(child.Data) > 10*pieceBytes {
					return false
				}
				if text := strings.Trim(squeeze(child.Data), " .,:;…|·•–—-"); strings.ContainsFunc(text, isWritten) {
					out = append(out, text)
				}
			case child.Type != html.ElementNode || skipped(child):
			case !visit(child, depth+1):
				return false
			}
			if len(out) > piecesMax || len(out) > 0 && len(out[len(out)-1]) > pieceBytes {
				return false
			}
		}
		return true
	}
	return out, visit(n, 0)
}

// isWritten reports whether a rune is more than a mark between texts.
func isWritten(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 0xBF && !strings.ContainsRune("–—…•‹›→", r) || r == '✓' || r == '✗'
}

// bareRows takes down the rows of a table without a header as a group.
func (p *page) bareRows(text [][]string, caption string) {
	if p.margins > 0 || len(text) < 2 || len(p.groups) >= groupsMax || isAside(p.headings[2:]) {
		return
	}
	g := group{around: caption + " " + strings.Join(p.headings[2:], " ")}
	for _, row := range text {
		if len(row) < 2 || len(row) > piecesMax || len(row) != len(text[0]) || slices.ContainsFunc(row, func(cell string) bool { return cell == "" || len(cell) > pieceBytes }) {
			return
		}
		g.entries = append(g.entries, entry{pieces: row, quote: strings.Join(row, " ")})
	}
	p.keep(g)
}
