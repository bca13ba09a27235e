package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/sitemap"
)

const (
	head = `<?xml version="1.0" encoding="UTF-8"?>`
	ns   = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
)

func collect(seq iter.Seq2[sitemap.Entry, error]) (entries []sitemap.Entry, err error) {
	for e, fault := range seq {
		if fault != nil {
			return entries, fault
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func read(t testing.TB, body []byte, o sitemap.Options) ([]string, error) {
	t.Helper()
	entries, err := collect(sitemap.Read(t.Context(), bytes.NewReader(body), o))
	urls := make([]string, len(entries))
	for i, e := range entries {
		urls[i] = e.URL.String()
		if e.Index {
			urls[i] = "index " + urls[i]
		}
	}
	return urls, err
}

func zip(t testing.TB, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func urlset(urls ...string) string {
	var b strings.Builder
	b.WriteString(head + "<urlset " + ns + ">\n")
	for _, u := range urls {
		b.WriteString("<url><loc>" + u + "</loc></url>\n")
	}
	b.WriteString("</urlset>")
	return b.String()
}

func mustURL(t testing.TB, text string) fetch.URL {
	t.Helper()
	u, err := fetch.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func encoded(t testing.TB, text string, order unicode.Endianness, mark unicode.BOMPolicy) []byte {
	t.Helper()
	out, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	ab := []string{"https://a.example/1", "https://a.example/2"}
	plain := urlset(ab...)
	second := max(strings.Index(plain, "/2"), 0)
	base := sitemap.Options{Base: mustURL(t, "https://a.example/maps/s.xml")}
	repeated := func(n int, s string) string { return strings.Repeat(s, n) }
	tests := []struct {
		name string
		body []byte
		o    sitemap.Options
		want []string
		err  error
	}{
		{name: "urlset", body: []byte(plain), want: ab},
		{name: "gzip", body: zip(t, []byte(plain)), want: ab},
		{name: "gzip twice", body: zip(t, zip(t, []byte(plain))), want: ab},
		{name: "gzip three times", body: zip(t, zip(t, zip(t, []byte(plain)))), err: sitemap.ErrMalformed},
		{name: "gzip of two members", body: append(zip(t, []byte(plain[:100])), zip(t, []byte(plain[100:]))...), want: ab},
		{name: "gzip cut off", body: zip(t, []byte(urlset(ab...)+repeated(1, " ")))[:40], err: sitemap.ErrMalformed},
		{name: "gzip that is none", body: []byte{0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, err: sitemap.ErrMalformed},
		{name: "index", body: []byte("<sitemapindex " + ns + "><sitemap><loc>https://a.example/s1.xml.gz</loc><lastmod>2026-01-02</lastmod></sitemap></sitemapindex>"), want: []string{"index https://a.example/s1.xml.gz"}},
		{name: "sitemap in a urlset", body: []byte("<urlset><sitemap><loc>https://a.example/s1.xml</loc></sitemap><url><loc>https://a.example/1</loc></url></urlset>"), want: []string{"index https://a.example/s1.xml", ab[0]}},
		{name: "without a namespace", body: []byte("<urlset><url><loc>https://a.example/1</loc></url></urlset>"), want: ab[:1]},
		{name: "prefixed", body: []byte(`<s:urlset xmlns:s="http://www.google.com/schemas/sitemap/0.84"><s:url><s:loc>https://a.example/1</s:loc></s:url></s:urlset>`), want: ab[:1]},
		{name: "another vocabulary's loc", body: []byte(`<urlset xmlns="u" xmlns:x="x"><url><x:loc>https://x.example/</x:loc><loc>https://a.example/1</loc></url></urlset>`), want: ab[:1]},
		{name: "upper case", body: []byte("<URLSET><URL><LOC>https://a.example/1</LOC></URL></URLSET>"), want: ab[:1]},
		{name: "CDATA, entities, space", body: []byte("<urlset><url><loc>\n <![CDATA[https://a.example/?a=1&b=2]]> </loc></url><url><loc>https://a.example/?a=1&amp;b=2&#x33;</loc></url></urlset>"), want: []string{"https://a.example/?a=1&b=2", "https://a.example/?a=1&b=23"}},
		{name: "bare ampersand", body: []byte("<urlset><url><loc>https://a.example/?a=1&b=2</loc></url></urlset>"), want: []string{"https://a.example/?a=1&b=2"}},
		{name: "comment and instruction", body: []byte(head + "<!-- made <by> hand --><?xml-stylesheet href='x'?><urlset><!-- --><url><loc>https://a.example/1</loc></url></urlset>"), want: ab[:1]},
		{name: "byte order mark", body: []byte("\ufeff" + plain), want: ab},
		{name: "space before", body: []byte("\n\n  " + plain), want: ab},
		{name: "UTF-16 with a mark, big", body: encoded(t, plain, unicode.BigEndian, unicode.UseBOM), want: ab},
		{name: "UTF-16 with a mark, little", body: encoded(t, plain, unicode.LittleEndian, unicode.UseBOM), want: ab},
		{name: "UTF-16 without a mark", body: encoded(t, plain, unicode.LittleEndian, unicode.IgnoreBOM), want: ab},
		{name: "UTF-16 declared, UTF-8 sent", body: []byte(strings.Replace(plain, "UTF-8", "UTF-16", 1)), want: ab},
		{name: "UTF-16 text", body: encoded(t, strings.Join(ab, "\r\n"), unicode.LittleEndian, unicode.UseBOM), want: ab},
		{name: "ISO 8859-1", body: []byte("<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>https://a.example/caf\xe9</loc></url></urlset>"), want: []string{"https://a.example/caf%C3%A9"}},
		{name: "decoded before", body: []byte("<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>https://a.example/café</loc></url></urlset>"), o: sitemap.Options{UTF8: true}, want: []string{"https://a.example/caf%C3%A9"}},
		{name: "unknown encoding", body: []byte("<?xml version='1.0' encoding='x-klingon'?><urlset/>"), err: sitemap.ErrMalformed},
		{name: "bytes that are no characters", body: []byte("<urlset><url><loc>https://a.example/\xff</loc></url></urlset>"), want: []string{"https://a.example/%EF%BF%BD"}},
		{name: "relative", body: []byte(urlset("/1", "2", "//b.example/x")), o: base, want: []string{ab[0], "https://a.example/maps/2", "https://b.example/x"}},
		{name: "relative without a base", body: []byte(urlset("/1", ab[0])), want: ab[:1]},
		{name: "what cannot be fetched", body: []byte(urlset("mailto:x@a.example", "", "https://", "https://a.example/"+repeated(9000, "x"), ab[0])), o: base, want: ab[:1]},
		{name: "no loc", body: []byte("<urlset><url><lastmod>2026</lastmod></url><url><loc>https://a.example/1</loc></url></urlset>"), want: ab[:1]},
		{name: "two locs", body: []byte("<urlset><url><loc>https://a.example/1</loc><loc>https://a.example/9</loc></url></urlset>"), want: ab[:1]},
		{name: "empty urlset", body: []byte("<urlset/>"), want: []string{}},
		{name: "text", body: []byte("https://a.example/1\r\n\r\n  https://a.example/2  "), want: ab},
		{name: "text with a mark", body: []byte("\ufeffhttps://a.example/1\nHTTPS://a.example/2\n"), want: ab},
		{name: "text with junk", body: []byte("# ours\nhttps://a.example/1\nsee below\n" + repeated(100_000, "x") + "\nhttps://\nhttps://a.example/2"), want: ab},
		{name: "text without URLs", body: []byte("Not found\n"), err: sitemap.ErrNoSitemap},
		{name: "text of many other lines", body: []byte(repeated(1000, "x\n") + ab[0]), err: sitemap.ErrNoSitemap},
		{name: "nothing", body: nil, err: sitemap.ErrNoSitemap},
		{name: "picture", body: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00"), err: sitemap.ErrNoSitemap},
		{name: "page", body: []byte("<!doctype html><html><body><p>Not found<br></html>"), err: sitemap.ErrNoSitemap},
		{name: "feed", body: []byte(head + "<rss><channel/></rss>"), err: sitemap.ErrNoSitemap},
		{name: "declaration alone", body: []byte(head), err: sitemap.ErrNoSitemap},
		{name: "broken before the root", body: []byte("<<<"), err: sitemap.ErrNoSitemap},
		{name: "broken in the middle", body: []byte(strings.Replace(plain, "<url><loc>https://a.example/2", "<url><<loc>", 1)), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "cut off", body: []byte(plain[:second]), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "two roots", body: []byte(plain + plain), want: ab, err: sitemap.ErrMalformed},
		{name: "end tags of others", body: []byte("<urlset><url><loc>https://a.example/1</loc></b></url><url><loc>https://a.example/2</loc></url></urlset>"), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "control character", body: []byte(urlset(ab[0], "https://a.example/\x01")), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "entities that grow", body: []byte(`<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.example/?&b;</loc></url></urlset>`), want: []string{ab[0], "https://a.example/?&b;"}},
		{name: "entity of a file", body: []byte(`<!DOCTYPE l [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://a.example/&f;</loc></url></urlset>`), want: []string{"https://a.example/&f;"}},
		{name: "deep", body: []byte("<urlset><url><loc>https://a.example/1</loc></url>" + repeated(100_000, "<a>")), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "long tag", body: []byte("<urlset><url><loc>https://a.example/1</loc></url><url a='" + repeated(1<<20, "x") + "'/></urlset>"), want: ab[:1], err: sitemap.ErrMalformed},
		{name: "long text", body: []byte("<urlset><url><loc>https://a.example/1</loc><x>" + repeated(1<<20, "x") + "</x></url></urlset>"), want: nil, err: sitemap.ErrMalformed},
		{name: "too many", body: []byte(urlset(ab[0], ab[1], ab[1])), o: sitemap.Options{EntriesMax: 2}, want: ab, err: sitemap.ErrTooMany},
		{name: "too many lines", body: []byte(strings.Join(ab, "\n") + "\n" + ab[0]), o: sitemap.Options{EntriesMax: 2}, want: ab, err: sitemap.ErrTooMany},
		{name: "too large", body: []byte(plain), o: sitemap.Options{BytesMax: int64(second)}, want: ab[:1], err: sitemap.ErrTooLarge},
		{name: "as large as may be", body: []byte(plain), o: sitemap.Options{BytesMax: int64(len(plain))}, want: ab},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, tt.body, tt.o)
			if !errors.Is(err, tt.err) {
				t.Errorf("got error %v, want %v", err, tt.err)
			}
			var place *sitemap.Error
			if err != nil && (!errors.As(err, &place) || place.Offset > int64(len(tt.body))+1<<16) {
				t.Errorf("got error %v without a place", err)
			}
			if len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 800)
	body := `<urlset ` + ns + ` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
	<url><loc>https://a.example/1</loc><lastmod>2026-03-04T05:06Z</lastmod><changefreq>daily</changefreq><priority>0.8</priority>
	<news:news><news:publication><news:name>The Example</news:name><news:language>en</news:language></news:publication>
	<news:publication_date>2026-03-04</news:publication_date><news:title>Tolls &amp; bridges</news:title><news:keywords>toll, bridge</news:keywords></news:news>
	<image:image><image:loc>/i.png</image:loc><image:title>A bridge</image:title><image:caption>` + long + `</image:caption></image:image>
	<image:image><image:loc>ftp://a.example/j.png</image:loc></image:image>
	<video:video><video:title>no title of news</video:title><video:player_loc>https://v.example/</video:player_loc></video:video></url>
	<url><loc>https://a.example/2</loc><lastmod>yesterday</lastmod></url></urlset>`
	got, err := collect(sitemap.Read(t.Context(), strings.NewReader(body), sitemap.Options{Base: mustURL(t, "https://a.example/")}))
	if err != nil {
		t.Fatal(err)
	}
	want := []sitemap.Entry{
		{
			URL: mustURL(t, "https://a.example/1"), LastMod: time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC), ChangeFreq: "daily", Priority: "0.8",
			News: &sitemap.News{
				Publication: "The Example", Language: "en", Title: "Tolls & bridges", Keywords: "toll, bridge",
				Published: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
			},
			Images: []sitemap.Image{{URL: mustURL(t, "https://a.example/i.png"), Title: "A bridge", Caption: long[:1000]}},
		},
		{URL: mustURL(t, "https://a.example/2")},
	}
	if len(got) != 2 {
		t.Fatalf("got %d entries, want 2", len(got))
	}
	for i := range want {
		if got[i].URL.String() != want[i].URL.String() {
			t.Errorf("entry %d: got %s, want %s", i, got[i].URL, want[i].URL)
		}
		for j := range got[i].Images {
			if g, w := got[i].Images[j].URL.String(), want[i].Images[j].URL.String(); g != w {
				t.Errorf("image %d: got %s, want %s", j, g, w)
			}
			got[i].Images[j].URL, want[i].Images[j].URL = fetch.URL{}, fetch.URL{}
		}
		got[i].URL, want[i].URL = fetch.URL{}, fetch.URL{}
		if !reflect.DeepEqual(got[i], want[i]) { //nolint:govet // no entry is an error: the URL, which may hold one, is compared above
			t.Errorf("entry %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// endless is a urlset without an end.
type endless struct{ rest []byte }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = []byte("<url><lastmod>2026</lastmod></url>")
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// The limits hold: of bytes, also for a compression bomb, and of entries, with or without URLs.
func TestBounds(t *testing.T) {
	t.Parallel()
	t.Run("entries without URLs", func(t *testing.T) {
		t.Parallel()
		_, err := collect(sitemap.Read(t.Context(), &endless{rest: []byte("<urlset>")}, sitemap.Options{}))
		if !errors.Is(err, sitemap.ErrTooMany) {
			t.Errorf("got %v, want ErrTooMany", err)
		}
	})
	t.Run("50,001 entries", func(t *testing.T) {
		t.Parallel()
		urls := make([]string, sitemap.EntriesMax+1)
		for i := range urls {
			urls[i] = fmt.Sprintf("https://a.example/%d", i)
		}
		for name, body := range map[string]string{"XML": urlset(urls...), "text": strings.Join(urls, "\n")} {
			got, err := read(t, []byte(body), sitemap.Options{})
			if len(got) != sitemap.EntriesMax || !errors.Is(err, sitemap.ErrTooMany) {
				t.Errorf("%s: got %d entries and %v, want %d and ErrTooMany", name, len(got), err, sitemap.EntriesMax)
			}
		}
	})
	t.Run("bomb", func(t *testing.T) {
		t.Parallel()
		body := zip(t, []byte("https://a.example/1\n"+strings.Repeat(strings.Repeat("x", 100_000)+"\n", 600)))
		got, err := read(t, body, sitemap.Options{})
		if len(got) != 1 || !errors.Is(err, sitemap.ErrTooLarge) {
			t.Errorf("got %q and %v, want one URL and ErrTooLarge", got, err)
		}
	})
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		var fault error
		r := io.MultiReader(strings.NewReader("<urlset><url><loc>https://a.example/1</loc></url>"), &endless{})
		for _, err := range sitemap.Read(ctx, r, sitemap.Options{}) {
			if n++; n == 1 {
				cancel()
			}
			fault = err
		}
		if n != 2 || !errors.Is(fault, context.Canceled) {
			t.Errorf("got %d and %v, want an entry and then context.Canceled", n, fault)
		}
	})
	t.Run("whoever stops", func(t *testing.T) {
		t.Parallel()
		n := 0
		for range sitemap.Read(t.Context(), strings.NewReader(urlset("https://a.example/1", "https://a.example/2")), sitemap.Options{}) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("got %d entries, want to have stopped at 1", n)
		}
	})
}

// FuzzRead: reading any sitemap ends, within its limits, with URLs that can be fetched.
func FuzzRead(f *testing.F) {
	plain := []byte(urlset("https://a.example/1", "/2"))
	for _, seed := range [][]byte{
		nil, plain, zip(f, plain), zip(f, zip(f, plain)), []byte("https://a.example/1\nx\n"), []byte("<sitemapindex><sitemap><loc>x</loc></sitemap></sitemapindex>"),
		[]byte(`<!DOCTYPE l [<!ENTITY a "b">]><urlset><url><loc>&a;</loc><news:news><news:title>x</news:title></news:news><image:image><image:loc>/i</image:loc></image:image></url>`),
		encoded(f, string(plain), unicode.LittleEndian, unicode.UseBOM), []byte("<?xml encoding='shift_jis'?><urlset>\x82"), []byte("<\x00u\x00"),
	} {
		f.Add(seed)
	}
	base := mustURL(f, "https://a.example/s/")
	f.Fuzz(func(t *testing.T, body []byte) {
		entries, err := collect(sitemap.Read(t.Context(), bytes.NewReader(body), sitemap.Options{Base: base, BytesMax: 1 << 20, EntriesMax: 100}))
		if len(entries) > 100 {
			t.Fatalf("got %d entries of at most 100", len(entries))
		}
		var place *sitemap.Error
		if err != nil && !errors.As(err, &place) {
			t.Fatalf("got %v, which says no place", err)
		}
		for _, e := range entries {
			if e.URL.IsZero() {
				t.Fatal("got an entry without a URL")
			}
		}
	})
}

// BenchmarkRead reads 50,000 entries of about 1 kB, 50 MB in all, in less than 2 s.
func BenchmarkRead(b *testing.B) {
	var body strings.Builder
	body.WriteString(head + "<urlset " + ns + ">")
	filling := "<x:note>" + strings.Repeat("x", 880) + "</x:note>"
	for i := range sitemap.EntriesMax {
		fmt.Fprintf(&body, "<url><loc>https://a.example/section/%d/</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority>%s</url>\n", i, filling)
	}
	body.WriteString("</urlset>")
	text := body.String()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		entries := 0
		for _, err := range sitemap.Read(b.Context(), strings.NewReader(text), sitemap.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			entries++
		}
		if entries != sitemap.EntriesMax {
			b.Fatalf("got %d entries", entries)
		}
	}
}
