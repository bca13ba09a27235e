package maincontent

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// addressWords are searched for in the page's address.
var addressWords = [...]string{
	"forum", "thread", "topic", "/t/", "doc", "wiki", "product", "/p/", "shop", "categor", "collection", "blog", "news", "service",
	"solution", "/20", ".html", "list", "tag", "community", "question", "guide", "reference", "api", "store", "about", "review",
}

// describePage returns the features of the page.
func (d *Describer) describePage(address string) []float32 {
	p := d.page
	links, sentences, currencies, short := 0, 0, 0, 0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		links += b.linkWords
		if b.Words > sentenceWordsMin {
			sentences += b.Words
		}
		if b.Words <= 3 {
			short++
		}
		if b.Words <= 8 && hasCurrency(b.Text) {
			currencies++
		}
	}
	most := 0
	for i := range p.elements {
		if e := &p.elements[i]; e.words > 0 && e.tag != atom.Li && e.tag != atom.A && e.tag != atom.Span && e.tag != atom.P && e.tag != atom.Td && e.tag != atom.Tr {
			most = max(most, d.alike[e.signature])
		}
	}
	row := []float32{
		log1(p.words), share(links, p.words), share(sentences, p.words), log1(len(p.Blocks)), log1(currencies), share(short, len(p.Blocks)),
		log1(most), log1(len(p.elements)),
	}
	for _, n := range p.facts.counts {
		row = append(row, log1(n))
	}
	for _, is := range p.facts.signs {
		row = append(row, flag(is))
	}
	host, path := splitAddress(address)
	row = append(row, float32(strings.Count(strings.Trim(path, "/"), "/")), log1(len(path)), flag(strings.Contains(path, "?")))
	low := strings.ToLower(path + " " + host)
	for _, word := range addressWords {
		row = append(row, flag(strings.Contains(low, word)))
	}
	return row
}

// splitAddress returns the host without www and the rest. It is no URL parser: only the words are needed.
func splitAddress(address string) (host, path string) {
	address = address[:min(len(address), 2000)]
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	host = address
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		host, path = address[:i], address[i:]
	}
	return strings.TrimPrefix(host, "www."), path
}
