package metadata

import (
	"reflect"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

const testURL = "https://example.com/a/b.html"

// fieldsOf reads what a page at an address says of itself, as if its type were not known.
func fieldsOf(t *testing.T, input, address string) Fields {
	t.Helper()
	root, _, err := markup.Parse([]byte(input), 10_000)
	if err != nil {
		t.Fatalf("parsing: %v", err)
	}
	base, err := whatwg.Parse(address)
	if err != nil {
		t.Fatalf("parsing the address: %v", err)
	}
	claims := Read(root)
	references := links.NewReferences(root, base)
	return claims.Settle(Page{Root: root, References: references, Address: base, Blocks: maincontent.Segment(root)})
}

func script(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

func TestTitles(t *testing.T) {
	t.Parallel()
	const site = `<meta property="og:site_name" content="Roads Weekly">`
	for _, tt := range []struct{ name, input, want string }{
		{"site after a bar", site + `<title>How tolls work | Roads Weekly</title>`, "How tolls work"},
		{"site before", site + `<title>Roads Weekly - How tolls work</title>`, "How tolls work"},
		{"site in other letters", site + `<title>How tolls work — ROADS WEEKLY</title>`, "How tolls work"},
		{"site by the host", `<title>How tolls work · example.com</title>`, "How tolls work"},
		{"site by the domain", `<title>How tolls work – Example</title>`, "How tolls work"},
		{"unknown site, known heading", `<title>How tolls work | The Gazette</title><h1>How tolls work</h1>`, "How tolls work"},
		{"unknown site, unknown heading", `<title>Tolls - a history</title><h1>Welcome</h1>`, "Tolls - a history"},
		{"several parts", site + `<title>Tolls - a history | Roads Weekly</title>`, "Tolls - a history"},
		{"colon", site + `<title>Tolls: a history</title>`, "Tolls: a history"},
		{"only the site", site + `<title>Roads Weekly</title>`, "Roads Weekly"},
		{"shared one is the site's", site + `<meta property="og:title" content="Roads Weekly"><title>How tolls work</title>`, "How tolls work"},
		{"shared one is better", site + `<meta property="og:title" content="How tolls really work"><title>Tolls work | News | Roads Weekly</title>`, "How tolls really work"},
		{"heading decides", `<meta property="og:title" content="Everything about roads"><title>How tolls work</title><h1>How tolls work</h1>`, "How tolls work"},
		{"heading alone", `<h1>How <b>tolls</b> work</h1>`, "How tolls work"},
		{"JSON-LD alone", script(`{"@type":"Article","headline":"How tolls &amp; roads work"}`), "How tolls & roads work"},
		{"subject before page", script(`{"@graph":[{"@type":"WebPage","name":"Page"},{"@type":"BlogPosting","headline":"Post"}]}`), "Post"},
		{"none", `<p>x`, ""},
	} {
		if got := fieldsOf(t, tt.input, testURL).Title; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAuthors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, want string }{
		{"JSON-LD list", script(`{"@type":"Article","author":[{"@type":"Person","name":"Ann Bee"},"Cy Dee"]}`), "Ann Bee|Cy Dee"},
		{"JSON-LD by reference", script(`{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@type":"Person","@id":"#a","name":"Ann Bee"}]}`), "Ann Bee"},
		{"meta", `<meta name="author" content="By Ann Bee and Cy Dee">`, "Ann Bee|Cy Dee"},
		{"full names by comma", `<meta name="author" content="Ann Bee, Cy Dee">`, "Ann Bee|Cy Dee"},
		{"family name first", `<meta name="author" content="Bee, Ann">`, "Bee, Ann"},
		{"several elements", `<meta name="citation_author" content="Bee, Ann"><meta name="citation_author" content="Dee, Cy">`, "Bee, Ann|Dee, Cy"},
		{"an address is no name", articleWith(`<meta property="article:author" content="https://social.example/ann"><a rel="author">Ann Bee</a>`), "Ann Bee"},
		{"microdata", articleWith(`<span itemprop="author" itemscope><a itemprop="url" href="x">profile</a><b itemprop="name">Ann Bee</b></span>`), "Ann Bee"},
		{"byline", articleWith(`<div class="post-byline">By <a href="/ann">Ann Bee</a>, 6 May 2024</div>`), "Ann Bee"},
		{"author's box", articleWith(`<span class="entry-author">Ann van Bee | Staff</span>`), "Ann van Bee"},
		{"another language", articleWith(`<p class="byline">Von Jörg Bäcker</p>`), "Jörg Bäcker"},
		{"not a name", articleWith(`<p class="byline">updated every morning at seven</p>`), ""},
		{"comments", articleWith(`<p class="comment-author">Zed Zee</p>`), ""},
	} {
		if got := strings.Join(fieldsOf(t, tt.input, testURL).Authors, "|"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// articleWith is an article with input below its heading.
func articleWith(input string) string {
	return `<title>How tolls work</title><article><h1>How tolls work</h1>` + input + `<p>The keeper of the bridge counts every cart.</p></article>`
}

func TestDates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, url, published, modified string }{
		{"JSON-LD", script(`{"@type":"Article","datePublished":"2024-05-06T07:08:09.123Z","dateModified":"2024-05-07"}`), testURL, "2024-05-06T07:08:09Z", "2024-05-07"},
		{"Open Graph", `<meta property="article:published_time" content="2024-05-06T07:08+0200"><meta property="article:modified_time" content="2024-05-07T00:00:00-05:00">`, testURL, "2024-05-06T07:08:00+02:00", "2024-05-07T00:00:00-05:00"},
		{"named zones", `<meta name="date" content="Mon, 06 May 2024 07:08:09 PDT">`, testURL, "2024-05-06T07:08:09-07:00", ""},
		{"unknown zones", `<meta name="date" content="Mon, 06 May 2024 07:08:09 CET">`, testURL, "2024-05-06", ""},
		{"no zone", `<meta name="date" content="2024-05-06 07:08">`, testURL, "2024-05-06", ""},
		{"words", `<meta name="date" content="May 6, 2024">`, testURL, "2024-05-06", ""},
		{"days first", `<meta name="date" content="6.5.2024">`, testURL, "2024-05-06", ""},
		{"the first that is a date", `<meta name="date" content="today"><meta name="dc.date" content="2024-05-06">`, testURL, "2024-05-06", ""},
		{"marked elements", `<time datetime="2020-01-01">old</time><time class="entry-date published" datetime="2024-05-06">6 May</time><time class="updated" datetime="2024-05-07">7 May</time>`, testURL, "2024-05-06", "2024-05-07"},
		{"both in one", articleWith(`<time class="entry-date published updated" datetime="2024-05-06">6 May</time>`), testURL, "2024-05-06", "2024-05-06"},
		{"path", `<time datetime="2020-01-01">old</time>`, "https://example.com/news/2024/5/6/tolls", "2024-05-06", ""},
		{"path with dashes", `<p>x`, "https://example.com/2024-05-06-tolls", "2024-05-06", ""},
		{"no date in the path", `<p>x`, "https://example.com/2024/13/45/x", "", ""},
		{"epoch", `<meta name="date" content="1970-01-01T00:00:00Z">`, testURL, "", ""},
		{"not a year", `<meta name="date" content="0001-01-01">`, testURL, "", ""},
	} {
		m := fieldsOf(t, tt.input, tt.url)
		if m.PublishedAt != tt.published || m.ModifiedAt != tt.modified {
			t.Errorf("%s: got %q, %q, want %q, %q", tt.name, m.PublishedAt, m.ModifiedAt, tt.published, tt.modified)
		}
	}
}

func TestListsHaveNoDateOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := &Claims{one: map[string]string{"time": "2024-05-06"}, authors: map[string][]string{"rel": {"Ann Bee"}}}
	m := c.Settle(Page{References: links.Against(nil), Content: maincontent.Result{Type: "listing", Confidence: 0.9}})
	if m.PublishedAt != "" || m.Author != "" {
		t.Errorf("got %q, %q, want none", m.PublishedAt, m.Author)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	german := "<p>Die Brücke wurde vor vielen Jahren gebaut, und wer sie überquerte, musste dem Wächter eine Münze geben, denn die Straße gehörte dem Herzog.</p>"
	for _, tt := range []struct{ name, input, want string }{
		{"declared", `<html lang="pt-BR">` + german, "pt-BR"},
		{"meta", `<meta http-equiv="content-language" content="nl">` + german, "nl"},
		{"a list is not what it is in", `<meta http-equiv="content-language" content="nl, fr">` + german, "de"},
		{"Open Graph", `<meta property="og:locale" content="en_GB"><p>x`, "en-GB"},
		{"template", `<html lang="{{lang}}"><p>x`, ""},
		{"German", german, "de"},
		{"English", "<p>" + firstArticles["en"], "en"},
		{"Russian", "<p>Мост построили много лет назад, и каждый, кто переходил через него, должен был заплатить сторожу монету, потому что дорога принадлежала князю и его детям.", "ru"},
		{"Japanese", "<p>橋は昔に建設され、渡る人は番人に通行料を支払う必要がありました。道路は領主の所有物だったからです。通行料金表は門の横に掲示されていました。料金は重量と距離によって決定され、毎年改定されました。", "ja"},
		{"Chinese", "<p>这座桥建于很多年前，每个过桥的人都必须向看守人支付一枚硬币，因为这条路属于公爵。收费标准张贴在大门旁边，按照重量和距离计算，每年修订一次。旅客可以使用现金支付。", "zh"},
		{"too little", "<p>Die Brücke", ""},
		{"no words", "<p>" + strings.Repeat("12 34 % ", 100), ""},
	} {
		if got := fieldsOf(t, tt.input, testURL).Language; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOpenGraph(t *testing.T) {
	t.Parallel()
	input := `<meta property="og:image" content="/a.png"><meta property="og:image" content="b.png"><meta name="twitter:card" content=" summary  large "><meta property="article:tag" content="x">` +
		`<meta property="og:empty" content=""><meta name="viewport" content="width=1"><meta name="og:title" property="og:title" content="once">` + strings.Repeat(`<meta property="og:video" content="v">`, 300)
	m := fieldsOf(t, input, testURL)
	videos := m.OpenGraph["og:video"]
	delete(m.OpenGraph, "og:video")
	want := map[string][]string{"og:image": {"/a.png", "b.png"}, "twitter:card": {"summary large"}, "article:tag": {"x"}, "og:title": {"once"}}
	if !reflect.DeepEqual(m.OpenGraph, want) || len(videos) != openGraphMax-5 {
		t.Errorf("got %v and %d videos, want %v", m.OpenGraph, len(videos), want)
	}
	if m.Image != "https://example.com/a.png" {
		t.Errorf("got %q", m.Image)
	}
}

func TestIconsAndCanonicals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ input, icon, canonical string }{
		{`<link rel="shortcut icon" href="/f.ico"><link rel=icon href=g.png>`, "https://example.com/f.ico", ""},
		{`<link rel="icon" href="data:image/png;base64,x"><link rel="apple-touch-icon" href="t.png">`, "https://example.com/a/t.png", ""},
		{`<link rel="CANONICAL" href="../c"><meta property="og:url" content="/o">`, "", "https://example.com/c"},
		{`<link rel="canonical" href="mailto:x@y"><meta property="og:url" content="/o">`, "", "https://example.com/o"},
	} {
		m := fieldsOf(t, tt.input, testURL)
		if m.Favicon != tt.icon || m.CanonicalURL != tt.canonical {
			t.Errorf("%s: got %q, %q, want %q, %q", tt.input, m.Favicon, m.CanonicalURL, tt.icon, tt.canonical)
		}
	}
}
