package websearch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// seed adds the recordings of a provider, and other texts.
func seed(f *testing.F, service string, add func(recording)) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", service+"_*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no recordings: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			f.Fatal(err)
		}
		add(r)
	}
	for _, body := range []string{"", "null", "{}", "[]", `{"results":[[]],"web":{},"organic":{}}`, "<html>", "\xff", strings.Repeat("[", 100)} {
		add(recording{Status: 200, Text: body})
		add(recording{Status: 422, Text: body})
	}
}

func fuzzQuery() Query {
	return Query{Text: "tolls", Limit: 5, Exclude: []string{"shop.example.net"}}
}

// answers is a transport with one response.
type answers struct{ recording }

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	header := http.Header{}
	for name, value := range a.Header {
		header.Set(name, value)
	}
	return &http.Response{
		StatusCode: a.Status, Header: header, Request: request, ProtoMajor: 1, ProtoMinor: 1,
		Body: readCloser{strings.NewReader(string(a.bytes()))},
	}, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// fuzzProvider checks the contract of Provider for any response.
func fuzzProvider(t *testing.T, p Provider, s *service, status int, body []byte) {
	t.Helper()
	status = 200 + (status%400+400)%400 // the statuses that http.Transport returns, without 1xx
	s.client.Transport = answers{recording{Status: status, Text: string(body), Header: map[string]string{"Retry-After": string(body), "X-RateLimit-Policy": string(body)}}}
	got, err := p.Search(t.Context(), fuzzQuery())
	if err != nil {
		var failure *Error
		if !errors.As(err, &failure) || failure.Provider != s.name || failure.RetryAfter < 0 || failure.RetryAfter > retrySaidMost || got != nil {
			t.Fatalf("got %v, %v, want an error of %s alone", got, err, s.name)
		}
		if s.key != "" && strings.Contains(err.Error(), s.key) || len(err.Error()) > 4*messageCharsMax+200 || strings.ContainsAny(err.Error(), "\r\n\x00") {
			t.Fatalf("the error is not fit for a log: %q", err)
		}
		return
	}
	if status != http.StatusOK || len(got) > 5 {
		t.Fatalf("status %d: got %d results, want at most 5 with status 200", status, len(got))
	}
	seen := map[string]bool{}
	for _, r := range got {
		checkResult(t, r, s.name)
		if seen[r.URL] {
			t.Fatalf("%s stands twice", r.URL)
		}
		seen[r.URL] = true
	}
}

func checkResult(t *testing.T, r Result, provider string) {
	t.Helper()
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" || len(r.URL) > urlBytesMax {
		t.Fatalf("got the URL %q (%v)", r.URL, err)
	}
	if strings.HasSuffix(u.Hostname(), "shop.example.net") {
		t.Fatalf("got %s, which the query excludes", r.URL)
	}
	checkPlain(t, r.Title, titleCharsMax)
	checkPlain(t, r.Snippet, snippetCharsMax)
	if r.Provider != provider || !r.Published.IsZero() && (r.Published.Year() < 1990 || r.Published.After(today.Add(24*time.Hour))) {
		t.Fatalf("got %+v of %s", r, provider)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
}

func checkPlain(t *testing.T, text string, charsMax int) {
	t.Helper()
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > charsMax || strings.ContainsFunc(text, unicode.IsControl) ||
		strings.Join(strings.Fields(text), " ") != text {
		t.Fatalf("the text is not plain: %q", text)
	}
}

func FuzzSearXNG(f *testing.F) {
	seed(f, NameSearXNG, func(r recording) { f.Add(r.Status-200, r.bytes()) })
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		s := NewSearXNG("http://127.0.0.1:1", options())
		fuzzProvider(t, s, s.service, status, body)
	})
}

func FuzzBrave(f *testing.F) {
	seed(f, NameBrave, func(r recording) { f.Add(r.Status-200, r.bytes()) })
	f.Add(229, []byte("1;w=1, 15000;w=2592000"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		b := newBrave("http://127.0.0.1:1", braveKey, options())
		fuzzProvider(t, b, b.service, status, body)
	})
}

func FuzzSerper(f *testing.F) {
	seed(f, NameSerper, func(r recording) { f.Add(r.Status-200, r.bytes()) })
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		s := newSerper("http://127.0.0.1:1", serperKey, options())
		fuzzProvider(t, s, s.service, status, body)
	})
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{"", "a <b>b</b> &amp; c", "<!-- <script>", "&#0;&#x202e;&#xd800;", "<a href='", "\xff\u200b a", "&ngE;&NotEqualTilde;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkPlain(t, plain(text, 50), 50)
		if got := clean(text, braveKey); strings.Contains(got, braveKey) || utf8.RuneCountInString(got) > messageCharsMax {
			t.Fatalf("got %q", got)
		}
	})
}

func FuzzPublished(f *testing.F) {
	for _, text := range []string{"2024-03-05T09:30:00", "3 days ago", "9999 months ago", "Mar 5, 2024", "yesterday", "0000-00-00", "-1 days ago"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := published(text, today); !got.IsZero() && (got.Year() < 1990 || got.After(today.Add(24*time.Hour)) || got.Location() != time.UTC) {
			t.Fatalf("got %s", got)
		}
	})
}

func FuzzWindows(f *testing.F) {
	f.Add("1;w=1, 15000;w=2592000", "0, 0", "1, 1419704")
	f.Add("1;w=99999999999999999999", "-1", "9223372036854775807")
	f.Add(",;w=,", ",", "")
	f.Fuzz(func(t *testing.T, policy, remaining, reset string) {
		header := http.Header{}
		header.Set("X-Ratelimit-Policy", policy)
		header.Set("X-Ratelimit-Remaining", remaining)
		header.Set("X-Ratelimit-Reset", reset)
		all := readWindows(header)
		if got := all.reset(); got < 0 || got > retrySaidMost || all.quotaUsed() && len(all) == 0 {
			t.Fatalf("got %s of %+v", got, all)
		}
	})
}

func FuzzPhrase(f *testing.F) {
	f.Add("river tolls", "a.example,b.example", "c.a.example")
	f.Add("!!g :de <3 ?", "a b,\"", "-")
	f.Fuzz(func(t *testing.T, text, include, exclude string) {
		q := Query{Include: strings.Split(include, ","), Exclude: strings.Split(exclude, ",")}
		for _, r := range []room{braveRoom, serperRoom, searxngRoom} {
			got := phrase(text, q, r)
			if utf8.RuneCountInString(got) > r.chars || len(strings.Fields(got)) > r.words {
				t.Fatalf("got %q, which is too long", got)
			}
		}
		for word := range strings.FieldsSeq(withoutCommands(text)) {
			if strings.ContainsAny(word[:1], "!:<?") {
				t.Fatalf("the command %q is left", word)
			}
		}
	})
}
