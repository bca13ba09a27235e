package monitors_test

import (
	"os"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/eval/real/monitors"
)

func load(t *testing.T) *monitors.Set {
	t.Helper()
	const corpus = "../../../../shared/data/wcxb-dev"
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("nothing is measured, because the real pages are not in %s", corpus)
	}
	set, err := monitors.Load("..", corpus)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestVersions checks that answers are the same for the same seed, and that the last version has all edits.
func TestVersions(t *testing.T) {
	t.Parallel()
	set := load(t)
	for _, p := range set.Pages {
		at := p.Schedule(7)
		last := set.HTML(p, monitors.Answer{Version: 10}, at)
		for i, e := range p.Edits {
			if at[i] < 2 || at[i] > 10 || !strings.Contains(last, e.Replace) {
				t.Errorf("page %s, %q: got version %d, want one from 2 to 10, and %q in the last", p.ID, e.Why, at[i], e.Replace)
			}
		}
		a := monitors.Answer{Seed: 7, Version: 5, Look: 1}
		if once, again := set.HTML(p, a, at), set.HTML(p, a, at); once != again {
			t.Errorf("page %s: two answers differ, want the same for the same seed", p.ID)
		}
	}
}
