package keyless

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// world is pages in memory, found by how many words they share with what is looked for.
type world struct {
	pages []*ask.Source
	given []*ask.Source
}

var errNoPage = errors.New("no such page")

func (w *world) Search(_ context.Context, text string, most int) ([]websearch.Result, error) {
	asked := setOf(plainWords(text))
	type hit struct {
		source *ask.Source
		n      int
	}
	var hits []hit
	for _, source := range w.pages {
		n := 0
		for word := range setOf(plainWords(source.Title + " " + source.Document.Text)) {
			if asked[word] && !little[word] {
				n++
			}
		}
		if n > 0 {
			hits = append(hits, hit{source, n})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return cmp.Compare(y.n, x.n) })
	var out []websearch.Result
	for _, h := range hits[:min(most, len(hits))] {
		out = append(out, websearch.Result{URL: h.source.URL, Title: h.source.Title})
	}
	return out, nil
}

func (w *world) Open(_ context.Context, url string) (*ask.Source, error) {
	for _, source := range w.pages {
		if source.URL == url {
			return source, nil
		}
	}
	return nil, errNoPage
}

func (w *world) Given() []*ask.Source { return w.given }

// sourceOf reads a page as a backend would.
func sourceOf(t testing.TB, url, title, body string) *ask.Source {
	t.Helper()
	mediaType := "text/html"
	switch {
	case strings.HasSuffix(url, ".json"), strings.HasPrefix(url, "file:"):
		mediaType = "application/json"
	case strings.HasSuffix(url, ".txt"):
		mediaType = "text/plain"
	case title != "":
		body = "<title>" + title + "</title>" + body
	}
	page := extract.Source{URL: url, MediaType: mediaType, Body: []byte(body)}
	document, err := extract.Read(t.Context(), page, extract.Options{Structured: true})
	if err != nil {
		t.Fatalf("reading %s: %v", url, err)
	}
	source := &ask.Source{URL: url, Title: document.Metadata.Title, Document: document, Page: page}
	if strings.HasPrefix(url, "file:") {
		source.JSON, source.Named = json.RawMessage(body), true
	}
	return source
}

// question is a task with its right answer.
type question struct{ text, format, want, file string }

// readPages reads testdata/pages.txt.
func readPages(t testing.TB, path string) (*world, []question) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	var questions []question
	for section := range strings.SplitSeq("\n"+string(raw), "\n== ") {
		head, rest, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(head, "https://") && !strings.HasPrefix(head, "file:") {
			continue
		}
		url, title, _ := strings.Cut(head, " | ")
		body, asked, _ := strings.Cut(rest+"\n", "\n? ")
		w.pages = append(w.pages, sourceOf(t, url, title, body))
		for q := range strings.SplitSeq(asked, "\n? ") {
			lines := strings.Split(strings.TrimSpace(q), "\n")
			file := ""
			if len(lines) == 4 {
				file = strings.TrimPrefix(lines[1], "  files ")
				lines = slices.Delete(lines, 1, 2)
			}
			if len(lines) == 3 {
				questions = append(questions, question{
					lines[0], strings.TrimSpace(strings.TrimPrefix(lines[1], "  format")), strings.TrimSpace(strings.TrimPrefix(lines[2], "  want")), file,
				})
			}
		}
	}
	return w, questions
}

// answer answers a task from a world.
func answer(t testing.TB, w ask.World, text, format string) ask.Answer {
	t.Helper()
	f, err := ask.ParseFormat(json.RawMessage(format))
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	got, err := New().Answer(t.Context(), ask.Task{Text: text, Format: f}, w)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}
