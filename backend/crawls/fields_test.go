package crawls_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// The fields of a body decide exactly which pages are fetched.
func TestFieldsSayWhatIsFetched(t *testing.T) {
	t.Parallel()
	a := newAPI(t, func(c *crawls.Config) {
		c.Score = func(_ context.Context, links []page.Link, query string) ([]float64, error) {
			scores := make([]float64, len(links))
			for i, link := range links {
				scores[i] = float64(strings.Count(link.URL, query))
			}
			return scores, nil
		}
	})
	a.pages.keep = siteOf(map[string][]string{
		"/":       {"/a", "/b/c", "/b/c/d", "/b/e?page=2", "/private/x", "https://sub.example.com/s", "https://other.example/o"},
		"/a":      {"/a/deep"},
		"/a/deep": {"/a/deep/er"},
		"/o":      {"https://other.example/more", "https://example.com/found-outside"},
		"/s":      {"https://sub.example.com/s/t"},
	})
	a.work()
	all := []string{"/", "/a", "/a/deep", "/a/deep/er", "/b/c", "/b/c/d", "/b/e?page=2"}
	with := func(more ...string) []string { return slices.Sorted(slices.Values(slices.Concat(all, more))) }
	for _, tt := range []struct {
		name, fields string
		want         []string
	}{
		{"nothing", ``, all},
		{"include_urls /**", `"include_urls":["/**"]`, all},
		{"include_urls with one star", `"include_urls":["/b/*"]`, []string{"/", "/b/c", "/b/e?page=2"}},
		{"include_urls with two", `"include_urls":["/b/**"]`, []string{"/", "/b/c", "/b/c/d", "/b/e?page=2"}},
		{"include_urls with a query", `"include_urls":["/b/*?page=*"]`, []string{"/", "/b/e?page=2"}},
		{"two include_urls", `"include_urls":["/a","/b/c"]`, []string{"/", "/a", "/b/c"}},
		{"exclude_urls with one star", `"exclude_urls":["/b/*"]`, []string{"/", "/a", "/a/deep", "/a/deep/er", "/b/c/d"}},
		{"exclude_urls with two", `"exclude_urls":["/b/**"]`, []string{"/", "/a", "/a/deep", "/a/deep/er"}},
		{"exclusion wins", `"include_urls":["/b/**"],"exclude_urls":["/b/c/**"]`, []string{"/", "/b/c", "/b/e?page=2"}},
		{"what is left out leads nowhere", `"exclude_urls":["/a"]`, []string{"/", "/b/c", "/b/c/d", "/b/e?page=2"}},
		{"start_url whatever the globs say", `"exclude_urls":["/**"]`, []string{"/"}},
		{"max_depth 0", `"max_depth":0`, []string{"/"}},
		{"max_depth 1", `"max_depth":1`, []string{"/", "/a", "/b/c", "/b/c/d", "/b/e?page=2"}},
		{"max_depth 2", `"max_depth":2`, []string{"/", "/a", "/a/deep", "/b/c", "/b/c/d", "/b/e?page=2"}},
		{"include_external", `"include_external":true`, with("other.example/o", "sub.example.com/s")}, // it is on another host
		{"no include_external", `"include_external":false`, all},
		{"include_subdomain", `"include_subdomain":true`, with("sub.example.com/s", "sub.example.com/s/t")},
		{"no include_subdomain", `"include_subdomain":false`, all},
		{"both", `"include_subdomain":true,"include_external":true`, with("sub.example.com/s", "sub.example.com/s/t", "other.example/o")},
		{"follow_robots_txt false", `"follow_robots_txt":false`, with("/private/x")},
		{"follow_robots_txt", `"follow_robots_txt":true`, all},
		{"a query", `"search_query":"deep"`, all},
		{"a query with top_n", `"search_query":"c/d","top_n":1`, []string{"/", "/b/c/d"}},
		{"top_n alone", `"top_n":1,"max_depth":1`, []string{"/", "/a"}},
		{"a query with top_n 2", `"search_query":"/b/","top_n":2,"max_depth":1`, []string{"/", "/b/c", "/b/c/d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fields := tt.fields
			if fields != "" {
				fields = "," + fields
			}
			c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":50`+fields+`}`)
			a.untilCompleted(c.ID)
			var got []string
			for _, p := range a.list(t, c.ID, "?limit=100").Pages {
				got = append(got, strings.TrimPrefix(strings.TrimPrefix(p.URL, "https://"), "example.com"))
			}
			if slices.Sort(got); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, n := range []string{"1", "2", "6", "7", "8"} {
		t.Run("max_pages "+n, func(t *testing.T) {
			t.Parallel()
			c := a.crawled(t, `{"url":"https://example.com/","max_pages":`+n+`}`)
			a.untilCompleted(c.ID)
			if got, want := len(a.list(t, c.ID, "?limit=100").Pages), min(int(n[0]-'0'), len(all)); got != want {
				t.Errorf("got %d pages, want %d", got, want)
			}
			if w := a.free(http.MethodGet, "/v1/crawls/"+c.ID); w.Code != http.StatusOK {
				t.Errorf("got %d", w.Code)
			}
		})
	}
}
