package shell

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// TestCorpusDecisions measures how many real pages "render: auto" would send to a browser, the most expensive part of a
// scrape. Most pages of the corpus hold their content. It is gzipped HTML under $TURNPIKE_DATA/wcxb-dev/html.
func TestCorpusDecisions(t *testing.T) {
	t.Parallel()
	data := os.Getenv("TURNPIKE_DATA")
	if data == "" {
		t.Skip("set TURNPIKE_DATA to a directory that holds wcxb-dev/html/*.html.gz to decide on a corpus of real pages")
	}
	paths, err := filepath.Glob(filepath.Join(data, "wcxb-dev", "html", "*.html.gz"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no pages under %s/wcxb-dev/html (%v)", data, err)
	}
	if testing.Short() {
		paths = paths[:min(len(paths), 200)]
	}
	var mu sync.Mutex
	var done sync.WaitGroup
	reasons, sent := map[string]int{}, 0
	next := make(chan string)
	for range 2 {
		done.Go(func() {
			for path := range next {
				page := unzipped(t, path)
				seen := Read(page)
				reason := seen.Reason()
				if reason == "" {
					document, err := extract.Page(t.Context(), page, extract.Options{BaseURL: "https://example.com/"})
					switch {
					case err != nil:
						t.Errorf("%s: %v", filepath.Base(path), err)
					case seen.Poor(200, document):
						reason = "poor quality"
					}
				}
				mu.Lock()
				if reason != "" {
					reasons[reason]++
					sent++
				}
				mu.Unlock()
			}
		})
	}
	for _, path := range paths {
		next <- path
	}
	close(next)
	done.Wait()
	t.Logf("%d of %d pages would go to a browser: %v", sent, len(paths), reasons)
	if sent*100 > len(paths)*15 {
		t.Errorf("got %d of %d pages that go to a browser, want at most 15 %%", sent, len(paths))
	}
}

func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer file.Close()
	reader, err := gzip.NewReader(file)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	page, err := io.ReadAll(reader)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return bytes.ToValidUTF8(page, []byte("\uFFFD"))
}
