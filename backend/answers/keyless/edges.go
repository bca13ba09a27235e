package keyless

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

const (
	// edgeTrust is what is left of the trust in what is said at the edge of a page, edgeTrustMin the least that is.
	edgeTrust, edgeTrustMin = 0.85, 0.62
	// edgeNameBytes is how long a text at the edge may be to tell by a name in it whose contacts it has.
	edgeNameBytes = 800
)

// edges reads how somebody is reached from the headers, footers and asides of the page, and nothing else: they are of the site.
func (p *page) edges() {
	if p.isFile {
		return
	}
	found := ask.Edges(p.source)
	for _, n := range found {
		p.homes = append(p.homes, p.homeLinks(n)...)
	}
	for _, n := range found {
		if !says(n, "related", "recommended", "recommendations", "similar", "sponsored", "comments", "comment", "advert", "promo") {
			p.edge(n)
		}
	}
}

func (p *page) edge(n *html.Node) {
	e := &page{
		source: p.source, language: p.language, context: p.context, hosts: p.hosts, sites: p.sites, homes: p.homes, margins: 1,
		coded: map[string]bool{}, all: map[string]bool{}, inside: namedIn(n),
	}
	for child := range n.ChildNodes() {
		e.walk(child)
	}
	for inner := range n.Descendants() {
		switch {
		case inner.DataAtom == atom.A:
			e.linked(inner)
		case inner.DataAtom == atom.Address || says(inner, "vcard", "adr", "address", "contact", "contacts"):
			e.reached(inner)
		}
	}
	for _, f := range e.facts {
		if len(p.facts) >= factsMax || f.question || !slices.ContainsFunc(f.terms, func(term string) bool { return reaching[term] }) {
			continue
		}
		f.edge, f.card, f.trust = true, "", max(f.trust*edgeTrust, edgeTrustMin)
		p.facts = append(p.facts, f)
	}
}

// reached reads a block of contacts whose lines have no labels: phone numbers and addresses for mail are known by how they are written,
// and what an element for addresses has besides is where the house stands.
func (p *page) reached(n *html.Node) {
	var rest []string
	lines := strings.Split(textOf(n), "\n")
	for i, line := range lines {
		phones, mails := parts(line, "phone", p.language, nil), parts(line, "email", p.language, nil)
		switch {
		case len(phones) == 1 && phones[0].text == line:
			p.add(fact{label: "phone", value: line, quote: line, trust: 0.75})
		case len(mails) == 1 && mails[0].text == line:
			p.add(fact{label: "email", value: line, quote: line, trust: 0.75})
		case len(phones)+len(mails) > 0 || strings.Contains(line, ":"):
			if len(rest) > 0 && digits(strings.Join(rest, "")) {
				lines = lines[:i] // what follows is something else
			}
		case i == 0 && p.isSite(plainWords(line)):
		case i < len(lines):
			rest = append(rest, line)
		}
	}
	value := strings.Join(rest, " ")
	if n.DataAtom != atom.Address && !says(n, "adr", "address") || len(rest) > 5 || len(value) > addressBytes || !isHouse(value) {
		return
	}
	p.add(fact{label: "address", value: value, quote: value, trust: 0.8})
}

// addressBytes is how long an address may be.
const addressBytes = 160

// isHouse reports whether a text may say where a house stands: it has a number and two words with capitals, and is no sentence.
func isHouse(text string) bool {
	capitals := 0
	for word := range strings.FieldsSeq(text) {
		if isNameWord(strings.Trim(word, ",.(")+"x") && !digits(word) {
			capitals++
		}
	}
	return digits(text) && capitals > 1 && !strings.ContainsAny(text, "!?@©") && !yearText.MatchString(text)
}

// namedIn is the text of an edge by which its contacts may be another's than the site's: without that of its links, which lead to other
// things; "" where it is long.
func namedIn(n *html.Node) string {
	var out strings.Builder
	writeUnlinked(&out, n)
	if text := squeeze(out.String()); len(text) <= edgeNameBytes {
		return text
	}
	return ""
}

// writeUnlinked recurses as deep as the tree.
func writeUnlinked(out *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		out.WriteString(n.Data)
	case n.DataAtom == atom.A, skipped(n):
		return
	}
	for child := range n.ChildNodes() {
		out.WriteByte(' ')
		writeUnlinked(out, child)
	}
}

// isOfEdge reports whether what the edge of a page says is of whom the task is about: the site, or who is named beside it.
func (f *finder) isOfEdge(w *want, fact fact, p placed) bool {
	if !w.isContact() || len(f.asked.entities) == 0 || f.asked.headless || siteText.MatchString(fact.label+" "+fact.around) {
		return false
	}
	head := f.asked.entities[0]
	return p.isSite(head) || names(fact.block, head)
}

// isSite reports whether a name is the site's, as its pages or its host have it.
func (p *page) isSite(name []string) bool {
	joined := strings.Join(name, "")
	return len(joined) > 3 && slices.Contains(p.hosts, joined) ||
		slices.ContainsFunc(append(slices.Clone(p.homes), p.sites...), func(site string) bool { return len(name) > 0 && slices.Equal(plainWords(site), name) })
}

// homeLinks are the texts of the links of an edge that lead to the first page of the site, which is called by its name.
func (p *page) homeLinks(n *html.Node) []string {
	var out []string
	for inner := range n.Descendants() {
		if inner.DataAtom != atom.A {
			continue
		}
		for _, a := range inner.Attr {
			if a.Key == "href" && p.isRoot(a.Val) {
				out = append(out, squeeze(textOf(inner)))
			}
		}
	}
	return out
}

// isRoot reports whether a reference leads to the first page of the site.
func (p *page) isRoot(reference string) bool {
	base, err := url.Parse(p.source.URL)
	if err != nil {
		return false
	}
	u, err := base.Parse(reference)
	return err == nil && u.Host == base.Host && (u.Path == "/" || u.Path == "") && u.RawQuery == "" && u.Fragment == ""
}

// names reports whether a text has a name, word by word.
func names(text string, name []string) bool {
	return len(name) > 0 && strings.Contains(" "+strings.Join(plainWords(text), " ")+" ", " "+strings.Join(name, " ")+" ")
}
