package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
)

// benchPage is a page of common size, about 120 kB, made of the golden article.
func benchPage(b *testing.B) []byte {
	b.Helper()
	article, err := os.ReadFile("testdata/article.html")
	if err != nil {
		b.Fatal(err)
	}
	page := string(article)
	body := page[strings.Index(page, "<article>"):strings.Index(page, "</main>")]
	return []byte(strings.Replace(page, "</main>", strings.Repeat(body, 120)+"</main>", 1))
}

func BenchmarkPage(b *testing.B) {
	for name, options := range map[string]Options{
		"whole": {BaseURL: testURL},
		"main":  {BaseURL: testURL, Transformer: TransformerPostlight},
	} {
		b.Run(name, func(b *testing.B) {
			input := benchPage(b)
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Page(b.Context(), input, options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadCorpus reads real pages of 10 to 50 kB as a plain scrape and as a crawl do; one operation is one page.
// It needs the corpus of TestCorpus.
func BenchmarkReadCorpus(b *testing.B) {
	const pagesMax, bytesMin, bytesMax = 60, 10_000, 50_000
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("TURNPIKE_DATA"), "wcxb-dev", "html", "*.html.gz"))
	var pages [][]byte
	size := 0
	for i := 0; i < len(paths) && len(pages) < pagesMax; i++ {
		if page := readGzip(b, paths[i]); bytesMin <= len(page) && len(page) <= bytesMax {
			pages = append(pages, page)
			size += len(page)
		}
	}
	if len(pages) == 0 {
		b.Skip("set TURNPIKE_DATA to a directory that holds wcxb-dev/html/*.html.gz")
	}
	for name, read := range map[string]func(body []byte) error{
		"read": func(body []byte) error {
			_, err := Read(b.Context(), Source{URL: testURL, MediaType: "text/html", Body: body}, Options{})
			return err
		},
		"links": func(body []byte) error {
			links.ScanPage(testURL, nil, body)
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size / len(pages)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := read(pages[i%len(pages)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
