package trapsite

import (
	"fmt"
	"hash/fnv"
	"html"
	"math/rand/v2"
	"net/http"
	"strings"
)

// vocabulary has the words of the pages.
var vocabulary = strings.Fields(`harbour market lantern copper river window garden letter engine bridge winter orchard castle
	silver meadow thunder whisper marble velvet canyon beacon compass anchor timber feather granite willow ember
	carries follows builds keeps opens answers crosses measures gathers describes repairs returns shelters remembers
	quiet narrow bright ancient hidden patient broken gentle distant northern hollow steady crowded forgotten
	between beyond under beside across without around before after every another several many few
	people traders children builders sailors farmers teachers painters clerks neighbours visitors strangers
	because although whenever until while wherever morning evening season journey story promise question reason
	bread water stone paper glass wool iron salt honey smoke music silence`)

// randomOf is a random source derived from a text.
func randomOf(text string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))               // never fails
	return rand.New(rand.NewPCG(hash.Sum64(), 1)) //nolint:gosec // words, not secrets
}

// prose is the text of a page: the given number of sentences in paragraphs, derived from its name.
func prose(name string, sentences int) string {
	random := randomOf(name)
	var out strings.Builder
	out.WriteString("<p>")
	for i := range sentences {
		words := make([]string, 8+random.IntN(9))
		for j := range words {
			words[j] = vocabulary[random.IntN(len(vocabulary))]
		}
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
		out.WriteString(strings.Join(words, " ") + ". ")
		if i%4 == 3 {
			out.WriteString("</p>\n<p>")
		}
	}
	out.WriteString("</p>\n")
	return out.String()
}

// link is a link as pages write it; to may be anything.
func link(to, text string) string {
	return `<li><a href="` + html.EscapeString(to) + `">` + html.EscapeString(text) + "</a></li>\n"
}

// document is a page of the site, with the frame that all its pages share.
func document(title, head, body string) string {
	return fmt.Sprintf(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s – The Harbour Post</title>%s</head>
<body>
<header><a href="/">The Harbour Post</a>
<nav><ul><li><a href="/articles/">Articles</a></li><li><a href="/docs/">Documentation</a></li><li><a href="/shop">Shop</a></li>
<li><a href="/events/">Events</a></li><li><a href="/about?utm_source=header&amp;utm_medium=nav">About us</a></li></ul></nav></header>
<main><h1>%s</h1>
%s</main>
<footer><p>The Harbour Post has been printed by the old quay since the lamps were lit, and is read by whoever waits for a ship.</p></footer>
</body></html>
`, html.EscapeString(title), head, html.EscapeString(title), body)
}

// write responds with a page.
func write(w http.ResponseWriter, page string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(page)) // a client that has gone needs no response
}
