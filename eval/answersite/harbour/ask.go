package harbour

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

var (
	modes = map[string]answersite.Mode{"at": answersite.Named, "find": answersite.Searched}
	forms = map[string]answersite.Form{
		"none": answersite.FormNone, "empty": answersite.FormEmpty, "told": answersite.FormDescribed, "schema": answersite.FormSchema,
		"plain": answersite.FormString,
	}
)

// ask adds the tasks of a line of asks.
func (w *world) ask(k kind, n int, line string, columns []column, things []*thing) {
	parts := append(strings.Split(line, "|"), "")
	mode, form, _ := strings.Cut(parts[1], " ")
	if modes[mode] == "" || forms[form] == "" {
		panic("harbour: no such mode and form: " + line)
	}
	for number := range strings.FieldsSeq(parts[0]) {
		i, err := strconv.Atoi(number)
		must(err)
		t := things[i]
		fill := func(text string) string {
			if parts[4] != "" {
				text = strings.ReplaceAll(text, "{name}", parts[4])
			}
			for name, f := range t.known {
				text = strings.ReplaceAll(text, "{"+name+"}", f.shown)
			}
			return strings.ReplaceAll(text, "{url}", t.page.URL)
		}
		var fields []answersite.Described
		var asks, questions []string
		for spec := range strings.SplitSeq(parts[3], ",") {
			d, c := want(k, strings.TrimSpace(spec), parts[4], form == "schema", columns, t, things)
			d.Ask = fill(d.Ask)
			fields = append(fields, d)
			asks, questions = append(asks, strings.TrimSuffix(d.Ask, "?")), append(questions, c.question)
		}
		name := fmt.Sprintf("%s/%d/%d", k.name, n, i)
		if form != "none" && form != "plain" {
			w.Pose(name, modes[mode], forms[form], fill(strings.ReplaceAll(parts[2], "{asks}", enumerate(asks))), fields...)
			continue
		}
		for j, d := range fields {
			text := strings.NewReplacer("?", questions[j], "{asks}", d.Ask).Replace(parts[2])
			w.Pose(fmt.Sprintf("%s/%d", name, j), modes[mode], forms[form], fill(text), d)
		}
	}
}

func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// camel is a field's name as schemas have it.
func camel(field string) string {
	words := strings.Split(field, "_")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// want is a field of a task: "column", "column^twin@3", "!column^other@3".
func want(k kind, spec, ghost string, asSchema bool, columns []column, t *thing, things []*thing) (answersite.Described, column) {
	spec, lure, _ := strings.Cut(spec, "^")
	key, denied := strings.CutPrefix(spec, "!")
	at := slices.IndexFunc(columns, func(c column) bool { return c.key == key })
	if at < 0 {
		panic("harbour: " + k.name + ": no column " + key)
	}
	c := columns[at]
	d := answersite.Described{Field: c.field, Ask: c.ask, Want: answersite.Want{URLs: []string{t.page.URL}}}
	if asSchema {
		d.Field = camel(c.field)
	}
	f, said := t.said[key]
	if said && !denied && ghost == "" {
		if lure != "" {
			panic("harbour: " + k.name + ": " + f.shown + " is said: " + spec)
		}
		d.Want.Value, d.Want.Shown = f.value, f.proof
		return d, c
	}
	d.Want.Value = typed(c.kind, c.of)
	d.Want.Value.Text, d.Want.Value.Currency = "", ""
	if ghost != "" {
		d.Want.Absent, d.Want.Subject, d.Want.URLs = answersite.NoSubject, ghost, nil
		return d, c
	}
	d.Want.Absent = answersite.NoField
	if c.clues != "" && !denied {
		d.Want.Clues = strings.Split(c.clues, ",")
	}
	if why, row, ok := strings.Cut(lure, "@"); ok {
		i, err := strconv.Atoi(row)
		must(err)
		d.Want.Absent = map[string]answersite.Absence{"twin": answersite.OnlyTwin, "other": answersite.OnlyOther}[why]
		d.Want.Lures = []string{things[i].known[key].proof}
	}
	return d, c
}
