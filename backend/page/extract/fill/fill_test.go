package fill

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// sample is a page with a schema and the expected result, from testdata/pages.
type sample struct {
	name, url, schema, page, want string
}

func samples(tb testing.TB) []sample {
	tb.Helper()
	paths, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no pages under testdata: %v", err)
	}
	var out []sample
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		url, rest, ok1 := strings.Cut(string(content), "\n-- schema --\n")
		schema, rest, ok2 := strings.Cut(rest, "\n-- page --\n")
		page, want, ok3 := strings.Cut(rest, "\n-- want --\n")
		if !ok1 || !ok2 || !ok3 {
			tb.Fatalf("%s: want a URL, then schema, page and want", path)
		}
		out = append(out, sample{strings.TrimSuffix(filepath.Base(path), ".txt"), url, schema, page, want})
	}
	return out
}

// fillPage reads a page as a scrape does.
func fillPage(tb testing.TB, url, page, schema string) json.RawMessage {
	tb.Helper()
	s, err := jsonschema.CompileObject([]byte(schema))
	if err != nil {
		tb.Fatal(err)
	}
	document, err := extract.Page(tb.Context(), []byte(page), extract.Options{BaseURL: url, Structured: true})
	if err != nil {
		tb.Fatal(err)
	}
	got, err := Fill(tb.Context(), s, extract.Source{URL: url, MediaType: "text/html", Body: []byte(page)}, document)
	if err != nil {
		tb.Fatal(err)
	}
	value, err := jsonschema.Parse(got)
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		tb.Errorf("the answer does not follow the schema: %v", err)
	}
	return got
}

// tally counts the leaf fields of the expected results.
type tally struct {
	right, wrong, missing, rightlyNull int
	faults                             []string
}

func (c *tally) compare(pointer string, got, want any) {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for name, value := range w {
			c.compare(pointer+"/"+name, g[name], value)
		}
		return
	case []any:
		g, _ := got.([]any)
		for i, value := range w {
			var item any
			if i < len(g) {
				item = g[i]
			}
			c.compare(fmt.Sprintf("%s/%d", pointer, i), item, value)
		}
		for i := len(w); i < len(g); i++ {
			c.compare(fmt.Sprintf("%s/%d", pointer, i), g[i], nil)
		}
		return
	}
	switch {
	case reflect.DeepEqual(got, want) && want == nil:
		c.rightlyNull++
	case reflect.DeepEqual(got, want):
		c.right++
	case got == nil:
		c.missing++
		c.faults = append(c.faults, fmt.Sprintf("%s: null, want %v", pointer, want))
	default:
		c.wrong++
		c.faults = append(c.faults, fmt.Sprintf("%s: WRONG %v, want %v", pointer, got, want))
	}
}

// These are the figures in docs/llm.md.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	var all tally
	pages := samples(t)
	for _, s := range pages {
		var got, want any
		answer := fillPage(t, s.url, s.page, s.schema)
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(s.want), &want); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		var c tally
		c.compare("", got, want)
		for _, fault := range c.faults {
			t.Logf("%s: %s", s.name, fault)
		}
		all.right += c.right
		all.wrong += c.wrong
		all.missing += c.missing
		all.rightlyNull += c.rightlyNull
	}
	given := all.right + all.missing + all.wrong
	fields := given + all.rightlyNull
	right, wrong := float64(all.right)/float64(given), float64(all.wrong)/float64(fields)
	t.Logf("%d pages, %d fields, of which the pages have %d: right %d (%.1f %%), wrong %d (%.1f %%), missing %d; rightly null %d",
		len(pages), fields, given, all.right, 100*right, all.wrong, 100*wrong, all.missing, all.rightlyNull)
	if right < 0.95 || wrong > 0.01 || len(pages) < 25 {
		t.Errorf("got %.3f right and %.3f wrong of %d pages, want at least 0.95, at most 0.01, and 25", right, wrong, len(pages))
	}
}
