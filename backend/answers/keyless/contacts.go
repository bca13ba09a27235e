package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reaching are the senses of how somebody is reached, which each page has of its site too.
var reaching = set("phone email fax address hours officehours contactperson street postcode")

// isContact reports whether how somebody is reached is wanted.
func (w *want) isContact() bool {
	if w.kind == "phone" || w.kind == "email" {
		return true
	}
	return slices.ContainsFunc(append(slices.Clone(w.name), w.described...), func(term string) bool { return reaching[term] })
}

// blockBytesMax is how much of a block of contacts is looked at for whose they are.
const blockBytesMax = 1000

// isSiteBlock reports whether an element is of the site, or of whom one turns to there, so that contacts in it are not of whom the page
// is about.
func isSiteBlock(n *html.Node) bool {
	if isMargin(n) {
		return true
	}
	for _, a := range n.Attr {
		if a.Key != "class" && a.Key != "id" || len(a.Val) > 300 {
			continue
		}
		all := words(a.Val)
		isOf := func(some ...string) bool {
			return slices.ContainsFunc(all, func(word string) bool { return slices.Contains(some, word) })
		}
		if isOf("masthead", "colophon", "imprint", "impressum", "helpdesk", "helpline", "footer", "hotline") {
			return true
		}
		if isOf("site", "page", "corporate", "publisher", "support", "service") && isOf("info", "contact", "contacts", "bar", "foot", "head", "meta", "phone", "details") {
			return true
		}
	}
	return false
}

// enter notes the block of contacts that an element begins, and returns what leaves it.
func (p *page) enter(n *html.Node) func() {
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html || n.DataAtom == atom.Main || !isSiteBlock(n) {
		return func() {}
	}
	outer := p.inside
	p.inside = limit(squeeze(textOf(n)), blockBytesMax)
	return func() { p.inside = outer }
}

// siteText matches whom sites have one turn to: the newsroom, those who answer questions about this page. "Call us" is not among it,
// which stands on pages about people, too.
var siteText = regexp.MustCompile(`(?i)\b(?:webmasters?|editors?|editorial|newsroom|news ?desk|help ?desk|helpline|customer (?:service|services|care|support)|switchboard|` +
	`subscriptions?|advertising|imprint|impressum|this (?:site|website|page|listing|entry)|corrections?)\b`)

// isOfAnother reports whether a contact is not of the subject of the task: it stands in a part of the page that is the site's, or in a
// block, an object or a line with the name of somebody else.
func (f *finder) isOfAnother(w *want, said, heading, block string, p placed) bool {
	if !w.isContact() || p.isFile || f.isOfSite(p.page) {
		return false
	}
	if f.asked.mentions(said, p.page) {
		return false
	}
	if block != "" {
		return !f.asked.mentions(block, p.page)
	}
	return siteText.MatchString(said+" "+heading) || f.hasPerson(said, p.page) || f.isEverywhere(said, p.page)
}

// isEverywhere reports whether a phone number or an address for mail stands on another page of the site, too, that does not name the
// subject: then it is of the site.
func (f *finder) isEverywhere(said string, p *page) bool {
	var contacts []string
	for _, kind := range []string{"phone", "email"} {
		for _, found := range parts(said, kind, p.language, nil) {
			contacts = append(contacts, found.text)
		}
	}
	if len(contacts) == 0 {
		return false
	}
	head := f.asked.subjects(p)[0]
	return slices.ContainsFunc(f.read, func(other *page) bool {
		if other.source.URL == p.source.URL || other.source.Document == nil || !slices.Equal(other.hosts, p.hosts) || coversText(other, head) {
			return false
		}
		return slices.ContainsFunc(contacts, func(contact string) bool { return strings.Contains(other.source.Document.Text, contact) })
	})
}

// hasPerson reports whether a line has the name of somebody before the first number or address in it, who is not the subject.
func (f *finder) hasPerson(said string, p *page) bool {
	end := strings.IndexAny(said, "0123456789@+")
	if end < 0 {
		return false
	}
	for _, at := range nameText.FindAllStringIndex(said[:end], 10) {
		name := strings.TrimRight(said[at[0]:at[1]], " .,'’&-")
		all := plainWords(name)
		if at[0] == 0 || len(all) < 2 || len(all) > 3 || !isPerson(name, false) || slices.ContainsFunc(all, func(word string) bool {
			return f.asked.has(word) || p.context[word] || senses[singular(word)] != nil || generic[word] || weak[word]
		}) {
			continue
		}
		return true
	}
	return false
}

// isOfSite reports whether the subject of the task is whose site a page is on: the site, the last part of the title or the host has its
// name, or the page is the first of its site.
func (f *finder) isOfSite(p *page) bool {
	subjects := f.asked.subjects(p)
	if len(subjects) == 0 {
		return true
	}
	joined := strings.Join(subjects[0], "")
	for _, host := range p.hosts {
		if len(host) > 4 && host != "example" && (strings.HasPrefix(joined, host) || len(joined) > 4 && strings.HasPrefix(host, joined)) {
			return true
		}
	}
	return slices.ContainsFunc(p.sites, func(site string) bool { return slices.Equal(plainWords(site), subjects[0]) })
}
