package maps_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/dev/heaptest"
)

// A map uses no more memory than it reserves, also when sorted by relevance. TURNPIKE_MAP_SITEMAPS sets more than one
// sitemap of 50,000 URLs; ten fill a map.
func TestMemoryOfAMap(t *testing.T) { //nolint:paralleltest // it measures the process
	p := newPlace(t)
	s := newSite(t)
	const each = 50_000
	files := 1
	if text := os.Getenv("TURNPIKE_MAP_SITEMAPS"); text != "" {
		var err error
		files, err = strconv.Atoi(text)
		must(t, err)
	}
	var names []string
	for f := range files {
		locs := make([]string, 0, each)
		for i := range each {
			locs = append(locs, fmt.Sprintf("%s/section-%d/this-is-the-name-of-a-page-as-they-are-named-%d-and-some-more-words", s.server.URL, f, i))
		}
		name := fmt.Sprintf("/sitemap-%d.xml.gz", f)
		s.hasBytes(name, "application/gzip", zip(t, urlset(locs...)))
		names = append(names, "@"+name)
	}
	s.has("/robots.txt", "text/plain", "Sitemap: @/index.xml")
	s.has("/index.xml", "application/xml", index(names...))
	for _, query := range []string{"", "name pages toll"} {
		var m *maps.Map
		took := heaptest.Growth(t, func() {
			m = p.make(p.subscriber(100), maps.Request{URL: s.server.URL + "/start", SearchQuery: query})
		})
		bytes := 0
		for _, u := range m.URLs {
			bytes += len(u)
		}
		bytes *= m.URLsCount / len(m.URLs)
		estimate := maps.ListBytes(m.URLsCount, bytes)
		t.Logf("query %q: %d URLs of %d MiB took %d MiB, estimated at %d", query, m.URLsCount, bytes>>20, took>>20, estimate>>20)
		if m.URLsCount != files*each || took > estimate {
			t.Errorf("query %q: %d URLs took %d MiB, want %d in at most %d", query, m.URLsCount, took>>20, files*each, estimate>>20)
		}
	}
}
