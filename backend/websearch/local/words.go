package local

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordRunesMax is the maximum length of a word; longer runs are ignored.
const wordRunesMax = 40

// word is a word of a text in normalised form, and its position.
type word struct {
	text       string
	start, end int // bytes of the text
}

// eachWord calls f with the words of a text, in lower case without accents, until it returns false. In scripts without
// spaces, each pair of adjacent letters is a word.
func eachWord(text string, f func(word) bool) {
	start, wide := -1, false
	flush := func(end int) bool {
		if start < 0 {
			return true
		}
		from := start
		start = -1
		if wide {
			return eachPair(text, from, end, f)
		}
		if w := foldWord(text[from:end]); w != "" {
			return f(word{w, from, end})
		}
		return true
	}
	for i, r := range text {
		isWord := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if r >= utf8.RuneSelf {
			isWord = unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
		}
		if isWord && start >= 0 && isWide(r) == wide {
			continue
		}
		if !flush(i) {
			return
		}
		if isWord {
			start, wide = i, isWide(r)
		}
	}
	flush(len(text))
}

// eachPair calls f with the pairs of letters of a run without spaces.
func eachPair(text string, start, end int, f func(word) bool) bool {
	before, count := start, 0
	for i := range text[start:end] {
		if count++; count >= 2 {
			_, size := utf8.DecodeRuneInString(text[start+i:])
			if !f(word{norm.NFKC.String(text[before : start+i+size]), before, start + i + size}) {
				return false
			}
		}
		before = start + i
	}
	if count == 1 {
		return f(word{norm.NFKC.String(text[start:end]), start, end})
	}
	return true
}

// isWide reports whether r belongs to a script without spaces between words.
func isWide(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || r == 'ー') ||
		unicode.Is(unicode.Thai, r)
}

// foldWord returns the normalised form of a word; "" if it is not one.
func foldWord(s string) string {
	if isPlain(s) {
		if len(s) > wordRunesMax {
			return ""
		}
		return strings.ToLower(s)
	}
	if utf8.RuneCountInString(s) > wordRunesMax {
		return ""
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.Mn, r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(strings.ReplaceAll(b.String(), "ß", "ss"))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wordsOf returns the words of a text, up to a number.
func wordsOf(text string, most int) []string {
	var words []string
	eachWord(text, func(w word) bool {
		words = append(words, w.text)
		return len(words) < most
	})
	return words
}

// urlText returns the words of a URL: its host without www, and its path.
func urlText(u *url.URL) string {
	host := strings.TrimPrefix(u.Hostname(), "www.")
	return strings.ReplaceAll(host, ".", " ") + " " + strings.NewReplacer("/", " ", ".html", " ", ".htm", " ", ".php", " ").Replace(u.Path)
}

// domainsOf returns a host and its parent domains, without the top-level domain.
func domainsOf(host string) []string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	domains := []string{host}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return domains
	}
	for {
		_, rest, found := strings.Cut(host, ".")
		if !found || !strings.Contains(rest, ".") {
			return domains
		}
		domains = append(domains, rest)
		host = rest
	}
}
