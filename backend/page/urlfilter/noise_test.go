package urlfilter

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func TestNoise(t *testing.T) {
	t.Parallel()
	const first, second = "8f14e45fceea167a5a36dedd4bea2543", "c9f0f895fb98ab9159f51fd0297e236d"
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"a parameter", "https://a.test/x?visit=" + first + "&id=7", "https://a.test/x?visit=" + second + "&id=7", true},
		{"a segment", "https://a.test/" + first + "/x", "https://a.test/" + second + "/x", true},
		{"two parameters", "https://a.test/x?a=" + first + "&b=" + first, "https://a.test/x?a=" + second + "&b=" + second, false},
		{"another page", "https://a.test/x?visit=" + first, "https://a.test/y?visit=" + second, false},
		{"another host", "https://a.test/x?visit=" + first, "https://b.test/x?visit=" + second, false},
		{"another parameter", "https://a.test/x?visit=" + first, "https://a.test/x?other=" + second, false},
		{"a parameter more", "https://a.test/x", "https://a.test/x?visit=" + second, false},
		{"numbers", "https://a.test/x?id=1234567890123456789", "https://a.test/x?id=1234567890123456780", false},
		{"names", "https://a.test/the-story-of-a-bridge", "https://a.test/the-story-of-a-river", false},
		{"words", "https://a.test/x?q=incomprehensibilities", "https://a.test/x?q=internationalization", false},
		{"the same", "https://a.test/x?visit=" + first, "https://a.test/x?visit=" + first, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := parse(t, tt.a), parse(t, tt.b)
			var n Noise
			for range 5 {
				n, _ = n.With(a, b)
			}
			if !n.IsZero() {
				t.Fatal("got it proven by one page")
			}
			n = Noise{}
			for i := range 3 {
				if !n.IsZero() {
					t.Fatal("got it proven by fewer than three")
				}
				page := strings.Repeat("z", i%2+1)
				n, _ = n.With(parse(t, strings.Replace(tt.a, "/x", "/"+page, 1)), parse(t, strings.Replace(tt.b, "/x", "/"+page, 1)))
			}
			if n.IsZero() == tt.want || (n.String() == "") == tt.want {
				t.Errorf("after three: got proven %t, want %t", !n.IsZero(), tt.want)
			}
			kept := NewNoise(n.Proofs())
			urlA, idA := kept.Key(a)
			urlB, idB := kept.Key(b)
			if same := idA == idB; same != tt.want && tt.a != tt.b {
				t.Errorf("got the same key %t, want %t", same, tt.want)
			}
			if urlA.String() != tt.a || urlB.String() != tt.b {
				t.Errorf("to be fetched: got %s and %s, want them as they were", urlA, urlB)
			}
			if again, more := kept.With(a, b); more && tt.want {
				t.Errorf("got one more proof of what is proven: %q", again.Proofs())
			}
		})
	}
}

func TestKin(t *testing.T) {
	t.Parallel()
	var n Noise
	kin := func(url string) uint64 { return n.Kin(parse(t, url)) }
	base := kin("https://www.example.com/docs/intro?b=2&a=1")
	for url, want := range map[string]bool{
		"https://www.example.com/Docs/INTRO?b=2&a=1": true, "http://example.com/docs/intro/?a=1&b=2#x": true, "https://example.com/docs/%69ntro/index.html?a=1&b=2": true,
		"https://www.example.com/docs/intro?B=2&A=1&utm_source=x": true,
		"https://www.example.com/docs/intro":                      false, "https://www.example.com/docs/intro?b=2&a=3": false, "https://www.example.com/docs?b=2&a=1": false,
		"https://blog.example.com/docs/intro?b=2&a=1": false,
	} {
		if got := kin(url) == base; got != want {
			t.Errorf("%s: got kin %t, want %t", url, got, want)
		}
	}
	for _, tt := range []struct {
		a, b uint64
		want bool
	}{{0, 0, false}, {0, 1, false}, {7, 7, true}, {1<<40 | 0xfff, 1 << 40, true}, {1<<40 | 0x1fff, 1 << 40, false}} {
		if got := Akin(tt.a, tt.b); got != tt.want {
			t.Errorf("Akin(%x, %x): got %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestTraits(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]Traits{
		"https://a.test/list?page=4":             {Endless: true, Paged: true},
		"https://a.test/blog/page/4":             {Endless: true, Paged: true},
		"https://a.test/list?page=about":         {Endless: true},
		"https://a.test/shop?colour=red&size=s":  {Endless: true, Faceted: true},
		"https://a.test/shop?colour=red&colour=": {Endless: true, Faceted: true},
		"https://a.test/2026/11":                 {Endless: true, Dated: true},
		"https://a.test/about":                   {},
	} {
		if _, got := Shape(parse(t, url)); got != want {
			t.Errorf("%s: got %+v, want %+v", url, got, want)
		}
	}
	one, two, other := parse(t, "https://a.test/shop?a=1&b=2"), parse(t, "https://a.test/shop"), parse(t, "https://a.test/shops?a=1")
	if Family(one) != Family(two) || Family(one) == Family(other) {
		t.Error("families: want one for each path")
	}
}

func FuzzNoise(f *testing.F) {
	f.Add("https://a.test/x?visit=8f14e45fceea167a5a36dedd4bea2543", "https://a.test/x?visit=c9f0f895fb98ab9159f51fd0297e236d")
	f.Add("https://a.test/8f14e45fceea167a5a36dedd4bea2543/?", "https://a.test/c9f0f895fb98ab9159f51fd0297e236d/?")
	f.Fuzz(func(t *testing.T, textA, textB string) {
		a, errA := fetch.ParseURL(textA)
		b, errB := fetch.ParseURL(textB)
		if errA != nil || errB != nil {
			return // no URLs
		}
		var n Noise
		for range 3 {
			n, _ = n.With(a, b)
		}
		if !n.IsZero() {
			t.Fatal("got it proven by one page")
		}
		if proofs := n.Proofs(); len(proofs) > 0 { // as if another page proved it
			n = NewNoise(append(proofs, proofs[0]+"x"))
		}
		_, idA := n.Key(a)
		_, idB := n.Key(b)
		if !n.IsZero() && idA != idB {
			t.Errorf("%s and %s: got two keys, want one for what was proven to be the same", a, b)
		}
		n.Kin(a)
	})
}
