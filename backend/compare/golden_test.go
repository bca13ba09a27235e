package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const testURL = "https://shop.example/lamps/iva"

var testTime = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// lampPage is a page as shops have it.
const lampPage = `<!doctype html><html lang="en"><head><title>Iva desk lamp | Lamps of Elm Street</title></head><body>
<header><a href="/">Lamps of Elm Street</a><nav><ul><li><a href="/lamps">Lamps</a></li><li><a href="/shades">Shades</a></li><li><a href="/bulbs">Bulbs</a></li>
<li><a href="/repair">Repairs</a></li></ul></nav><p>Open on weekdays from 9 to 18.</p></header>
<main><h1>Iva desk lamp</h1>
<div class="buy"><p class="price">$129.00</p><p class="stock">In stock</p><button>Add to cart</button></div>
<p>Iva is a lamp of oak and brass for desks of any size. Its arm turns in all directions and stays where it is put.</p>
<p>It has been made by hand in our workshop since 1998, and every lamp is tested for two hours before it leaves the house.</p>
<h2>Technical data</h2>
<table><tr><th>Property</th><th>Value</th></tr><tr><td>Height</td><td>48 cm</td></tr><tr><td>Weight</td><td>1.9 kg</td></tr><tr><td>Power</td><td>12 W</td></tr>
<tr><td>Cable</td><td>2 m</td></tr></table>
<h2>In the box</h2><ul class="box"><li>Lamp with its arm</li><li>Clamp for tables</li><li>Bulb of 12 W</li><li>Manual in four languages</li></ul>
<h2>What buyers say</h2><div class="review"><h3>Just what I needed</h3><p>Ann of Leeds writes that the light is warm and the arm holds.</p></div>
<div class="review"><h3>Heavier than it looks</h3><p>Tom of York says that the clamp is strong enough for his old table.</p></div>
</main>
<footer><p>Lamps of Elm Street, 12 Elm Street, Leeds LS1 4AB</p><p>Call us: 0113 496 0112</p><ul><li><a href="/terms">Terms</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>
</body></html>`

func read(t testing.TB, body string) Page {
	t.Helper()
	page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// monitored is a page under watch.
type monitored struct {
	t     testing.TB
	query string
	noise Noise
	kept  Snapshot
	at    int
	looks int
}

// sees has a run see the first of some bodies, and the others as it looks again; the last stays. What is kept is written as JSON in between.
func (m *monitored) sees(bodies ...string) Diff {
	m.t.Helper()
	m.at++
	m.looks = 0
	after := NewSnapshot(testTime.AddDate(0, 0, m.at), read(m.t, bodies[0]))
	diff := Settle(m.kept, after, func([]string) []Page {
		m.looks++
		return []Page{read(m.t, bodies[min(m.looks, len(bodies)-1)])}
	}, &m.noise, Options{Query: m.query})
	kept, err1 := json.Marshal(diff.Keep(m.kept, after))
	noise, err2 := json.Marshal(m.noise)
	if err1 != nil || err2 != nil {
		m.t.Fatal(err1, err2)
	}
	m.kept, m.noise = Snapshot{}, Noise{}
	if err := json.Unmarshal(kept, &m.kept); err != nil {
		m.t.Fatal(err)
	}
	if err := json.Unmarshal(noise, &m.noise); err != nil {
		m.t.Fatal(err)
	}
	checkDiff(m.t, &diff)
	return diff
}

// TestEdits are told by a monitor of the whole page, and one that asks for something else lists them.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, edited string }{
		{"price", "$129.00", "$119.00"},
		{"stock", "In stock", "Out of stock"},
		{"button", "Add to cart", "Sold out"},
		{"number in prose", "two hours", "four hours"},
		{"sentence", "and stays where it is put.", "and stays where it is put. The shade is of linen."},
		{"cell", "<td>1.9 kg</td>", "<td>2.1 kg</td>"},
		{"row added", "<tr><td>Cable</td>", "<tr><td>Colour</td><td>brass</td></tr><tr><td>Cable</td>"},
		{"item added", "<li>Clamp for tables</li>", "<li>Clamp for tables</li><li>Spare shade of linen</li>"},
		{"item removed", "<li>Clamp for tables</li>", ""},
		{"heading", "<h2>In the box</h2>", "<h2>What you get</h2>"},
		{"footer phone", "0113 496 0112", "0113 496 0345"},
		{"footer address", "12 Elm Street, Leeds LS1 4AB", "40 Oak Road, Leeds LS2 7CD"},
		{"hours in the header", "from 9 to 18", "from 10 to 17"},
		{"menu", "Repairs", "Repairs and parts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &monitored{t: t, query: "anything on " + testURL}
			m.sees(lampPage)
			if diff := m.sees(lampPage); diff.Changed || len(diff.Other) > 0 || diff.Summary != "No change." {
				t.Errorf("got %+v of the same page", diff)
			}
			edited := strings.Replace(lampPage, tt.old, tt.edited, 1)
			if diff := m.sees(edited); !diff.Changed {
				t.Errorf("got %s %+v, want it told", diff.Summary, diff.Other)
			}
			if diff := m.sees(edited); diff.Changed || m.looks > 0 {
				t.Errorf("got %s and %d looks, want it told once", diff.Summary, m.looks)
			}
		})
	}
}

// TestAskedFor is told at each run in which it differs: that a place changes often is no reason against what the query names.
func TestAskedFor(t *testing.T) {
	t.Parallel()
	m := &monitored{t: t, query: "Tell me when the price on " + testURL + " changes"}
	m.sees(lampPage)
	for _, price := range []string{"$119.00", "$125.00", "$99.00", "$109.00"} {
		if diff := m.sees(strings.Replace(lampPage, "$129.00", price, 1)); !diff.Changed || !strings.Contains(diff.Summary, price[1:]) {
			t.Errorf("%s: got %s %+v, want it told", price, diff.Summary, diff.Other)
		}
	}
}

// TestQuery tells what is asked for, and lists all else as ignored with a reason.
func TestQuery(t *testing.T) {
	t.Parallel()
	price, phone := strings.Replace(lampPage, "$129.00", "$119.00", 1), strings.Replace(lampPage, "0113 496 0112", "0113 496 0345", 1)
	for _, tt := range []struct {
		query, edited string
		want          bool
	}{
		{"Tell me when the price changes", price, true},
		{"Tell me when the price changes", phone, false},
		{"Has the phone number changed?", phone, true},
	} {
		m := &monitored{t: t, query: tt.query}
		m.sees(lampPage)
		diff := m.sees(tt.edited)
		if diff.Changed != tt.want {
			t.Errorf("%s: got changed %v, want %v: %s", tt.query, diff.Changed, tt.want, diff.Summary)
		}
		if !tt.want && (len(diff.Other) != 1 || diff.Other[0].Reason == "" || diff.Summary != "No change in what is watched; 1 difference ignored.") {
			t.Errorf("%s: got %s %+v, want one difference with a reason", tt.query, diff.Summary, diff.Other)
		}
	}
}

// TestNoDifference: what says the same is none.
func TestNoDifference(t *testing.T) {
	t.Parallel()
	cut := func(from, to string) string {
		_, rest, _ := strings.Cut(lampPage, from)
		part, _, _ := strings.Cut(rest, to)
		return from + part + to
	}
	first, second := cut(`<li>Lamp with its arm`, "</li>"), cut(`<li>Manual`, "</li>")
	one, two := cut(`<div class="review"><h3>Just`, "</div>"), cut(`<div class="review"><h3>Heavier`, "</div>")
	for name, replace := range map[string]*strings.Replacer{
		"shuffled list":  strings.NewReplacer(first, second, second, first),
		"shuffled cards": strings.NewReplacer(one, two, two, one),
		"hashed classes": strings.NewReplacer(`class="price"`, `class="price_x7Qk2"`, `class="review"`, `class="css-1q9z8 review"`),
		"session":        strings.NewReplacer(`href="/terms"`, `href="/terms?sid=8f3a2b99e0c1"`),
		"markup":         strings.NewReplacer("oak and brass", "<b>oak</b> and brass", "<p>It has", "\n <p>It  has"),
	} {
		if diff := Compare(NewSnapshot(testTime, read(t, lampPage)), NewSnapshot(testTime, read(t, replace.Replace(lampPage))), nil, Options{}); diff.Changed || len(diff.Other) > 0 {
			t.Errorf("%s: got %s %+v", name, diff.Summary, diff.Other)
		}
	}
}

// TestNoise is ignored with a reason, and an edit beside it is told.
func TestNoise(t *testing.T) {
	t.Parallel()
	goods, n := strings.Fields("rug kettle drill tent mug chair scarf boot pan clock"), 0
	draw := func(price string) func(box string) string {
		return func(box string) string {
			n++
			box = strings.NewReplacer("{thing}", goods[n%10], "{other}", goods[n*7%10], "{n}", fmt.Sprint(17+n*13%41), "{count}", fmt.Sprint(48210+n)).Replace(box)
			return strings.NewReplacer("<h2>In the box</h2>", box+"<h2>In the box</h2>", "$129.00", price).Replace(lampPage)
		}
	}
	for name, box := range map[string]string{
		"advert":   `<div class="k{n}"><a href="https://ads.example/{n}">A {thing} for ${n}</a><p>Now with a {other}</p></div>`,
		"variants": `<div>{n} people look at this page now</div>`,
		"counter":  `<p>You are visitor number {count}</p>`,
		"time":     `<p>Updated {n} minutes ago</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			m := &monitored{t: t, query: "anything on " + testURL}
			for range 5 {
				page := draw("$129.00")
				if diff := m.sees(page(box), page(box), page(box), page(box), page(box)); diff.Changed || len(diff.Other) == 0 && m.at > 1 || m.at > 1 && diff.Other[0].Reason == "" {
					t.Errorf("run %d: got %s %+v, want it ignored", m.at, diff.Summary, diff.Other)
				}
			}
			page := draw("$99.00")
			if diff := m.sees(page(box), page(box), page(box), page(box), page(box)); !diff.Changed || !strings.Contains(diff.Summary, "99") {
				t.Errorf("got %s, want the price told", diff.Summary)
			}
		})
	}
}

// TestCachedCopy: a page that one fetch shows as it was is left to the next run.
func TestCachedCopy(t *testing.T) {
	t.Parallel()
	edited := strings.Replace(lampPage, "$129.00", "$119.00", 1)
	m := &monitored{t: t, query: "the price on " + testURL}
	m.sees(lampPage)
	if diff := m.sees(edited, lampPage); diff.Changed || len(diff.Unsettled) != 1 || len(diff.Other) != 1 {
		t.Errorf("got %s %+v, want it left to the next run", diff.Summary, diff.Other)
	}
	if diff := m.sees(edited); !diff.Changed {
		t.Errorf("got %s, want it told", diff.Summary)
	}
	m = &monitored{t: t, query: "the price on " + testURL}
	m.sees(lampPage)
	for range 6 {
		if diff := m.sees(edited, lampPage); diff.Changed {
			t.Errorf("got %s of a page that flips", diff.Summary)
		}
		m.sees(lampPage)
	}
}

// TestEarlierState: what an earlier release kept of a page is a new baseline.
func TestEarlierState(t *testing.T) {
	t.Parallel()
	m := &monitored{t: t, query: "anything on " + testURL}
	old := `{"at":"2026-03-01T08:00:00Z","pages":[{"url":"` + testURL + `","title":"Iva","blocks":[{"kind":"paragraph","text":"Iva","under":1,"columns":["a"],
		"cells":["b"],"form":"p","part":"outside","noise":"daily"}]}]}`
	learned := `{"runs":7,"varying":{"a":{"run":3,"seen":[1,2]}},"places":{"b":{"last":2}},"turns":{},"held":{"c":1},"met":{"d":2},"flips":{"e":3},"aliases":{"x":"y"}}`
	if err := json.Unmarshal([]byte(old), &m.kept); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(learned), &m.noise); err != nil {
		t.Fatal(err)
	}
	if diff := m.sees(lampPage); diff.Changed || len(diff.Other) > 0 || !strings.Contains(diff.Summary, "as the baseline anew") {
		t.Errorf("got %s %+v, want a new baseline", diff.Summary, diff.Other)
	}
	if diff := m.sees(strings.Replace(lampPage, "$129.00", "$119.00", 1)); !diff.Changed {
		t.Errorf("got %s, want the price told", diff.Summary)
	}
}

// TestSummary quotes what was and is there, and has percentages of amounts alone.
func TestSummary(t *testing.T) {
	t.Parallel()
	for want, ch := range map[string]Change{
		"Iva fell from 129.00 to 119.00 USD (-7.8 %)":                 {Kind: Changed, Path: []string{"Iva"}, Before: "$129.00", After: "$119.00", Values: valuesOf("$129.00", "$119.00")},
		"Iva changed from “Made since 1998” to “Made since 1999”":     {Kind: Changed, Path: []string{"Iva"}, Before: "Made since 1998", After: "Made since 1999", Values: valuesOf("1998", "1999")},
		"Call changed from “0113 496 0112” to “0113 496 0345”":        {Kind: Changed, Path: []string{"Call"}, Before: "0113 496 0112", After: "0113 496 0345", Values: valuesOf("0113 496 0112", "0113 496 0345")},
		"A paragraph changed from “Version 2.3.1” to “Version 2.3.2”": {Kind: Changed, Block: "paragraph", Before: "Version 2.3.1", After: "Version 2.3.2", Values: valuesOf("Version 2.3.1", "Version 2.3.2")},
		"Opening moved from 2026-05-12 to 2026-05-13":                 {Kind: Changed, Path: []string{"Opening"}, Before: "12 May 2026", After: "May 13, 2026", Values: valuesOf("12 May 2026", "May 13, 2026")},
	} {
		if got := sentence(&ch); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
