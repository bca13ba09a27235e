package answersite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Answer answers a task from a world: the reader that is judged, behind whatever reads its format.
type Answer func(ctx context.Context, task *Task, world *World) (json.RawMessage, error)

// The floors that an answerer without a model is held to.
const (
	PrecisionMin = 0.95
	RecallMin    = 0.60
	AbsencesMin  = 0.98
)

// Figure counts fields.
type Figure struct {
	// Known are fields with a value, Given those that were answered with any, Right those of them that were right.
	Known, Given, Right int
	// Absent are fields without a value, Refused those of them that were answered NOT_FOUND.
	Absent, Refused int
}

// Precision is the share of given values that are right, with those that were given where there is none; 1 without any.
func (f Figure) Precision() float64 { return share(f.Right, f.Given) }

// Recall is the share of known values that were given and right; 1 without any.
func (f Figure) Recall() float64 { return share(f.Right, f.Known) }

// Absences is the share of absent fields that were answered NOT_FOUND; 1 without any.
func (f Figure) Absences() float64 { return share(f.Refused, f.Absent) }

func share(part, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(part) / float64(of)
}

func (f *Figure) add(v Verdict) {
	if v.Want.Absent == "" {
		f.Known++
	} else {
		f.Absent++
		if v.Refused {
			f.Refused++
		}
	}
	if v.Given {
		f.Given++
	}
	if v.Right {
		f.Right++
	}
}

// Verdict is what became of one field.
type Verdict struct {
	Task *Task
	Want Want
	// Got is what was answered, as JSON; "" where the field is not in the answer.
	Got string
	// Given reports that it is a value, Right that it is the right one, Refused that it is NOT_FOUND.
	Given, Right, Refused bool
}

// Score is what became of all tasks.
type Score struct {
	Verdicts []Verdict
	// Failed are the tasks that were not answered at all, with why. Their known fields count as not given, their absent
	// ones as not refused.
	Failed []string
}

// Run asks all tasks and judges the answers.
func (s *Set) Run(ctx context.Context, answer Answer) (*Score, error) {
	score := &Score{}
	for _, task := range s.Tasks {
		world, err := s.World(task)
		if err != nil {
			return nil, err
		}
		got, err := answer(ctx, task, world)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			score.Failed = append(score.Failed, task.Name+": "+err.Error())
		}
		score.Judge(task, got)
	}
	return score, nil
}

// Judge judges the answer of a task; nil where there is none.
func (s *Score) Judge(task *Task, answer json.RawMessage) {
	var decoded any
	if answer != nil {
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber()
		if err := d.Decode(&decoded); err != nil {
			s.Failed = append(s.Failed, task.Name+": no JSON: "+err.Error())
			decoded = nil
		}
	}
	for _, want := range task.Wants {
		got, there := at(decoded, want.Path)
		v := Verdict{Task: task, Want: want}
		if there {
			v.Got = string(marshal(got))
			v.Refused = got == ask.NotFound
			v.Given = !v.Refused && !isEmpty(got)
		}
		if v.Given && want.Absent == "" {
			v.Right = right(task.Form, want, got)
		}
		s.Verdicts = append(s.Verdicts, v)
	}
}

// right judges a value: without a format it may stand in a sentence, with one it is the value and nothing else, as it is
// written on the page or in the form of its type.
func right(form Form, want Want, got any) bool {
	text, isText := got.(string)
	if isText && form == FormNone {
		return want.Value.StandsIn(text, want.Lures)
	}
	return isText && fold(text) == fold(want.Shown) || want.Value.Right(got)
}

func isEmpty(got any) bool {
	switch got := got.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(got) == ""
	case []any:
		return len(got) == 0
	case map[string]any:
		return len(got) == 0
	}
	return false
}

// at follows a JSON Pointer through objects.
func at(decoded any, pointer string) (any, bool) {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := decoded.(map[string]any)
		if !ok {
			return nil, false
		}
		if decoded, ok = object[name]; !ok {
			return nil, false
		}
	}
	return decoded, true
}

// Total is the figure of all fields.
func (s *Score) Total() Figure {
	return s.by(func(Verdict) string { return "" })[""]
}

func (s *Score) by(name func(Verdict) string) map[string]Figure {
	figures := map[string]Figure{}
	for _, v := range s.Verdicts {
		f := figures[name(v)]
		f.add(v)
		figures[name(v)] = f
	}
	return figures
}

// ByType are the figures of each type of field.
func (s *Score) ByType() map[string]Figure {
	return s.by(func(v Verdict) string { return string(v.Want.Value.Type) })
}

// ByForm are the figures of each form of json_format.
func (s *Score) ByForm() map[string]Figure {
	return s.by(func(v Verdict) string { return string(v.Task.Form) })
}

// ByMode are the figures of each kind of task.
func (s *Score) ByMode() map[string]Figure {
	return s.by(func(v Verdict) string { return string(v.Task.Mode) })
}

// Short says which floors a figure misses; "" where none.
func (f Figure) Short() string {
	var short []string
	for _, floor := range []struct {
		name     string
		got, min float64
	}{{"precision", f.Precision(), PrecisionMin}, {"recall", f.Recall(), RecallMin}, {"absences", f.Absences(), AbsencesMin}} {
		if floor.got < floor.min {
			short = append(short, fmt.Sprintf("%s %.3f, want at least %.2f", floor.name, floor.got, floor.min))
		}
	}
	return strings.Join(short, "; ")
}

// Write writes the tables: all, by type, form, kind of task, type of page and reason of absence.
func (s *Score) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, f Figure) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%d\t%d\t%.3f\t\n", name, f.Known, f.Given, f.Right, f.Precision(), f.Recall(), f.Absent, f.Refused, f.Absences())
	}
	fmt.Fprint(w, "\tknown\tgiven\tright\tprecision\trecall\tabsent\tNOT_FOUND\tabsences\t\n")
	row("all", s.Total())
	byType, byForm, byMode := s.ByType(), s.ByForm(), s.ByMode()
	for _, t := range Types() {
		row(string(t), byType[string(t)])
	}
	for _, f := range []Form{FormNone, FormEmpty, FormDescribed, FormSchema, FormString} {
		row("form: "+string(f), byForm[string(f)])
	}
	for _, m := range []Mode{Named, Searched, WithFile} {
		row("task: "+string(m), byMode[string(m)])
	}
	byPage := s.by(func(v Verdict) string { return v.Want.On })
	for _, t := range PageTypes() {
		row("page: "+t, byPage[t])
	}
	byAbsence := s.by(func(v Verdict) string { return string(v.Want.Absent) })
	for _, a := range []Absence{NoField, NoSubject, OnlyTwin, OnlyOther} {
		row("absent: "+string(a), byAbsence[string(a)])
	}
	return w.Flush()
}

// Wrong lists what was given and is not right: the task's text, the field, what was given and what was known.
func (s *Score) Wrong() []string {
	var wrong []string
	for _, v := range s.Verdicts {
		if v.Given && !v.Right {
			wrong = append(wrong, v.String())
		}
	}
	return wrong
}

// Missed lists known values that were not given.
func (s *Score) Missed() []string {
	var missed []string
	for _, v := range s.Verdicts {
		if !v.Given && v.Want.Absent == "" {
			missed = append(missed, v.String())
		}
	}
	return missed
}

// String is the verdict in a line.
func (v Verdict) String() string {
	want := v.Want.Value.Text + strings.Join(v.Want.Value.Items, " | ")
	if v.Want.Value.Rows != nil {
		want = fmt.Sprint(len(v.Want.Value.Rows), " rows")
	}
	if v.Want.Absent != "" {
		want = "nothing: " + string(v.Want.Absent)
	}
	return fmt.Sprintf("%s %s (%s, %s, %s): got %s, want %s; %s", v.Task.Name, v.Want.Path, v.Want.Value.Type, v.Task.Form, v.Task.Mode, v.Got, want, v.Task.Text)
}
