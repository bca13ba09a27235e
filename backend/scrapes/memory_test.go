package scrapes

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/dev/heaptest"
)

// TestMemoryEstimates reads pages that need more memory than their size suggests, and measures the heap. It is not
// parallel, because memory of other tests would count too.
func TestMemoryEstimates(t *testing.T) { //nolint:paralleltest // see above
	for name, page := range map[string]string{
		"text":       "<p>" + strings.Repeat("word and ", 600_000),
		"lines":      "<pre>" + strings.Repeat("x\n", 3_000_000),
		"entities":   strings.Repeat("&lt;", 1_000_000),
		"elements":   strings.Repeat("<p class=abc>some text here and there</p>", 60_000),
		"cells":      "<table>" + strings.Repeat("<tr><td>a<td>b", 30_000),
		"links":      strings.Repeat("<a href=/aaaaaaaa>x</a> ", 50_000),
		"attributes": strings.Repeat("<p a b c d e f g h i j k l m n o>x", 60_000),
		"formatting": strings.Repeat("<b>x</b>", 60_000),
	} {
		estimate := membudget.ReadBytes("text/html", []byte(page))
		took := heaptest.Growth(t, func() {
			source := extract.Source{URL: "https://example.com/", MediaType: "text/html", Body: []byte(page)}
			if _, err := extract.Read(t.Context(), source, extract.Options{Structured: true}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		t.Logf("%s: %d KiB took %d MiB, estimated at %d", name, len(page)>>10, took>>20, estimate>>20)
		if took > estimate {
			t.Errorf("%s: took %d MiB, want at most the estimate of %d", name, took>>20, estimate>>20)
		}
	}
}
