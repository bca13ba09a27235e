package fetch

import (
	"strings"
	"testing"
)

func TestParseOrigin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		cut      bool // the rest is not parsed
	}{
		{"plain", "https://example.com/a?b#c", true},
		{"long", "https://example.com/" + strings.Repeat("a", urlBytesMax-64), true},
		{"much of it encoded", "https://example.com/" + strings.Repeat("ä", urlBytesMax/8), true},
		{"a query without a path", "http://example.com:8080?a", true},
		{"an address", "http://127.1/", true},
		{"bad behind the host", "http://example.com/%zz\x01 \"", true},
		{"no path", "https://example.com", false},
		{"capitals", "HTTPS://example.com/", false},
		{"a back slash", `https://example.com\a`, false},
		{"no host", "https:///a", false},
		{"a tab for a host", "https://\t/example.com/", false},
		{"credentials", "https://a:b@example.com/", false},
		{"no text", "https://example.com/\xff", false},
		{"as long as may be", "https://example.com/" + strings.Repeat("a", urlBytesMax-20), false},
		{"too long", "https://example.com/" + strings.Repeat("a", urlBytesMax), false},
		{"too long once it is encoded", "https://example.com/" + strings.Repeat(" ", urlBytesMax/2) + "a", false},
		{"another scheme", "ftp://example.com/", false},
		{"a bad host", "https://1.2.3.4.5/a", true},
		{"a bad port", "https://example.com:99999/a", true},
		{"none", "", false},
	} {
		if cut := originIn(tt.in) != ""; cut != tt.cut {
			t.Errorf("%s: got %t, want %t for whether only its origin is parsed", tt.name, cut, tt.cut)
		}
		wantOrigin(t, tt.in)
	}
}

// wantOrigin compares ParseOrigin with ParseURL.
func wantOrigin(t *testing.T, s string) {
	t.Helper()
	want, wantErr := ParseURL(s)
	got, err := ParseOrigin(s)
	switch {
	case err != nil || wantErr != nil:
		if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
			t.Errorf("%q: got error %v, want %v", s, err, wantErr)
		}
	case got.Origin() != want.Origin() || got.PlainlyPrivate() != want.PlainlyPrivate() || got.HostPort() != want.HostPort():
		t.Errorf("%q: got %s, want the origin of %s", s, got, want)
	}
}

// FuzzParseOrigin: it agrees with ParseURL, also for long input.
func FuzzParseOrigin(f *testing.F) {
	for _, host := range spellings {
		f.Add("http://"+host+"/", "", uint16(0))
	}
	for _, seed := range []string{
		"https://example.com/a?b#c", "http://u:p@1.2.3.4/", `http:\\127.0.0.1`, "http://a.example?b", "https://a.example#", "http://\t/b/", "http://a b/",
		"http://a..b/", "http://xn--a/", "http://1.2.3.4.5/", "http://a:0080/", "http://a:/", "http://0x.0x/ ", "http://a/../../..\n", "http://a/'^`{|}\"<>[]",
	} {
		f.Add(seed, "ä", uint16(4000))
	}
	f.Fuzz(func(t *testing.T, s, more string, times uint16) {
		if len(more) > 0 {
			s += strings.Repeat(more, min(int(times), urlBytesMax/len(more)+1))
		}
		wantOrigin(t, s)
	})
}

func BenchmarkParse(b *testing.B) {
	long := "http://127.0.0.1:8080/tarpit?1&" + strings.Repeat("x", 4000)
	for name, parse := range map[string]func(string) (URL, error){"whole": ParseURL, "origin": ParseOrigin} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(long)))
			for b.Loop() {
				if _, err := parse(long); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
