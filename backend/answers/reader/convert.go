package reader

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

const textBytesMax = 20_000

// entry is the property of an entry of a list of single values.
func (l *leaf) entry() *leaf {
	e := *l
	if l.node.Items != nil {
		e.node = l.node.Items.View()
	}
	e.field.Type, e.field.ItemType = l.field.ItemType, ""
	return &e
}

// fits reports whether a unit in a label is not another one than the property's.
func (l *leaf) fits(unit string) bool {
	known, ok := ask.UnitNames()[strings.ReplaceAll(unit, "²", "2")]
	return !ok || l.want.unit == "" || known[1] == l.want.unit
}

// isReference reports whether the value is an address.
func (l *leaf) isReference() bool {
	return strings.HasPrefix(l.field.Form, "ur") || l.field.Form == "iri" || l.field.Form == "" && (l.means("url") || l.means("image"))
}

// typed is a learned value in the form that the schema asks for.
func (f *filler) typed(l *leaf, value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return f.convert(l, v)
	case []string:
		var out []any
		for _, s := range v {
			if entry, ok := f.convert(l.entry(), s); ok {
				out = append(out, entry)
			}
		}
		return out, len(out) > 0
	}
	return value, true
}

// convert gives a text the type of a property, and reports whether it has that type.
func (f *filler) convert(l *leaf, text string) (any, bool) {
	text = dom.Fold(text)
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/"} {
		text = strings.TrimPrefix(text, prefix)
	}
	if text == "" || len(text) > textBytesMax {
		return nil, false
	}
	if len(l.node.Enum) > 0 {
		return choice(l.node.Enum, text)
	}
	switch {
	case l.field.Type == "number" || l.field.Type == "integer":
		return f.number(l, text)
	case l.field.Type == "boolean":
		value, ok := truthWords[squash(text)]
		return value, ok
	case !l.node.Is("string"):
		return nil, false
	}
	switch l.field.Form {
	case "date":
		days := ask.DatesIn(text, f.page.language)
		return first(days), len(slices.Compact(days)) == 1
	case "date-time":
		_, err := time.Parse(time.RFC3339, text) // neither a time nor a zone is made up
		return text, err == nil
	case "email", "idn-email":
		found := emailText.FindAllString(text, 2)
		return first(found), len(found) == 1
	}
	if l.isReference() {
		return f.address(text)
	}
	if l.means("currency") {
		code := currencyIn(strings.ToUpper(text))
		if found := f.page.moneyIn(text); len(found) > 0 {
			code = codeOf(found[0].unit)
		}
		return code, code != ""
	}
	return text, true
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// isoDuration is a time of hours and minutes as schema.org has it.
var isoDuration = regexp.MustCompile(`^PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?$`)

// number reads the only number of a text, or its only amount of money.
func (f *filler) number(l *leaf, text string) (any, bool) {
	const words = 12
	if len(strings.Fields(text)) > words {
		return nil, false
	}
	if m := isoDuration.FindStringSubmatch(text); m != nil && l.want.unit == "min" {
		hours, _ := strconv.Atoi("0" + m[1])
		minutes, _ := strconv.Atoi("0" + m[2])
		return json.Number(strconv.Itoa(60*hours + minutes)), true
	}
	spans := f.page.moneyIn(text)
	if len(spans) == 0 {
		spans = f.page.numbersIn(text)
	}
	var out json.Number
	for i := range spans {
		value, ok := l.want.numeric(f.page, &spans[i])
		n, _ := value.(json.Number)
		if !ok || out != "" && keyOf(out) != keyOf(n) {
			return nil, false
		}
		out = n
	}
	return out, out != ""
}

// address makes a reference absolute.
func (f *filler) address(text string) (any, bool) {
	if strings.ContainsAny(text, " <>") || !strings.ContainsAny(text, "/.#?") {
		return nil, false
	}
	var u *whatwg.Url
	var err error
	if f.base != nil {
		u, err = f.base.Parse(text)
	} else {
		u, err = whatwg.Parse(text)
	}
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return nil, false
	}
	return u.Href(false), true
}

// choice is the value of an enum that a text is, however it is spelled.
func choice(enum []any, text string) (any, bool) {
	for _, value := range enum {
		switch v := value.(type) {
		case string:
			if squash(v) == squash(text) {
				return v, true
			}
		case json.Number:
			if v.String() == text {
				return v, true
			}
		}
	}
	return nil, false
}

// squash is for comparing values whatever their spelling: "In stock", "in_stock" and "InStock".
func squash(text string) string {
	return strings.ReplaceAll(keyOf(strings.ReplaceAll(text, "_", " ")), " ", "")
}

// truthWords are the values of schema.org, and words, that are yes or no.
var truthWords = map[string]bool{
	"true": true, "yes": true, "instock": true, "instoreonly": true, "onlineonly": true, "limitedavailability": true, "available": true, "✓": true, "✔": true,
	"false": false, "no": false, "outofstock": false, "soldout": false, "discontinued": false, "unavailable": false, "✗": false, "✘": false,
}
