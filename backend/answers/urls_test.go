package answers

import (
	"slices"
	"strings"
	"testing"
)

func found(text string) []string {
	urls := []string{}
	for _, u := range urlsIn(text) {
		urls = append(urls, u.String())
	}
	return urls
}

func TestURLsOfATask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"How many berths has the harbour?", nil},
		{"Read https://a.example/x and say.", []string{"https://a.example/x"}},
		{"https://a.example", []string{"https://a.example/"}},
		{"See HTTPS://A.example/X.", []string{"https://a.example/X"}},
		{"(see https://a.example/x)", []string{"https://a.example/x"}},
		{"(see https://a.example/x_(y)).", []string{"https://a.example/x_(y)"}},
		{"[here](https://a.example/x_(y)) and on", []string{"https://a.example/x_(y)"}},
		{"<https://a.example/x>, \"https://b.example/y\"", []string{"https://a.example/x", "https://b.example/y"}},
		{"“https://a.example/x”; ‘https://b.example/y’", []string{"https://a.example/x", "https://b.example/y"}},
		{"https://a.example/x, https://b.example/y; https://c.example/z!", []string{"https://a.example/x", "https://b.example/y", "https://c.example/z"}},
		{"https://a.example/x,https://b.example/y", []string{"https://a.example/x", "https://b.example/y"}},
		{"**https://a.example/x**", []string{"https://a.example/x"}},
		{"https://a.example/?q=a,b&c=d;e#part.", []string{"https://a.example/?q=a,b&c=d;e#part"}},
		{"https://a.example/#one https://a.example/#two", []string{"https://a.example/#one"}},
		{"https://web.archive.example/1/https://a.example/", []string{"https://web.archive.example/1/https://a.example/"}},
		{"at www.a.example/x?", []string{"https://www.a.example/x"}},
		{"www. and www.x and a@www.a.example", nil},
		{"xhttps://a.example/ view-source:https://b.example/", []string{"https://b.example/"}},
		{"https://user:secret@a.example/", nil},
		{"http:// https:/// ftp://a.example/ https://", nil},
		{"https://a.example/x。次", []string{"https://a.example/x"}},
		{"参照（https://a.example/日本）", []string{"https://a.example/%E6%97%A5%E6%9C%AC"}},
		{"http://127.1:8080/x http://[::1]:90/y", []string{"http://127.0.0.1:8080/x", "http://[::1]:90/y"}},
	} {
		if got := found(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := found(strings.Repeat("https://a.example/", 3) + " x"); len(got) != 1 {
		t.Errorf("got %q, want one", got)
	}
	var many strings.Builder
	for i := range 50 {
		many.WriteString(" https://a.example/" + strings.Repeat("x", i))
	}
	if got := found(many.String()); len(got) != namedMax {
		t.Errorf("got %d, want %d", len(got), namedMax)
	}
}

// FuzzURLs: the URLs found in any task can be fetched, are few, and each occurs once.
func FuzzURLs(f *testing.F) {
	for _, text := range []string{"", "see https://a.example/x_(y)).", "www.a.example", "https://\xff", "http://[::1", "https://a.example/,http://"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, u := range urlsIn(text) {
			if u.IsZero() || seen[u.WithoutFragment()] {
				t.Errorf("%q: got %q twice, or nothing", text, u)
			}
			seen[u.WithoutFragment()] = true
		}
		if len(seen) > namedMax {
			t.Errorf("%q: got %d, want at most %d", text, len(seen), namedMax)
		}
	})
}
