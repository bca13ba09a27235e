package orchard

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func TestSiteHasThePlannedNumbers(t *testing.T) {
	t.Parallel()
	site := New()
	edits, data, withData := 0, 0, 0
	for _, page := range site.Pages {
		edits += len(page.Edits)
		data += len(page.DataEdits)
		if page.Data != nil {
			withData++
		}
		for run := range page.DataEdits {
			if _, ok := page.Edits[run]; !ok {
				t.Errorf("%s: run %d edits the data and not the page", page.Path, run)
			}
		}
	}
	if len(site.Pages) != 10 || site.Runs != 40 || edits < 42 || edits > 50 || data < 8 || withData < 4 {
		t.Fatalf("%d pages, %d runs, %d edits, %d of data on %d pages", len(site.Pages), site.Runs, edits, data, withData)
	}
	t.Logf("%d edits, %d of data on %d pages", edits, data, withData)
}

func TestPagesAreWholeAndRepeatable(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		for run := range runs + 1 {
			body := page.Body(run, 0, 1)
			if body != page.Body(run, 0, 1) {
				t.Errorf("%s: run %d differs with the same seed", page.Path, run)
			}
			if body == page.Body(run, 1, 1) || body == page.Body(run, 0, 2) {
				t.Errorf("%s: run %d has no noise", page.Path, run)
			}
			if run > 0 && body == page.Body(run-1, 0, 1) {
				t.Errorf("%s: runs %d and %d are alike", page.Path, run-1, run)
			}
			if !utf8.ValidString(body) || strings.Contains(body, "%!") || len(body) < 4<<10 || len(body) > 12<<10 {
				t.Errorf("%s: run %d is not a page of 4 to 12 KB (%d bytes)", page.Path, run, len(body))
			}
		}
	}
}

// TestEditsChangeTheText renders neighbouring runs with the same draws, so that what differs is the edit.
func TestEditsChangeTheText(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		for run := 1; run <= runs; run++ {
			before, after := page.New(0, 0, 1), page.New(0, 0, 1)
			before.Number, after.Number = run-1, run
			_, planned := page.Edits[run]
			if changed := text(t, page.Render(before)) != text(t, page.Render(after)); changed != planned {
				t.Errorf("%s: run %d: text changed is %t, an edit is planned is %t", page.Path, run, changed, planned)
			}
		}
	}
}

func TestNoiseIsNoEdit(t *testing.T) {
	t.Parallel()
	noise := slices.Concat(kayakTeasers, flatTeasers)
	for _, page := range New().Pages {
		for run, edit := range page.Edits {
			for _, phrase := range noise {
				if strings.Contains(edit, phrase) {
					t.Errorf("%s: run %d says %q, which is noise", page.Path, run, phrase)
				}
			}
			// What is drawn is seen in some look of the run before too; an edit is in none.
			if words := strings.TrimSpace(tags.ReplaceAllString(edit, "")); len(words) > 12 && !strings.HasPrefix(words, "[") {
				for look := range 20 {
					if strings.Contains(page.Body(run-1, look, 1), ">"+words+"<") {
						t.Errorf("%s: run %d already says %q", page.Path, run-1, words)
					}
				}
			}
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// text is what a page shows, without scripts.
func text(t *testing.T, body string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "style" {
			_, _ = out.WriteString(node.Data + "\n")
		}
	}
	return out.String()
}
