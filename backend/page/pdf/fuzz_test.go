package pdf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// small limits let the fuzzer reach them.
var fuzzLimits = Limits{
	PagesMax: 50, TextBytesMax: 1 << 20, DecodedBytesMax: 16 << 20, ObjectsMax: 20_000, ValuesMax: 400_000, OperatorsMax: 400_000, GlyphsMax: 200_000,
}

func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.pdf")
	for _, path := range paths {
		if body, err := os.ReadFile(path); err == nil && len(body) < 50_000 {
			f.Add(body)
		}
	}
	f.Add(hello().plain())
	f.Add(hello().packed(false))
	f.Add(hello().packed(true))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := Read(context.Background(), body, fuzzLimits)
		if (doc == nil) == (err == nil) {
			t.Fatalf("got %v, %v", doc, err)
		}
		if err != nil {
			return
		}
		if doc.Quality < 0 || doc.Quality > 1 {
			t.Errorf("quality %v", doc.Quality)
		}
		for _, s := range []string{doc.Text(), doc.Markdown(), doc.HTML(), doc.Title, doc.Author} {
			if !utf8.ValidString(s) {
				t.Errorf("invalid UTF-8 in %.200q", s)
			}
		}
		for _, b := range doc.Blocks {
			for _, s := range b.Spans {
				if s.Start < 0 || s.End > len(b.Text) || s.Start >= s.End {
					t.Errorf("span %v of %q", s, b.Text)
				}
			}
			for _, row := range b.Rows {
				if len(row) != len(b.Rows[0]) {
					t.Errorf("rows of %d and %d cells", len(row), len(b.Rows[0]))
				}
			}
		}
	})
}

func ExampleRead() {
	b := newBuilder()
	b.page(show(72, 700, 24, "Roads") + show(72, 660, 12, "A toll is paid for the use of a road.") + show(72, 646, 12, "It keeps the road in repair."))
	doc, err := Read(context.Background(), b.plain(), Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Markdown())
	// Output:
	// # Roads
	//
	// A toll is paid for the use of a road. It keeps the road in repair.
}
