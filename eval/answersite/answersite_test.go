package answersite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/eval/answersite"
	"github.com/turnpike-edge/turnpike/eval/answersite/almanac"
	"github.com/turnpike-edge/turnpike/eval/answersite/bazaar"
	"github.com/turnpike-edge/turnpike/eval/answersite/borough"
	"github.com/turnpike-edge/turnpike/eval/answersite/campus"
	"github.com/turnpike-edge/turnpike/eval/answersite/devset"
	"github.com/turnpike-edge/turnpike/eval/answersite/harbour"
	"github.com/turnpike-edge/turnpike/eval/answersite/heldout"
)

// sets are the parts, by name.
var sets = map[string]func(func(string) string) *answersite.Set{
	"devset": devset.New, "reworded": devset.NewReworded, "heldout": heldout.New,
	"borough": borough.New, "campus": campus.New, "bazaar": bazaar.New, "almanac": almanac.New,
	"harbour": harbour.New,
}

const pagesMin, tasksMin = 300, 200

// smaller are the parts that are there for other words and layouts than the large ones have, with their least numbers of pages and tasks.
var smaller = map[string][2]int{"borough": {130, 170}, "campus": {130, 170}, "bazaar": {120, 170}, "almanac": {130, 340}, "harbour": {130, 220}}

// TestSets holds all parts to what the package promises: sizes, types, that what is known is on its page and that what is
// absent is not.
func TestSets(t *testing.T) {
	t.Parallel()
	for name, build := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := build(nil)
			pages, tasks := pagesMin, tasksMin
			if least, ok := smaller[name]; ok {
				pages, tasks = least[0], least[1]
			}
			if len(set.Pages) < pages || len(set.Tasks) < tasks {
				t.Errorf("got %d pages and %d tasks, want at least %d and %d", len(set.Pages), len(set.Tasks), pages, tasks)
			}
			for _, fault := range set.Faults(t.Context()) {
				t.Error(fault)
			}
			t.Log(set.Describe())
		})
	}
}

// TestSetsAreTheSame: nothing is by chance.
func TestSetsAreTheSame(t *testing.T) {
	t.Parallel()
	for name, build := range sets {
		a, b := build(nil), build(nil)
		for i := range a.Pages {
			if !bytes.Equal(a.Pages[i].Body, b.Pages[i].Body) || a.Pages[i].URL != b.Pages[i].URL {
				t.Fatalf("%s: page %s differs", name, a.Pages[i].URL)
			}
		}
		for i := range a.Tasks {
			if a.Tasks[i].Text != b.Tasks[i].Text || !bytes.Equal(a.Tasks[i].Format, b.Tasks[i].Format) {
				t.Fatalf("%s: task %s differs", name, a.Tasks[i].Name)
			}
		}
	}
}

// TestJudge: who knows all answers gets all points, who refuses all gets those for absences, and who guesses none.
func TestJudge(t *testing.T) {
	t.Parallel()
	for name, build := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := build(nil)
			for _, tt := range []struct {
				name                        string
				answer                      func(answersite.Want) any
				precision, recall, absences float64
			}{
				{"all are known", func(w answersite.Want) any { return w.Perfect() }, 1, 1, 1},
				{"as on the page", func(w answersite.Want) any { return w.AsShown() }, 1, 1, 1},
				{"all are refused", func(answersite.Want) any { return ask.NotFound }, 1, 0, 1},
				{"all are guessed", func(answersite.Want) any { return "a guess" }, 0, 0, 0},
			} {
				score, err := set.Run(t.Context(), func(_ context.Context, task *answersite.Task, _ *answersite.World) (json.RawMessage, error) {
					return task.Fill(tt.answer), nil
				})
				if err != nil {
					t.Fatal(err)
				}
				got := score.Total()
				if got.Precision() != tt.precision || got.Recall() != tt.recall || got.Absences() != tt.absences {
					t.Errorf("%s: got precision %v, recall %v, absences %v, want %v, %v, %v\n%s", tt.name, got.Precision(), got.Recall(), got.Absences(),
						tt.precision, tt.recall, tt.absences, strings.Join(append(score.Wrong(), score.Missed()...)[:min(10,
							len(score.Wrong())+len(score.Missed()))], "\n"))
				}
			}
		})
	}
}
