package scrapes

import (
	"context"
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

func TestGlobsOfLinks(t *testing.T) {
	t.Parallel()
	links := []extract.Link{{URL: "https://a.example/blog/one"}, {URL: "https://a.example/blog/draft"}, {URL: "https://a.example/about"}, {URL: "https://a.example:99999/"}}
	for _, tt := range []struct {
		name             string
		include, exclude []string
		want             []string
	}{
		{"no globs", nil, nil, []string{links[0].URL, links[1].URL, links[2].URL, links[3].URL}},
		{"included", []string{"/blog/*"}, nil, []string{links[0].URL, links[1].URL}},
		{"exclusion wins", []string{"/blog/*"}, []string{"**/draft"}, []string{links[0].URL}},
		{"excluded", nil, []string{"/blog/**"}, []string{links[2].URL, links[3].URL}},
	} {
		filter, faults := newLinkFilter(&page.LinksInput{Include: tt.include, Exclude: tt.exclude})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		got, err := filter.apply(t.Context(), links)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	if _, faults := newLinkFilter(&page.LinksInput{Include: []string{"/x", ""}, Exclude: []string{"***********"}}); len(faults) != 2 {
		t.Errorf("globs that are none: got %v, want 2 faults", faults)
	}
}

func TestOrderOfLinks(t *testing.T) {
	t.Parallel()
	links := []extract.Link{
		{URL: "https://a.example/about", Text: "About"},
		{URL: "https://a.example/x", Href: "x", Text: "Contact", Heading: "Prices"},
		{URL: "https://a.example/pricing", Href: "pricing", Text: "What it costs"},
		{URL: "https://a.example/p", Text: "Our prices"},
		{URL: "https://a.example/team", Text: "Team"},
	}
	filter, faults := newLinkFilter(&page.LinksInput{OrderBy: "PRICE", Exclude: []string{"/team"}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got, err := filter.apply(t.Context(), links)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"https://a.example/p", "https://a.example/pricing", "https://a.example/x", "https://a.example/about"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinksEndWithTheirContext(t *testing.T) {
	t.Parallel()
	filter, _ := newLinkFilter(&page.LinksInput{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filter.apply(ctx, slices.Repeat([]extract.Link{{URL: "https://a.example/"}}, 100)); err == nil {
		t.Error("got no error, want the context's")
	}
}
