package links

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestRankLinks(t *testing.T) {
	t.Parallel()
	link := func(url, text, heading string) Link {
		return Link{URL: "https://example.com" + url, Text: text, Heading: heading}
	}
	tests := []struct {
		name, query string
		links       []Link
		want        []string // texts, in order
	}{
		{"text before URL before heading", "toll", []Link{link("/a", "a", "tolls"), link("/tolls", "b", ""), link("/c", "toll", ""), link("/d", "d", "")}, []string{"toll", "b", "a", "d"}},
		{"forms of a word", "prices running studies", []Link{link("/", "none", ""), link("/", "price", ""), link("/", "run", ""), link("/", "study", "")}, []string{"price", "run", "study", "none"}},
		{"rare terms count more", "road tolls", []Link{link("/", "road one", ""), link("/", "road two", ""), link("/", "tolls", ""), link("/", "road three", "")}, []string{"tolls", "road one", "road two", "road three"}},
		{"accents", "cafe menu", []Link{link("/", "x", ""), link("/", "Café", "")}, []string{"Café", "x"}},
		{"encoded URLs", "müller", []Link{link("/", "x", ""), link("/m%C3%BCller", "y", "")}, []string{"y", "x"}},
		{"Cyrillic forms", "дороги", []Link{link("/", "мост", ""), link("/", "дорогами", "")}, []string{"дорогами", "мост"}},
		{"Chinese", "道路收费", []Link{link("/", "关于我们", ""), link("/", "城市道路", ""), link("/", "高速道路收费标准", "")}, []string{"高速道路收费标准", "城市道路", "关于我们"}},
		{"Japanese and Latin", "API料金", []Link{link("/", "会社", ""), link("/", "料金", ""), link("/", "API の料金表", "")}, []string{"API の料金表", "料金", "会社"}},
		{"Thai", "ราคา", []Link{link("/", "ติดต่อ", ""), link("/", "ตารางราคาสินค้า", "")}, []string{"ตารางราคาสินค้า", "ติดต่อ"}},
		{"words run together", "blog posts", []Link{link("/", "x", ""), link("/myBlogPosts", "y", "")}, []string{"y", "x"}},
		{"ties in the page's order", "toll", []Link{link("/", "c", ""), link("/", "a", ""), link("/", "b", "")}, []string{"c", "a", "b"}},
		{"no terms", " ?! ", []Link{link("/", "b", ""), link("/", "a", "")}, []string{"b", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ranked, err := Rank(t.Context(), tt.links, tt.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range ranked {
				got = append(got, l.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRankLinksEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Rank(ctx, make([]Link, 10), "x"); err == nil {
		t.Error("got no error, want the context's")
	}
}

func FuzzRankLinks(f *testing.F) {
	f.Add("toll roads", "https://example.com/a%20b", "Toll")
	f.Add("道路", "https://例え.example/道", "高速道路")
	f.Add("\u0301a", "%zz", "e\u0301")
	f.Fuzz(func(t *testing.T, query, address, text string) {
		if !utf8.ValidString(query) || !utf8.ValidString(address) || !utf8.ValidString(text) {
			return
		}
		links := []Link{{URL: address}, {URL: address, Text: text}, {Text: text, Heading: query}}
		got, err := Rank(t.Context(), links, query)
		if err != nil || len(got) != len(links) {
			t.Fatalf("got %d links, %v", len(got), err)
		}
	})
}

func BenchmarkRankLinks(b *testing.B) {
	links := make([]Link, 5000)
	for i := range links {
		links[i] = Link{URL: fmt.Sprintf("https://example.com/articles/%d/how-tolls-work", i), Text: "How the toll of a road is worked out", Heading: "Roads and bridges"}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Rank(b.Context(), links, "price of bridges"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	links := []Link{
		{URL: "https://example.com/a", Text: "more", Around: "how the ferry crosses, more"},
		{URL: "https://example.com/b", Text: "more", Around: "how the bridge was built, more"},
		{URL: "https://example.com/ferry", Text: "The ferry", Heading: "Crossing"},
	}
	score := func(ctx context.Context, query string) ([]float64, error) {
		return Scores(ctx, len(links), func(i int) *Link { return &links[i] }, query)
	}
	got, err := score(t.Context(), "ferries")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[1] != 0 || got[0] <= 0 || got[2] <= got[0] {
		t.Errorf("got %v, want the text before what is around, and none for the bridge", got)
	}
	for _, query := range []string{"", "..."} {
		if got, err := score(t.Context(), query); err != nil || len(got) != 3 || got[2] != 0 {
			t.Errorf("%q: got %v, %v, want all at 0", query, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := score(ctx, "ferry"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
