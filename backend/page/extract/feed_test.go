package extract

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
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
		if len(document.Links) != 5 || document.Links[1].Text != "How tolls work" || document.Links[1].Scope != links.ScopeContent {
			t.Errorf("got %+v", document.Links)
		}
		if m := document.Metadata; m.Title != "Roads & Bridges" || m.Language != "en-gb" || document.Type != "" {
			t.Errorf("got %+v, %q", m, document.Type)
		}
	}
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
