package compare

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	fieldDepthMax = jsonschema.ValueDepthMax
	valueBytesMax = 2_000
)

// keyNames are fields by which items of a list are told apart, from the best down.
var keyNames = []string{
	"id", "ID", "_id", "uuid", "guid", "sku", "SKU", "gtin", "ean", "isbn", "asin", "slug", "key", "code", "number", "url", "link", "href", "permalink",
	"email", "name", "title", "headline", "label",
	"version", "symbol", "ticker", "date", "day",
}

// fields compares what was extracted, field by field.
func (c *comparison) fields(before, after *Page) {
	c.relevant = true
	from, err1 := jsonschema.Parse(before.Data)
	to, err2 := jsonschema.Parse(after.Data)
	if err1 != nil || err2 != nil {
		if string(before.Data) != string(after.Data) {
			c.field(after, nil, string(before.Data), string(after.Data))
		}
		return
	}
	w := &fieldWalk{c: c, page: after}
	w.compare(nil, from, to)
}

// fieldWalk goes through two values side by side.
type fieldWalk struct {
	c    *comparison
	page *Page
}

func (w *fieldWalk) compare(path []string, a, b any) {
	if len(path) > fieldDepthMax {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			w.objects(path, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			w.lists(path, x, y)
			return
		}
	}
	if canonicalValue(a, w.isDate(path)) != canonicalValue(b, w.isDate(path)) {
		w.c.field(w.page, path, a, b)
	}
}

func (w *fieldWalk) isDate(path []string) bool {
	return len(path) > 0 && w.c.schema[path[len(path)-1]]
}

func (w *fieldWalk) objects(path []string, a, b map[string]any) {
	names := make([]string, 0, len(a)+len(b))
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		// A property that is missing is null.
		w.compare(append(slices.Clone(path), name), a[name], b[name])
	}
}

// lists compares items by what identifies them, else as a set: which comes first is up to the page.
func (w *fieldWalk) lists(path []string, a, b []any) {
	if key := keyOf(a, b); key != "" {
		w.keyed(path, key, a, b)
		return
	}
	left := map[string][]any{}
	for _, item := range a {
		k := canonicalValue(item, w.isDate(path))
		left[k] = append(left[k], item)
	}
	var came []any
	for _, item := range b {
		if k := canonicalValue(item, w.isDate(path)); len(left[k]) > 0 {
			left[k] = left[k][1:]
		} else {
			came = append(came, item)
		}
	}
	var went []any
	for _, item := range a {
		if k := canonicalValue(item, w.isDate(path)); len(left[k]) > 0 {
			went = append(went, item)
			left[k] = left[k][1:]
		}
	}
	if len(a) == len(b) && len(came) == 1 && len(went) == 1 {
		w.compare(append(slices.Clone(path), strconv.Itoa(slices.IndexFunc(b, func(v any) bool {
			return canonicalValue(v, w.isDate(path)) == canonicalValue(came[0], w.isDate(path))
		}))), went[0], came[0])
		return
	}
	for _, item := range went {
		w.c.field(w.page, path, item, nil)
	}
	for _, item := range came {
		w.c.field(w.page, path, nil, item)
	}
}

func (w *fieldWalk) keyed(path []string, key string, a, b []any) {
	other := map[string]any{}
	for _, item := range b {
		other[keyText(item, key)] = item
	}
	seen := map[string]bool{}
	for _, item := range a {
		name := keyText(item, key)
		seen[name] = true
		if match, ok := other[name]; ok {
			w.compare(append(slices.Clone(path), name), item, match)
		} else {
			w.c.field(w.page, path, item, nil)
		}
	}
	for _, item := range b {
		if !seen[keyText(item, key)] {
			w.c.field(w.page, path, nil, item)
		}
	}
}

// keyOf is the field that identifies all items of both lists; "" where none does.
func keyOf(a, b []any) string {
	if len(a)+len(b) == 0 {
		return ""
	}
	for _, key := range keyNames {
		if isKey(key, a) && isKey(key, b) {
			return key
		}
	}
	return ""
}

func isKey(key string, items []any) bool {
	seen := map[string]bool{}
	for _, item := range items {
		name := keyText(item, key)
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

func keyText(item any, key string) string {
	object, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	switch v := object[key].(type) {
	case string, json.Number:
		return strings.Trim(canonicalValue(v, false), `"`)
	}
	return ""
}

// canonicalValue is a text that is the same for values that are: numbers as numbers, dates as dates, strings with white space
// folded, links without what only tracks, items of lists in any order.
func canonicalValue(value any, isDate bool) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return numberText(v.String())
	case float64:
		return numberText(strconv.FormatFloat(v, 'g', -1, 64))
	case string:
		text := cleanText(v)
		if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
			return strconv.Quote(canonicalLink(text))
		}
		if isDate || len(text) >= len("2006-01-02") && len(text) <= 40 {
			if date, ok := wholeDate(text, isDate); ok {
				return strconv.Quote(date)
			}
		}
		return strconv.Quote(text)
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = canonicalValue(v[i], isDate)
		}
		slices.Sort(items)
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			if v[name] != nil {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for i, name := range names {
			names[i] = strconv.Quote(name) + ":" + canonicalValue(v[name], false)
		}
		return "{" + strings.Join(names, ",") + "}"
	}
	return ""
}

// numberText is a number of JSON in canonical form.
func numberText(text string) string {
	if len(text) > 40 {
		return text
	}
	sign, digits := "", text
	if strings.HasPrefix(text, "-") {
		sign, digits = "-", text[1:]
	}
	if strings.ContainsAny(digits, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		digits = strings.TrimPrefix(strconv.FormatFloat(f, 'f', -1, 64), "-")
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	fraction = strings.TrimRight(fraction, "0")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return sign + whole + "." + fraction
	}
	if whole == "0" {
		return "0"
	}
	return sign + whole
}

// wholeDate reads a text that is a date and nothing else. Texts that are not said to be dates are ones in ISO 8601 alone.
func wholeDate(text string, isDate bool) (string, bool) {
	if instant, ok := isoTime(text); ok {
		return instant, true
	}
	if !isDate {
		return "", false
	}
	date := ""
	for _, t := range tokensOf(text, "") {
		switch {
		case t.kind == tokenDate && date == "":
			date = t.norm
		case t.kind == tokenSign && isIdle(t.norm), weekdays[t.lower]:
		default:
			return "", false
		}
	}
	return date, date != ""
}

// field notes that a field differs. A value that is nil on one side was added or removed.
func (c *comparison) field(page *Page, path []string, before, after any) {
	change := Change{Page: page.URL, Kind: Changed, Block: "field"}
	for _, name := range path {
		change.Path = append(change.Path, cutText(cleanText(name), labelBytesMax))
	}
	if before == nil {
		change.Kind = Added
	} else {
		change.Before = showValue(before)
	}
	if after == nil {
		change.Kind = Removed
	} else {
		change.After = showValue(after)
	}
	values := []ValueChange(nil)
	if change.Kind == Changed {
		values = fieldValues(before, after)
	}
	c.found = append(c.found, candidate{
		Change: change, page: c.compared, order: len(c.found), exact: true, watched: true,
		spots: []spot{{
			values: values, places: []string{fieldPlace(page.URL, path)},
			was: wholly(hashOf(canonicalValue(before, false))), now: wholly(hashOf(canonicalValue(after, false))),
		}},
	})
}

// fieldPlace names a field. Which number an item of a list has says nothing.
func fieldPlace(url string, path []string) string {
	at := hashOf(url)
	for _, name := range path {
		if !isCount(name) {
			at = mix(at, hashOf(name))
		}
	}
	return placeOf(at, 17)
}

func fieldValues(before, after any) []ValueChange {
	from, ok1 := before.(json.Number)
	to, ok2 := after.(json.Number)
	if ok1 && ok2 {
		v := ValueChange{Type: "number", Old: numberText(from.String()), New: numberText(to.String())}
		v.Delta, v.Percent = delta(v.Old, v.New)
		return []ValueChange{v}
	}
	x, ok1 := before.(string)
	y, ok2 := after.(string)
	if !ok1 || !ok2 {
		return nil
	}
	a, b := tokensOf(cutText(cleanText(x), labelBytesMax), ""), tokensOf(cutText(cleanText(y), labelBytesMax), "")
	var out []ValueChange
	for _, h := range differences(a, b) {
		out = append(out, valuesOf(h, a, b)...)
	}
	return out[:min(len(out), valuesMax)]
}

func showValue(value any) string {
	if text, ok := value.(string); ok {
		return cutText(cleanText(text), valueBytesMax)
	}
	return cutText(string(jsonschema.Encode(value)), valueBytesMax)
}

// dateFields are the names of fields that a schema says are dates.
func dateFields(schema json.RawMessage) map[string]bool {
	if len(schema) == 0 {
		return nil
	}
	parsed, err := jsonschema.Parse(schema)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	findDates("", parsed, out, 0)
	return out
}

func findDates(name string, node any, out map[string]bool, depth int) {
	object, ok := node.(map[string]any)
	if !ok || depth > fieldDepthMax {
		return
	}
	if format, _ := object["format"].(string); format == "date" || format == "date-time" {
		out[name] = true
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for name, property := range properties {
			findDates(name, property, out, depth+1)
		}
	}
	if items, ok := object["items"]; ok {
		findDates(name, items, out, depth+1)
	}
}
