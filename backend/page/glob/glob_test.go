package glob

import (
	"reflect"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
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
		// URLs that net/url reads differently, or not at all.
		{"/caf%C3%A9", "https://a.example/café", true},
		{"/café/*", "https://a.example/caf%C3%A9/x", true},
		{"/a b", "https://a.example/a%20b", true},
		{"/blog/one", `https://a.example\blog\one`, true},
		{"/blog/one", "https://a.example/x/../blog/./%2e%2e/blog/one", true},
		{"/blog/*", "https:a.example/blog/one", true},
		{"/100%", "https://a.example/100%", true},
		{"/a%20b", "https://a.example/a b", true},
		{"/**", "https://a.example:99999/", false},
		{"/one", "ht\ntps://a.exam\tple/one", true},
	}
	for _, tt := range tests {
		g, err := New(tt.glob)
		if err != nil {
			t.Errorf("glob %s is refused: %v", tt.glob, err)
			continue
		}
		u, _ := fetch.ParseURL(tt.link) // the zero URL if it does not parse
		if got := g.Matches(u); got != tt.want {
			t.Errorf("glob %s, link %s: got %t, want %t", tt.glob, tt.link, got, tt.want)
		}
	}
}

func TestCompileNamesFaults(t *testing.T) {
	t.Parallel()
	globs, faults := Compile([]string{"/a", "", strings.Repeat("*", StarsMax+1), "/" + strings.Repeat("b", BytesMax), "/c/**"}, "body", "include_urls")
	if len(globs) != 2 || len(faults) != 3 {
		t.Fatalf("got %d globs and faults %v, want 2 and 3", len(globs), faults)
	}
	for i, f := range faults {
		want := problem.Fault{Loc: []any{"body", "include_urls", i + 1}, Msg: errNoGlob.Error(), Type: problem.FaultInvalid}
		if !reflect.DeepEqual(f, want) {
			t.Errorf("fault %d: got %+v, want %+v", i, f, want)
		}
	}
}

func TestExclusionWins(t *testing.T) {
	t.Parallel()
	include, _ := Compile([]string{"/blog/**"})
	exclude, _ := Compile([]string{"**/draft"})
	for _, tt := range []struct {
		name string
		set  Set
		path string
		want bool
	}{
		{"nothing said", Set{}, "/x", true},
		{"included", Set{Include: include}, "/blog/x", true},
		{"not included", Set{Include: include}, "/x", false},
		{"excluded", Set{Exclude: exclude}, "/x/draft", false},
		{"both", Set{Include: include, Exclude: exclude}, "/blog/draft", false},
	} {
		u, err := fetch.ParseURL("https://a.example" + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.set.Keeps(u); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

// FuzzGlob: any glob is refused with a message, or matches without a panic and always with the same result.
func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"/**", "https://a.example/x"}, {"*?*", "%zz"}, {"[", "https://a.example/["}, {"***", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, link string) {
		g, err := New(text)
		if err != nil {
			return
		}
		u, err := fetch.ParseURL(link)
		if g.Matches(u) && err != nil {
			t.Fatalf("glob %q matches %q, which is no URL", text, link)
		}
	})
}
