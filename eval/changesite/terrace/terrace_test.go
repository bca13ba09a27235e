package terrace

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// bodies are the elements with the contents of each page, by id.
var bodies = map[string]string{
	"/to-let/14c-kestrel-wharf":                "listing",
	"/catalog/Item.aspx":                       "ctl00_main",
	"/funds/small-venues-repair-fund":          "main-content",
	"/regulations/written-examinations/":       "rules",
	"/preparer-sa-visite/":                     "content",
	"/status":                                  "state",
	"/2026/speakers":                           "speakers",
	"/verbraucherschutz/rueckrufe/haferriegel": "inhalt",
	"/skerry/tidepool/releases":                "releases",
	"/index.php/parents/lunch-menu":            "content",
}

// withDay are the texts in the contents that follow from the day, and from nothing that an editor does.
var withDay = regexp.MustCompile(`^(\d+ days( ago)?|yesterday|Today|[A-Z][a-z]{2} \d+, 2026|[A-Z][a-z]{2} \d+, 2025)$`)

func TestSite(t *testing.T) {
	t.Parallel()
	site := New()
	edits, dataEdits, withData := 0, 0, 0
	for _, page := range site.Pages {
		edits += len(page.Edits)
		dataEdits += len(page.DataEdits)
		if page.Data != nil {
			withData++
		}
		for run := range page.DataEdits {
			if _, said := page.Edits[run]; !said {
				t.Errorf("%s: data is edited in run %d, want an edit of the page, too", page.Path, run)
			}
		}
		if _, known := bodies[page.Path]; !known {
			t.Errorf("%s: no element is named for its contents", page.Path)
		}
	}
	t.Logf("%d pages, %d edits, %d of data on %d pages", len(site.Pages), edits, dataEdits, withData)
	if len(site.Pages) != 10 || site.Runs != 40 {
		t.Errorf("got %d pages of %d runs, want 10 of 40", len(site.Pages), site.Runs)
	}
	if edits < 42 || edits > 50 {
		t.Errorf("got %d edits, want 42 to 50", edits)
	}
	if withData < 4 || dataEdits < 8 {
		t.Errorf("got %d edits of data on %d pages, want 8 on 4", dataEdits, withData)
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	site, again := New(), New()
	for i, page := range site.Pages {
		t.Run(page.Type, func(t *testing.T) {
			t.Parallel()
			last := ""
			for run := range site.Runs + 1 {
				body := page.Body(run, 0, 1)
				if got := again.Pages[i].Body(run, 0, 1); got != body {
					t.Errorf("run %d: the same seed gave two pages", run)
				}
				if page.Body(run, 1, 1) == body || page.Body(run, 0, 2) == body || last == body {
					t.Errorf("run %d: another look, seed or run gave the same page", run)
				}
				if slices.Equal(texts(t, page.Body(run, 1, 1), ""), texts(t, body, "")) {
					t.Errorf("run %d: two looks say the same", run)
				}
				if !utf8.ValidString(body) || len(body) < 4<<10 || len(body) > 12<<10 {
					t.Errorf("run %d: got %d bytes, want 4 to 12 KB of UTF-8", run, len(body))
				}
				if strings.Contains(body, "{{") || strings.Contains(body, "%!") {
					t.Errorf("run %d: the page has a gap", run)
				}
				last = body
			}
		})
	}
}

func TestMarkup(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		for _, run := range []int{0, 13, 26, 40} {
			if fault := unbalanced(page.Body(run, 0, 1)); fault != "" {
				t.Errorf("%s in run %d: %s", page.Path, run, fault)
			}
		}
	}
}

// TestEdits holds that the contents say something else in a run if and only if an edit is planned for it, when all that any draw
// of noise changes is left out, and that no draw says what an edit says.
func TestEdits(t *testing.T) {
	t.Parallel()
	site := New()
	for _, page := range site.Pages {
		t.Run(page.Type, func(t *testing.T) {
			t.Parallel()
			drawn := map[string]bool{}
			said := make([][]string, site.Runs+1)
			for run := range said {
				var noise []string
				said[run], noise = constant(t, page, run)
				for _, text := range noise {
					drawn[text] = true
				}
			}
			for run := 1; run <= site.Runs; run++ {
				changed := append(without(said[run], said[run-1]), without(said[run-1], said[run])...)
				if _, planned := page.Edits[run]; planned != (len(changed) > 0) {
					t.Errorf("run %d: got a change of %q, planned is %t", run, changed, planned)
				}
				for _, text := range changed {
					if drawn[text] {
						t.Errorf("run %d: %q is edited, and drawn as noise", run, text)
					}
				}
			}
		})
	}
}

// TestData holds that the page says what Data says.
func TestData(t *testing.T) {
	t.Parallel()
	site := New()
	written := func(v any) []string {
		switch v := v.(type) {
		case string:
			return []string{v}
		case float64:
			return []string{fmt.Sprintf("%.2f", v)}
		case int:
			return []string{num(v), grouped(v, ",")}
		}
		return nil
	}
	for _, page := range site.Pages {
		if page.Data == nil {
			continue
		}
		for run := range site.Runs + 1 {
			words := strings.Join(texts(t, page.Body(run, 0, 1), bodies[page.Path]), "\n")
			for _, leaf := range leaves(page.Data(page.New(run, 0, 1))) {
				forms := written(leaf)
				if forms != nil && !slices.ContainsFunc(forms, func(s string) bool { return strings.Contains(words, s) }) {
					t.Errorf("%s in run %d: the page does not say %v", page.Path, run, leaf)
				}
			}
		}
	}
}

func leaves(v any) []any {
	var all []any
	switch v := v.(type) {
	case map[string]any:
		for _, field := range v {
			all = append(all, leaves(field)...)
		}
	case []any:
		for _, item := range v {
			all = append(all, leaves(item)...)
		}
	default:
		all = append(all, v)
	}
	return all
}

// constant is what the contents say in a run in every draw of noise, of an answer's and of a run's, and what they say in some only.
func constant(t *testing.T, page *cs.Page, run int) (always, sometimes []string) {
	t.Helper()
	const draws = 30
	count := map[string]int{}
	for draw := range uint64(draws) {
		n := &cs.Run{Rand: rand.New(rand.NewPCG(draw, 1)), Calm: rand.New(rand.NewPCG(draw, 2)), Number: run}
		once := texts(t, page.Render(n), bodies[page.Path])
		slices.Sort(once)
		for _, text := range slices.Compact(once) {
			count[text]++
		}
	}
	for text, times := range count {
		switch {
		case withDay.MatchString(text):
		case times == draws:
			always = append(always, text)
		default:
			sometimes = append(sometimes, text)
		}
	}
	slices.Sort(always)
	return always, sometimes
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// texts are the texts of an element, and where its links lead but for parameters; without an id those of the page.
func texts(t *testing.T, body, id string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	root := doc
	if id != "" {
		root = nil
		for node := range doc.Descendants() {
			for _, a := range node.Attr {
				if a.Key == "id" && a.Val == id {
					root = node
				}
			}
		}
		if root == nil {
			t.Fatalf("no element has the id %q", id)
		}
	}
	var all []string
	for node := range root.Descendants() {
		switch {
		case node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "style" && node.Parent.Data != "title":
			if text := strings.Join(strings.Fields(node.Data), " "); text != "" {
				all = append(all, text)
			}
		case node.Type == html.ElementNode && node.Data == "a":
			for _, a := range node.Attr {
				if a.Key == "href" {
					to, _, _ := strings.Cut(a.Val, "?")
					all = append(all, "→ "+to)
				}
			}
		}
	}
	return all
}

// unbalanced tells of elements that are closed but not open, or open at the end, of those whose end tags are no matter of taste.
func unbalanced(body string) string {
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if !errors.Is(tokens.Err(), io.EOF) {
				return tokens.Err().Error()
			}
			if len(open) > 0 {
				return "open at the end: " + strings.Join(open, " ")
			}
			return ""
		case html.StartTagToken:
			name, _ := tokens.TagName()
			switch string(name) {
			case "meta", "link", "img", "input", "br", "base":
			default:
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return fmt.Sprintf("%s is closed in %s", name, strings.Join(open, " "))
			}
			open = open[:len(open)-1]
		}
	}
}
