package answers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

// namedMax is how many URLs of a task are taken for named in it.
const namedMax = 10

// urlStarts is what URLs in text begin with. What has no scheme is a host by its www.
var urlStarts = []string{"https://", "http://", "www."}

// urlsIn finds the URLs that a text names, in its order, each once: those with a scheme, and hosts that begin with www.
// Punctuation around them is the text's, and so is a closing bracket whose opening one stands before.
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

// nextURL returns where the next URL begins, or -1, and the scheme that it lacks.
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

// urlLength is how far a URL reaches at most: to white space, or what no URL has in it (RFC 3986, appendix C) and text has
// around it.
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
	// Of a list without spaces, each stands for itself: https://a.example/,https://b.example/
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
