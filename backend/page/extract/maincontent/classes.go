package maincontent

import (
	"hash/maphash"
	"strings"

	"golang.org/x/net/html"
)

const (
	// classBytesMax is how much of an element's names is read.
	classBytesMax = 400
	classTokens   = 24
)

// classSet has the words of an element's class, id, role and similar attributes. Pages repeat them, so each set is read
// once.
type classSet struct {
	hash     uint64 // of the class alone
	tokens   []string
	families uint64
}

// families are groups of words in class names with a similar meaning, each matched anywhere in a word. A family is
// identified by its index: at most 64.
var families = [...][]string{
	{"nav", "menu"},
	{"header", "masthead", "topbar"},
	{"foot"},
	{"side", "aside", "rail"},
	{"comment", "disqus", "respond"},
	{"relat", "recommend", "similar", "also", "more", "suggest"},
	{"share", "social", "follow"},
	{"bread", "crumb"},
	{"cookie", "consent", "gdpr", "privacy"},
	{"advert", "promo", "sponsor", "banner", "adslot"},
	{"content", "body", "text", "entry", "prose", "markdown"},
	{"article", "post", "story", "blog"},
	{"main", "primary"},
	{"product", "sku", "pdp"},
	{"price", "cart", "buy", "checkout", "shipping"},
	{"desc", "detail", "spec", "feature", "about", "summary"},
	{"review", "rating", "testimonial"},
	{"modal", "popup", "overlay", "dialog", "lightbox", "tooltip"},
	{"login", "signin", "signup", "register", "account", "user", "profile", "avatar"},
	{"newsletter", "subscrib", "form"},
	{"tag", "categor", "filter", "facet", "sort"},
	{"pagin", "pager", "next", "prev"},
	{"author", "byline", "meta", "date", "time"},
	{"widget", "block", "module"},
	{"hero", "intro", "lead"},
	{"card", "item", "tile", "grid", "list"},
	{"message", "thread", "reply", "topic", "answer", "question"},
	{"toc", "index", "outline"},
	{"signature", "quote"},
	{"hidden", "hide", "collapse", "sr", "visually", "screenreader"},
	{"button", "btn", "cta", "link", "action"},
	{"faq", "accordion", "tab"},
	{"search"},
	{"copyright", "legal", "terms", "disclaimer"},
	{"caption", "gallery", "image", "img", "photo", "slide", "carousel"},
	{"logo", "brand", "partner", "client"},
	{"lang", "country", "currency", "locale", "region"},
	{"alert", "notice", "warning", "notification", "toast"},
}

// classesOf returns the index of n's set.
func (w *walker) classesOf(n *html.Node) int {
	var class, id, role, prop, test string
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			class = a.Val
		case "id":
			id = a.Val
		case "role":
			role = a.Val
		case "itemprop":
			prop = a.Val
		case "data-testid":
			test = a.Val
		}
	}
	written := class
	if id != "" || role != "" || prop != "" || test != "" {
		written = class + " " + id + " " + role + " " + prop + " " + test
	}
	if i, ok := w.classIndex[written]; ok {
		return i
	}
	set := classSet{hash: maphash.String(w.seed, class)}
	short := written
	if len(short) > classBytesMax {
		short = short[:classBytesMax]
	}
	for token := range classWords(short) {
		if len(set.tokens) == classTokens {
			break
		}
		set.tokens = append(set.tokens, token)
		set.families |= familiesOf(token)
	}
	w.classIndex[written] = len(w.page.classes)
	w.page.classes = append(w.page.classes, set)
	return len(w.page.classes) - 1
}

// familiesOf has a bit for each family with a word in this class name, which is in lower case.
func familiesOf(token string) uint64 {
	var mask uint64
	for i := range len(token) - 1 {
		for _, member := range familyIndex[letterPair(token[i], token[i+1])] {
			if strings.HasPrefix(token[i:], member.word) {
				mask |= 1 << member.family
			}
		}
	}
	return mask
}

// familyIndex has the words of families by their first two letters.
var familyIndex = func() (index [26 * 26][]familyMember) {
	for family, words := range families {
		for _, word := range words {
			pair := letterPair(word[0], word[1])
			index[pair] = append(index[pair], familyMember{word, family})
		}
	}
	return index
}()

type familyMember struct {
	word   string
	family int
}

// letterPair numbers two lower-case letters.
func letterPair(a, b byte) int { return int(a-'a')*26 + int(b-'a') }

// classWords splits class names into words in lower case: at every character that is no letter, and where a capital
// follows a lower-case letter.
func classWords(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		emit := func(end int) bool {
			word := s[start:end]
			start = -1
			return len(word) < 2 || yield(strings.ToLower(word))
		}
		for i := range len(s) {
			c := s[i]
			lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
			if start >= 0 && (!lower && !upper || upper && 'a' <= s[i-1] && s[i-1] <= 'z') {
				if !emit(i) {
					return
				}
			}
			if start < 0 && (lower || upper) {
				start = i
			}
		}
		if start >= 0 {
			emit(len(s))
		}
	}
}
