package almanac

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// cell is a fact: how it is shown and what it is.
type cell struct {
	shown string
	value answersite.Value
	// absent reports that the row has no cell for it, untold that the page does not say it although there is one.
	absent, untold bool
}

// layouts are the ways in which rows write dates.
var layouts = []string{
	time.DateOnly, "2 January 2006", "January 2, 2006", "2 Jan 2006", "Monday, 2 January 2006", "Monday 2 January 2006", "02/01/2006", "02.01.2006",
	"Mon, 02 Jan 2006", "Jan 2, 2006",
}

// read reads a cell of a type: str, int, num, date, price, mail, tel, url, bool, list, enum(a/b) or table(column:type/column:type).
func read(kind, text string) cell {
	kind, in, _ := strings.Cut(strings.TrimSuffix(kind, ")"), "(")
	if text == "-" {
		return cell{value: typed(kind, in), absent: true}
	}
	shown, meant, differs := strings.Cut(text, "==")
	if !differs {
		meant = shown
	}
	c := cell{shown: shown}
	switch kind {
	case "int":
		n, err := strconv.Atoi(plainNumber(meant))
		must(err, text)
		c.value = answersite.Int(n).Or(shown)
	case "num":
		n, err := strconv.ParseFloat(plainNumber(meant), 64)
		must(err, text)
		c.value = answersite.Num(n).Or(shown)
	case "date":
		c.value = answersite.Day(day(meant)).Or(shown)
	case "price":
		amount, currency, _ := strings.Cut(meant, " ")
		n, err := strconv.ParseFloat(amount, 64)
		must(err, text)
		c.value = answersite.Money(n, currency).Or(shown)
	case "list":
		items := strings.Split(shown, ";")
		c = cell{shown: items[0], value: answersite.Several(items...)}
	case "table":
		c = table(in, shown)
	default:
		c.value = text1(kind, in, meant, shown)
	}
	return c
}

// text1 is a value whose canonical form is written in its cell.
func text1(kind, in, meant, shown string) answersite.Value {
	switch kind {
	case "mail":
		return answersite.Mail(meant)
	case "tel":
		return answersite.Tel(meant)
	case "url":
		return answersite.Link(meant)
	case "bool":
		return answersite.Is(meant == "true")
	case "enum":
		return answersite.OneOf(meant, strings.Split(in, "/")...)
	case "", "str":
		v := answersite.Str(meant, shown)
		if article, bare, ok := strings.Cut(shown, " "); ok && (article == "a" || article == "an") {
			v = v.Or(bare)
		}
		return v
	}
	panic("almanac: no type " + kind)
}

// table reads rows of cells: "Arden,41;Brack,39" for "team/points:int".
func table(columns, text string) cell {
	var names []answersite.Column
	var kinds []string
	for column := range strings.SplitSeq(columns, "/") {
		name, kind, _ := strings.Cut(column, ":")
		names, kinds = append(names, answersite.Column{Name: name, Ask: strings.ReplaceAll(name, "_", " ")}), append(kinds, kind)
	}
	var rows []map[string]answersite.Value
	var first string
	for line := range strings.SplitSeq(text, ";") {
		row := map[string]answersite.Value{}
		for i, entry := range strings.Split(line, ",") {
			c := read(kinds[i], strings.TrimSpace(entry))
			if row[names[i].Name] = c.value; first == "" {
				first = c.shown
			}
		}
		rows = append(rows, row)
	}
	return cell{shown: first, value: answersite.Entries(names, rows...)}
}

func plainNumber(text string) string {
	return strings.NewReplacer(",", "", " ", "", "−", "-", "'", "").Replace(text)
}

func day(text string) time.Time {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	panic("almanac: no date: " + text)
}

// typed is a value of a type of which no more is known.
func typed(kind, in string) answersite.Value {
	switch kind {
	case "int":
		return answersite.Value{Type: answersite.Number, Whole: true}
	case "num":
		return answersite.Value{Type: answersite.Number}
	case "date":
		return answersite.Value{Type: answersite.Date}
	case "price":
		return answersite.Value{Type: answersite.Price}
	case "list":
		return answersite.Value{Type: answersite.List}
	case "bool":
		return answersite.Value{Type: answersite.Boolean}
	case "mail":
		return answersite.Value{Type: answersite.Email}
	case "tel":
		return answersite.Value{Type: answersite.Phone}
	case "url":
		return answersite.Value{Type: answersite.URL}
	case "enum":
		return answersite.Value{Type: answersite.Enum, Allowed: strings.Split(in, "/")}
	case "", "str":
		return answersite.Value{Type: answersite.String}
	}
	panic("almanac: no type " + kind)
}

var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*)(?::([a-z0-9]+))?\}`)

// fill puts cells into a line; false where the row has none for one of its places.
func fill(line string, known map[string]cell, escape func(string) string) (string, bool) {
	whole := true
	line = placeholder.ReplaceAllStringFunc(line, func(place string) string {
		m := placeholder.FindStringSubmatch(place)
		c, ok := known[m[1]]
		if !ok {
			panic("almanac: no column " + place)
		}
		if c.absent {
			whole = false
			return ""
		}
		return c.as(m[2], escape)
	})
	return line, whole
}

// as writes a cell: a list as words, or in the way that is named; raw is the canonical form, for data and attributes.
func (c cell) as(how string, escape func(string) string) string {
	var items []string
	for _, item := range c.value.Items {
		items = append(items, escape(item))
	}
	last := len(items) - 1
	switch {
	case how == "raw" || how == "tel":
		return strings.ReplaceAll(escape(c.value.Text), map[bool]string{true: " ", false: "\x00"}[how == "tel"], "")
	case how == "cap":
		return escape(strings.ToUpper(c.shown[:1]) + c.shown[1:])
	case how == "tr":
		return c.rows("<tr><td>", "</td><td>", "</td></tr>\n", escape)
	case how == "rows":
		return c.rows("<li>", ": ", "</li>\n", escape)
	case how == "json" && last >= 0:
		return `"` + strings.Join(items, `", "`) + `"`
	case how == "li" && last >= 0:
		return "<li>" + strings.Join(items, "</li>\n<li>") + "</li>"
	case how == "br" && last >= 0:
		return strings.Join(items, "<br>\n")
	case how == "tags" && last >= 0:
		return `<a class="tag" href="#">` + strings.Join(items, `</a> <a class="tag" href="#">`) + `</a>`
	case how == "semi" && last >= 0:
		return strings.Join(items, "; ")
	case how != "":
		panic("almanac: no way to write " + how)
	case last > 0:
		return strings.Join(items[:last], ", ") + " and " + items[last]
	case last == 0:
		return items[0]
	}
	return escape(c.shown)
}

func (c cell) rows(open, between, shut string, escape func(string) string) string {
	var b strings.Builder
	for _, row := range c.value.Rows {
		var cells []string
		for _, column := range c.value.Columns {
			v := row[column.Name]
			shown := v.Text
			if len(v.Also) > 0 {
				shown = v.Also[len(v.Also)-1]
			}
			cells = append(cells, escape(shown))
		}
		b.WriteString(open + strings.Join(cells, between) + shut)
	}
	return b.String()
}

func must(err error, text string) {
	if err != nil {
		panic(fmt.Sprintf("almanac: %s: %v", text, err))
	}
}
