package market

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// said is what a page says: its texts, and the paths its links lead to, in order of the alphabet, for lists are shuffled.
func said(t *testing.T, body string) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatalf("got %v, want HTML", err)
	}
	var texts []string
	for node := range root.Descendants() {
		switch {
		case node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "style":
			if text := strings.Join(strings.Fields(node.Data), " "); text != "" {
				texts = append(texts, text)
			}
		case node.Type == html.ElementNode && node.Data == "a":
			for _, a := range node.Attr {
				if path, _, _ := strings.Cut(a.Val, "?"); a.Key == "href" {
					texts = append(texts, path)
				}
			}
		}
	}
	slices.Sort(texts)
	return texts
}

// steady is what a page says in a run whatever is drawn, and noise what it says in some draws alone.
func steady(t *testing.T, p *cs.Page, run int) (always []string, noise map[string]bool) {
	t.Helper()
	const draws = 24
	count := map[string]int{}
	for draw := range draws {
		for _, text := range slices.Compact(said(t, p.Body(run, draw%3, uint64(draw)))) {
			count[text]++
		}
	}
	noise = map[string]bool{}
	for _, text := range slices.Sorted(maps.Keys(count)) {
		if count[text] == draws {
			always = append(always, text)
		} else {
			noise[text] = true
		}
	}
	return always, noise
}

func TestCounts(t *testing.T) {
	t.Parallel()
	site := New()
	edits, dataEdits, withData := 0, 0, 0
	types, paths := map[string]bool{}, map[string]bool{}
	for _, p := range site.Pages {
		edits += len(p.Edits)
		dataEdits += len(p.DataEdits)
		types[p.Type], paths[p.Path] = true, true
		if p.Data != nil && p.Schema != "" {
			withData++
		}
		for run := range p.DataEdits {
			if _, ok := p.Edits[run]; !ok {
				t.Errorf("%s: run %d edits its data, and not its page", p.Path, run)
			}
		}
	}
	for _, c := range []struct {
		name          string
		got, low, top int
	}{
		{"pages", len(site.Pages), 10, 10},
		{"types", len(types), 10, 10},
		{"paths", len(paths), 10, 10},
		{"runs", site.Runs, 40, 40},
		{"edits", edits, 42, 50},
		{"pages with data", withData, 4, 10},
		{"data edits", dataEdits, 8, edits},
	} {
		if c.got < c.low || c.got > c.top {
			t.Errorf("%s: got %d, want %d to %d", c.name, c.got, c.low, c.top)
		}
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	one, other := New(), New()
	for i, p := range one.Pages {
		for run := range one.Runs + 1 {
			for look := range 2 {
				if p.Body(run, look, 5) != other.Pages[i].Body(run, look, 5) {
					t.Fatalf("%s: got other bytes in run %d, look %d, want the same", p.Path, run, look)
				}
			}
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	site := New()
	for _, p := range site.Pages {
		for run := range site.Runs + 1 {
			body := p.Body(run, 0, 1)
			switch {
			case !utf8.ValidString(body):
				t.Fatalf("%s: run %d is not UTF-8", p.Path, run)
			case len(body) < 4<<10 || len(body) > 12<<10:
				t.Fatalf("%s: run %d has %d bytes, want 4 to 12 KB", p.Path, run, len(body))
			case strings.Contains(body, "[["), strings.Contains(body, "%!"):
				t.Fatalf("%s: run %d has a place that was not filled", p.Path, run)
			}
			balanced(t, fmt.Sprintf("%s: run %d", p.Path, run), body)
		}
	}
}

// balanced reports an element that is closed without being open, or not closed at all.
func balanced(t *testing.T, where, body string) {
	t.Helper()
	void := []string{"meta", "link", "img", "input", "br", "hr"}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(body)); ; {
		kind := z.Next()
		name, _ := z.TagName()
		tag := string(name)
		switch {
		case kind == html.ErrorToken:
			if len(open) > 0 {
				t.Fatalf("%s: %v are not closed", where, open)
			}
			return
		case kind == html.StartTagToken && !slices.Contains(void, tag):
			open = append(open, tag)
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("%s: </%s> closes none of %v", where, tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func TestEveryEditIsSaidAndNoNoiseIs(t *testing.T) {
	t.Parallel()
	site := New()
	for _, p := range site.Pages {
		t.Run(p.Type, func(t *testing.T) {
			t.Parallel()
			if len(p.Edits) == 0 {
				t.Error("got no edits, want some")
			}
			before, noise := steady(t, p, 0)
			for run := 1; run <= site.Runs; run++ {
				after, drawn := steady(t, p, run)
				_, edited := p.Edits[run]
				if differs := !slices.Equal(undated(before, run-1), undated(after, run)); differs != edited {
					t.Errorf("run %d: got a change of what is always said %v, want %v\n%q\n%q", run, differs, edited, before, after)
				}
				before = after
				maps.Copy(noise, drawn)
			}
			for run, edit := range p.Edits {
				for _, text := range said(t, edit) {
					if noise[text] {
						t.Errorf("got %q as noise, want it only as the edit of run %d", text, run)
					}
				}
			}
		})
	}
}

// undated is what is said without what goes with the day: today's date, days since, a counter that goes up by as much each day.
func undated(texts []string, run int) []string {
	day := today(&cs.Run{Number: run})
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		for _, layout := range []string{"Monday 2 January", "Monday, 2 January", "Monday, January 2", "Mon 2 Jan", "02/01/2006", "02.01.2006", "2006-01-02"} {
			if strings.Contains(text, day.Format(layout)) {
				return true
			}
		}
		return strings.HasPrefix(text, "Posted ") || strings.HasPrefix(text, "Listed ") || strings.HasPrefix(text, "★ ")
	})
}

func TestNoiseInEachRun(t *testing.T) {
	t.Parallel()
	site := New()
	for _, p := range site.Pages {
		for run := range site.Runs + 1 {
			if slices.Equal(said(t, p.Body(run, 0, 1)), said(t, p.Body(run, 1, 1))) {
				t.Errorf("%s: run %d says the same in two looks", p.Path, run)
			}
			if run > 0 && slices.Equal(said(t, p.Body(run-1, 0, 1)), said(t, p.Body(run, 0, 1))) {
				t.Errorf("%s: run %d says the same as the run before", p.Path, run)
			}
		}
	}
}

func TestDataIsSaid(t *testing.T) {
	t.Parallel()
	site := New()
	for _, p := range site.Pages {
		if p.Data == nil {
			continue
		}
		if !json.Valid([]byte(p.Schema)) {
			t.Errorf("%s: its schema is no JSON", p.Path)
		}
		for run := range site.Runs + 1 {
			text := strings.Join(said(t, p.Body(run, 0, 1)), "\n")
			for _, value := range values(t, p.Data(p.New(run, 0, 1))) {
				if !strings.Contains(text, value) {
					t.Errorf("%s: run %d has %q in its data, want it said", p.Path, run, value)
				}
			}
			if run == 0 {
				continue
			}
			before, after := values(t, p.Data(p.New(run-1, 0, 1))), values(t, p.Data(p.New(run, 0, 1)))
			if _, edited := p.DataEdits[run]; slices.Equal(before, after) == edited {
				t.Errorf("%s: run %d: got data %q after %q, want a change %v", p.Path, run, after, before, edited)
			}
		}
	}
}

// values are the strings and numbers in data, in order.
func values(t *testing.T, data map[string]any) []string {
	t.Helper()
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatalf("got %v, want JSON", err)
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatalf("got %v, want JSON", err)
	}
	var out []string
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		default:
			out = append(out, fmt.Sprint(v))
		}
	}
	walk(whole)
	slices.Sort(out)
	return out
}
