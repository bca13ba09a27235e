package feeds

import (
	"strings"
	"testing"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// feedOf reads a feed; nil if body is none.
func feedOf(t *testing.T, mediaType, body string, nodesMax int) *Draft {
	t.Helper()
	base, err := whatwg.Parse("https://example.com/feeds/all.xml")
	if err != nil {
		t.Fatalf("parsing the address: %v", err)
	}
	draft, err := Read(t.Context(), mediaType, []byte(body), base, nodesMax)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return draft
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, mediaType, body string
		want                  string // title|url of the feed, then title|url|author|published|updated|summary|content of the entries
	}{
		{
			"Atom", "application/atom+xml", `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/"><title type="html">A &amp;amp; B</title><link rel="self" href="s"/><link href="https://b.example/"/>` +
				`<author><name>All</name></author><entry><title type="text">a &lt;b&gt; c</title><link rel="enclosure" href="e.mp3"/><link rel="alternate" href="one"/><id>tag:1</id>` +
				`<published>2024-05-06T07:08:09+02:00</published><updated>2024-06-01T00:00:00Z</updated><summary>short</summary>` +
				`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x <a href="y">y</a></p></div></content></entry>` +
				`<entry><title>t</title><link href="two"/><content type="text">1 &lt; 2 &lt;i&gt;</content><author><name>Own</name></author><author><name>Other</name></author></entry></feed>`,
			"A & B|https://b.example/\na <b> c|https://example.com/feeds/one|All|2024-05-06T05:08:09Z|2024-06-01T00:00:00Z|short|<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>x <a href=\"https://b.example/x/y\">y</a></p></div>\n" +
				"t|https://example.com/feeds/two|Own, Other||||1 &lt; 2 &lt;i&gt;",
		},
		{
			"Atom with a prefix", "text/xml", `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>T</a:title><a:entry><a:title>E</a:title><a:link href="/e"/></a:entry></a:feed>`,
			"T|\nE|https://example.com/e|||||",
		},
		{
			"RSS 1.0", "text/xml", `<?xml version="1.1"?><!-- c --><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
				`<channel rdf:about="c"><title>T</title><link>/</link></channel><item rdf:about="/e"><title>E</title><dc:date>2024-05-06T07:08Z</dc:date></item></rdf:RDF>`,
			"T|https://example.com/\nE|https://example.com/e||2024-05-06T07:08:00Z|||",
		},
		{"RSS 0.91", "text/xml", `<!DOCTYPE rss SYSTEM "rss-0.91.dtd"><rss version="0.91"><channel><title>T</title><item><title>E</title><link>/e</link></item></channel></rss>`, "T|\nE|https://example.com/e|||||"},
		{"sloppy", "application/rss+xml", "\n\n junk <rss><channel><title>T&nbsp;&unknown; & U</title><item><title>1 < 2\x0b<title><link>/e</item><item><description>cut <b>of", "T &unknown; & U|\n1 < 2|https://example.com/e|||||\n|||||cut of|cut <b>of</b>"},
		{"podcast", "application/rss+xml", `<rss><channel><title>T</title><item><title>E</title><itunes:author>P</itunes:author><itunes:summary>S</itunes:summary></item></channel></rss>`, "T|\nE||P|||S|"},
		{"markup in place", "text/xml", `<rss><channel><title>T</title><item><title>E</title><description><p>a <b>b</b></p></description></item></channel></rss>`, "T|\nE|||||a b|<p>a <b>b</b></p>"},
		{
			"JSON Feed", "application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"T","home_page_url":"https://b.example/","items":[{"id":7,"url":"/e","title":"E","content_html":"<p>c <a href='x'>x</a></p>",` +
				`"summary":"s","date_published":"2024-05-06T07:08:09Z","authors":[{"name":"Ann"},{"name":"Bee"}]},{"id":"8","content_text":"just text"}]}`,
			"T|https://b.example/\nE|https://example.com/e|Ann, Bee|2024-05-06T07:08:09Z||s|<p>c <a href=\"https://example.com/x\">x</a></p>\n|||||just text|",
		},
		{"JSON Feed as JSON", "application/json", `{"version":"http://jsonfeed.org/version/1","title":"T","author":{"name":"A"},"items":[{"id":"/x","title":"E"}]}`, "T|\nE||A||||"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !LooksLike(tt.mediaType, []byte(tt.body)) {
				t.Error("got that it does not look like a feed")
			}
			feed := feedOf(t, tt.mediaType, tt.body, 10_000)
			if feed == nil {
				t.Fatal("got no feed")
			}
			var got strings.Builder
			got.WriteString(feed.Title + "|" + feed.URL)
			for _, e := range feed.Entries {
				got.WriteString("\n" + strings.Join([]string{e.Title, e.URL, e.Author, utc(e.Published), utc(e.Updated), e.Summary, e.Content}, "|"))
			}
			if got.String() != tt.want {
				t.Errorf("got %s\nwant %s", got.String(), tt.want)
			}
		})
	}
}

func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="xhtml"><div>a</div></title><content type="html">&lt;p&gt;</content><link href="x"/></entry></feed>`), false)
	f.Add([]byte(`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel/><item rdf:about="x"><dc:date>2024-01-02</dc:date></item></rdf:RDF>`), false)
	f.Add([]byte(`<rss><channel><item><description><p>a<![CDATA[<b>]]></p></description><enclosure url="x"/>`), false)
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"content_html":"<p>","attachments":[{"url":"x"}]}]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		mediaType := "application/rss+xml"
		if isJSON {
			mediaType = "application/feed+json"
		}
		feed := feedOf(t, mediaType, strings.ToValidUTF8(string(body), "\uFFFD"), 20_000)
		if feed == nil {
			return
		}
		for _, e := range feed.Entries {
			if e.URL != "" && !strings.HasPrefix(e.URL, "http") {
				t.Fatalf("got the URL %q", e.URL)
			}
			if strings.Contains(strings.ToLower(e.Content), "<script") {
				t.Fatalf("got a script in %q", e.Content)
			}
		}
	})
}
