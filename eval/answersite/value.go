package answersite

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Type is what sort of value a field has, by which figures are told apart.
type Type string

// The types.
const (
	String  Type = "string"
	Number  Type = "number"
	Date    Type = "date"
	Price   Type = "price"
	Email   Type = "e-mail"
	Phone   Type = "phone"
	URL     Type = "url"
	Boolean Type = "boolean"
	Enum    Type = "enum"
	List    Type = "list"
)

// Types are all of them, in the order of the tables.
func Types() []Type {
	return []Type{String, Number, Date, Price, Email, Phone, URL, Boolean, Enum, List}
}

// Value is a right answer.
type Value struct {
	Type Type
	// Text is the value in its canonical form: 2026-03-07, 1234.5, true.
	Text string
	// Also are other forms that are as right, such as the one on the page.
	Also []string
	// Currency is an ISO 4217 code, of prices.
	Currency string
	// Allowed are the values of an enum.
	Allowed []string
	// Whole reports that the number is a whole one.
	Whole bool
	// Items are the entries of a list, Rows those of a list of objects, whose keys are Columns.
	Items   []string
	Rows    []map[string]Value
	Columns []Column
}

// Column is a key of the objects of a list.
type Column struct{ Name, Ask string }

// Str is a string; also are spellings that are as right.
func Str(text string, also ...string) Value { return Value{Type: String, Text: text, Also: also} }

// Int is a whole number.
func Int(n int) Value { return Value{Type: Number, Text: fmt.Sprint(n), Whole: true} }

// Num is a number in its shortest decimal form.
func Num(n float64) Value { return Value{Type: Number, Text: shortest(n)} }

// Day is a date.
func Day(t time.Time) Value { return Value{Type: Date, Text: t.Format(time.DateOnly)} }

// Money is a price.
func Money(n float64, currency string) Value {
	return Value{Type: Price, Text: shortest(n), Currency: currency}
}

// Mail is an e-mail address.
func Mail(address string) Value { return Value{Type: Email, Text: address} }

// Tel is a phone number.
func Tel(number string) Value { return Value{Type: Phone, Text: number} }

// Link is a URL.
func Link(url string) Value { return Value{Type: URL, Text: url} }

// Is is a boolean.
func Is(b bool) Value { return Value{Type: Boolean, Text: fmt.Sprint(b)} }

// OneOf is a value of an enum.
func OneOf(text string, allowed ...string) Value {
	return Value{Type: Enum, Text: text, Allowed: allowed}
}

// Or is the value with other forms that are as right.
func (v Value) Or(also ...string) Value {
	v.Also = append(v.Also[:len(v.Also):len(v.Also)], also...)
	return v
}

// Several is a list of strings, in no order.
func Several(items ...string) Value { return Value{Type: List, Items: items} }

// Entries is a list of objects.
func Entries(columns []Column, rows ...map[string]Value) Value {
	return Value{Type: List, Columns: columns, Rows: rows}
}

func shortest(n float64) string {
	return strconv.FormatFloat(math.Round(n*1e6)/1e6, 'f', -1, 64)
}

// schema is the JSON Schema of a field.
func (v Value) schema(description string) map[string]any {
	s := map[string]any{"type": "string"}
	switch v.Type {
	case Number:
		s["type"] = "number"
		if v.Whole {
			s["type"] = "integer"
		}
	case Price:
		s["type"] = "number"
	case Boolean:
		s["type"] = "boolean"
	case Date:
		s["format"] = "date"
	case Email:
		s["format"] = "email"
	case URL:
		s["format"] = "uri"
	case Enum:
		s["enum"] = v.Allowed
	case List:
		s = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		if v.Columns != nil {
			properties := map[string]any{}
			var names []string
			for _, c := range v.Columns {
				properties[c.Name] = v.Rows[0][c.Name].schema(c.Ask)
				names = append(names, c.Name)
			}
			s["items"] = map[string]any{"type": "object", "properties": properties, "required": names}
		}
	case String, Phone:
	}
	if description != "" {
		s["description"] = description
	}
	return s
}

// Right reports whether a decoded JSON value, with numbers as json.Number, is the value.
func (v Value) Right(got any) bool {
	switch got := got.(type) {
	case bool:
		return v.Type == Boolean && fmt.Sprint(got) == v.Text
	case json.Number:
		return (v.Type == Number || v.Type == Price || v.Type == String) && sameNumber(got.String(), v.Text)
	case []any:
		return v.Type == List && v.rightList(got)
	case string:
		return v.rightText(got)
	}
	return false
}

func (v Value) rightList(got []any) bool {
	if v.Columns != nil {
		return v.rightRows(got)
	}
	var items []string
	for _, item := range got {
		text, ok := item.(string)
		if !ok {
			text = fmt.Sprint(item)
		}
		items = append(items, fold(text))
	}
	return sameSet(items, v.Items)
}

func (v Value) rightRows(got []any) bool {
	if len(got) != len(v.Rows) {
		return false
	}
	left := slices.Clone(v.Rows)
	for _, entry := range got {
		object, ok := entry.(map[string]any)
		if !ok {
			return false
		}
		at := slices.IndexFunc(left, func(row map[string]Value) bool {
			for name, want := range row {
				if !want.Right(object[name]) {
					return false
				}
			}
			return true
		})
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

func (v Value) rightText(got string) bool {
	for _, form := range v.Also {
		if fold(form) == fold(got) {
			return true
		}
	}
	switch v.Type {
	case Number:
		numbers := numbersIn(got)
		return len(numbers) == 1 && anySame(numbers[0], v.Text)
	case Price:
		numbers := numbersIn(got)
		return len(numbers) == 1 && anySame(numbers[0], v.Text) && currencyFits(got, v.Currency)
	case Date:
		return strings.HasPrefix(got, v.Text) && len(got) <= len("2006-01-02T15:04:05.000+00:00") || isDate(got, v.Text)
	case Phone:
		return digits(got) == digits(v.Text)
	case URL:
		return strings.TrimSuffix(got, "/") == strings.TrimSuffix(v.Text, "/")
	case Email:
		return strings.EqualFold(strings.TrimPrefix(got, "mailto:"), v.Text)
	case Boolean:
		yes := map[string]string{"yes": "true", "true": "true", "no": "false", "false": "false"}
		return yes[fold(got)] == v.Text
	case List:
		return v.Columns == nil && sameSet(splitList(got), v.Items)
	case String, Enum:
	}
	return bare(got) == bare(v.Text)
}

// bare is a folded text without an article before it.
func bare(text string) string { return strings.TrimPrefix(fold(text), "the ") }

// freeTextMax is how long an answer without a format may be, in bytes: whole pages answer nothing.
const freeTextMax = 500

// StandsIn reports whether an answer in free words says the value and none of the lures.
func (v Value) StandsIn(text string, lures []string) bool {
	folded := " " + fold(text) + " "
	for _, lure := range lures {
		if hasWords(folded, lure) {
			return false
		}
	}
	if len(text) > freeTextMax {
		return false
	}
	for _, form := range append([]string{v.Text}, v.Also...) {
		if hasWords(folded, form) {
			return true
		}
	}
	switch v.Type {
	case Number, Price:
		return slices.ContainsFunc(numbersIn(text), func(n []string) bool { return anySame(n, v.Text) })
	case Date:
		t, err := time.Parse(time.DateOnly, v.Text)
		return err == nil && slices.ContainsFunc(dateForms(t), func(form string) bool { return hasWords(folded, form) })
	case Phone:
		return strings.Contains(digits(text), strings.TrimPrefix(digits(v.Text), "+"))
	case List:
		return v.Columns == nil && !slices.ContainsFunc(v.Items, func(item string) bool { return !hasWords(folded, item) })
	case String, Email, URL, Boolean, Enum:
	}
	return false
}
