package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const testURL = "https://shop.example/page"

var testTime = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// pageOf reads the body of a page.
func pageOf(t testing.TB, body string) Page {
	t.Helper()
	page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(wholePage(body))})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// wholePage puts a body into a page with enough in it to be one.
func wholePage(body string) string {
	return `<!doctype html><html lang="en"><head><title>A page of the shop</title></head><body><main><h1>A page of the shop</h1>` +
		`<p>We sell lamps, chairs and desks to everybody who needs some.</p>` + body + `</main></body></html>`
}

func visit(t testing.TB, at int, body string) Snapshot {
	t.Helper()
	return NewSnapshot(testTime.Add(time.Duration(at)*time.Hour), pageOf(t, body))
}

// TestCompare holds pairs of pages to what changed between them.
func TestCompare(t *testing.T) {
	t.Parallel()
	const desk = `<ul><li>Oak desk</li><li>Ash desk</li><li>Elm desk</li></ul>`
	for _, tt := range []struct {
		name, before, after string
		want                bool
	}{
		{"nothing", `<p>One.</p>`, `<p>One.</p>`, false},
		{"markup alone", `<p class="a" id="x1">One <b>two</b> three</p>`, `<div id="x2"><p>One two three</p></div>`, false},
		{"white space and entities", "<p>Tom &amp; Jerry's  fine\n shop</p>", `<p>Tom &#38; Jerry’s&nbsp;fine shop</p>`, false},
		{"one word", `<p>The bridge opens in spring.</p>`, `<p>The bridge opens in autumn.</p>`, true},
		{"one digit of a price", `<p>Price: 129.00 €</p>`, `<p>Price: 128.00 €</p>`, true},
		{"a price written otherwise", `<p>Price: 1,299.00 €</p>`, `<p>Price: €1299</p>`, false},
		{"a price in another language's form", `<p>Price: 1.299,50 EUR</p>`, `<p>Price: EUR 1,299.50</p>`, false},
		{"another currency", `<p>Price: 99 €</p>`, `<p>Price: 99 $</p>`, true},
		{"a date written otherwise", `<p>Opens on 12 May 2026.</p>`, `<p>Opens on May 12, 2026.</p>`, false},
		{"a date", `<p>Opens on 12 May 2026.</p>`, `<p>Opens on 13 May 2026.</p>`, true},
		{"a time of day", `<dl><dt>Doors</dt><dd>19:30</dd></dl>`, `<dl><dt>Doors</dt><dd>20:00</dd></dl>`, true},
		{"relative times", `<p>Posted 5 minutes ago</p>`, `<p>Posted just now</p>`, false},
		{"relative time to date", `<p>Posted 6 days ago</p>`, `<p>Posted 12 May 2026</p>`, false},
		{"shipping takes longer", `<p>Ships in 3 days</p>`, `<p>Ships in 5 days</p>`, true},
		{"clock", `<p>Server time 14:03:22</p>`, `<p>Server time 17:20:01</p>`, false},
		{"last updated", `<p>Last updated: 12 May 2026, 14:03 UTC</p>`, `<p>Last updated: yesterday</p>`, false},
		{"generated", `<p>Page generated in 0.03 s</p>`, `<p>Page generated in 0.12 s</p>`, false},
		{"counter", `<p>You are visitor number 12,345</p>`, `<p>You are visitor number 12,399</p>`, false},
		{"price beside a counter", `<p>1,204 views · 129 €</p>`, `<p>1,390 views · 119 €</p>`, true},
		{"unordered list", desk, `<ul><li>Elm desk</li><li>Oak desk</li><li>Ash desk</li></ul>`, false},
		{"ordered list", strings.ReplaceAll(desk, "ul>", "ol>"), `<ol><li>Elm desk</li><li>Oak desk</li><li>Ash desk</li></ol>`, true},
		{"item swapped", desk, `<ul><li>Oak desk</li><li>Ash desk</li><li>Pine desk</li></ul>`, true},
		{"item added", desk, strings.Replace(desk, "</ul>", "<li>Fir desk</li></ul>", 1), true},
		{
			"prices of two cards exchanged", `<div><div class="card"><h3>Lamp</h3><p>9 €</p></div><div class="card"><h3>Desk</h3><p>7 €</p></div></div>`,
			`<div><div class="card"><h3>Lamp</h3><p>7 €</p></div><div class="card"><h3>Desk</h3><p>9 €</p></div></div>`, true,
		},
		{
			"cards shuffled", `<div><div class="card"><h3>Lamp</h3><p>9 €</p></div><div class="card"><h3>Desk</h3><p>7 €</p></div></div>`,
			`<div><div class="card"><h3>Desk</h3><p>7 €</p></div><div class="card"><h3>Lamp</h3><p>9 €</p></div></div>`, false,
		},
		{"rows shuffled", `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>5</td></tr></table>`, `<table><tr><th>Rome</th><td>5</td></tr><tr><th>Oslo</th><td>4</td></tr></table>`, false},
		{"a cell", `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>5</td></tr></table>`, `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>6</td></tr></table>`, true},
		{"paragraphs moved", `<p>First comes this one here.</p><p>Then that one comes after.</p>`, `<p>Then that one comes after.</p><p>First comes this one here.</p>`, false},
		{"link target", `<p>See the <a href="/a">manual</a>.</p>`, `<p>See the <a href="/b">manual</a>.</p>`, true},
		{"link session", `<p>See the <a href="/a?sid=8f3a2b&amp;utm_source=x">manual</a>.</p>`, `<p>See the <a href="/a?sid=99ffab">manual</a>.</p>`, false},
		{"heading", `<h2>Opening hours</h2><p>Daily from nine to five.</p>`, `<h2>Opening times</h2><p>Daily from nine to five.</p>`, true},
		{"stock", `<p>In stock</p>`, `<p>Out of stock</p>`, true},
		{"button's wording", `<button>Add to cart</button>`, `<button>Buy it now</button>`, false},
		{"button sold out", `<button>Add to cart</button>`, `<button>Sold out</button>`, true},
		{"advert", `<div class="ad-slot"><p>Buy gold</p></div>`, `<div class="ad-slot"><p>Learn piano</p></div>`, false},
		{"advert without a name", `<div><a href="https://ads.example/1">Buy gold today</a></div>`, `<div><a href="https://ads.example/2">Learn piano fast</a></div>`, false},
		{
			"recommendations", `<h2>You may also like</h2><ul><li><a href="/1">Mug</a></li><li><a href="/2">Cup</a></li></ul>`,
			`<h2>You may also like</h2><ul><li><a href="/3">Jar</a></li><li><a href="/4">Tin</a></li></ul>`, false,
		},
		{"hidden", `<p>Here.</p><p hidden>1</p>`, `<p>Here.</p><p hidden>2</p>`, false},
		{"tags shuffled", `<p>Tags: red, green, blue</p>`, `<p>Tags: blue, red, green</p>`, false},
		{"a tick", `<table><tr><th>A</th><td>✓</td></tr><tr><th>B</th><td>✓</td></tr></table>`, `<table><tr><th>A</th><td>✗</td></tr><tr><th>B</th><td>✓</td></tr></table>`, true},
		{"minus", `<p>It was -5 degrees.</p>`, `<p>It was 5 degrees.</p>`, true},
		{"version", `<p>Version 2.3.1 is out.</p>`, `<p>Version 2.3.2 is out.</p>`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, sides := range [][2]string{{tt.before, tt.after}, {tt.after, tt.before}} {
				if diff := Compare(visit(t, 0, sides[0]), visit(t, 1, sides[1]), &Noise{}, Options{}); diff.Changed != tt.want {
					t.Errorf("got %v, want %v: %s\n%s", diff.Changed, tt.want, diff.Summary, diff.Unified)
				}
			}
		})
	}
}

// TestEditsInARow are seen, and so is their end.
func TestEditsInARow(t *testing.T) {
	t.Parallel()
	noise, kept := &Noise{}, visit(t, 0, `<p>Price: 129 €</p>`)
	for at, price := range []string{"119 €", "109 €", "129 €"} {
		after := visit(t, at+1, `<p>Price: `+price+`</p>`)
		if diff := Compare(kept, after, noise, Options{}); !diff.Changed {
			t.Errorf("%s was not seen", price)
		}
		kept = after
	}
}

// TestSaidInWords is what a person reads.
func TestSaidInWords(t *testing.T) {
	t.Parallel()
	before := visit(t, 0, `<h2>Lamp Iva</h2><dl><dt>Price</dt><dd>129.00 €</dd></dl><ul><li>Oak desk</li></ul>`)
	after := visit(t, 1, `<h2>Lamp Iva</h2><dl><dt>Price</dt><dd>99 EUR</dd></dl><ul><li>Oak desk</li><li>Ash desk</li><li>Elm desk</li></ul>`)
	diff := Compare(before, after, nil, Options{})
	if got, want := diff.Summary, "Price of Lamp Iva fell from 129 to 99 EUR (-23.3 %); 2 items added: “Ash desk”, “Elm desk”."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	const want = `--- https://shop.example/page
+++ https://shop.example/page
@@ A page of the shop › Lamp Iva › Price @@
-129.00 €
+99 EUR
@@ A page of the shop › Lamp Iva @@
+Ash desk
+Elm desk
`
	if diff.Unified != want {
		t.Errorf("got\n%s, want\n%s", diff.Unified, want)
	}
	v := diff.Changes[0].Values
	if len(v) != 1 || v[0].Type != "money" || v[0].Old != "129" || v[0].New != "99" || v[0].Delta != "-30" || v[0].Unit != "EUR" || v[0].Percent == nil || *v[0].Percent != -23.3 {
		t.Errorf("got %+v", v)
	}
}

// TestFocus: what is not watched is told, and does not count.
func TestFocus(t *testing.T) {
	t.Parallel()
	const base = `<p>Price: 129 €</p><p>Colour: green</p><p>In stock</p>`
	for _, tt := range []struct {
		name, after string
		focus       []string
		want        bool
		other       int
	}{
		{"the price", strings.Replace(base, "129", "99", 1), []string{"price"}, true, 0},
		{"the colour beside the price", strings.Replace(base, "green", "red", 1), []string{"price"}, false, 1},
		{"stock", strings.Replace(base, "In stock", "Sold out", 1), []string{"Stock"}, true, 0},
		{"what is not on the page", strings.Replace(base, "green", "red", 1), []string{"version"}, true, 0},
		{"anything", strings.Replace(base, "green", "red", 1), []string{"page", "changes"}, true, 0},
		{"a subject", strings.Replace(base, "green", "red", 1), []string{"colours"}, true, 0},
	} {
		diff := Compare(visit(t, 0, base), visit(t, 1, tt.after), nil, Options{Focus: tt.focus})
		if diff.Changed != tt.want || len(diff.Other) != tt.other {
			t.Errorf("%s: got changed %v and %d others, want %v and %d: %s", tt.name, diff.Changed, len(diff.Other), tt.want, tt.other, diff.Summary)
		}
	}
	views := Compare(visit(t, 0, `<p>1,204 views</p>`), visit(t, 1, `<p>1,300 views</p>`), nil, Options{Focus: []string{"views"}})
	if !views.Changed {
		t.Error("views that are watched were taken for noise")
	}
}

// TestFields compares what was extracted, and nothing else.
func TestFields(t *testing.T) {
	t.Parallel()
	const base = `{"name":"Lamp","price":129.0,"date":"2026-05-12","tags":["a","b"],"items":[{"id":1,"n":2},{"id":2,"n":3}],"url":"https://x.example/a?utm_source=b"}`
	for _, tt := range []struct {
		name, from, to string
		want           bool
		path           string
	}{
		{"number written otherwise", `129.0`, `1.29e2`, false, ""},
		{"number", `129.0`, `129.5`, true, "price"},
		{"null", `"Lamp"`, `null`, true, "name"},
		{"white space", `"Lamp"`, `" Lamp "`, false, ""},
		{"date written otherwise", `"2026-05-12"`, `"12 May 2026"`, false, ""},
		{"date", `2026-05-12`, `2026-05-13`, true, "date"},
		{"order", `["a","b"]`, `["b","a"]`, false, ""},
		{"one of a list", `["a","b"]`, `["a","c"]`, true, "tags"},
		{"order of keyed items", `[{"id":1,"n":2},{"id":2,"n":3}]`, `[{"id":2,"n":3},{"n":2,"id":1}]`, false, ""},
		{"field of a keyed item", `{"id":2,"n":3}`, `{"id":2,"n":4}`, true, "items"},
		{"tracking", `utm_source=b`, `utm_source=c`, false, ""},
	} {
		snapshot := func(at int, data string) Snapshot {
			page := pageOf(t, fmt.Sprintf("<p>Something else %c.</p>", 'a'+at))
			page.Data = json.RawMessage(data)
			return NewSnapshot(testTime, page)
		}
		options := Options{Schema: json.RawMessage(`{"type":"object","properties":{"date":{"type":"string","format":"date"}}}`)}
		diff := Compare(snapshot(0, base), snapshot(1, strings.Replace(base, tt.from, tt.to, 1)), nil, options)
		if diff.Changed != tt.want || tt.want && (len(diff.Changes) == 0 || diff.Changes[0].Path[0] != tt.path) {
			t.Errorf("%s: got %v, want %v in %s: %+v", tt.name, diff.Changed, tt.want, tt.path, diff.Changes)
		}
	}
}

// TestPages: pages come and go; those that failed do not change, and what changed meanwhile is seen when they are back.
func TestPages(t *testing.T) {
	t.Parallel()
	good, other := pageOf(t, `<p>Price: 9 €</p>`), pageOf(t, `<p>Another page with a text of its own.</p>`)
	other.URL = testURL + "/2"
	first := NewSnapshot(testTime, good)
	if diff := Compare(Snapshot{}, first, nil, Options{}); diff.Changed || diff.Summary != "First run: 1 page read as the baseline." {
		t.Errorf("the first run: got %+v", diff)
	}
	if diff := Compare(first, NewSnapshot(testTime, other, good), nil, Options{}); !diff.Changed || diff.Changes[0].Kind != Added {
		t.Errorf("a page that came: got %+v", diff)
	}
	for _, body := range []string{
		`<html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1><p>Verify you are human to go on.</p></body></html>`,
		`<html><head><title>Down for maintenance</title></head><body><p>We will be back soon.</p></body></html>`,
		`<html><body><div id="root"></div></body></html>`,
		`<html><body><div id="root">Loading…</div></body></html>`,
	} {
		page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		soft := NewSnapshot(testTime, page)
		diff := Compare(first, soft, nil, Options{})
		if diff.Changed || len(diff.Failed) != 1 {
			t.Errorf("%s: got %+v, want a failure", body, diff)
		}
		kept := soft.Keep(first)
		if diff := Compare(kept, NewSnapshot(testTime, pageOf(t, `<p>Price: 8 €</p>`)), nil, Options{}); !diff.Changed {
			t.Errorf("%s: what changed meanwhile was not seen", body)
		}
		if diff := Compare(kept, first, nil, Options{}); diff.Changed {
			t.Errorf("%s: the page itself is a change: %s", body, diff.Summary)
		}
	}
	failed := NewSnapshot(testTime, FailedPage(testURL, "timeout"))
	if diff := Compare(failed, first, nil, Options{}); diff.Changed {
		t.Errorf("after a baseline that failed: got %+v", diff)
	}
}

// randomBody is a page of unordered things in a drawn order.
func randomBody(r *rand.Rand, order *rand.Rand) string {
	var items, cards, rows []string
	for i := range 3 + r.IntN(8) {
		items = append(items, fmt.Sprintf("<li>Item %d of %d %x</li>", i, r.IntN(9), r.IntN(1000)))
		cards = append(cards, fmt.Sprintf(`<div class="card"><h3>Card %d</h3><p>%d €</p><a href="/c/%d">Read</a></div>`, i, r.IntN(99), i))
		rows = append(rows, fmt.Sprintf("<tr><th>Row %d</th><td>%d</td><td>%d %%</td></tr>", i, r.IntN(99), r.IntN(99)))
	}
	for _, list := range [][]string{items, cards, rows} {
		order.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return "<ul>" + strings.Join(items, "") + `</ul><section><h2>Cards</h2><div>` + strings.Join(cards, "") + "</div></section><table>" + strings.Join(rows, "") + "</table>"
}

// TestPermutations: unordered things in another order are the same, and anything is the same as itself.
func TestPermutations(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		a := visit(t, 0, randomBody(rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))))
		b := visit(t, 1, randomBody(rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 3))))
		for _, pair := range [][2]Snapshot{{a, a}, {a, b}} {
			if diff := Compare(pair[0], pair[1], nil, Options{}); diff.Changed {
				t.Fatalf("draw %d: %s\n%s", seed, diff.Summary, diff.Unified)
			}
		}
	}
}

// TestNoiseStaysSmall over many runs that differ everywhere, each in its own way.
func TestNoiseStaysSmall(t *testing.T) {
	t.Parallel()
	const runs = 20_000
	noise, r := &Noise{}, rand.New(rand.NewPCG(1, 2))
	for i := range runs {
		found := make([]candidate, 3)
		for j := range found {
			found[j].spots = []spot{{places: []string{placeOf(r.Uint64N(5000)), placeOf(r.Uint64())}, was: wholly(r.Uint64()), now: wholly(r.Uint64()), counted: j == 0}}
		}
		noise.alias(r.Uint64(), r.Uint64())
		noise.vary(found)
		noise.learn(found, true)
		noise.Met = map[string]int{}
		if len(noise.Varying) > placesMax || len(noise.Places) > placesMax || len(noise.Aliases) > aliasesMax {
			t.Fatalf("run %d: got %d and %d places and %d aliases", i, len(noise.Varying), len(noise.Places), len(noise.Aliases))
		}
	}
	written, err := json.Marshal(noise)
	if err != nil || len(written) > 1_000_000 {
		t.Errorf("got %d bytes, %v", len(written), err)
	}
}

// TestSameDiff: the same input gives the same answer, byte for byte.
func TestSameDiff(t *testing.T) {
	t.Parallel()
	a := visit(t, 0, randomBody(rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))))
	b := visit(t, 1, randomBody(rand.New(rand.NewPCG(2, 1)), rand.New(rand.NewPCG(1, 2))))
	first, _ := json.Marshal(Compare(a, b, &Noise{}, Options{}))
	for range 20 {
		if again, _ := json.Marshal(Compare(a, b, &Noise{}, Options{})); string(again) != string(first) {
			t.Fatalf("got %s, then %s", first, again)
		}
	}
}

// checkDiff holds a Diff to its bounds.
func checkDiff(t *testing.T, diff *Diff) {
	t.Helper()
	if !utf8.ValidString(diff.Unified) || !utf8.ValidString(diff.Summary) || len(diff.Unified) > unifiedBytesMax || len(diff.Summary) > summaryBytesMax+len("…") {
		t.Fatalf("got %d and %d bytes: %q", len(diff.Unified), len(diff.Summary), diff.Summary)
	}
	if len(diff.Changes)+len(diff.Other) > changesMax || diff.Changed != (len(diff.Changes) > 0) && diff.More == 0 {
		t.Fatalf("got changed %v with %d changes", diff.Changed, len(diff.Changes))
	}
	for _, change := range append(diff.Changes, diff.Other...) {
		for _, text := range append([]string{change.Before, change.After, change.Page}, change.Path...) {
			if !utf8.ValidString(text) || len(text) > 4*valueBytesMax {
				t.Fatalf("got %q", text)
			}
		}
	}
	if _, err := json.Marshal(diff); err != nil {
		t.Fatal(err)
	}
}

// FuzzCompare compares pages of any bytes: with each other, and with themselves.
func FuzzCompare(f *testing.F) {
	f.Add(wholePage(`<ul><li>a<li>b</ul>`), wholePage(`<ol><li>b<li>a</ol>`), "price")
	f.Add(wholePage(`<table><tr><td>1,299.00 €<td>in 3 days`), wholePage(`<table><tr><td>€1299<td>12.05.2026`), "stock")
	f.Add("<p>\xff\xfe", "<dl><dt><dd><dt>x", "")
	f.Add(strings.Repeat("<div>", 600)+"x", strings.Repeat("<div class=card><b>a</b>", 90), "\x00")
	f.Add(`<h1>a<h2>b<h6>c<article><h3>x</h3>9 €<article><h3>y</h3>8 €`, `<select><option>1<option>2</select>`, "a b c")
	f.Fuzz(func(t *testing.T, before, after, focus string) {
		var snapshots []Snapshot
		for _, body := range []string{before, after} {
			page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
			if err != nil {
				return
			}
			written, err := json.Marshal(NewSnapshot(testTime, page))
			if err != nil {
				t.Fatal(err)
			}
			var s Snapshot
			if err := json.Unmarshal(written, &s); err != nil {
				t.Fatal(err)
			}
			snapshots = append(snapshots, s)
		}
		noise := &Noise{}
		for range 2 {
			diff := Compare(snapshots[0], snapshots[1], noise, Options{Focus: []string{focus}})
			checkDiff(t, &diff)
			if diff := Compare(snapshots[0], snapshots[0], noise, Options{}); diff.Changed {
				t.Fatalf("a page differs from itself: %s", diff.Unified)
			}
		}
	})
}

// FuzzSnapshot compares what anybody may have written as snapshots, noise and options.
func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(`{"pages":[{"url":"a","blocks":[{"kind":"row","text":"x","under":9,"cells":["1","2"],"group":-1}]}]}`),
		[]byte(`{"pages":[{"url":"a","blocks":[{"kind":"heading","text":"y","under":1,"level":99}]},{"url":"a"}]}`), []byte(`{"runs":-1,"varying":{"a":{"run":9,"seen":[1]},"b":null},"counters":{"a":-3},"met":{"b":7},"aliases":{"x":"y"}}`), []byte(`{"format":"date"}`))
	f.Add([]byte(`{"pages":[{"url":"a","data":{"a":[1,2]}}]}`), []byte(`{"pages":[{"url":"a","data":[{"id":1}]}]}`), []byte(`{}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, first, second, learned, schema []byte) {
		var before, after Snapshot
		var noise Noise
		if json.Unmarshal(first, &before) != nil || json.Unmarshal(second, &after) != nil || json.Unmarshal(learned, &noise) != nil {
			return
		}
		before.order()
		after.order()
		diff := Compare(before, after, &noise, Options{Focus: []string{string(schema)}, Schema: schema})
		checkDiff(t, &diff)
		if diff := Compare(after, after, &noise, Options{}); diff.Changed {
			t.Fatalf("a snapshot differs from itself: %s", diff.Unified)
		}
		if _, err := json.Marshal(noise); err != nil {
			t.Fatal(err)
		}
		_, _ = json.Marshal(after.Keep(before))
	})
}

// FuzzTokens reads texts of any kind.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"1,299.00 €", "12.05.2026 14:03:22 UTC", "2026-05-12T14:03:22Z", "v2.3.1-rc1", "in 3 days, 5m ago", "EUR1.299", "٣ ½ １２", "8f3a-2b1c", "1\u00a0299,5", "May May 12", "(3) x"} {
		f.Add(text, "en")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		text = cleanText(text)
		if !utf8.ValidString(text) || cleanText(text) != text {
			t.Fatalf("not canonical: %q", text)
		}
		l := &lens{language: language, watched: map[string]bool{}, at: testTime}
		end := 0
		for _, token := range l.read(text, "views") {
			if token.begin < end || token.end < token.begin || token.end > len(text) {
				t.Fatalf("got a token from %d to %d after %d", token.begin, token.end, end)
			}
			end = token.begin
		}
		canonicalLink(text)
	})
}

// benchBody is a page of about 1 MB.
func benchBody(edit string) string {
	var out strings.Builder
	for i := range 4000 {
		_, _ = fmt.Fprintf(&out, `<div class="card"><h3>Product %d</h3><p>A fine thing of oak and brass, made by hand in workshop %d for you.</p><span>%d.%02d €</span><a href="/p/%d?sid=ab12cd34">More of it</a></div>`, i, i%7, i, i%100, i)
		if i%10 == 0 {
			_, _ = fmt.Fprintf(&out, `<p>Between the products number %d stands this paragraph, which says something else each time%s.</p>`, i, edit)
		}
	}
	return wholePage(out.String())
}

// BenchmarkCompare must stay under 200 ms for a page of 1 MB of which a tenth differs.
func BenchmarkCompare(b *testing.B) {
	var snapshots []Snapshot
	for _, edit := range []string{"", " and more"} {
		page, err := Read(b.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(benchBody(edit))})
		if err != nil {
			b.Fatal(err)
		}
		snapshots = append(snapshots, NewSnapshot(testTime, page))
	}
	b.SetBytes(int64(len(benchBody(""))))
	b.ReportAllocs()
	for b.Loop() {
		Compare(snapshots[0], snapshots[1], &Noise{}, Options{})
	}
}

// BenchmarkPageOf must stay under 200 ms for a page of 1 MB, without what extract takes.
func BenchmarkPageOf(b *testing.B) {
	body := []byte(benchBody(""))
	document, err := extract.Page(b.Context(), body, ReadOptions(testURL))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		PageOf(testURL, document)
	}
}
