package sealed

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// even is a source that always draws the same, so that noise is the same however often it is drawn.
type even struct{}

func (even) Uint64() uint64 { return 0x8000_0001_8000_0001 }

// quiet is a run of which all noise is known.
func quiet(p *cs.Page, number int) *cs.Run {
	n := p.New(number, 0, 1)
	n.Rand, n.Calm = rand.New(even{}), rand.New(even{})
	return n
}

// visible is what a reader sees of a page: its text, without scripts, and each run of white space as a space.
func visible(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "title" {
			out.WriteString(node.Data + " ")
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// TestSize holds that 40 to 44 edits are among 400 runs, spread over the pages and the runs, and at least 15 of them of data.
func TestSize(t *testing.T) {
	t.Parallel()
	site := New()
	if got := len(site.Pages) * site.Runs; got != 400 {
		t.Errorf("got %d runs, want 400", got)
	}
	edits, data := 0, 0
	for _, p := range site.Pages {
		edits, data = edits+len(p.Edits), data+len(p.DataEdits)
		if len(p.Edits) < 4 {
			t.Errorf("%s has %d edits, want 4 at least", p.Path, len(p.Edits))
		}
		if (p.Data == nil) != (p.Schema == "") {
			t.Errorf("%s has a schema without data, or data without a schema", p.Path)
		}
		if p.Schema != "" && !json.Valid([]byte(p.Schema)) {
			t.Errorf("%s has a schema that is no JSON", p.Path)
		}
		for number := range p.DataEdits {
			if _, edited := p.Edits[number]; !edited {
				t.Errorf("%s run %d edits data that the page does not say", p.Path, number)
			}
		}
	}
	if edits < 40 || edits > 44 || data < 15 {
		t.Errorf("got %d edits, %d of them of data, want 40 to 44 and 15 at least", edits, data)
	}
	t.Logf("%d edits, %d of them of data", edits, data)
}

// TestEditsAreVisible holds that with time standing still and noise the same, what a page says changes where an edit is planned and
// nowhere else.
func TestEditsAreVisible(t *testing.T) {
	t.Parallel()
	still := newSite(func(*cs.Run) int { return 0 })
	for i, p := range New().Pages {
		before := visible(t, still.Pages[i].Render(quiet(p, 0)))
		for number := 1; number <= runs; number++ {
			now := visible(t, still.Pages[i].Render(quiet(p, number)))
			if edit, edited := p.Edits[number]; edited != (now != before) {
				t.Errorf("%s run %d: says something else: %t, want %t (%s)", p.Path, number, now != before, edited, edit)
			}
			before = now
		}
	}
}

// TestDataIsFreeOfNoise holds that data changes where an edit of it is planned and nowhere else, and that the page says it in
// each answer.
func TestDataIsFreeOfNoise(t *testing.T) {
	t.Parallel()
	for _, p := range New().Pages {
		if p.Data == nil {
			continue
		}
		before := ""
		for number := range runs + 1 {
			now := ""
			for look := range 6 {
				n := p.New(number, look%2, uint64(look/2)+1)
				data := p.Data(n)
				written, err := json.Marshal(data)
				if err != nil {
					t.Fatal(err)
				}
				if now == "" {
					now = string(written)
				}
				if string(written) != now {
					t.Errorf("%s run %d: two answers with other data:\n%s\n%s", p.Path, number, now, written)
				}
				text := visible(t, p.Body(number, look%2, uint64(look/2)+1))
				for _, said := range leaves(t, written) {
					if !strings.Contains(text, said) {
						t.Errorf("%s run %d does not say %q", p.Path, number, said)
					}
				}
			}
			if _, edited := p.DataEdits[number]; number > 0 && edited != (now != before) {
				t.Errorf("%s run %d: other data: %t, want %t", p.Path, number, now != before, edited)
			}
			before = now
		}
	}
}

// leaves are the strings and the numbers, without their decimals, of data, as a page writes them.
func leaves(t *testing.T, written []byte) []string {
	t.Helper()
	var data any
	if err := json.Unmarshal(written, &data); err != nil {
		t.Fatal(err)
	}
	var walk func(any) []string
	walk = func(value any) []string {
		out := []string{}
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				if key != "currency" {
					out = append(out, walk(inner)...)
				}
			}
		case []any:
			for _, inner := range v {
				out = append(out, walk(inner)...)
			}
		case float64:
			out = append(out, thousands(int(v)))
		case string:
			out = append(out, v)
		}
		return out
	}
	return walk(data)
}

// TestLooksDiffer holds that each answer of a run says something else, has all its places filled, and is the same when asked again.
func TestLooksDiffer(t *testing.T) {
	t.Parallel()
	for _, p := range New().Pages {
		for number := range runs + 1 {
			for seed := range uint64(4) {
				first, second := p.Body(number, 0, seed), p.Body(number, 1, seed)
				if visible(t, first) == visible(t, second) {
					t.Errorf("%s run %d: two looks say the same", p.Path, number)
				}
				if first != p.Body(number, 0, seed) {
					t.Errorf("%s run %d: the same look is not the same", p.Path, number)
				}
				if strings.Contains(first, "{{") || strings.Contains(first, "%!") {
					t.Errorf("%s run %d has a place that is not filled", p.Path, number)
				}
			}
		}
	}
}
