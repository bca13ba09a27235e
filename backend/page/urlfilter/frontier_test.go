package urlfilter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

func TestScope(t *testing.T) {
	t.Parallel()
	only, faults := glob.Compile([]string{"/blog/**"})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	without, _ := glob.Compile([]string{"/blog/old/**"})
	chosen := glob.Set{Include: only, Exclude: without}
	for _, tt := range []struct {
		name, start, landed string
		subdomains, others  bool
		globs               glob.Set
		url                 string
		want                Place
	}{
		{"the start", "https://a.example.com/x", "", false, false, chosen, "https://a.example.com/x#y", Internal},
		{"the same host", "https://a.example.com/x", "", false, false, glob.Set{}, "https://a.example.com/y", Internal},
		{"another scheme", "https://a.example.com/x", "", false, false, glob.Set{}, "http://a.example.com/y", Internal},
		{"another port", "https://a.example.com/x", "", false, false, glob.Set{}, "https://a.example.com:8443/y", Out},
		{"a subdomain", "https://example.com/", "", false, false, glob.Set{}, "https://a.example.com/", Out},
		{"a wanted subdomain", "https://example.com/", "", true, false, glob.Set{}, "https://a.example.com/", Internal},
		{"a wanted sister", "https://b.example.co.uk/", "", true, false, glob.Set{}, "https://a.example.co.uk/", Internal},
		{"a name that ends alike", "https://example.com/", "", true, false, glob.Set{}, "https://notexample.com/", Out},
		{"under a public suffix", "https://one.co.uk/", "", true, false, glob.Set{}, "https://two.co.uk/", Out},
		{"under a private suffix", "https://one.github.io/", "", true, false, glob.Set{}, "https://two.github.io/", Out},
		{"an address", "http://127.0.0.1/", "", true, false, glob.Set{}, "http://127.0.0.2/", Out},
		{"its own address", "http://127.0.0.1:80/", "", true, false, glob.Set{}, "http://127.0.0.1/x", Internal},
		{"a name of one label", "http://intranet/", "", true, false, glob.Set{}, "http://a.intranet/", Out},
		{"another site", "https://example.com/", "", true, false, glob.Set{}, "https://other.org/", Out},
		{"another wanted site", "https://example.com/", "", false, true, chosen, "https://other.org/", External},
		{"a subdomain as another site", "https://example.com/", "", false, true, glob.Set{}, "https://a.example.com/", External},
		{"included", "https://example.com/", "", false, false, chosen, "https://example.com/blog/a", Internal},
		{"not included", "https://example.com/", "", false, true, chosen, "https://example.com/shop/a", Out},
		{"excluded", "https://example.com/", "", false, false, chosen, "https://example.com/blog/old/a", Out},
		{"a file", "https://example.com/", "", false, true, glob.Set{}, "https://example.com/a.ZIP?x=1", Out},
		{"another site's file", "https://example.com/", "", false, true, glob.Set{}, "https://other.org/a.mp4", Out},
		{"a document", "https://example.com/", "", false, false, glob.Set{}, "https://example.com/a.pdf", Internal},
		{"a file to start at", "https://example.com/a.gz", "", false, false, glob.Set{}, "https://example.com/a.gz", Internal},
		{"where the start landed", "https://example.com/", "https://www.example.com/home", false, false, glob.Set{}, "https://www.example.com/x", Internal},
		{"beside where it landed", "https://example.com/", "https://www.example.com/", false, false, glob.Set{}, "https://a.example.com/x", Out},
		{"landed elsewhere", "https://example.com/", "https://other.org/", false, false, glob.Set{}, "https://other.org/x", Out},
	} {
		config := Config{Start: parse(t, tt.start), Subdomains: tt.subdomains, Externals: tt.others, Globs: tt.globs}
		if tt.landed != "" {
			config.Landed = parse(t, tt.landed)
		}
		s, err := NewScope(config)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Place(parse(t, tt.url)); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
		if want := tt.name == "landed elsewhere"; s.Moved() != want {
			t.Errorf("%s: got moved %t, want %t", tt.name, s.Moved(), want)
		}
	}
	if _, err := NewScope(Config{}); err == nil {
		t.Error("got a scope without a start")
	}
}

func TestTrapped(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/":                                                "",
		"/" + strings.Repeat("x", 2100):                    "url_too_long",
		"/" + strings.Repeat("x/", 15):                     "path_repeats",
		"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p":                 "",
		"/aa/bb/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q":             "path_too_deep",
		"/shop/red/shop/red":                               "path_repeats",
		"/shop/red/shop/blue":                              "",
		"/img/a/img/b/img":                                 "path_repeats",
		"/2011/11/11/11":                                   "",
		"/l?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10":      "",
		"/l?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11": "too_many_parameters",
		"/l?f=1&f=2&f=3":                                   "",
		"/l?f=1&f=2&f=3&f=4":                               "parameter_repeats",
	} {
		if got := Trapped(parse(t, "https://a.example"+path)); got != want {
			t.Errorf("%.60s: got %q, want %q", path, got, want)
		}
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, a, b            string
		alike, endless, dated bool
	}{
		{"numbers", "/story/17", "/story/2345", true, true, false},
		{"numbers in words", "/story-17-x", "/story-3-x", true, true, false},
		{"words", "/story/one", "/story/two", false, false, false},
		{"dates", "/log/2026-11-22", "/log/2031-01-02", true, true, true},
		{"dates in one", "/log/20261122.html", "/log/20310102.html", true, true, true},
		{"months", "/cal/2026/11", "/cal/2031/2", true, true, true},
		{"years alone", "/in/1999", "/in/2001", true, true, false},
		{"tokens", "/x/0123456789abcdef", "/x/fedcba9876543210", true, true, false},
		{"uuids", "/x/9f0b7a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b", "/x/00000000-0000-4000-8000-00000000000a", true, true, false},
		{"values", "/l?page=1", "/l?page=next", true, true, false},
		{"order of names", "/l?a=1&b=2", "/l?b=3&a=4", true, true, false},
		{"other names", "/l?a=1", "/l?b=1", false, true, false},
		{"calendars", "/l?month=3", "/l?month=4", true, true, true},
		{"dates as values", "/l?on=2026-11-22", "/l?on=2027-01-01", true, true, true},
		{"no dates", "/l/1234-99", "/l/4321-98", true, true, false},
	} {
		a, traits := Shape(parse(t, "https://a.example"+tt.a))
		b, _ := Shape(parse(t, "https://a.example"+tt.b))
		if (a == b) != tt.alike || traits.Endless != tt.endless || traits.Dated != tt.dated {
			t.Errorf("%s: got %t, %+v", tt.name, a == b, traits)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	var calendar, archive State
	for i := range 30 {
		if calendar.Closed() {
			t.Fatalf("closed after %d pages", i)
		}
		calendar.Add(0xff00ff00ff00ff00^uint64(i%4), i%2 == 1) // differ by at most two bits
		archive.Add(uint64(i+1)*0x9e3779b97f4a7c15, false)
	}
	if !calendar.Closed() || archive.Closed() || archive.Fresh != 30 {
		t.Errorf("got %+v, %+v, want the first closed only", calendar, archive)
	}
	if Near(0, 0) || !Near(1, 0xf) || Near(1, 0x1f) {
		t.Error("got pages that are near, or not, against the bound")
	}
}

func TestNotFoundWords(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"404": true, "Page Not Found | Shop": true, "Error 404 – Shop": true, "Seite nicht gefunden": true, "Page introuvable": true, "页面不存在 - 网站": true,
		"この ページが見つかりません": true, "This page doesn’t exist": true, "Страница не найдена": true,
		"": false, "Peugeot 4040": false, "Room 1404": false, "Lost and found": false, "The story of a town that could " + strings.Repeat("really ", 12) + "not found a bank": false,
	} {
		if got := NotFoundWords("", title); got != want || NotFoundWords(title, "Hello") != want {
			t.Errorf("%s: got %t, want %t", title, got, want)
		}
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	s := NewSeen(1 << 10)
	a, b := MarkOf("crawl_a"), MarkOf("crawl_b")
	id := func(i int) ID { return sha(fmt.Sprint(i)) }
	s.Add(a, id(1), id(2), id(1))
	if !s.Has(a, id(1)) || !s.Has(a, id(2)) || s.Has(a, id(3)) || s.Has(b, id(1)) {
		t.Error("got other URLs than were added")
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 5000 {
				s.Add(b, id(worker*5000+i))
				s.Has(b, id(i))
			}
		})
	}
	group.Wait()
	known := 0
	for i := range 20_000 {
		if s.Has(b, id(i)) {
			known++
		}
	}
	if known > 1<<10 || known < 1<<9 {
		t.Errorf("got %d of 20000 known, want what there is room for", known)
	}
	var none *Seen
	if none.Add(a, id(1)); none.Has(a, id(1)) {
		t.Error("got what a nil set knows")
	}
}

func links(urls ...string) []page.Link {
	out := make([]page.Link, len(urls))
	for i, u := range urls {
		out[i].URL = u
	}
	return out
}

func TestNext(t *testing.T) {
	t.Parallel()
	scope, err := NewScope(Config{Start: parse(t, "https://a.example/"), Externals: true})
	if err != nil {
		t.Fatal(err)
	}
	seen, mark := NewSeen(100), MarkOf("crawl_x")
	_, known := Key(parse(t, "https://a.example/known"))
	seen.Add(mark, known)
	closed, _ := Shape(parse(t, "https://a.example/closed?x=1"))
	limits := Limits{Scope: scope, Seen: seen, Mark: mark, Closed: func(shape uint64) bool { return shape == closed }}
	all := links("https://a.example/l?page=4", "https://a.example/one#x", "https://a.example/one?utm_source=y", "https://a.example/known", "https://a.example/l?page=3#self",
		"https://b.example/", "https://a.example/x.zip", "https://a.example/a/b/a/b", "https://a.example/closed?x=7", "nonsense")
	from := Page{URL: "https://a.example/l?page=3", Depth: 2, Chain: 7}
	found, dropped, err := Next(t.Context(), from, all, limits)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s %s %d %d %t %t", f.URL, f.Host, f.Depth, f.Chain, f.Endless, f.External))
	}
	want := []string{"https://a.example/l?page=4 a.example 3 8 true false", "https://a.example/one a.example 3 0 false false", "https://b.example/ b.example 3 0 false true"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := (Dropped{Known: 3, Invalid: 1, Outside: 1, Trapped: 2}); dropped != want {
		t.Errorf("got %+v, want %+v", dropped, want)
	}
	deep := 2
	limits.DepthMax = &deep
	if found, dropped, err := Next(t.Context(), from, all, limits); err != nil || len(found) != 0 || dropped.Deep != len(all) {
		t.Errorf("got %v, %+v, %v, want nothing below the limit", found, dropped, err)
	}
	if found, _, err := Next(t.Context(), Page{URL: "https://b.example/", External: true}, all, limits); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v, want nothing of another site", found, err)
	}
}

func TestNextChains(t *testing.T) {
	t.Parallel()
	scope, _ := NewScope(Config{Start: parse(t, "https://a.example/")})
	for _, tt := range []struct {
		name, from, to string
		chain          int
		want           bool
	}{
		{"a calendar", "/cal/2026-11", "/cal/2026-12", 49, true},
		{"a calendar without end", "/cal/2026-11", "/cal/2026-12", 50, false},
		{"an archive", "/l?page=1", "/l?page=2", 999, true},
		{"an archive without end", "/l?page=1", "/l?page=2", 1000, false},
		{"another shape", "/l?page=1", "/story/1", 1000, true},
	} {
		found, _, err := Next(t.Context(), Page{URL: "https://a.example" + tt.from, Chain: tt.chain}, links("https://a.example"+tt.to), Limits{Scope: scope})
		if err != nil || (len(found) == 1) != tt.want {
			t.Errorf("%s: got %v, %v", tt.name, found, err)
		}
	}
}

func TestNextRanks(t *testing.T) {
	t.Parallel()
	scope, _ := NewScope(Config{Start: parse(t, "https://a.example/")})
	limits := Limits{Scope: scope, Query: "q", TopN: 2, Score: func(_ context.Context, links []page.Link, _ string) ([]float64, error) {
		scores := make([]float64, len(links))
		for i := range links {
			scores[i] = float64(i % 3)
		}
		return scores, nil
	}}
	from := Page{URL: "https://a.example/"}
	found, dropped, err := Next(t.Context(), from, links("https://a.example/0", "https://a.example/1", "https://a.example/2", "https://a.example/3", "https://a.example/4"), limits)
	if err != nil || len(found) != 2 || found[0].URL != "https://a.example/2" || found[0].Relevance != 2 || found[1].URL != "https://a.example/1" || dropped.Surplus != 3 {
		t.Errorf("got %+v, %+v, %v", found, dropped, err)
	}
	broken := errors.New("broken")
	limits.Score = func(context.Context, []page.Link, string) ([]float64, error) { return nil, broken }
	if _, _, err := Next(t.Context(), from, links("https://a.example/0"), limits); !errors.Is(err, broken) {
		t.Errorf("got %v, want what scoring failed with", err)
	}
	limits.Score = func(context.Context, []page.Link, string) ([]float64, error) { return []float64{}, nil }
	if _, _, err := Next(t.Context(), from, links("https://a.example/0"), limits); err == nil {
		t.Error("got no error where there are too few scores")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Next(ctx, from, links("https://a.example/0"), Limits{Scope: scope}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// A page with very many links adds no more URLs than one page may.
func TestNextIsBounded(t *testing.T) {
	t.Parallel()
	scope, _ := NewScope(Config{Start: parse(t, "https://a.example/")})
	wide := make([]string, 20_000)
	long := make([]string, 2000)
	for i := range wide {
		wide[i] = fmt.Sprintf("https://a.example/p%d", i)
	}
	for i := range long {
		long[i] = fmt.Sprintf("https://a.example/%d%s", i, strings.Repeat("x", 1000))
	}
	from := Page{URL: "https://a.example/"}
	if found, dropped, err := Next(t.Context(), from, links(wide...), Limits{Scope: scope}); err != nil || len(found) != FoundMax || dropped.Surplus != 15_000 {
		t.Errorf("got %d, %+v, %v", len(found), dropped, err)
	}
	found, _, err := Next(t.Context(), from, links(long...), Limits{Scope: scope})
	bytes := 0
	for _, f := range found {
		bytes += len(f.URL)
	}
	if err != nil || bytes > FoundBytesMax || bytes < FoundBytesMax-2000 {
		t.Errorf("got %d bytes, %v", bytes, err)
	}
}

func FuzzNext(f *testing.F) {
	f.Add("https://a.example/x", "https://a.example/y?a=1\nhttps://b.example/\nhttps://a.example/y?a=1#x")
	f.Add("https://a.example/cal/2026-01", "https://a.example/cal/2026-02\nhttps://a.example/..;sid=abcdefgh1/")
	f.Fuzz(func(t *testing.T, at, text string) {
		start, err := fetch.ParseURL(at)
		if err != nil {
			return
		}
		scope, err := NewScope(Config{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		var all []page.Link
		for line := range strings.SplitSeq(text, "\n") {
			if u, err := start.Resolve(line); err == nil {
				all = append(all, page.Link{URL: u.String()})
			}
		}
		found, _, err := Next(t.Context(), Page{URL: at}, all, Limits{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		ids := map[ID]bool{}
		for _, f := range found {
			u, err := fetch.ParseURL(f.URL)
			if err != nil || u.String() != f.URL || u.Host() != start.Host() {
				t.Errorf("got %q (%v)", f.URL, err)
				continue
			}
			if kept, id := Key(u); kept.String() != f.URL || id != f.ID || ids[id] {
				t.Errorf("got %q, whose key is %s", f.URL, kept)
			}
			ids[f.ID] = true
		}
	})
}

// BenchmarkNextKnown handles a page whose hundred links are known: it must stay below 100 µs.
func BenchmarkNextKnown(b *testing.B) {
	benchmarkNext(b, true)
}

func BenchmarkNextNew(b *testing.B) {
	benchmarkNext(b, false)
}

func benchmarkNext(b *testing.B, known bool) {
	b.Helper()
	scope, err := NewScope(Config{Start: parse(b, "https://a.example/")})
	if err != nil {
		b.Fatal(err)
	}
	urls := make([]string, 100)
	limits := Limits{Scope: scope, Seen: NewSeen(1 << 16), Mark: MarkOf("crawl_x")}
	for i := range urls {
		urls[i] = fmt.Sprintf("https://a.example/section/%d/a-story-of-some-length.html", i)
		if _, id := keyOf(urls[i]); known {
			limits.Seen.Add(limits.Mark, id)
		}
	}
	all := links(urls...)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Next(b.Context(), Page{URL: "https://a.example/"}, all, limits); err != nil {
			b.Fatal(err)
		}
	}
}
