package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoldenPages compares whole pages, modelled on real ones, with their expected results: <name>.md is the page with
// the default selectors, <name>.main.md its main content, and <name>.txt, if present, the main content's text.
func TestGoldenPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("testdata/golden/*/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %d pages, %v", len(pages), err)
	}
	byType := map[string]int{}
	for _, path := range pages {
		byType[filepath.Base(filepath.Dir(path))]++
		t.Run(strings.TrimPrefix(path, "testdata/golden/"), func(t *testing.T) {
			t.Parallel()
			input, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(path, ".html")
			golden(t, name+".md", mustPage(t, string(input), Options{}).Markdown)
			main := mustPage(t, string(input), Options{Transformer: TransformerPostlight})
			golden(t, name+".main.md", main.Markdown)
			if _, err := os.Stat(name + ".txt"); err == nil {
				golden(t, name+".txt", main.Text)
			}
		})
	}
	for _, pageType := range PageTypes() {
		if byType[pageType] < 6 {
			t.Errorf("got %d pages of type %s, want at least 6", byType[pageType], pageType)
		}
	}
}
