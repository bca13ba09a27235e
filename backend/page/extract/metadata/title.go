package metadata

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// headingLettersMin is the length from which on a heading within a title is no coincidence.
const headingLettersMin = 8

// titleSeparators separate a title from the name of its site.
var titleSeparators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", "｜", " ~ ", ": "}

// title chooses among the page's titles. The title element often ends with the site's name; og:title mostly does not, but
// is the same on all pages of some sites. The heading decides which of them is right.
func (c *Claims) title(site, host string) string {
	t := titler{site: letters(site), label: letters(ownLabel(host)), host: letters(strings.TrimPrefix(host, "www."))}
	heading := strings.TrimRight(c.first("h1"), " ¶#") // links to themselves
	written := t.clean(c.first("title"), heading, c.first("og:title"))
	shared := t.clean(c.first("og:title", "meta:twitter:title"), heading)
	switch {
	case t.isPartOf(heading, written), t.isPartOf(heading, shared):
		return heading
	case written == "" && shared == "":
		return c.first("ld:headline", "ld:name", "meta:citation_title", "h1")
	case shared == "":
		return written
	case written == "":
		return shared
	case t.isSite(shared), letters(heading) == letters(written):
		return written
	}
	return shared
}

// titler knows the names of the site, as letters.
type titler struct{ site, label, host string }

func (t titler) isSite(s string) bool {
	s = letters(s)
	return s != "" && (s == t.site || s == t.label || s == t.host)
}

// isPartOf reports whether a heading is the title without additions for search engines: its beginning, or most of it. A
// short heading from elsewhere in a title is more likely the name of a section, or of a part of the site.
func (t titler) isPartOf(heading, title string) bool {
	said, whole := letters(heading), letters(title)
	if utf8.RuneCountInString(said) < headingLettersMin || t.isSite(heading) || !strings.Contains(whole, said) {
		return false
	}
	return strings.HasPrefix(whole, said) || 2*len(said) >= len(whole)
}

// clean removes the site's name from the end or the beginning of a title. If the site's name is not known, a part that
// the page repeats elsewhere is the title.
func (t titler) clean(title string, elsewhere ...string) string {
	for _, separator := range titleSeparators {
		head, tail, ok := cutLast(title, separator)
		if !ok {
			continue
		}
		if t.isSite(tail) {
			return head
		}
		for _, other := range elsewhere {
			if other != "" && letters(other) == letters(head) {
				return head
			}
		}
		if separator == ": " {
			continue // the beginning of a title before a colon is mostly its own
		}
		if first, rest, _ := strings.Cut(title, separator); t.isSite(first) {
			return strings.TrimSpace(rest)
		}
	}
	return title
}

func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	before, after = strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+len(separator):])
	return before, after, before != "" && after != ""
}

// letters are the letters and digits of s in lower case, so that "Roads Weekly" matches roadsweekly.example.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// ownLabel is the part of a host that its owner chose: "roadsweekly" of www.roadsweekly.co.uk.
func ownLabel(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	label, _, _ := strings.Cut(domain, ".")
	return label
}
