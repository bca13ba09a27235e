package main

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

const (
	sectionCount = 12
	// Pages have 10 to 50 KB and 40 to 120 links.
	pageBytesMin, pageBytesMax = 10 << 10, 50 << 10
	pageLinksMin, pageLinksMax = 40, 120
	// siteSeed makes the site the same on every machine.
	siteSeed = 2026
)

// newSite creates the pages of a site: the start page, a page for each section, and articles. Each links to its children
// in a tree, so that every page is reached, to the sections, and to random others.
func newSite(count int) *site {
	s := &site{paths: make([]string, count), titles: make([]string, count), bodies: make([][]byte, count), numbers: make(map[string]int, count)}
	for i := range s.paths {
		s.paths[i], s.titles[i] = nameOf(i)
		s.numbers[s.paths[i]] = i
	}
	for i := range s.bodies {
		w := &writer{site: s, n: i, rand: rand.New(rand.NewPCG(siteSeed, uint64(i)))} //nolint:gosec // pages, no secrets
		s.bodies[i] = w.page()
	}
	return s
}

// nameOf returns a page's path and title. All are unique, and without numbers: those would look like an endless series.
func nameOf(i int) (path, title string) {
	switch {
	case i == 0:
		return "/", "Harbours and tides"
	case i <= sectionCount:
		return "/" + nouns[i-1], "All about the " + nouns[i-1]
	}
	i -= sectionCount + 1
	section := nouns[i%sectionCount]
	i /= sectionCount
	adjective, i := adjectives[i%len(adjectives)], i/len(adjectives)
	noun, i := nouns[(sectionCount+i)%len(nouns)], i/len(nouns)
	place := places[i%len(places)]
	return fmt.Sprintf("/%s/%s-%s-of-%s", section, adjective, noun, strings.ToLower(place)),
		fmt.Sprintf("The %s %s of %s: notes for the %s", adjective, noun, place, section)
}

// writer writes one page.
type writer struct {
	site  *site
	n     int
	rand  *rand.Rand
	topic []string
	links int // still to be written
	out   strings.Builder
}

func (w *writer) pick(of []string) string { return of[w.rand.IntN(len(of))] }

// noun prefers the page's own nouns.
func (w *writer) noun() string {
	if w.rand.IntN(3) > 0 {
		return w.pick(w.topic)
	}
	return w.pick(nouns)
}

func (w *writer) page() []byte {
	size := pageBytesMin + w.rand.IntN(pageBytesMax-pageBytesMin-(4<<10))
	w.links = pageLinksMin + w.rand.IntN(pageLinksMax-pageLinksMin)
	for range 9 {
		w.topic = append(w.topic, w.pick(nouns))
	}
	w.head()
	w.navigation()
	fmt.Fprintf(&w.out, "<main><article>\n<h1>%s</h1>\n<p class=\"byline\">By <span rel=\"author\">%s Keeper</span>, <time datetime=\"2025-0%d-1%d\">last spring</time></p>\n",
		html.EscapeString(w.site.titles[w.n]), w.pick(places), 1+w.n%9, w.n%10)
	aside := w.links / 3
	body := w.links - aside
	for part := 0; w.out.Len() < size-(2<<10) || w.links > aside; part++ {
		// The links are spread evenly over the text.
		share := float64(w.out.Len()) / float64(size)
		w.part(part, body-(w.links-aside) <= int(share*float64(body)) && w.links > aside)
	}
	w.out.WriteString("</article>\n")
	w.related()
	w.out.WriteString("</main>\n<footer><p>Imprint, terms and the history of this site. Written by hand, printed on occasion.</p></footer>\n</body></html>\n")
	return []byte(w.out.String())
}

func (w *writer) head() {
	title := html.EscapeString(w.site.titles[w.n])
	fmt.Fprintf(&w.out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n", title)
	fmt.Fprintf(&w.out, "<meta name=\"description\" content=\"%s\">\n<meta name=\"viewport\" content=\"width=device-width\">\n", html.EscapeString(w.sentence()))
	fmt.Fprintf(&w.out, "<link rel=\"canonical\" href=\"%s\"><meta property=\"og:title\" content=\"%s\"><link rel=\"stylesheet\" href=\"/style.css\">\n", w.site.paths[w.n], title)
	w.out.WriteString("<style>body{max-width:60em;margin:auto}nav li{display:inline}</style>\n<script>window.dataLayer=window.dataLayer||[];dataLayer.push({page:\"article\"});</script>\n</head>\n<body>\n")
}

// navigation links to the sections, and to the page's children in the tree.
func (w *writer) navigation() {
	w.out.WriteString("<header><nav class=\"menu\"><ul>\n")
	for i := range sectionCount + 1 {
		fmt.Fprintf(&w.out, "<li>%s</li>\n", w.link(i))
	}
	w.out.WriteString("</ul></nav></header>\n<nav class=\"below\"><ol>\n")
	for _, child := range []int{2*w.n + 1, 2*w.n + 2} {
		if child < len(w.site.paths) {
			fmt.Fprintf(&w.out, "<li>%s</li>\n", w.link(child))
		}
	}
	w.out.WriteString("</ol></nav>\n")
}

func (w *writer) link(to int) string {
	w.links--
	return fmt.Sprintf("<a href=\"%s\">%s</a>", w.site.paths[to], html.EscapeString(w.site.titles[to]))
}

func (w *writer) any() int { return w.rand.IntN(len(w.site.paths)) }

func (w *writer) sentence() string {
	text := fmt.Sprintf("The %s %s %s the %s %s of %s", w.pick(adjectives), w.noun(), w.pick(verbs), w.pick(adjectives), w.noun(), w.pick(places))
	if w.rand.IntN(2) == 0 {
		text += fmt.Sprintf(", %s a %s %s %s it", w.pick(linkers), w.pick(adjectives), w.noun(), w.pick(verbs))
	}
	return text + "."
}

// part writes now and then a heading, a list, a table or code, and mostly paragraphs.
func (w *writer) part(n int, linked bool) {
	switch {
	case n%7 == 3:
		fmt.Fprintf(&w.out, "<h2 id=\"part-%d\">On the %s and its %s</h2>\n", n, w.noun(), w.noun())
	case n%11 == 5:
		w.out.WriteString("<ul>\n")
		for range 4 + w.rand.IntN(4) {
			fmt.Fprintf(&w.out, "<li>%s</li>\n", w.sentence())
		}
		w.out.WriteString("</ul>\n")
	case n%13 == 6:
		w.table()
	case n%17 == 9:
		fmt.Fprintf(&w.out, "<pre><code class=\"language-go\">func %s(%s int) int {\n\tif %[2]s &lt; 3 {\n\t\treturn %[2]s // %s\n\t}\n\treturn %[1]s(%[2]s-1) &amp; 7\n}\n</code></pre>\n",
			w.noun(), w.noun(), w.sentence())
	default:
		w.out.WriteString("<p>")
		for range 2 + w.rand.IntN(4) {
			w.out.WriteString(w.sentence() + " ")
		}
		if linked {
			fmt.Fprintf(&w.out, "See %s, <em>and what it says of the %s</em>.", w.link(w.any()), w.noun())
		}
		w.out.WriteString("</p>\n")
	}
}

func (w *writer) table() {
	fmt.Fprintf(&w.out, "<table><thead><tr><th>%s</th><th>%s</th><th>%s</th></tr></thead><tbody>\n", w.noun(), w.noun(), w.noun())
	for range 4 + w.rand.IntN(6) {
		fmt.Fprintf(&w.out, "<tr><td>%s %s</td><td>%d</td><td>%d.%d m</td></tr>\n", w.pick(adjectives), w.noun(), w.rand.IntN(1000), w.rand.IntN(30), w.rand.IntN(10))
	}
	w.out.WriteString("</tbody></table>\n")
}

func (w *writer) related() {
	w.out.WriteString("<aside class=\"related\"><h3>Related</h3><ul>\n")
	for w.links > 0 {
		fmt.Fprintf(&w.out, "<li>%s</li>\n", w.link(w.any()))
	}
	w.out.WriteString("</ul></aside>\n")
}
