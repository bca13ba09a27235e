package extract

import (
	"os"
	"strings"
	"testing"
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

func BenchmarkScan(b *testing.B) {
	input := benchPage(b)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		scan(input)
	}
}
