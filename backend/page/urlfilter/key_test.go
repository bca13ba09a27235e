package urlfilter

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func parse(t testing.TB, text string) fetch.URL {
	t.Helper()
	u, err := fetch.ParseURL(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

// same are groups of URLs of one page. URLs of different groups are different pages.
var same = [][]string{
	{"https://a.example/", "https://a.example", "https://A.EXAMPLE/", "https://a.example:443/", "https://a.example/#top", "https://a.example/?", "https://a.example/./", "https://a.example/x/..", "https:\\\\a.example\\", "https://a.example/?utm_source=x", "https://a.example/?&", " https://a.example/ ", "https://a.example/?#a", "https://a.example/%2e/"},
	{"http://a.example/", "http://a.example:80/", "http://a.example/?gclid=1"},
	{"https://www.a.example/"},
	{"https://a.example:8443/"},
	{"https://a.example//"},
	{"https://a.example/a"},
	{"https://a.example/a/", "https://a.example/a/#b"},
	{"https://a.example/A"},
	{"https://a.example/a//b"},
	{"https://a.example/a/b", "https://a.example/a/./b", "https://a.example/a/c/../b", "https://a.example/a/%62", "https://a.example/a/c/%2E%2e/b", "https://a.example/%61/b"},
	{"https://a.example/~user", "https://a.example/%7Euser", "https://a.example/%7euser"},
	{"https://a.example/caf%C3%A9", "https://a.example/caf%c3%a9", "https://a.example/café", "https://a.example/ca%66é"},
	{"https://a.example/cafe%CC%81"},
	{"https://a.example/a%2Fb", "https://a.example/a%2fb"},
	{"https://a.example/a%20b", "https://a.example/a b"},
	{"https://a.example/a+b"},
	{"https://a.example/a%2Bb"},
	{"https://a.example/%2541"},
	{"https://a.example/%%34%31"},
	{"https://a.example/%"},
	{"https://a.example/%zz"},
	{"https://bücher.example/", "https://xn--bcher-kva.example/", "https://BÜCHER.example/"},
	{"http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/", "http://127.1/"},
	{"http://[::1]/", "http://[0:0::1]/"},
	{"https://a.example/l?a=1&b=2", "https://a.example/l?b=2&a=1", "https://a.example/l?a=1&&b=2", "https://a.example/l?utm_medium=m&b=2&a=1&fbclid=z", "https://a.example/l?%61=1&b=2", "https://a.example/l?a=1&b=2&PHPSESSID=0123456789abcdef"},
	{"https://a.example/l?a=2&b=1"},
	{"https://a.example/l?a=1&a=2"},
	{"https://a.example/l?a=2&a=1"},
	{"https://a.example/l?a=1&b=2&c"},
	{"https://a.example/l?a=1&b=2&c=", "https://a.example/l?c=&a=1&b=2"},
	{"https://a.example/l?A=1&b=2"},
	{"https://a.example/l", "https://a.example/l;jsessionid=0123456789ABCDEF", "https://a.example/l;sid=abcd1234efgh", "https://a.example/l?sid=abcd1234efgh", "https://a.example/l?UTM_Source=News&UTM_campaign=", "https://a.example/l;JSESSIONID=0123456789ABCDEF.node1", "https://a.example/l?jsessionid=0123456789ABCDEF!-1", "https://a.example/l?ASPSESSIONIDQATTQRDB=GHIJKLMNOPQRSTUV", "https://a.example/(S(lit3py55t21z5v55vlm25s55))/l", "https://a.example/l?CFID=12&CFTOKEN=12345678", "https://a.example/l?_ga=2.1&mc_cid=a&mc_eid=b&yclid=1&igshid=2&msclkid=3&dclid=4", "https://a.example/l?sessionid=0123abcd", "https://a.example/l?session_id=0123abcd"},
	{"https://a.example/l?sid=12345678"},
	{"https://a.example/l?sid=short"},
	{"https://a.example/l?sid=two%20words%20here"},
	{"https://a.example/l?CFID=12"},
	{"https://a.example/l?utm=1"},
	{"https://a.example/l?gclid2=1"},
	{"https://a.example/l?xutm_source=1"},
	{"https://a.example/l;v=1"},
	{"https://a.example/l;v=1/x", "https://a.example/l;v=1;jsessionid=0123456789/x", "https://a.example/l;jsessionid=0123456789;v=1/x"},
	{"https://a.example/l;jsessionid"},
	{"https://a.example/l;jsessionid=x"},
	{"https://a.example/(S(short))/l"},
	{"https://a.example/a/..;sid=abcd1234efgh/l"},
	{"https://a.example/l?u=https://b.example/?utm_source=x"},
	{"https://a.example/l?q=a%26b"},
	{"https://a.example/l?q=a&b"},
	{"https://a.example/l?q=%E4%BD%A0", "https://a.example/l?q=%e4%bd%a0", "https://a.example/l?q=你"},
	{"https://a.example/l.html"},
	{"https://a.example/index.html"},
	{"https://a.example./"},
}

func TestKey(t *testing.T) {
	t.Parallel()
	of := map[ID]int{}
	for i, group := range same {
		var first ID
		for j, text := range group {
			u := parse(t, text)
			kept, id := Key(u)
			if j == 0 {
				first = id
				if other, ok := of[id]; ok {
					t.Errorf("%s: got the same as %s", text, same[other][0])
				}
				of[id] = i
			}
			if id != first {
				t.Errorf("%s: got another page than %s", text, group[0])
			}
			checkKey(t, u, kept, id)
		}
	}
}

// checkKey checks what holds for all URLs.
func checkKey(t *testing.T, u, kept fetch.URL, id ID) {
	t.Helper()
	if strings.Contains(kept.String(), "#") {
		t.Errorf("%s: got %s with a fragment", u, kept)
	}
	if again, same := Key(kept); again.String() != kept.String() || same != id {
		t.Errorf("%s: got %s, and of that %s", u, kept, again)
	}
	if kept.Origin() != u.Origin() {
		t.Errorf("%s: got %s of another origin", u, kept)
	}
}

func TestKeyKeepsWhatIsFetched(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example/%7Euser?b=1&a=%41#x":                  "https://a.example/%7Euser?b=1&a=%41",
		"https://a.example/?utm_source=x":                        "https://a.example/",
		"https://a.example/l;jsessionid=0123456789?b=1&gclid=1":  "https://a.example/l?b=1",
		"https://a.example/a/..;sid=abcd1234efgh/l":              "https://a.example/a/..;sid=abcd1234efgh/l",
		"https://a.example/(S(lit3py55t21z5v55vlm25s55))/l.aspx": "https://a.example/l.aspx",
	} {
		if kept, _ := Key(parse(t, text)); kept.String() != want {
			t.Errorf("%s: got %s, want %s", text, kept, want)
		}
	}
	if kept, id := Key(fetch.URL{}); !kept.IsZero() || id != (ID{}) {
		t.Errorf("got %s, %x of no URL", kept, id)
	}
}

func FuzzKey(f *testing.F) {
	for _, group := range same {
		f.Add(group[len(group)-1])
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := fetch.ParseURL(text)
		if err != nil {
			return
		}
		kept, id := Key(u)
		checkKey(t, u, kept, id)
		if quick, same := keyOf(u.String()); same == id && quick != kept.String() || same != id && quick == kept.String() {
			t.Errorf("%s: got %s, and quickly %s", u, kept, quick)
		}
		shape, traits := Shape(u)
		if again, same := Shape(u); again != shape || same != traits {
			t.Errorf("%s: got two shapes", u)
		}
		Trapped(u)
		IsFile(u)
	})
}

// BenchmarkKey must stay below 1 µs: a page has a hundred links.
func BenchmarkKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		keyOf("https://www.example.com/section/a-story-of-some-length.html?page=2&order=date")
	}
}
