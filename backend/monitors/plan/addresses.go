package plan

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// addressesMax is how many addresses of a sentence are read.
const addressesMax = 20

// address is a URL or a bare domain in a sentence.
type address struct {
	url fetch.URL
	// bare reports a domain without a scheme.
	bare bool
	// start and end are the address's byte offsets in the sentence.
	start, end int
	// except reports that the sentence excludes the address: "but not on example.com".
	except bool
}

// written matches possible addresses: URLs, and domains of any script with the path or query that follows.
var written = regexp.MustCompile(`(?i)https?://[^\s<>"` + "`" + `{}|\\^«»“”„‘’‹›「」『』（）【】《》。、，；：！？…]+` +
	`|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]{1,62}(?::\d{1,5})?(?:[/?][^\s<>"` + "`" + `{}|\\^«»“”„‘’‹›「」『』（）【】《》。、，；：！？…]*)?`)

// fileEndings are top-level domains that usually end file names in sentences. With a scheme or path they count as domains.
var fileEndings = []string{"md", "py", "zip", "mov", "sh", "rs", "pl", "so"}

// addressesIn finds the addresses of a sentence, in order and without duplicates.
func addressesIn(sentence string) []address {
	var found []address
	seen := map[string]bool{}
	for _, at := range written.FindAllStringIndex(sentence, -1) {
		raw := trimAddress(sentence[at[0]:at[1]])
		before, _ := utf8.DecodeLastRuneInString(sentence[:at[0]])
		after, _ := utf8.DecodeRuneInString(sentence[at[0]+len(raw):])
		if at[0] > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("@._-/", before)) || after == '@' {
			continue // part of an email address or another word
		}
		a := address{start: at[0], end: at[0] + len(raw)}
		text := raw
		if lower := strings.ToLower(raw); !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
			if !isDomain(raw) {
				continue
			}
			a.bare, text = true, "https://"+raw
		}
		u, err := fetch.ParseURL(text)
		if err != nil {
			continue
		}
		a.url, a.except = u, excepted(sentence[:at[0]])
		if key := u.WithoutFragment(); !seen[key] && len(found) < addressesMax {
			seen[key] = true
			found = append(found, a)
		}
	}
	return found
}

// isDomain reports whether a word without a scheme is a domain: its suffix is delegated, its spelling fits, and it is not
// a file name.
func isDomain(raw string) bool {
	host, rest := raw, ""
	if i := strings.IndexAny(raw, ":/?"); i >= 0 {
		host, rest = raw[:i], raw[i:]
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if first, _ := utf8.DecodeRuneInString(last); unicode.IsUpper(first) && host != strings.ToUpper(host) {
		return false // the start of the next sentence: "…of prices.Then tell me"
	}
	u, err := fetch.ParseURL("https://" + host + "/")
	if err != nil {
		return false
	}
	name := u.Hostname()
	suffix, delegated := publicsuffix.PublicSuffix(name)
	if !delegated && !strings.Contains(suffix, ".") && !slices.Contains([]string{"example", "test", "onion"}, suffix) || name == suffix {
		return false
	}
	return !slices.Contains(fileEndings, suffix) || rest != "" || strings.Count(name, ".") > 1
}

// trimAddress cuts off what belongs to the sentence: punctuation, a possessive, the closing bracket of an earlier one.
func trimAddress(raw string) string {
	for _, border := range []string{",http://", ",https://", ";http://", ";https://"} {
		if i := strings.Index(strings.ToLower(raw), border); i > 0 && i < len(raw) {
			raw = raw[:i]
		}
	}
	depth := map[rune]int{}
	for i, r := range raw {
		switch r {
		case '(', '[':
			depth[r]++
		case ')', ']':
			open := map[rune]rune{')': '(', ']': '['}[r]
			if depth[open]--; depth[open] < 0 {
				return strings.TrimRight(raw[:i], ".,;:!?'*_~([")
			}
		}
	}
	raw = strings.TrimSuffix(strings.TrimRight(raw, ".,;:!?'*_~(["), "'s")
	return raw
}

var exception = regexp.MustCompile(`(?i)\b(?:not|except(?:\s+for)?|excluding|exclude|without|ignor(?:e|ing)|other than|apart from|besides)\s+(?:(?:anything|` +
	`pages|results)\s+)?(?:(?:on|from|at|of|in)\s+)?(?:the\s+)?(?:site\s+)?$`)

// excepted reports whether the text before an address excludes the address.
func excepted(before string) bool {
	if len(before) > 80 {
		before = strings.ToValidUTF8(before[len(before)-80:], "")
	}
	return exception.MatchString(before)
}
