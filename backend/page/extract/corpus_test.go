package extract

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestCorpus reads every page of a corpus of real pages without an error: gzipped HTML under
// $TURNPIKE_DATA/wcxb-dev/html. The benchmark checks the results.
func TestCorpus(t *testing.T) {
	t.Parallel()
	data := os.Getenv("TURNPIKE_DATA")
	if data == "" {
		t.Skip("set TURNPIKE_DATA to a directory that holds wcxb-dev/html/*.html.gz to read a corpus of real pages")
	}
	paths, err := filepath.Glob(filepath.Join(data, "wcxb-dev", "html", "*.html.gz"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no pages under %s/wcxb-dev/html (%v)", data, err)
	}
	if testing.Short() {
		paths = paths[:min(len(paths), 50)]
	}
	var took time.Duration
	var slowest time.Duration
	var slowestPath string
	simplified, withMain := 0, 0
	for i, path := range paths {
		input := readGzip(t, path)
		options := Options{BaseURL: testURL}
		if i%2 == 1 {
			options.Transformer = TransformerPostlight
		}
		begin := time.Now()
		document, err := Page(t.Context(), input, options)
		elapsed := time.Since(begin)
		took += elapsed
		if elapsed > slowest {
			slowest, slowestPath = elapsed, path
		}
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		if document.Text == "" || document.Markdown == "" {
			t.Logf("%s: %d bytes without text", filepath.Base(path), len(input))
		}
		if strings.Contains(document.Markdown, "](data:") || strings.Contains(document.Markdown, "](javascript:") {
			t.Errorf("%s: markdown holds inline data or script", filepath.Base(path))
		}
		if document.Simplified {
			simplified++
			t.Logf("%s: simplified", filepath.Base(path))
		}
		if document.MainContent {
			withMain++
		}
	}
	t.Logf("%d pages in %v, %v each; slowest %v (%s); %d simplified; main content in %d of %d", len(paths), took,
		took/time.Duration(len(paths)), slowest, filepath.Base(slowestPath), simplified, withMain, len(paths)/2)
}

func readGzip(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	input, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !utf8.Valid(input) {
		input = bytes.ToValidUTF8(input, []byte("\uFFFD"))
	}
	return input
}
