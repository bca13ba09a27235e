package price

import (
	"slices"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestListings(t *testing.T) {
	t.Parallel()
	book := mustParse(t, crawlDocument)
	if book.Book() != book {
		t.Error("a book is not its own catalogue")
	}
	got := book.Listings(edgewire.UnitUSDC)
	var paths []string
	for _, one := range got {
		paths = append(paths, one.Rule.Path)
		if one.Terms.Unit != edgewire.UnitUSDC || one.Terms.Pattern != one.Rule.Path {
			t.Errorf("%s: got terms %+v", one.Rule.Path, one.Terms)
		}
	}
	// The free rule has no unit, and covers both.
	if want := []string{"/v1/crawls", "/v1/*"}; !slices.Equal(paths, want) {
		t.Fatalf("got %q, want %q", paths, want)
	}
	if crawl := got[0]; crawl.Terms.Settle != SettleAfter || crawl.Terms.Timeout != time.Minute || crawl.Rule.Price.IsQuoted() || crawl.Terms.Free {
		t.Errorf("got %+v, want the defaults", crawl)
	}
	if !got[1].Terms.Free {
		t.Error("the free rule is not marked so")
	}
	got[0].Rule.Methods[0] = "GET"
	if book.Listings(edgewire.UnitUSDC)[0].Rule.Methods[0] != "POST" {
		t.Error("a reader of listings changes the book")
	}
}

func TestMeet(t *testing.T) {
	t.Parallel()
	tests := []struct{ a, b, want string }{
		{"/v1/scrapes", "/v1/scrapes", "/v1/scrapes"},
		{"/v1/scrapes", "/v1/maps", ""},
		{"/v1/*", "/v1/scrapes/{id}", "/v1/scrapes/{id}"},
		{"/v1/*", "/v1", ""},
		{"/v1/*", "/v1/", "/v1/"},
		{"/v1/*/x", "/v1/{id}/x", "/v1/{id}/x"},
		{"/v1/scrapes/latest", "/v1/scrapes/{id}", "/v1/scrapes/latest"},
		{"/v1/scrapes/*", "/v1/scrapes/{id}", "/v1/scrapes/{id}"},
		{"/*", "/", "/"},
		{"/*", "/reports/*", "/reports/*"},
		{"/reports/*", "/reports/*/pages/*", "/reports/*/pages/*"},
		{"/*/pages/*", "/reports/*", "/reports/pages/*"},
		{"/a/*", "/b/*", ""},
		{"/a/*", "/a", ""},
		{"/a/{x}.json", "/a/*", "/a/{x}.json"},
		{"/a/{x}.json", "/a/b.json", ""},
		{"/a/{x}", "/a/", ""},
		{"a", "/a", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			got, ok := Meet(pair[0], pair[1])
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q and %q: got %q, %v, want %q", pair[0], pair[1], got, ok, tt.want)
			}
		}
	}
}
