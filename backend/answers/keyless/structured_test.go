package keyless

import (
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// TestStructured asks what testdata/structured.txt asks: tables, cards, definitions, structured data and context files of many makes.
// Nothing wrong may be given; what is not found is counted.
func TestStructured(t *testing.T) {
	t.Parallel()
	w, questions := readPages(t, "testdata/structured.txt")
	given := map[string]*ask.Source{}
	var pages []*ask.Source
	for _, page := range w.pages {
		if len(page.JSON) > 0 {
			given[page.URL] = page
			continue
		}
		pages = append(pages, page)
	}
	known, found := 0, 0
	for _, q := range questions {
		of := &world{pages: pages}
		if file := given["file:"+q.file]; file != nil {
			of = &world{given: []*ask.Source{file}}
		}
		want, have := leaves(t, q.want), leaves(t, string(answer(t, of, q.text, q.format).JSON))
		for path, value := range want {
			switch {
			case value != ask.NotFound && have[path] == ask.NotFound:
				known++
				t.Logf("%s: %s was not found, want %v", q.text, path, value)
			case !same(value, have[path]):
				t.Errorf("%s: %s: got %v, want %v", q.text, path, have[path], value)
			case value != ask.NotFound:
				known++
				found++
			}
		}
	}
	if t.Logf("%d of %d known values found", found, known); found*100 < known*85 {
		t.Errorf("got %d of %d known values, want 85 of 100", found, known)
	}
}
