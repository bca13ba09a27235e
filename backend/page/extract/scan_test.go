package extract

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
)

// TestScanIsRead compares the links found in a page's tokens with those found in its tree.
func TestScanIsRead(t *testing.T) {
	t.Parallel()
	var all, differ int
	check := func(name string, input []byte) {
		document, err := Page(t.Context(), input, Options{BaseURL: testURL})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		scan := links.ScanPage(testURL, nil, input)
		got, want := urlsOf(scan.Links), urlsOf(document.Links)
		all += len(want)
		if slices.Equal(got, want) {
			return
		}
		wrong := differences(got, want)
		differ += wrong
		t.Logf("%s: %d of %d links differ", name, wrong, len(want))
	}
	golden, err := filepath.Glob("testdata/golden/*/*.html")
	if err != nil || len(golden) == 0 {
		t.Fatalf("got %d pages, %v", len(golden), err)
	}
	for _, path := range golden {
		input, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(filepath.Base(path), input)
	}
	if corpus, _ := filepath.Glob(filepath.Join(os.Getenv("TURNPIKE_DATA"), "wcxb-dev", "html", "*.html.gz")); os.Getenv("TURNPIKE_DATA") != "" {
		if testing.Short() {
			corpus = corpus[:min(len(corpus), 50)]
		}
		for _, path := range corpus {
			check(filepath.Base(path), readGzip(t, path))
		}
	}
	if t.Logf("%d links, %d differ", all, differ); float64(differ) > 0.005*float64(all) {
		t.Errorf("got %d of %d links that differ, want at most 0.5 %%", differ, all)
	}
}

func urlsOf(links []links.Link) []string {
	urls := make([]string, 0, len(links))
	for _, l := range links {
		urls = append(urls, l.URL)
	}
	return urls
}

// differences counts the items that are in only one of two lists.
func differences(a, b []string) int {
	in := map[string]int{}
	for _, s := range a {
		in[s]++
	}
	for _, s := range b {
		in[s]--
	}
	n := 0
	for _, count := range in {
		n += max(count, -count)
	}
	return n
}

// benchSite is a typical page of 20 kB with 100 links.
func benchSite() []byte {
	var page strings.Builder
	page.WriteString(`<!doctype html><html lang=en><head><title>A page</title><link rel=stylesheet href=/s.css></head><body><nav class="menu main"><ul>`)
	for i := range 40 {
		page.WriteString(`<li class="item"><a class="nav link" href="/section/` + strings.Repeat("x", i%7+1) + `/page-` + string(rune('a'+i%26)) + `.html">Entry of the menu</a></li>`)
	}
	page.WriteString(`</ul></nav><main><article><h1>A heading</h1>`)
	for i := range 60 {
		page.WriteString(`<p>` + sentences(3) + `<a href="/story/` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `">a story</a> and &amp; <em>more</em> of it.</p>`)
	}
	page.WriteString(`</article></main><script>` + strings.Repeat("var x = 1;\n", 200) + `</script></body></html>`)
	return []byte(page.String())
}

func BenchmarkScanPage(b *testing.B) {
	input := benchSite()
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		links.ScanPage(testURL, nil, input)
	}
}

func BenchmarkRead(b *testing.B) {
	input := benchSite()
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(b.Context(), Source{URL: testURL, MediaType: "text/html", Body: input}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
