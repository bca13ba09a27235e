package scrapes

import (
	"context"
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/extract"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob, link string
		want       bool
	}{
		{"/**", "https://a.example/", true},
		{"/**", "https://a.example", true},
		{"/blog/*", "https://a.example/blog/one", true},
		{"/blog/*", "https://a.example/blog/one/two", false},
		{"/blog/**", "https://a.example/blog/one/two", true},
		{"blog/**", "https://a.example/blog/one", true},
		{"**/two", "https://a.example/blog/one/two", true},
		{"/blog", "https://a.example/blog?page=2", true},
		{"/blog?page=*", "https://a.example/blog?page=2", true},
		{"/blog?page=*", "https://a.example/blog", false},
		{"/a.b", "https://a.example/axb", false},
		{"/a+(b)[c]", "https://a.example/a+(b)[c]", true},
		{"https://a.example/**", "https://a.example/x", true},
		{"https://a.example/**", "https://b.example/x", false},
		{"/caf%C3%A9", "https://a.example/caf%C3%A9", true},
	}
	for _, tt := range tests {
		g, ok := newGlob(tt.glob)
		if !ok {
			t.Errorf("glob %s is refused", tt.glob)
			continue
		}
		if got := g.matches(tt.link); got != tt.want {
			t.Errorf("glob %s, link %s: got %t, want %t", tt.glob, tt.link, got, tt.want)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"/**", "https://a.example/x"}, {"*?*", "%zz"}, {"[", "https://a.example/["}, {"***", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, link string) {
		filter, faults := newLinkFilter(&LinksInput{Include: []string{text}})
		if len(faults) > 0 {
			return
		}
		links := []extract.Link{{URL: link, Href: link}}
		kept, err := filter.apply(context.Background(), links)
		if err != nil || len(kept) > 1 {
			t.Fatalf("got %v, %v", kept, err)
		}
	})
}

func TestLinksEndWithTheirContext(t *testing.T) {
	t.Parallel()
	filter, _ := newLinkFilter(&LinksInput{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filter.apply(ctx, slices.Repeat([]extract.Link{{URL: "https://a.example/"}}, 100)); err == nil {
		t.Error("got no error, want the context's")
	}
}
