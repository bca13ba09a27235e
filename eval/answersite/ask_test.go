package answersite_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// takenMin is the share of known values that the check of answers takes by no more than the value as a quote. The rest are
// booleans, whose proof has to name what is so, and the like.
const takenMin = 0.9

// TestCheckTakesWhatIsKnown: every json_format is one, its fields are those of the task, and what is known would pass the check
// that all answers pass.
func TestCheckTakesWhatIsKnown(t *testing.T) {
	t.Parallel()
	for name, build := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := build(nil)
			known, taken := 0, 0
			for _, task := range set.Tasks {
				format, err := ask.ParseFormat(task.Format)
				if err != nil || len(format.Fields) != len(task.Wants) {
					t.Fatalf("%s: %s: got %v, want %d fields", task.Name, task.Format, err, len(task.Wants))
				}
				for _, w := range task.Wants {
					if w.Absent != "" || w.Value.Type == answersite.List {
						continue
					}
					known++
					if _, refused := ask.Check(format, []ask.Value{claim(t, format, w)}, sourcesOf(t.Context(), t, set, task, w)); len(refused) == 0 {
						taken++
					} else if name == "devset" {
						t.Logf("%s: %v", task.Name, refused[0].Err)
					}
				}
			}
			if t.Logf("the check takes %d of %d known values", taken, known); float64(taken) < takenMin*float64(known) {
				t.Errorf("got %d of %d, want at least %v of them", taken, known, takenMin)
			}
		})
	}
}

// claim is a known value as one who answers says it.
func claim(t *testing.T, format *ask.Format, w answersite.Want) ask.Value {
	t.Helper()
	field, ok := format.Field(w.Path)
	if !ok {
		t.Fatalf("no field %s in %s", w.Path, format.Raw)
	}
	value := w.Perfect()
	if field.Type == "string" && field.Form == "" && field.Enum == nil {
		value = w.Shown
	}
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return ask.Value{Path: w.Path, JSON: written, URL: w.URLs[0], Quote: w.Shown}
}

func sourcesOf(ctx context.Context, t *testing.T, set *answersite.Set, task *answersite.Task, w answersite.Want) []*ask.Source {
	t.Helper()
	world, err := set.World(task)
	if err != nil {
		t.Fatal(err)
	}
	sources := world.Given()
	for _, url := range w.URLs {
		if page := set.Page(url); page != nil {
			source, err := page.Source(ctx)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, source)
		}
	}
	return sources
}
