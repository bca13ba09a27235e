package compare

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const fieldDepthMax = jsonschema.ValueDepthMax

// keyNames are fields by which items of a list are told apart, from the best down.
var keyNames = []string{
	"id", "ID", "_id", "uuid", "guid", "sku", "SKU", "gtin", "ean", "isbn", "asin", "slug", "key", "code", "number", "url", "link", "href", "permalink",
	"email", "name", "title", "headline", "label",
	"version", "symbol", "ticker", "date", "day",
}

// fields compares what was extracted, field by field.
func (c *comparison) fields(before, after *Page) []*difference {
	w := &fieldWalk{dates: c.dates}
	from, err1 := jsonschema.Parse(before.Data)
	to, err2 := jsonschema.Parse(after.Data)
	switch {
	case err1 == nil && err2 == nil:
		w.compare(nil, from, to)
	case string(before.Data) != string(after.Data):
		w.differs(nil, string(before.Data), string(after.Data))
	}
	for _, d := range w.found {
		d.places = []string{fieldPlace(after.URL, d.Path)}
		if known := c.noise.past(d); known.varied > 0 && known.seen {
			d.unstable = true
		}
	}
	return w.found
}

// secondFields takes in the fields of another look.
func (c *comparison) secondFields(p *compared, second *Page) {
	varied := map[string]bool{}
	for _, d := range c.fields(p.after, second) {
		c.noise.vary(d)
		varied[d.places[0]] = true
	}
	for _, d := range p.found {
		d.unstable = d.unstable || len(d.places) > 0 && varied[d.places[0]]
	}
}

// fieldWalk goes through two values side by side.
type fieldWalk struct {
	dates map[string]bool // names of fields that are dates
	found []*difference
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
		w.differs(path, a, b)
	}
}

func (w *fieldWalk) isDate(path []string) bool {
	return len(path) > 0 && w.dates[path[len(path)-1]]
}

func (w *fieldWalk) objects(path []string, a, b map[string]any) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		// A property that is missing is null.
		w.compare(append(slices.Clone(path), name), a[name], b[name])
	}
}

// lists compares items by what identifies them, else as a set: which comes first is up to the page.
func (w *fieldWalk) lists(path []string, a, b []any) {
	key := keyOf(a, b)
	nameOf := func(item any) string {
		if key != "" {
			return keyText(item, key)
		}
		return canonicalValue(item, w.isDate(path))
	}
	came := map[string][]any{}
	for _, item := range b {
		came[nameOf(item)] = append(came[nameOf(item)], item)
	}
	var gone []any
	for _, item := range a {
		name := nameOf(item)
		same := came[name]
		if len(same) == 0 {
			gone = append(gone, item)
			continue
		}
		came[name] = same[1:]
		if key != "" {
			w.compare(append(slices.Clone(path), name), item, same[0])
		}
	}
	var fresh []any
	number := 0
	for i, item := range b {
		if name := nameOf(item); len(came[name]) > 0 {
			came[name], fresh, number = came[name][1:], append(fresh, item), i
		}
	}
	if key == "" && len(a) == len(b) && len(gone) == 1 && len(fresh) == 1 {
		w.compare(append(slices.Clone(path), strconv.Itoa(number)), gone[0], fresh[0])
		return
	}
	for _, item := range gone {
		w.differs(path, item, nil)
	}
	for _, item := range fresh {
		w.differs(path, nil, item)
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
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] != nil {
				pairs = append(pairs, strconv.Quote(name)+":"+canonicalValue(v[name], false))
			}
		}
		return "{" + strings.Join(pairs, ",") + "}"
	}
	return ""
}

// numberText is a number of JSON in canonical form.
func numberText(text string) string {
	if value, ok := new(big.Rat).SetString(text); ok && len(text) <= 40 && !strings.ContainsAny(text, "eE") {
		return decimalOf(value)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && len(text) <= 40 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return text
}

// wholeDate reads a text that is a date and nothing else. Texts that are not said to be dates are ones in ISO 8601 alone.
func wholeDate(text string, isDate bool) (string, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Format("2006-01-02T15:04:05Z"), true
		}
	}
	if !isDate {
		return "", false
	}
	return dayIn(text)
}

// differs notes that a field differs. A value that is nil on one side was added or removed.
func (w *fieldWalk) differs(path []string, before, after any) {
	d := &difference{Change: Change{Kind: Changed, Block: "field"}, order: len(w.found), whole: true, trust: 1, isTold: true}
	for _, name := range path {
		d.Path = append(d.Path, cutText(cleanText(name), labelBytesMax))
	}
	if before == nil {
		d.Kind = Added
	} else {
		d.was = showValue(before)
	}
	if after == nil {
		d.Kind = Removed
	} else {
		d.now = showValue(after)
	}
	d.Before, d.After, d.wasValue, d.nowValue = d.was, d.now, d.was, d.now
	w.found = append(w.found, d)
}

// fieldPlace names a field. Which number an item of a list has says nothing.
func fieldPlace(url string, path []string) string {
	at := hashOf(url)
	for _, name := range path {
		if strings.Trim(name, "0123456789") != "" {
			at = mix(at, hashOf(name))
		}
	}
	return placeOf(at, 17)
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
