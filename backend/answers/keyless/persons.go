package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// introduction matches what a page is called that tells of somebody: "About Plum & Sons".
var introduction = regexp.MustCompile(`^(?:About|Contact|Visit|Visiting|Welcome to|Meet|Über|Willkommen (?:bei|im|in)|À propos de|Bienvenue (?:à|au|chez)) (\p{Lu}.{2,80})$`)

// introduces takes whom a page tells of for one of its names.
func (p *page) introduces(name string) {
	if m := introduction.FindStringSubmatch(name); m != nil && !slices.Contains(p.names, m[1]) {
		p.names = append(p.names, m[1])
	}
}

// unlikePosition are words of greetings and sentences, which no position has.
var unlikePosition = set("is was are were am welcome hello hi my your i we you home back about contact menu profile team staff people by from posted " +
	"published updated written words text")

// roleBelow reads the line below the headline of somebody's own page as the position: "Ada Plum", and below it "Head of Dyeing".
func (p *page) roleBelow(n *html.Node, name string) {
	if p.margins > 0 || len(strings.Fields(name)) < 2 || !isPerson(name, false) {
		return
	}
	next := n.NextSibling
	for next != nil && next.Type != html.ElementNode {
		if next.Type == html.TextNode && strings.TrimSpace(next.Data) != "" {
			return
		}
		next = next.NextSibling
	}
	if next == nil || next.Data != "p" && next.Data != "div" && next.Data != "span" && next.Data != "h2" && next.Data != "h3" {
		return
	}
	line := squeeze(textOf(next))
	all := plainWords(line)
	if len(all) == 0 || len(all) > titleWords || len(line) > 80 || digits(line) || strings.ContainsAny(line, ".!?:@|/") || !isUpper([]rune(line)[0]) ||
		slices.ContainsFunc(all, func(word string) bool { return unlikePosition[word] }) {
		return
	}
	p.add(fact{label: "position", value: line, quote: line, trust: 0.82})
}
