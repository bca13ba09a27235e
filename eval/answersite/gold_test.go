package answersite_test

import (
	"context"
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/answers/keyless"
	"github.com/turnpike-edge/turnpike/eval/answersite"
)

var (
	floors = flag.Bool("floors", false, "fail below the floors of precision, recall and absences on the sets, too, on which they are not reached yet")
	show   = flag.String("show", "", "the part, such as devset, whose wrong and missed answers are written out")
)

// short are the sets on which the floors are not reached yet; docs/answers-quality.md has the figures.
var short = map[string]bool{"almanac": true, "harbour": true}

// TestGold writes the figures of the reader that needs no model, and holds them to the floors.
func TestGold(t *testing.T) {
	t.Parallel()
	for name, build := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			score, err := build(nil).Run(t.Context(), answerKeyless)
			if err != nil {
				t.Fatal(err)
			}
			var figures strings.Builder
			if err := score.Write(&figures); err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", figures.String())
			for _, failed := range score.Failed {
				t.Errorf("not answered: %s", failed)
			}
			if *show == name {
				t.Logf("wrong:\n%s\nmissed:\n%s", strings.Join(score.Wrong(), "\n"), strings.Join(score.Missed(), "\n"))
			}
			switch below := score.Total().Short(); {
			case below == "":
			case short[name] && !*floors:
				t.Logf("below its floors: %s", below)
			default:
				t.Error(below)
			}
		})
	}
}

// TestGoldIsTheSame: the same task over the same pages has the same answer.
func TestGoldIsTheSame(t *testing.T) {
	t.Parallel()
	set := sets["devset"](nil)
	for i, task := range set.Tasks {
		if i%10 != 0 {
			continue
		}
		var first string
		for range 3 {
			world, err := set.World(task)
			if err != nil {
				t.Fatal(err)
			}
			got, err := answerKeyless(t.Context(), task, world)
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(got)
			}
			if string(got) != first {
				t.Errorf("%s: got %s, then %s", task.Name, first, got)
			}
		}
	}
}

func answerKeyless(ctx context.Context, task *answersite.Task, world *answersite.World) (json.RawMessage, error) {
	format, err := ask.ParseFormat(task.Format)
	if err != nil {
		return nil, err
	}
	answer, err := keyless.New().Answer(ctx, ask.Task{Text: task.Text, Format: format, Now: answersite.Now}, world)
	return answer.JSON, err
}
