package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isBelow reports whether of two elements the second is the label of the first, as on tiles that show a number large and what it
// counts below.
func (p *page) isBelow(list []*html.Node, first, second string) bool {
	if strings.Contains(second, "\n") || second == "" || first == "" || strings.HasSuffix(first, ":") {
		return false
	}
	if says(list[1], "label", "caption", "key", "term", "title") && says(list[0], "value", "number", "figure", "count", "amount", "stat") {
		return true
	}
	return p.isLabel(second) && !p.isLabel(first) && (digits(first) || strings.Contains(first, "@")) && !digits(second)
}

// mayLabel reports whether a text in an element of its own may be the label of what stands in the next.
func mayLabel(text string) bool {
	n := len(words(text))
	switch {
	case text == "", len(text) > 60, n > 7, !hasLetter(text) && !isYear(text):
		return false
	}
	return !(n > 3 && strings.ContainsAny(text, ".!?")) && !strings.Contains(strings.TrimRight(text, ":"), ":")
}

// says reports whether one of the words of an element's class or property is one of some.
func says(n *html.Node, some ...string) bool {
	return slices.ContainsFunc(classWords(n), func(word string) bool { return slices.Contains(some, word) })
}

// classWords are the words of an element's classes and of its property: "product-price" and "productPrice" have two.
func classWords(n *html.Node) []string {
	var out []string
	for _, a := range n.Attr {
		if (a.Key == "class" || a.Key == "itemprop") && len(a.Val) <= 300 {
			out = append(out, words(a.Val)...)
		}
	}
	return out
}

// leading reads a block that begins with a label, and has its value in an element behind it: "Tel. <span>01632 960171</span>".
func (p *page) leading(n *html.Node) {
	var label strings.Builder
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode {
			label.WriteString(child.Data)
			continue
		}
		text := squeeze(label.String())
		if child.DataAtom == atom.Br || child.DataAtom == atom.Strong || child.DataAtom == atom.B || text == "" || strings.HasSuffix(text, ":") || child.NextSibling != nil &&
			strings.TrimSpace(textOf(child.NextSibling)) != "" {
			return
		}
		if value := squeeze(textOf(child)); value != "" && p.isLabel(text) && len(value) <= 300 {
			p.add(fact{label: text, value: value, quote: text + " " + value, trust: 0.92})
		}
		return
	}
}

// typed are the kinds of values that are known by how they are written.
var typed = set("money email phone date hours url number")

// classed reads a short text whose element's class, or property, says what it is: <span class="price">.
func (p *page) classed(n *html.Node) {
	if len(n.Attr) == 0 {
		return
	}
	all := classWords(n)
	if len(all) == 0 || len(all) > 12 {
		return
	}
	text := squeeze(textOf(n))
	if text == "" || len(text) > 60 || strings.HasSuffix(text, ":") {
		return
	}
	for outer := n; outer != nil && outer.Type == html.ElementNode; outer = outer.Parent {
		if outer.DataAtom == atom.Del || outer.DataAtom == atom.S || outer.DataAtom == atom.Strike {
			return
		}
	}
	sense := ""
	if slices.Contains(all, "price") {
		sense = "price"
	}
	for _, word := range all {
		s := senses[singular(word)]
		if s == nil || s.kind != "money" && s.kind != "email" && s.kind != "phone" {
			continue
		}
		if sense == "price" && s.kind == "money" {
			continue // of a sale, or so
		}
		if sense != "" && sense != s.name {
			return
		}
		sense = s.name
	}
	if sense == "" || slices.ContainsFunc(all, func(word string) bool { return former[word] }) {
		return
	}
	found := parts(text, kindOf[sense], p.language, nil)
	if len(found) != 1 || len(found[0].text)*2 < len(text) {
		return
	}
	p.add(fact{label: sense, value: found[0].text, quote: text, trust: 0.8})
}

// former are words of classes of what no longer holds, or is of a part: prices that are struck out, and those of other things.
var former = set("old was before strike struck compare original regular list rrp msrp saving savings discount unit shipping delivery from installment total subtotal cart label " +
	"through struckthrough")

// linked reads links that dial or write.
func (p *page) linked(n *html.Node) {
	for _, a := range n.Attr {
		if a.Key != "href" {
			continue
		}
		address, isMail := strings.CutPrefix(a.Val, "mailto:")
		_, isPhone := strings.CutPrefix(a.Val, "tel:")
		address, _, _ = strings.Cut(address, "?")
		switch text := squeeze(textOf(n)); {
		case isMail && emailText.FindString(address) == address && address != "":
			p.add(fact{label: "email", value: address, quote: address, trust: 0.62})
		case isPhone && len(parts(text, "phone", p.language, nil)) == 1:
			p.add(fact{label: "phone", value: text, quote: text, trust: 0.62})
		}
	}
}

// isMargin reports whether an element is of the site, or about other things than the page is.
func isMargin(n *html.Node) bool {
	if n.DataAtom == atom.Footer || n.DataAtom == atom.Aside || n.DataAtom == atom.Header && n.Parent != nil && n.Parent.DataAtom == atom.Body {
		return true
	}
	return says(n, "footer", "sidebar", "related", "recommended", "recommendation", "recommendations", "upsell", "upsells", "similar", "sponsored", "newsletter", "topbar",
		"widget", "breadcrumb", "breadcrumbs", "copyright", "promo", "advert", "advertisement", "ads", "cookie", "comments", "comment")
}

// prefixed reads a short line that begins with a label and goes on with one value of its kind: "Apply by 30 May 2026".
func (p *page) prefixed(line string) bool {
	if len(line) > 120 {
		return false
	}
	all := strings.Fields(line)
	if len(all) < 2 || len(all) > 12 || strings.Contains(line, ": ") || strings.HasSuffix(line, "?") || strings.ContainsAny(line, ";!") {
		return false
	}
	for n := min(len(all)-1, 6); n > 0; n-- {
		label := strings.Join(all[:n], " ")
		found := terms(words(label))
		known := core(found)
		if len(known) != 1 || !typed[kindOf[known[0]]] || !p.isLabel(label) {
			continue
		}
		kind, value := kindOf[known[0]], strings.TrimRight(strings.Join(all[n:], " "), ".")
		values := parts(value, kind, p.language, nil)
		if kind == "hours" || len(values) != 1 || values[0].start > 0 {
			continue
		}
		if rest := value[values[0].end:]; kind == "number" && !isMeasure(rest) || kind != "number" && len(rest) > 12 {
			continue
		}
		p.add(fact{label: label, value: value, quote: line, trust: 0.85})
		return true
	}
	return false
}

// isMeasure reports whether what follows a number is its unit, or nothing.
func isMeasure(rest string) bool {
	return !slices.ContainsFunc(words(rest), func(word string) bool { return !unitWords[word] && !isUnit(word) })
}

// listed reads the one list that stands below a heading, or below the elements around it, as what the heading names.
func (p *page) listed(n *html.Node, label string, level int) {
	var list *html.Node
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		if next.Type != html.ElementNode {
			continue
		}
		if headingLevel(next) > 0 || next.DataAtom == atom.Table || next.DataAtom == atom.Section || next.DataAtom == atom.Article || next.DataAtom == atom.Dl {
			break
		}
		if next.DataAtom == atom.Ul || next.DataAtom == atom.Ol {
			if list != nil {
				return
			}
			list = next
		}
	}
	if list == nil {
		return
	}
	if entries := entriesOf(list); len(entries) > 1 {
		p.headings[level] = ""
		p.add(fact{label: label, value: strings.Join(entries, "\n"), quote: strings.Join(entries, "\n"), around: label, trust: 0.95, list: true})
	}
}

// introduced reads a list whose name is the short text before it: "In the box:".
func (p *page) introduced(list *html.Node) {
	if p.margins > 0 {
		return
	}
	before := list.PrevSibling
	for before != nil && before.Type != html.ElementNode && strings.TrimSpace(textOf(before)) == "" {
		before = before.PrevSibling
	}
	if before == nil || before.Type == html.ElementNode && (headingLevel(before) > 0 || skipped(before)) {
		return
	}
	label := squeeze(textOf(before))
	if label == "" || len(label) > 60 || len(words(label)) > 7 ||
		!strings.HasSuffix(label, ":") && !isBold(before) && !p.isLabel(label) && !says(before, "label", "title", "heading") {
		return
	}
	if entries := entriesOf(list); len(entries) > 1 {
		p.add(fact{label: label, value: strings.Join(entries, "\n"), quote: strings.Join(entries, "\n"), around: label, trust: 0.95, list: true})
	}
}

// entriesOf are the entries of a list, none where one is long.
func entriesOf(list *html.Node) []string {
	var entries []string
	for child := range list.ChildNodes() {
		if child.DataAtom != atom.Li {
			continue
		}
		entry := squeeze(textOf(child))
		if entry == "" || len(entry) > entryBytes {
			return nil
		}
		entries = append(entries, entry)
	}
	return entries
}

// options reads what may be chosen, under the name of the choice.
func (p *page) options(n *html.Node) {
	label := ""
	var entries []string
	for inner := range n.Descendants() {
		switch inner.DataAtom {
		case atom.Legend:
			label = squeeze(textOf(inner))
		case atom.Label:
			if entry := squeeze(textOf(inner)); entry != "" && len(entry) <= entryBytes {
				entries = append(entries, entry)
			}
		}
	}
	if label != "" && len(entries) > 1 {
		p.add(fact{label: label, value: strings.Join(entries, "\n"), quote: strings.Join(entries, "\n"), around: label, trust: 0.95, list: true})
	}
}

// entryBytes is how long an entry of a list may be.
const entryBytes = 160

// counted reads a short line that is a number and what it counts: "3 bedrooms", "48,200 miles".
func (p *page) counted(line string) bool {
	if len(line) > 40 || line == "" || line[0] < '0' || line[0] > '9' {
		return false
	}
	numbers := parts(line, "number", p.language, nil)
	if len(numbers) != 1 || numbers[0].start > 0 {
		return false
	}
	label := strings.Trim(line[numbers[0].end:], " .,")
	if n := len(words(label)); n == 0 || n > 3 || strings.ContainsAny(label, "0123456789(:") {
		return false
	}
	if first := firstWordOf(label); unitWords[first] || isUnit(first) {
		return false // a measure: "1 TB storage"
	}
	p.add(fact{label: label, value: numbers[0].text, quote: line, trust: 0.82, counted: true})
	return true
}

// dated reads the line below the heading of an entry of a feed: when it was published, and by whom.
func (p *page) dated(n *html.Node) {
	first := n.FirstChild
	if first == nil || first.DataAtom != atom.Time {
		return
	}
	line := squeeze(textOf(n))
	p.add(fact{label: "published", value: squeeze(textOf(first)), quote: line, trust: 0.9})
	if _, who, ok := strings.Cut(line, " · "); ok && who != "" {
		p.add(fact{label: "author", value: who, quote: line, trust: 0.85})
	}
}

// within reads what the text beside a term says in labels of its own: "Default: 128." below the name of a setting.
func (p *page) within(term, text string) {
	if !strings.Contains(text, ": ") || len(term) > 60 {
		return
	}
	outer := p.headings
	p.headings[6] = term
	p.coded[term] = true
	for line := range strings.SplitSeq(text, "\n") {
		for _, s := range split(line) {
			if label, value, ok := strings.Cut(s, ": "); ok && p.isLabel(label) && len(value) <= 300 {
				p.add(fact{label: label, value: strings.TrimRight(value, "."), quote: s, trust: 0.9})
			}
		}
	}
	p.headings = outer
}

// aboutMeasure matches what is said behind a label of how it was measured.
var aboutMeasure = regexp.MustCompile(`(?i),? \(?(?:incl|including|excl|excluding|approx|approximately)\b.*$`)

// withoutMeasure is a label without the unit at its end: "Crossing (min)", "Weight, kg".
func withoutMeasure(label string) string {
	if at := aboutMeasure.FindStringIndex(label); at != nil && at[0] > 0 {
		label = label[:at[0]]
	}
	at := strings.LastIndexAny(label, "(,[")
	if at <= 0 {
		return label
	}
	unit := strings.ToLower(strings.Trim(label[at+1:], " )].²³23"))
	unit = strings.TrimPrefix(unit, "in ")
	if len(strings.Fields(unit)) == 1 && (unitWords[unit] || isUnit(unit)) {
		return strings.TrimSpace(label[:at])
	}
	return label
}

// isCode reports whether a heading is the name of a setting or the like, so that what stands below is said of that only.
func isCode(heading string) bool {
	return !strings.Contains(heading, " ") && (strings.HasPrefix(heading, "-") || strings.ContainsAny(strings.Trim(heading, ".:"), "._")) && hasLetter(heading)
}
