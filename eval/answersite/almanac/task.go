package almanac

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// forms are the forms of json_format as tasks call them.
var forms = map[string]answersite.Form{
	"none": answersite.FormNone, "empty": answersite.FormEmpty, "told": answersite.FormDescribed, "schema": answersite.FormSchema, "string": answersite.FormString,
}

// why are the reasons of absence as wants call them.
var why = map[string]answersite.Absence{"twin": answersite.OnlyTwin, "other": answersite.OnlyOther}

// ask poses a task of some rows: "0,2 empty | When did {name} open? | opening=opened; cost=!price". The rows are followed by the form,
// and by "ghost=" and a name where it is asked of what there is none of. A task with {url} names the page, one without is to be
// searched for.
func (f family) ask(s *answersite.Set, n int, task string, pages []*answersite.Page, facts []map[string]cell) {
	parts := strings.SplitN(task, " | ", 3)
	if len(parts) != 3 {
		panic("almanac: no task: " + task)
	}
	head, ghost, _ := strings.Cut(parts[0], " ghost=")
	rows, form, _ := strings.Cut(strings.TrimSpace(head), " ")
	if _, ok := forms[form]; !ok {
		panic("almanac: no form: " + task)
	}
	for number := range strings.SplitSeq(rows, ",") {
		row, err := strconv.Atoi(number)
		must(err, task)
		known := facts[row]
		text := strings.ReplaceAll(parts[1], "{url}", pages[row].URL)
		if ghost != "" {
			text = strings.ReplaceAll(text, "{name}", ghost)
		}
		mode := answersite.Searched
		if strings.Contains(parts[1], "{url}") {
			mode = answersite.Named
		}
		var fields []answersite.Described
		for spec := range strings.SplitSeq(words(parts[2], known), ";") {
			fields = append(fields, want(strings.TrimSpace(spec), known, pages[row], ghost))
		}
		s.Pose(fmt.Sprintf("%s/%d/%d", f.name, n, row), mode, forms[form], words(text, known), fields...)
	}
}

// words fills a text that is no markup.
func words(text string, known map[string]cell) string {
	text, _ = fill(text, known, func(text string) string { return text })
	return text
}

// want reads a field: "name=column~description", "name=!type" for what the page does not say, "@twin:words" and "@other:words" after
// either for wrong values that a namesake or another time has, and "#word/word" for words that the page would say it with.
func want(spec string, known map[string]cell, page *answersite.Page, ghost string) answersite.Described {
	spec, clues, hasClues := strings.Cut(spec, "#")
	spec, ask, _ := strings.Cut(spec, "~")
	field, column, ok := strings.Cut(spec, "=")
	column, lure, hasLure := strings.Cut(column, "@")
	w := answersite.Want{URLs: []string{page.URL}, Absent: answersite.NoField}
	if kind, missing := strings.CutPrefix(column, "!"); missing {
		kind, in, _ := strings.Cut(strings.TrimSuffix(kind, ")"), "(")
		w.Value = typed(kind, in)
	} else {
		c, there := known[column]
		if !there || !ok {
			panic("almanac: no column for " + spec)
		}
		w.Value, w.Shown = c.value, c.shown
		if c.absent || c.untold || ghost != "" {
			w.Value, w.Shown = answersite.Value{Type: c.value.Type, Allowed: c.value.Allowed, Whole: c.value.Whole}, ""
		} else {
			w.Absent = ""
		}
	}
	if hasLure {
		reason, said, _ := strings.Cut(lure, ":")
		w.Lures = strings.Split(said, "/")
		if absence, ok := why[reason]; ok && w.Absent != "" {
			w.Absent = absence
		}
	}
	if hasClues && w.Absent != "" {
		w.Clues = strings.Split(clues, "/")
	}
	if ghost != "" {
		w.Absent, w.Subject, w.URLs, w.Clues = answersite.NoSubject, ghost, nil, nil
	}
	return answersite.Described{Field: field, Ask: ask, Want: w}
}
