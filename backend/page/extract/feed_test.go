package extract

import (
	"html"
	"strings"
	"testing"
	"time"
)

func readFeedOf(t testing.TB, mediaType, body string) *Document {
	t.Helper()
	document, err := Read(t.Context(), Source{URL: "https://example.com/feeds/all.xml", MediaType: mediaType, Body: []byte(body)}, Options{})
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if document.Feed == nil {
		t.Fatalf("got no feed, but %s", document.Markdown)
	}
	return document
}

const rss2 = `<?xml version="1.0" encoding="windows-1252"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>Roads &amp; Bridges</title><link>https://roads.example/</link><atom:link href="https://roads.example/feed" rel="self"/>
<description>All about tolls</description><language>en-gb</language>
<item><title>How tolls <![CDATA[<b>work</b>]]></title><link>/tolls?a=1&b=2</link><guid isPermaLink="false">x-1</guid><d:creator>Ann Bee</d:creator>
<pubDate>Mon, 6 May 2024 07:08:09 EST</pubDate><description>In &lt;em&gt;short&lt;/em&gt;.</description>
<content:encoded><![CDATA[<p>At <a href="gate">the gate</a>.</p><script>alert(1)</script><img src="/g.png" alt="Gate">]]></content:encoded></item>
<item><guid>https://roads.example/2</guid><author>cy@roads.example (Cy Dee)</author><description>Two &amp; a &lt; b</description><enclosure url="/2.mp3" type="audio/mpeg" length="1"/></item>
</channel></rss>`

func TestRSS(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/rss+xml", "text/xml", "application/xml", "text/html"} {
		document := readFeedOf(t, mediaType, rss2)
		feed := document.Feed
		if feed.Title != "Roads & Bridges" || feed.URL != "https://roads.example/" || feed.Description != "All about tolls" || len(feed.Entries) != 2 {
			t.Fatalf("%s: got %+v", mediaType, feed)
		}
		one, two := feed.Entries[0], feed.Entries[1]
		if one.Title != "How tolls work" || one.URL != "https://example.com/tolls?a=1&b=2" || one.ID != "x-1" || one.Author != "Ann Bee" || one.Summary != "In short ." && one.Summary != "In short." {
			t.Errorf("got %+v", one)
		}
		if want := time.Date(2024, 5, 6, 12, 8, 9, 0, time.UTC); !one.Published.Equal(want) {
			t.Errorf("got %v, want %v", one.Published, want)
		}
		if want := `<p>At <a href="https://example.com/gate">the gate</a>.</p><img src="https://example.com/g.png" alt="Gate"/>`; one.Content != want {
			t.Errorf("got %s, want %s", one.Content, want)
		}
		if two.URL != "https://roads.example/2" || two.Author != "Cy Dee" || two.Summary != "Two & a < b" {
			t.Errorf("got %+v", two)
		}
		want := "# [Roads & Bridges](https://roads.example/)\n\nAll about tolls\n\n## [How tolls work](https://example.com/tolls?a=1&b=2)\n\n2024-05-06 · Ann Bee\n\n" +
			"At [the gate](https://example.com/gate).\n\n![Gate](https://example.com/g.png)\n\n## <https://roads.example/2>\n\nCy Dee\n\nTwo & a < b\n\n" +
			"[Attachment audio/mpeg](https://roads.example/2.mp3)"
		if html.UnescapeString(document.Markdown) != want {
			t.Errorf("got %s\nwant %s", document.Markdown, want)
		}
		if len(document.Links) != 5 || document.Links[1].Text != "How tolls work" || document.Links[1].Scope != ScopeContent {
			t.Errorf("got %+v", document.Links)
		}
		if m := document.Metadata; m.Title != "Roads & Bridges" || m.Language != "en-gb" || document.Type != "" {
			t.Errorf("got %+v, %q", m, document.Type)
		}
	}
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
			feed := readFeedOf(t, tt.mediaType, tt.body).Feed
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

func TestWhatIsNoFeed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, mediaType, body, want string }{
		{"sitemap", "application/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>`, "```xml"},
		{"empty RSS", "application/rss+xml", "<rss/>", "```xml\n<rss/>"},
		{"other RDF", "application/rdf+xml", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x/></rdf:RDF>`, "```xml"},
		{"other feed", "text/xml", "<feed><a/></feed>", "```xml"},
		{"JSON about feeds", "application/json", `{"see":"https://jsonfeed.org/version/1"}`, "```json"},
		{"a page about RSS", "text/html", `<!DOCTYPE html><p>&lt;rss&gt;`, `<rss>`},
		{"plain text", "text/plain", "<rss><channel/></rss>", "<rss>"},
	} {
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: tt.mediaType, Body: []byte(tt.body)}, Options{})
		if err != nil || document.Feed != nil || !strings.Contains(html.UnescapeString(document.Markdown), tt.want) {
			t.Errorf("%s: got %+v, %v, want %s in it and no feed", tt.name, document, err, tt.want)
		}
	}
}

// hostileFeeds need far more work than their size suggests, or have entities that multiply.
func hostileFeeds() map[string]string {
	const n = 100_000
	lol := `<!DOCTYPE rss [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`
	return map[string]string{
		"entity bomb":    lol + "<rss><channel><title>" + strings.Repeat("&c;&x;", 1000) + "</title><item><title>e</title></item></channel></rss>",
		"nested":         "<rss><channel><item>" + strings.Repeat("<description>", n),
		"items":          "<rss><channel>" + strings.Repeat("<item><title>x</title><link>/x</link></item>", n),
		"Atom entries":   "<feed>" + strings.Repeat("<entry><title>x</title></entry>", n),
		"many elements":  "<rss><channel>" + strings.Repeat("<a/>", 6*n),
		"bare brackets":  "<rss><channel><title>" + strings.Repeat("< ", n),
		"open CDATA":     "<rss><channel><title>" + strings.Repeat("<![CDATA[", n),
		"end tags":       "<rss><channel>" + strings.Repeat("</item>", n),
		"deep HTML":      "<rss><channel><item><description><![CDATA[" + strings.Repeat("<div>", n) + "]]></description></item></channel></rss>",
		"deep HTML, all": "<rss><channel>" + strings.Repeat("<item><description>"+strings.Repeat("&lt;b a=1&gt;&lt;p&gt;", 300)+"</description></item>", 200) + "</channel></rss>",
		"long base":      "<rss><channel>" + strings.Repeat("<item><link>/"+strings.Repeat("x", 4000)+"/</link><description>"+strings.Repeat("&lt;a href=y&gt;z&lt;/a&gt;", 100)+"</description></item>", 200),
		"attributes":     "<rss " + strings.Repeat("a='b' ", n) + "><channel><title>x</title></channel></rss>",
		"prefixes":       "<rss" + strings.Repeat(" xmlns:a='http://purl.org/dc/'", n/2) + "><channel><title>x</title></channel></rss>",
	}
}

func TestHostileFeeds(t *testing.T) {
	t.Parallel()
	for name, body := range hostileFeeds() {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			document, err := Read(t.Context(), Source{URL: testURL, MediaType: "application/rss+xml", Body: []byte(body)}, Options{})
			took := time.Since(begin)
			size := 0
			if err == nil {
				size = len(document.HTML) + len(document.Markdown) + len(document.Text)
				if strings.Contains(document.Text, "lollol") {
					t.Error("got entities of the document's own replaced")
				}
			}
			t.Logf("%d bytes in, %d out, %v, %v", len(body), size, took, err)
			if took > time.Minute || size > 200<<20 {
				t.Errorf("took %v for %d bytes", took, size)
			}
		})
	}
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte(rss2), false)
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="xhtml"><div>a</div></title><content type="html">&lt;p&gt;</content><link href="x"/></entry></feed>`), false)
	f.Add([]byte(`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel/><item rdf:about="x"><dc:date>2024-01-02</dc:date></item></rdf:RDF>`), false)
	f.Add([]byte(`<rss><channel><item><description><p>a<![CDATA[<b>]]></p></description><enclosure url="x"/>`), false)
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"content_html":"<p>","attachments":[{"url":"x"}]}]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		mediaType := "application/rss+xml"
		if isJSON {
			mediaType = "application/feed+json"
		}
		body = []byte(strings.ToValidUTF8(string(body), "\uFFFD"))
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: mediaType, Body: body}, Options{NodesMax: 20_000})
		if err != nil || document.Feed == nil {
			return
		}
		for _, e := range document.Feed.Entries {
			if e.URL != "" && !strings.HasPrefix(e.URL, "http") {
				t.Fatalf("got the URL %q", e.URL)
			}
			if strings.Contains(strings.ToLower(e.Content), "<script") {
				t.Fatalf("got a script in %q", e.Content)
			}
		}
	})
}
