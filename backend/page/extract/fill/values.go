package fill

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const textBytesMax = 20_000

// converter converts texts to the types that the schema asks for.
type converter struct {
	base     *whatwg.Url
	language string // two letters, lower case; may be empty
	region   string // of the language, upper case; may be empty
}

// speak sets the language in which numbers and dates are read, as a BCP 47 tag.
func (c *converter) speak(tag string) {
	language, region, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	c.language, c.region = strings.ToLower(language), strings.ToUpper(region)
}

// scalar converts a text, and reports whether it has the wanted type.
func (c *converter) scalar(w *want, text string) (any, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > textBytesMax {
		return nil, false
	}
	n := w.node
	if n.Enum != nil {
		return c.enum(w, text)
	}
	switch {
	case n.Names("integer") || n.Names("number"):
		number, ok := c.number(w, text)
		if ok && !n.Names("number") && strings.Contains(number, ".") {
			return nil, false
		}
		if ok {
			return json.Number(number), true
		}
		if n.Names("string") {
			return c.text(w, text)
		}
		return nil, false
	case n.Names("boolean"):
		return truth(w, text)
	case n.Is("string"):
		return c.text(w, text)
	}
	return nil, false
}

func (c *converter) text(w *want, text string) (any, bool) {
	switch w.node.Format {
	case "date":
		d, ok := c.date(text)
		return d.day(), ok
	case "date-time":
		d, ok := c.date(text)
		return d.instant(), ok && d.instant() != ""
	case "time":
		d := clockTime.FindString(text)
		return d, d != "" && d == text
	case "uri", "url", "iri", "uri-reference":
		return c.address(text)
	case "email", "idn-email":
		found := emailText.FindAllString(text, 2)
		return first(found), len(found) == 1
	}
	if w.means("email") && !w.node.Is("array") {
		found := emailText.FindAllString(text, 2)
		return first(found), len(found) == 1
	}
	if w.means("url", "image", "website") && w.node.Format == "" && looksLikeReference(text) {
		return c.address(text)
	}
	if w.means("phone", "fax") && !phoneText.MatchString(text) {
		return nil, false
	}
	if w.means("price", "oldprice") && !strings.ContainsAny(text, "0123456789") && !free[squash(text)] {
		return nil, false
	}
	if w.means("currency") {
		return currencyOf(text)
	}
	if rest, ok := strings.CutPrefix(strings.Replace(text, "http://", "https://", 1), "https://schema.org/"); ok {
		text = rest
	}
	text = fold(text)
	if w.isName() {
		return nameText(w, text)
	}
	return text, text != ""
}

var (
	byline   = regexp.MustCompile(`(?i)^(?:written by|posted by|by|von|verfasst von|par|por|escrito por)\b:?\s+`)
	dateTail = regexp.MustCompile(`\s+[-–—|·•]\s+.*\d.*$`)
)

// nameText is a name without the words around it. Addresses and handles are rejected.
func nameText(w *want, text string) (any, bool) {
	if strings.Contains(text, "://") || strings.HasPrefix(text, "@") || strings.HasPrefix(text, ",") {
		return nil, false
	}
	if w.means("author") {
		text = dateTail.ReplaceAllString(byline.ReplaceAllString(text, ""), "")
		if strings.ContainsAny(text, "0123456789") && strings.Contains(text, " ") {
			return nil, false
		}
	}
	return text, text != ""
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

var (
	emailText = regexp.MustCompile(`[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,24}`)
	phoneText = regexp.MustCompile(`^\+?[\d(][\d\s()./\-–]{4,24}\d$`)
	clockTime = regexp.MustCompile(`\b(?:[01]?\d|2[0-3])[:h.][0-5]\d\b`)
	free      = set("free gratis kostenlos gratuit gratuito")
)

func looksLikeReference(text string) bool {
	return !strings.ContainsAny(text, " \n\t<>") && (strings.Contains(text, "/") || strings.HasPrefix(text, "www."))
}

// address makes a reference absolute.
func (c *converter) address(text string) (any, bool) {
	if strings.ContainsAny(text, " \n\t<>") {
		return nil, false
	}
	if host, _, _ := strings.Cut(text, "/"); strings.HasPrefix(text, "www.") || c.base == nil && strings.Contains(host, ".") && !strings.Contains(text, ":") {
		text = "https://" + text
	}
	var u *whatwg.Url
	var err error
	if c.base != nil {
		u, err = c.base.Parse(text)
	} else {
		u, err = whatwg.Parse(text)
	}
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return nil, false
	}
	if !strings.ContainsAny(text, "/.#?") {
		return nil, false // a word, which would be resolved as a file's name
	}
	return u.Href(false), true
}

// enum finds the only value of an enum that a text names.
func (c *converter) enum(w *want, text string) (any, bool) {
	text = strings.TrimPrefix(strings.Replace(text, "http://", "https://", 1), "https://schema.org/")
	if code, ok := currencyOf(text); ok && w.means("currency") {
		text, _ = code.(string)
	}
	said, group := valueKey(text), alike[valueKey(text)]
	var found []any
	for _, value := range w.node.Enum {
		switch v := value.(type) {
		case string:
			if k := valueKey(v); k != "" && k == said {
				return v, true
			} else if group != 0 && alike[k] == group {
				found = append(found, v)
			}
		case json.Number:
			if number, ok := c.number(w, text); ok && sameNumber(number, string(v)) {
				return v, true
			}
		case bool:
			if t, ok := truth(w, text); ok && t == v {
				return v, true
			}
		}
	}
	if len(found) == 0 && len(text) <= 60 {
		// One of the values among other words: "Condition: used, like new" names two, and so does not count.
		padded := " " + strings.Join(words(text), " ") + " "
		for _, value := range w.node.Enum {
			if v, ok := value.(string); ok && len(words(v)) > 0 && strings.Contains(padded, " "+strings.Join(words(v), " ")+" ") {
				found = append(found, v)
			}
		}
		if slices.ContainsFunc(words(text), func(word string) bool { return negations[word] }) {
			found = nil
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return nil, false
}

var (
	negations = set("not no non nicht kein keine pas sin without ohne never un")
	yes       = set("yes true y ja wahr oui vrai si verdadero included inklusive inclus incluido allowed erlaubt")
	no        = set("no false n nein falsch non faux falso none excluded keine")
)

// truth reads a yes or no.
func truth(w *want, text string) (any, bool) {
	switch strings.TrimSpace(text) {
	case "✓", "✔", "✔️", "☑", "✅":
		return true, true
	case "✗", "✘", "✕", "❌", "×", "☒":
		return false, true
	}
	said := squash(strings.TrimPrefix(strings.Replace(text, "http://", "https://", 1), "https://schema.org/"))
	if w.means("availability", "remote") {
		switch {
		case alike[said] == 0:
		case alike[said] == alike["outofstock"]:
			return false, true
		case alike[said] == alike["instock"] && w.means("availability"), alike[said] == alike["remote"] && w.means("remote"):
			return true, true
		}
	}
	parts := words(text)
	if len(parts) == 0 || len(parts) > 4 {
		return nil, false
	}
	if len(parts) == 1 || strings.ContainsAny(text, ",(") {
		switch {
		case yes[parts[0]] || text == "1" && w.node.Names("boolean"):
			return true, true
		case no[parts[0]] || text == "0":
			return false, true
		}
	}
	return nil, false
}

var currencySigns = []struct{ sign, code string }{
	{"US$", "USD"}, {"€", "EUR"}, {"£", "GBP"}, {"$", "USD"},
}

var currencyCode = regexp.MustCompile(`\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|JPY|CNY|INR|BRL|MXN|ZAR|TRY|KRW|SGD|HKD)\b`)

// currencyOf reads the code or the sign of a currency.
func currencyOf(text string) (any, bool) {
	if code := currencyCode.FindAllString(text, 2); len(code) == 1 {
		return code[0], true
	}
	for _, c := range currencySigns {
		if strings.Contains(text, c.sign) {
			if before, _, _ := strings.Cut(text, c.sign); c.sign == "$" && endsInLetter(before) {
				return nil, false // A$, C$, HK$
			}
			return c.code, true
		}
	}
	return nil, false
}

func endsInLetter(s string) bool {
	return s != "" && (s[len(s)-1]|0x20) >= 'a' && (s[len(s)-1]|0x20) <= 'z'
}

// simple is the text of a value of structured data; for an item it is its name.
func simple(value any, w *want) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	case *extract.Item:
		return w.nameOf(v)
	}
	return ""
}

// nameOf is the text that represents an item.
func (w *want) nameOf(item *extract.Item) string {
	isReference := strings.HasPrefix(w.node.Format, "ur") || w.means("image", "url", "website") && w.node.Format == ""
	names := []string{"name", "value", "text", "headline", "price", "ratingValue", "@value"}
	switch {
	case isReference:
		names = []string{"url", "contentUrl", "@id"}
	case w.node.Names("number") || w.node.Names("integer"):
		names = []string{"value", "price", "ratingValue", "@value"}
	case w.means("answer", "message", "body"):
		names = []string{"text", "description", "name"}
	}
	if !isReference && (len(item.Properties["streetAddress"]) > 0 || len(item.Properties["addressLocality"]) > 0) {
		return postal(item)
	}
	for _, name := range names {
		for _, value := range item.Properties[name] {
			switch v := value.(type) {
			case *extract.Item:
			default:
				if s := simple(v, w); s != "" {
					return s
				}
			}
		}
	}
	if isReference {
		return item.ID
	}
	if address, ok := firstItem(item.Properties["address"]); ok {
		return postal(address)
	}
	return ""
}

func firstItem(values []any) (*extract.Item, bool) {
	for _, value := range values {
		if item, ok := value.(*extract.Item); ok {
			return item, true
		}
	}
	return nil, false
}

// postal is an address on one line: its parts, as the page has them.
func postal(item *extract.Item) string {
	part := func(name string) string {
		for _, value := range item.Properties[name] {
			switch v := value.(type) {
			case string:
				return fold(v)
			case *extract.Item:
				for _, inner := range v.Properties["name"] {
					if s, ok := inner.(string); ok {
						return fold(s)
					}
				}
			}
		}
		return ""
	}
	city := fold(part("postalCode") + " " + part("addressLocality"))
	var parts []string
	for _, s := range []string{part("streetAddress"), city, part("addressRegion"), part("addressCountry")} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}
