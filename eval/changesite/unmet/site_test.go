package unmet

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// draws is how many draws of noise each state of a page is looked at with.
const draws = 16

// TestSize counts what is planned.
func TestSize(t *testing.T) {
	t.Parallel()
	edits, ofData, early, inARow := 0, 0, 0, 0
	site := New()
	for _, page := range site.Pages {
		edits += len(page.Edits)
		ofData += len(page.DataEdits)
		for run := range page.Edits {
			if run < 1 || run > site.Runs {
				t.Errorf("%s: an edit in run %d, of %d", page.Path, run, site.Runs)
			}
			if run <= 3 {
				early++
			}
			if _, before := page.Edits[run-1]; before {
				inARow++
			}
		}
		for run, edit := range page.DataEdits {
			if _, seen := page.Edits[run]; !seen {
				t.Errorf("%s run %d: %q is in Data and not on the page", page.Path, run, edit)
			}
		}
	}
	t.Logf("%d edits among %d runs, %d of data, %d in runs 1 to 3, %d in the run after another", edits, len(site.Pages)*site.Runs, ofData, early, inARow)
	if len(site.Pages) != 10 || site.Runs != 40 || edits < 40 || edits > 48 || ofData < 15 || early == 0 || inARow == 0 {
		t.Errorf("got %d pages of %d runs, %d edits, %d of data, %d early, %d in a row", len(site.Pages), site.Runs, edits, ofData, early, inARow)
	}
}

// TestEditsAreSaid looks at each state of each page in many draws of noise: what stands in all of them changes with each edit,
// and with nothing else.
func TestEditsAreSaid(t *testing.T) {
	t.Parallel()
	site := New()
	for _, page := range site.Pages {
		t.Run(page.Path, func(t *testing.T) {
			t.Parallel()
			before := standing(t, page, 0)
			if len(before) < 40 {
				t.Errorf("only %d words and pairs stand in each draw of run 0", len(before))
			}
			for run := 1; run <= site.Runs; run++ {
				after := standing(t, page, run)
				gone, come := without(before, after), without(after, before)
				edit, edited := page.Edits[run]
				if edited && len(gone)+len(come) == 0 {
					t.Errorf("run %d: nothing says %q", run, edit)
				}
				if !edited && len(gone)+len(come) > 0 {
					t.Errorf("run %d: no edit, but gone are %q and come %q", run, gone, come)
				}
				before = after
			}
		})
	}
}

// TestDataIsCalm looks at what Data gives: in each draw the same but for order, and another with each of its edits alone.
func TestDataIsCalm(t *testing.T) {
	t.Parallel()
	site := New()
	for _, page := range site.Pages {
		if (page.Data == nil) != (page.Schema == "") {
			t.Errorf("%s: of Schema and Data there is one", page.Path)
		}
		if page.Data == nil {
			continue
		}
		if !json.Valid([]byte(page.Schema)) {
			t.Errorf("%s: the schema is no JSON", page.Path)
		}
		var before any
		for run := range site.Runs + 1 {
			data := ordered(t, page.Data(state(page, run, 0)))
			text := strings.Join(words(t, page.Render(state(page, run, 0)), false), " ")
			for _, value := range leaves(data) {
				if !strings.Contains(text, value) && value != "GBP" {
					t.Errorf("%s run %d: the page does not say %q", page.Path, run, value)
				}
			}
			for draw := 1; draw < draws; draw++ {
				if again := ordered(t, page.Data(state(page, run, draw))); !reflect.DeepEqual(again, data) {
					t.Fatalf("%s run %d: got %v in one draw, %v in another", page.Path, run, data, again)
				}
			}
			_, edited := page.DataEdits[run]
			if changed := run > 0 && !reflect.DeepEqual(before, data); changed != edited {
				t.Errorf("%s run %d: changed %v, edited %v", page.Path, run, changed, edited)
			}
			before = data
		}
	}
}

// TestLooksDiffer looks twice at each run: each page always has noise to be seen, in the same words of Calm.
func TestLooksDiffer(t *testing.T) {
	t.Parallel()
	site := New()
	for _, page := range site.Pages {
		for run := range site.Runs + 1 {
			for seed := range uint64(2) {
				first, second := page.New(run, 0, seed), page.New(run, 1, seed)
				one, two := page.Render(first), page.Render(second)
				if slices.Equal(words(t, one, true), words(t, two, true)) {
					t.Errorf("%s run %d, draw %d: both looks say the same", page.Path, run, seed)
				}
				if first.Calm.Uint64() != second.Calm.Uint64() {
					t.Errorf("%s run %d, draw %d: the looks drew Calm differently", page.Path, run, seed)
				}
				if page.Body(run, 1, seed) != two {
					t.Errorf("%s run %d, draw %d: the same look gives other bytes", page.Path, run, seed)
				}
			}
		}
	}
}

// state is a page as it is edited in a run, under the noise of one run or another: noise is drawn as the run is made.
func state(page *cs.Page, run, draw int) *cs.Run {
	n := page.New(draw%5, draw, uint64(draw))
	n.Number = run
	return n
}

// today is the clock of a page, which goes on with the runs and is noise by its form alone.
var today = regexp.MustCompile(`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? |(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) |[MDFS][a-z]+ta?g, |Mittwoch, )?\d{1,2}\.? (?:March|Mar|März)\b(?: 2026)?` +
	`|2026-03-\d\d|March \d{1,2}\b|\b\d+ days ago|\byesterday\b|\btoday\b`)

// standing is what is said in all draws of a state: each word, each two that follow each other, and where links go.
func standing(t *testing.T, page *cs.Page, run int) map[string]bool {
	t.Helper()
	var in map[string]bool
	for draw := range draws {
		said := map[string]bool{}
		before := ""
		for _, word := range words(t, page.Render(state(page, run, draw)), true) {
			said[word], said[before+" "+word] = true, true
			before = word
		}
		if in == nil {
			in = said
		}
		maps.DeleteFunc(in, func(word string, _ bool) bool { return !said[word] })
	}
	return in
}

func without(all, these map[string]bool) []string {
	var left []string
	for word := range all {
		if !these[word] {
			left = append(left, word)
		}
	}
	slices.Sort(left)
	return left
}

// words are those that a reader sees on a page, with the paths of its links, and with the clock taken off if told.
func words(t *testing.T, page string, timeless bool) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode && !slices.Contains([]string{"script", "style", "title", "noscript"}, node.Parent.Data) {
			text.WriteString(node.Data)
		}
		if node.Type == html.ElementNode {
			if !slices.Contains([]string{"b", "em", "strong", "bdi", "span", "i", "code", "a"}, node.Data) || node.NextSibling == nil {
				text.WriteString(" ")
			}
			for _, attribute := range node.Attr {
				if node.Data == "a" && attribute.Key == "href" {
					path, _, _ := strings.Cut(attribute.Val, "?")
					text.WriteString(" →" + path + " ")
				}
			}
		}
	}
	if timeless {
		return strings.Fields(today.ReplaceAllString(text.String(), " "))
	}
	return strings.Fields(text.String())
}

// ordered is a value as JSON reads it, with all lists in order of what is in them.
func ordered(t *testing.T, value any) any {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	for _, field := range read.(map[string]any) {
		if list, ok := field.([]any); ok {
			slices.SortFunc(list, func(a, b any) int {
				return strings.Compare(strings.Join(leaves(a), "\n"), strings.Join(leaves(b), "\n"))
			})
		}
	}
	return read
}

// leaves are the texts in a value, sorted by the names of their fields.
func leaves(value any) []string {
	switch value := value.(type) {
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, leaves(value[name])...)
		}
		return all
	case []any:
		var all []string
		for _, item := range value {
			all = append(all, leaves(item)...)
		}
		return all
	case string:
		return []string{value}
	default:
		return nil
	}
}
