package websearch

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"plain", "River tolls", "River tolls"},
		{"emphasis", "the <strong>river</strong> <em class='x'>tolls</em>", "the river tolls"},
		{"within a word", "turn<b>pike</b>s", "turnpikes"},
		{"capitals", "<STRONG>river</STRONG><BR/>tolls", "river tolls"},
		{"an end that was cut off", "the <strong>river tolls", "the river tolls"},
		{"breaks", "river<br>tolls</p><p>bridges", "river tolls bridges"},
		{"entities", "Rivers&#x27; &amp; lakes&#39; &quot;tolls&quot;&nbsp;&hellip;", `Rivers' & lakes' "tolls" …`},
		{"what was escaped is text", "&lt;b&gt; is bold, &amp;lt; is a sign", "<b> is bold, &lt; is a sign"},
		{"ampersands in addresses", "a.example/?a=1&copy=2&notin=3&lt AT&T", "a.example/?a=1&copy=2&notin=3&lt AT&T"},
		{"entities that are none", "&nosuch; &#xFFFFFF; &#0; &;", "&nosuch; &;"},
		{"names of elements", "<input>: The Input element", "<input>: The Input element"},
		{"comparisons", "if a < b and c > d", "if a < b and c > d"},
		{"generics", "List<String> and vector<int>", "List<String> and vector<int>"},
		{"images", `a <img src=x onerror="alert(1)"> b`, "a b"},
		{"links", `a <a href="https://a.example/">link</a> b`, "a link b"},
		{"scripts", "a <script type=x>alert(1)</script> b <style>p{}</style> c", "a b c"},
		{"comments", "a <!-- hidden <b> --> b", "a b"},
		{"white space", "  a\r\n\tb\u00a0\u2028c  ", "a b c"},
		{"control characters", "a\x00b\x1b[31mc\u009b", "ab[31mc"},
		{"direction", "a\u202egnp.exe\u2066", "agnp.exe"},
		{"tags that nobody sees", "a\U000e0041\U000e0042b", "ab"},
		{"joiners", "👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"},
		{"broken", "a\xffb\ufffdc", "abc"},
		{"nothing", " \u200b ", ""},
		{"other languages", "川の通行料 – Flußzölle", "川の通行料 – Flußzölle"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(tc.text, 100); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPlainIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("ö ", 1000), strings.Repeat("<b>", 100_000), strings.Repeat("&amp;", 100_000), strings.Repeat("語", 1_000_000)} {
		got := plain(text, 10)
		if n := utf8.RuneCountInString(got); n > 10 || !utf8.ValidString(got) {
			t.Errorf("got %d characters, %q, want 10 at most", n, got)
		}
	}
	if got := clip.Chars("abc def", 5); got != "abc…" {
		t.Errorf("got %q, want abc…", got)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	if got, want := clean("key "+braveKey+"\nis "+braveKey, braveKey), "key [key] is [key]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A key is found even if the text is cut or has characters that are removed.
	if got := clean(strings.Repeat("x", 290)+" "+braveKey, braveKey); strings.Contains(got, "brave") {
		t.Errorf("got %q, want no part of the key", got)
	}
	if got := clean("key "+braveKey[:5]+"\u200b"+braveKey[5:], braveKey); strings.Contains(got, braveKey) {
		t.Errorf("got %q, want no key", got)
	}
}

func TestPublished(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2024-03-05T09:30:00":              "2024-03-05T09:30:00Z",
		"2024-03-05T09:30:00.123456":       "2024-03-05T09:30:00.123456Z",
		"2024-03-05T09:30:00+02:00":        "2024-03-05T07:30:00Z",
		"2024-03-05T09:30:00.000Z":         "2024-03-05T09:30:00Z",
		"2024-03-05 09:30:00+00:00":        "2024-03-05T09:30:00Z",
		"2024-03-05 09:30:00":              "2024-03-05T09:30:00Z",
		"2024-03-05T09:30":                 "2024-03-05T09:30:00Z",
		"2024-03-05":                       "2024-03-05T00:00:00Z",
		"2024/03/05":                       "2024-03-05T00:00:00Z",
		"Mar 5, 2024":                      "2024-03-05T00:00:00Z",
		" March  5, 2024":                  "2024-03-05T00:00:00Z",
		"5 Mar 2024":                       "2024-03-05T00:00:00Z",
		"5 March 2024":                     "2024-03-05T00:00:00Z",
		"Tue, 05 Mar 2024 09:30:00 GMT":    "2024-03-05T09:30:00Z",
		"30 seconds ago":                   "2025-06-17T14:19:35Z",
		"5 mins ago":                       "2025-06-17T14:15:00Z",
		"an hour ago":                      "2025-06-17T13:00:00Z",
		"3 Hours Ago":                      "2025-06-17T11:00:00Z",
		"yesterday":                        "2025-06-16T00:00:00Z",
		"1 day ago":                        "2025-06-16T00:00:00Z",
		"2 weeks ago":                      "2025-06-03T00:00:00Z",
		"a month ago":                      "2025-05-17T00:00:00Z",
		"6 years ago":                      "2019-06-17T00:00:00Z",
		"2025-06-18T00:00:00":              "2025-06-18T00:00:00Z", // already the next day elsewhere
		"2025-06-19T00:00:00":              "",
		"9999-12-31":                       "",
		"1970-01-01T00:00:00Z":             "",
		"1900-01-01":                       "",
		"0001-01-01T00:00:00":              "",
		"9999 years ago":                   "",
		"99999 days ago":                   "",
		"in 3 days":                        "",
		"2024-13-45":                       "",
		"05.03.2024":                       "", // day and month are ambiguous
		"soon":                             "",
		"":                                 "",
		"null":                             "",
		"1709631000":                       "",
		strings.Repeat("2024-03-05 ", 1e5): "",
	} {
		got := published(text, today)
		if want == "" && !got.IsZero() || want != "" && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%.60q: got %s, want %q", text, got.Format(time.RFC3339Nano), want)
		}
	}
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	many := make([]string, DomainsMax)
	for i := range many {
		many[i] = strings.Repeat("a", i+1) + ".example"
	}
	for _, tc := range []struct {
		name             string
		text             string
		include, exclude []string
		room             room
		want             string
	}{
		{"no domains", "river tolls", nil, nil, braveRoom, "river tolls"},
		{"one", "tolls", []string{"a.example"}, nil, braveRoom, "tolls site:a.example"},
		{"some", "tolls", []string{"a.example", "b.example"}, []string{"c.a.example"}, braveRoom, "tolls site:a.example OR site:b.example -site:c.a.example"},
		{"another script", "tolls", []string{"bücher.example"}, nil, braveRoom, "tolls site:xn--bcher-kva.example"},
		{"what is no host", "tolls", []string{"a b", "x\" OR y", "", "[::1]"}, []string{"-", "a/b"}, braveRoom, "tolls"},
		{"the words are cut for domains", "one two three four", []string{"a.example"}, nil, room{100, 3}, "one two site:a.example"},
		{"domains that find no place", "one two three four", []string{"a.example", "b.example"}, nil, room{100, 4}, "one two three site:a.example"},
		{"characters", "one two three four", []string{"a.example"}, nil, room{40, 10}, "one two three four site:a.example"},
		{"fewer characters", "one two three four", []string{"a.example"}, nil, room{30, 10}, "one two three site:a.example"},
		{"too few for a domain", "one two three four", []string{"a.example"}, nil, room{26, 10}, "one two three four"},
		{"a word that is too long", strings.Repeat("ö", 500), nil, nil, braveRoom, strings.Repeat("ö", 399)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := phrase(tc.text, Query{Include: tc.include, Exclude: tc.exclude}, tc.room); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, r := range []room{braveRoom, serperRoom, searxngRoom} {
		got := phrase(strings.Repeat("word ", 100), Query{Include: many, Exclude: many}, r)
		if utf8.RuneCountInString(got) > r.chars || len(strings.Fields(got)) > r.words || !strings.HasPrefix(got, "word word") || !strings.Contains(got, " site:a.example OR site:aa.example") {
			t.Errorf("got %q, want words and domains in the room of %+v", got, r)
		}
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://a.example":                  {"https://a.example/", "a.example"},
		"HTTPS://A.Example:443/x/../y?q=1#z": {"https://a.example/y?q=1", "a.example"},
		"http://bücher.example/ä":            {"http://xn--bcher-kva.example/%C3%A4", "xn--bcher-kva.example"},
		"http://a.example./":                 {"http://a.example./", "a.example"},
		"http://[::1]/":                      {"http://[::1]/", "[::1]"},
		"http://0x7f.1/":                     {"http://127.0.0.1/", "127.0.0.1"},
		"//a.example/":                       {},
		"/a":                                 {},
		"":                                   {},
		"https://":                           {},
		"https://user@a.example/":            {},
		"https://:secret@a.example/":         {},
		"ftp://a.example/":                   {},
		"javascript:alert(1)":                {},
		"data:text/html,x":                   {},
		"https://a.example/" + strings.Repeat("x", 9e3): {},
		"https://a.example/" + strings.Repeat("ä", 4e3): {},
	} {
		if got, host := normalise(address); got != want[0] || host != want[1] {
			t.Errorf("%.60s: got %s of %s, want %v", address, got, host, want)
		}
	}
}

func TestDomains(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		include, exclude []string
		host             string
		want             bool
	}{
		{nil, nil, "a.example", true},
		{[]string{"a.example"}, nil, "a.example", true},
		{[]string{"a.example"}, nil, "www.a.example", true},
		{[]string{"a.example"}, nil, "ba.example", false},
		{[]string{"www.a.example"}, nil, "a.example", false},
		{[]string{" A.Example. "}, nil, "a.example", true},
		{[]string{"bücher.example"}, nil, "xn--bcher-kva.example", true},
		{[]string{""}, nil, "a.example", false},
		{[]string{"a b"}, nil, "a.example", false},
		{[]string{"https://a.example/"}, nil, "https", false},
		{[]string{"a.example/b"}, nil, "a.example", false},
		{[]string{"a.example:80"}, nil, "a.example", false},
		{nil, []string{"a.example"}, "a.example", false},
		{nil, []string{"a.example"}, "www.a.example", false},
		{nil, []string{"a.example"}, "ba.example", true},
		{nil, []string{""}, "a.example", true},
		{[]string{"a.example"}, []string{"old.a.example"}, "very.old.a.example", false},
		{[]string{"a.example"}, []string{"old.a.example"}, "new.a.example", true},
	} {
		if got := newDomains(Query{Include: tc.include, Exclude: tc.exclude}).want(tc.host); got != tc.want {
			t.Errorf("%v without %v: %s: got %t, want %t", tc.include, tc.exclude, tc.host, got, tc.want)
		}
	}
}
