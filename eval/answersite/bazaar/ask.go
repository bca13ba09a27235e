package bazaar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// read is a cell of a type. Links that begin with a slash are the host's own.
func read(s *answersite.Set, host, kind, cell string) fact {
	cell, proof, _ := strings.Cut(cell, "^")
	kind, of, _ := strings.Cut(kind, "(")
	of = strings.TrimSuffix(of, ")")
	if kind == "rows" {
		return table(s, host, of, cell)
	}
	shown, meant, given := strings.Cut(cell, "=")
	if !given {
		meant = shown
	}
	f := fact{shown: shown, meant: meant, proof: shown}
	if proof != "" {
		f.proof = proof
	}
	switch kind {
	case "int", "num", "gbp", "usd", "eur", "sek", "chf":
		f.meant = strings.Trim(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '.' || r == '-' {
				return r
			}
			return -1
		}, meant), ".-")
		n, err := strconv.ParseFloat(f.meant, 64)
		must(err)
		f.value = answersite.Num(n)
		if kind == "int" {
			f.value = answersite.Int(int(n))
		} else if kind != "num" {
			f.value = answersite.Money(n, strings.ToUpper(kind))
		}
		f.value = f.value.Or(shown)
	case "date":
		day, err := time.Parse(time.DateOnly, meant)
		must(err)
		f.value = answersite.Day(day).Or(shown)
	case "list":
		items := strings.Split(shown, ";")
		f.shown, f.proof, f.value = strings.Join(items, ", "), items[0], answersite.Several(items...)
	case "url":
		if strings.HasPrefix(meant, "/") {
			f.value = answersite.Link(s.Origin(host) + meant)
		} else {
			f.value = answersite.Link(meant)
		}
	case "str", "":
		f.value = answersite.Str(meant).Or(shown)
	default:
		f.value = typed(kind, of)
		f.value.Text = meant
		if kind == "enum" {
			f.value = f.value.Or(shown)
		}
	}
	return f
}

// table is a list of objects: "S,£10;M,£12" of "size,price:gbp".
func table(s *answersite.Set, host, columns, cell string) fact {
	var heads []answersite.Column
	var rows []map[string]answersite.Value
	for head := range strings.SplitSeq(columns, ",") {
		name, _, _ := strings.Cut(head, ":")
		heads = append(heads, answersite.Column{Name: name, Ask: strings.ReplaceAll(name, "_", " ")})
	}
	for entry := range strings.SplitSeq(cell, ";") {
		row := map[string]answersite.Value{}
		cells := strings.Split(entry, ",")
		for i, head := range strings.Split(columns, ",") {
			name, kind, _ := strings.Cut(head, ":")
			row[name] = read(s, host, kind, cells[i]).value
		}
		rows = append(rows, row)
	}
	first, _, _ := strings.Cut(cell, ",")
	first, _, _ = strings.Cut(first, "=")
	return fact{shown: cell, meant: cell, proof: first, value: answersite.Entries(heads, rows...)}
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("bazaar: %v", err))
	}
}

// typed is a value of a type without what it is.
func typed(kind, of string) answersite.Value {
	switch kind {
	case "int":
		return answersite.Int(0)
	case "num":
		return answersite.Num(0)
	case "gbp", "usd", "eur", "sek", "chf":
		return answersite.Money(0, strings.ToUpper(kind))
	case "date":
		return answersite.Day(time.Time{})
	case "mail":
		return answersite.Mail("")
	case "tel":
		return answersite.Tel("")
	case "url":
		return answersite.Link("")
	case "bool":
		return answersite.Is(false)
	case "list":
		return answersite.Several()
	case "enum":
		return answersite.OneOf("", strings.Split(of, "/")...)
	}
	return answersite.Str("")
}

var (
	modes = map[string]answersite.Mode{"at": answersite.Named, "find": answersite.Searched}
	forms = map[string]answersite.Form{
		"none": answersite.FormNone, "empty": answersite.FormEmpty, "told": answersite.FormDescribed, "schema": answersite.FormSchema,
		"plain": answersite.FormString,
	}
)

// ask adds the tasks of a line of asks, one for each of its rows.
func (k kind) ask(s *answersite.Set, n int, line string, pages []*answersite.Page, facts []map[string]fact) {
	parts := append(strings.Split(line, "|"), "")
	mode, form, _ := strings.Cut(parts[1], " ")
	if modes[mode] == "" || forms[form] == "" {
		panic("bazaar: no such mode and form: " + line)
	}
	for number := range strings.FieldsSeq(parts[0]) {
		i, err := strconv.Atoi(number)
		must(err)
		text := parts[2]
		if parts[4] != "" {
			text = strings.ReplaceAll(text, "{name}", parts[4])
		}
		fill := func(text string) string {
			for name, f := range facts[i] {
				text = strings.ReplaceAll(text, "{"+name+"}", f.shown)
			}
			return strings.ReplaceAll(text, "{url}", pages[i].URL)
		}
		var fields []answersite.Described
		for want := range strings.SplitSeq(parts[3], ";") {
			fields = append(fields, k.want(fill(want), parts[4], pages[i], facts[i]))
		}
		s.Pose(fmt.Sprintf("%s/%d/%d", k.name, n, i), modes[mode], forms[form], fill(text), fields...)
	}
}

// want is a field of a task.
func (k kind) want(spec, ghost string, page *answersite.Page, said map[string]fact) answersite.Described {
	spec, lure, _ := strings.Cut(spec, "^")
	spec, clues, _ := strings.Cut(spec, "@")
	spec, about, _ := strings.Cut(spec, "~")
	name, column, _ := strings.Cut(strings.TrimSpace(spec), "=")
	want := answersite.Want{URLs: []string{page.URL}}
	kind, absent := strings.CutPrefix(column, "!")
	if f, known := said[column]; known {
		want.Value, want.Shown = f.value, f.proof
	} else if !absent {
		for head := range strings.FieldsSeq(k.cols) {
			if head, its, _ := strings.Cut(head, ":"); head == column {
				kind, absent = its, true
			}
		}
		if !absent {
			panic("bazaar: " + k.name + ": no column " + column)
		}
	}
	if absent {
		kind, of, _ := strings.Cut(kind, "(")
		want.Value, want.Absent = typed(kind, strings.TrimSuffix(of, ")")), answersite.NoField
		want.Value.Text, want.Value.Currency = "", ""
		if clues != "" {
			want.Clues = strings.Split(clues, ",")
		}
		if why, words, ok := strings.Cut(lure, ":"); ok {
			want.Absent, want.Lures = map[string]answersite.Absence{"twin": answersite.OnlyTwin, "other": answersite.OnlyOther}[why], []string{words}
		}
	}
	if ghost != "" {
		want.Absent, want.Subject, want.URLs = answersite.NoSubject, ghost, nil
	}
	return answersite.Described{Field: name, Ask: about, Want: want}
}
