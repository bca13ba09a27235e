package keyless

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// TestGroups asks what testdata/groups.txt asks: cards, entries and rows that are alike, lists with a title, and values without a label. A list
// is given whole or not at all.
func TestGroups(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/groups.txt")
}

// TestGroupsAreBounded: however many entries there are and however deep they nest, no more of them is kept than the bounds say.
func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "<li><b>Bun %d</b> £%d</li>", i, i+1)
	}
	for name, body := range map[string]string{
		"entries": "<ul>" + many.String() + "</ul>",
		"deep":    strings.Repeat("<div class=a><h3>x</h3><div class=a><h3>y</h3></div>", 2000),
		"buttons": "<div>Size:" + strings.Repeat("<button>L</button>", 5000) + "</div>",
		"groups":  strings.Repeat("<ul><li><b>Bun</b> £1</li><li><b>Loaf</b> £2</li></ul>", 3000),
	} {
		root, err := extract.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		p := &page{coded: map[string]bool{}, context: map[string]bool{}, source: sourceOf(t, "https://b.example/", "B", "<p>x</p>")}
		p.walk(root)
		if len(p.groups) > groupsMax || len(p.facts) > factsMax+10 {
			t.Errorf("%s: got %d groups and %d facts", name, len(p.groups), len(p.facts))
		}
		for _, g := range p.groups {
			if len(g.entries) > entriesMax {
				t.Errorf("%s: got a group of %d", name, len(g.entries))
			}
		}
	}
}

func TestSplitEntry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Quay: leaves at 11:10, £2.75": "Quay|leaves at 11:10|£2.75",
		"Rye loaf ..... £3.60":         "Rye loaf|£3.60",
		"Plum bun – £2":                "Plum bun|£2",
		"Plum bun":                     "Plum bun",
		"1,200 sheets":                 "1,200 sheets",
	} {
		if got := strings.Join(splitEntry(text), "|"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
