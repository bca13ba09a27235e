package answers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// namedMax is how many URLs count as named in a task.
const namedMax = 10

// urlStarts are the starts of URLs in text. Without a scheme, only hosts with www. are recognized.
var urlStarts = []string{"https://", "http://", "www."}

// urlsIn finds the URLs in a text, in order and without duplicates: those with a scheme, and hosts that begin with www.
// Punctuation around them is excluded, and so is a closing bracket that was opened before the URL.
func urlsIn(text string) []fetch.URL {
	var found []fetch.URL
	seen := map[string]bool{}
	for at := 0; at < len(text) && len(found) < namedMax; {
		start, scheme := nextURL(text, at)
		if start < 0 {
			break
		}
		raw := trimURL(text[start : start+urlLength(text[start:])])
		at = start + max(len(raw), 1)
		u, err := fetch.ParseURL(scheme + raw)
		if err != nil || scheme != "" && strings.Count(u.Hostname(), ".") < 2 {
			continue
		}
		if key := u.WithoutFragment(); !seen[key] {
			seen[key] = true
			found = append(found, u)
		}
	}
	return found
}

// nextURL returns where the next URL starts, or -1, and the scheme that it lacks.
func nextURL(text string, from int) (start int, scheme string) {
	for at := from; at < len(text); at++ {
		if b := text[at] | 0x20; b != 'h' && b != 'w' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("@._-/", before)) {
			continue
		}
		for _, prefix := range urlStarts {
			if len(text)-at <= len(prefix) || !strings.EqualFold(text[at:at+len(prefix)], prefix) {
				continue
			}
			if prefix == "www." {
				return at, "https://"
			}
			return at, ""
		}
	}
	return -1, ""
}

// urlLength is the maximum length of a URL: up to white space, or a character that no URL contains (RFC 3986, appendix C)
// and texts put around URLs.
func urlLength(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune("<>\"`{}|\\^«»“”„‘’‹›「」『』（）【】《》。、，；：！？…", r)
	})
	if end < 0 {
		return len(text)
	}
	return end
}

// trimURL cuts off what belongs to the sentence.
func trimURL(raw string) string {
	// In a list without spaces, each URL counts separately: https://a.example/,https://b.example/
	for _, border := range []string{",http://", ",https://", ";http://", ";https://"} {
		if i := strings.Index(strings.ToLower(raw), border); i > 0 && i < len(raw) {
			raw = raw[:i]
		}
	}
	opened := map[byte]byte{')': '(', ']': '['}
	for depth, i := map[byte]int{}, 0; i < len(raw); i++ {
		switch b := raw[i]; b {
		case '(', '[':
			depth[b]++
		case ')', ']':
			if depth[opened[b]]--; depth[opened[b]] < 0 {
				raw = raw[:i]
			}
		}
	}
	return strings.TrimRight(raw, ".,;:!?'*_~([")
}
