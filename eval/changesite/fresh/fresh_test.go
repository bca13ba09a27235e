package fresh_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/turnpike-edge/turnpike/eval/changesite/fresh"
)

// TestSite holds the site to what it says of itself.
func TestSite(t *testing.T) {
	t.Parallel()
	unfilled := regexp.MustCompile(`\{[a-z0-9]+\}`)
	edits, data, schemas := 0, 0, 0
	site := fresh.New()
	for _, p := range site.Pages {
		edits += len(p.Edits)
		data += len(p.DataEdits)
		for number := range site.Runs + 1 {
			one := p.Body(number, 0, 1)
			if one != p.Body(number, 0, 1) {
				t.Errorf("%s run %d is not the same for the same seed", p.Path, number)
			}
			if one == p.Body(number, 1, 1) {
				t.Errorf("%s run %d has no noise of each answer", p.Path, number)
			}
			calm := p.New(number, 0, 1)
			calm.Calm = p.New(number, 0, 2).Calm
			if one == p.Render(calm) {
				t.Errorf("%s run %d has no noise of the run", p.Path, number)
			}
			if left := unfilled.FindString(one); left != "" {
				t.Errorf("%s run %d has nothing to put for %s", p.Path, number, left)
			}
		}
		for number, value := range p.DataEdits {
			if _, ok := p.Edits[number]; !ok {
				t.Errorf("%s run %d: %s is edited in the data and not on the page", p.Path, number, value)
			}
		}
		if p.Data != nil {
			schemas++
			if !json.Valid([]byte(p.Schema)) {
				t.Errorf("%s has a schema that is not JSON: %s", p.Path, p.Schema)
			}
		}
	}
	t.Logf("%d pages, %d edits, %d data edits of %d pages", len(site.Pages), edits, data, schemas)
	if edits < 40 || data < 15 || schemas < 4 {
		t.Errorf("got %d edits and %d data edits of %d pages, want at least 40 and 15 of 4", edits, data, schemas)
	}
}
