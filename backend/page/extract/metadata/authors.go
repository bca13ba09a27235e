package metadata

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

const (
	authorBytesMax = 100
	bylineBytesMax = 200
)

// namedAuthors are the page's authors, from the first source that names one. own is false if visible ones are others'.
func (c *Claims) namedAuthors(root *html.Node, own bool) []string {
	sources := []string{
		"ld", "meta:citation_author", "meta:author", "meta:article:author", "meta:parsely-author", "meta:sailthru.author", "meta:byl",
		"meta:dc.creator", "meta:dcterms.creator",
	}
	if own {
		sources = append(sources, "itemprop", "rel")
	}
	for _, source := range sources {
		var out []string
		for _, claim := range c.authors[source] {
			for _, name := range splitNames(claim, source) {
				if !slices.Contains(out, name) && len(out) < AuthorsMax {
					out = append(out, name)
				}
			}
			if source == "itemprop" || source == "rel" {
				break // later ones may be authors of comments
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if !own {
		return nil
	}
	return byline(root)
}

// splitNames are the names in a claim. A comma may also separate a family name from a given one, or a name from a job
// title: it separates people only if all parts look like full names.
func splitNames(claim, source string) []string {
	claim = withoutBy(claim)
	if source == "meta:citation_author" {
		return acceptNames([]string{claim})
	}
	for _, and := range []string{" and ", " & ", " und ", " et ", " y ", "、", "；"} {
		claim = strings.ReplaceAll(claim, and, ";")
	}
	parts := strings.FieldsFunc(claim, func(r rune) bool { return r == ';' || r == '|' })
	var out []string
	for _, part := range parts {
		byComma := strings.Split(part, ",")
		if slices.ContainsFunc(byComma, func(s string) bool { return len(strings.Fields(s)) < 2 }) {
			byComma = []string{part}
		}
		out = append(out, byComma...)
	}
	return acceptNames(out)
}

func acceptNames(list []string) []string {
	var out []string
	for _, name := range list {
		name = strings.Trim(dom.Fold(name), " ,;:|-–—")
		if name == "" || len(name) > authorBytesMax || strings.Contains(name, "://") || !strings.ContainsFunc(name, unicode.IsLetter) {
			continue // a profile's address is not a name
		}
		out = append(out, name)
	}
	return out
}

// by are the words that begin a byline.
var by = []string{
	"written by ", "posted by ", "published by ", "story by ", "by ", "by: ", "von ", "par ", "por ", "di ", "door ", "av ", "af ",
	"autor: ", "author: ", //nolint:misspell // German and Spanish
	"作者：", "作者:", "文／", "文/",
}

// withoutBy removes the words that begin a byline.
func withoutBy(s string) string {
	s = dom.Fold(s)
	for _, word := range by {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) {
			return s[len(word):]
		}
	}
	return s
}

// byline is the visible author, for pages that state it nowhere else: a short text marked as byline or author.
func byline(root *html.Node) []string {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		marked := bylineMark(dom.Attr(n, "class"))
		if marked == "" {
			marked = bylineMark(dom.Attr(n, "id"))
		}
		if marked == "" {
			continue
		}
		text := dom.Fold(dom.PlainText(n))
		if text == "" || len(text) > bylineBytesMax {
			continue
		}
		name := withoutBy(text)
		if name == text && marked == "byline" && !isName(text) {
			continue
		}
		if end := strings.IndexFunc(name, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("|·•–—(,/@", r) }); end >= 0 {
			name = name[:end]
		}
		if name = strings.TrimSpace(name); isName(name) {
			return acceptNames([]string{name})
		}
	}
	return nil
}

// bylineMark reports which mark of a byline a class contains: "byline", "author", or none.
func bylineMark(class string) string {
	// Most classes have neither word, in whatever case: skip those without a copy.
	if class == "" || len(class) > 500 || !strings.Contains(class, "uthor") && !strings.Contains(class, "yline") {
		return ""
	}
	class = strings.ToLower(class)
	switch {
	case strings.Contains(class, "byline"):
		return "byline"
	case !strings.Contains(class, "author"):
		return ""
	case strings.Contains(class, "comment"), strings.Contains(class, "bio"), strings.Contains(class, "avatar"), strings.Contains(class, "authori"):
		return ""
	}
	return "author"
}

// isName reports whether s looks like the name of a person: one to five words, each of which begins with a capital, is in
// a script without capitals, or is a particle.
func isName(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 5 || len(s) > authorBytesMax {
		return false
	}
	capitals := 0
	for _, word := range words {
		r, _ := utf8.DecodeRuneInString(word)
		switch {
		case unicode.IsUpper(r), unicode.IsLetter(r) && !unicode.IsLower(r):
			capitals++
		case !unicode.IsLetter(r) || len(word) > 4:
			return false
		}
	}
	return capitals > 0 && (len(words) > 1 || utf8.RuneCountInString(s) > 1)
}
