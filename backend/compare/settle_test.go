package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// monitored is a page under watch.
type monitored struct {
	t     testing.TB
	noise *Noise
	kept  Snapshot
	at    int
	looks int
	focus []string
}

// sees has a run see the first of some bodies, and others as it looks again; the last stays.
func (m *monitored) sees(bodies ...string) bool {
	m.t.Helper()
	after := visit(m.t, m.at, bodies[0])
	looks := 0
	diff := Settle(m.kept, after, func(urls []string) []Page {
		looks++
		m.looks++
		page := pageOf(m.t, bodies[min(looks, len(bodies)-1)])
		if len(urls) != 1 || urls[0] != page.URL {
			m.t.Errorf("asked for %q", urls)
		}
		return []Page{page}
	}, m.noise, Options{Focus: m.focus})
	written, err := json.Marshal(m.noise)
	if err == nil {
		m.noise = &Noise{}
		err = json.Unmarshal(written, m.noise)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.kept = diff.Keep(m.kept, after)
	m.at++
	return diff.Changed
}

func monitor(t testing.TB) *monitored {
	t.Helper()
	return &monitored{t: t, noise: &Noise{}}
}

// draws are bodies that a page shows one after the other.
func draws(draw func() string) []string {
	bodies := make([]string, looksMax+1)
	for i := range bodies {
		bodies[i] = draw()
	}
	return bodies
}

// TestLooksTellNoise: what differs between looks is noise from the first run on, and an edit beside it is seen.
func TestLooksTellNoise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	names := strings.Fields("ada bob cleo dan eve finn gus hal ivy jon kai lou mia ned ole pia")
	page := func(price, above string) func() string {
		return func() string {
			return fmt.Sprintf(`%s<p>The captain of the ship is %s, says the crew. Lunch costs %s.</p><p>Ask %s for %d parcels.</p>`,
				above, names[r.IntN(len(names))], price, names[r.IntN(len(names))], r.IntN(1000))
		}
	}
	m := monitor(t)
	for at, run := range []struct {
		price, above string
		want         bool
	}{
		{"9 €", "", false},
		{"9 €", "", false},
		{"9 €", "", false},
		{"8 €", "", true},
		{"8 €", "", false},
		{"9 €", "", true},
		{"9 €", "<p>Something new stands above all.</p>", true},
		{"9 €", "<p>Something new stands above all.</p>", false},
		{"9 €", "", true},
	} {
		if got := m.sees(draws(page(run.price, run.above))...); got != run.want {
			t.Errorf("run %d: got changed %v, want %v", at, got, run.want)
		}
	}
}

// TestBusyPlaces that really change with every run are told with every run, as all looks agree: a list that grows, and what is watched.
func TestBusyPlaces(t *testing.T) {
	t.Parallel()
	list := monitor(t)
	news, price, line := []string{"<li>Ferry runs again</li>", "<li>Council meets</li>"}, monitor(t), monitor(t)
	price.focus, line.focus = []string{"price"}, []string{"stage"}
	list.sees("<ul>" + strings.Join(news, "") + "</ul>")
	price.sees("<p>Price: 100 €</p>")
	line.sees("<p>Now on stage: an act called zero of our guests</p>")
	words := strings.Fields("amber birch cedar daisy elder fern gorse hazel iris juniper kelp lotus")
	for i, word := range words {
		news = append([]string{"<li>Story of the " + word + " tree</li>"}, news[:min(len(news), 5)]...)
		if !list.sees("<ul>" + strings.Join(news, "") + "</ul>") {
			t.Errorf("run %d: a new item of a busy list was not told", i)
		}
		if !price.sees(fmt.Sprintf("<p>Price: %d €</p>", 101+i)) {
			t.Errorf("run %d: a price was not told", i)
		}
		if !line.sees("<p>Now on stage: an act called " + word + " of our guests</p>") {
			t.Errorf("run %d: a line was not told", i)
		}
	}
}

// TestWatchedNoise: what goes with the day by its name is told where it is watched, and left alone where nothing is or something else.
func TestWatchedNoise(t *testing.T) {
	t.Parallel()
	before := visit(t, 0, `<h3>Word of the day</h3><p>Lagniappe</p><h3>Ferries</h3><p>They run.</p>`)
	after := visit(t, 24, `<h3>Word of the day</h3><p>Petrichor</p><h3>Ferries</h3><p>They run.</p>`)
	for _, tt := range []struct {
		focus []string
		want  bool
	}{{nil, false}, {[]string{"word of the day"}, true}, {[]string{"ferries"}, false}} {
		if diff := Compare(before, after, nil, Options{Focus: tt.focus}); diff.Changed != tt.want {
			t.Errorf("with %q got %v, want %v", tt.focus, diff.Changed, tt.want)
		}
	}
}

// TestPageOfTheDay: a page that is all about what is another each day is watched for it.
func TestPageOfTheDay(t *testing.T) {
	t.Parallel()
	read := func(at int, picture string) Snapshot {
		page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(
			`<html><head><title>Picture of the day</title></head><body><main><h1>Picture of the day</h1><p>` + picture + `</p></main></body></html>`)})
		if err != nil {
			t.Fatal(err)
		}
		return NewSnapshot(testTime.Add(time.Duration(at)*time.Hour), page)
	}
	if diff := Compare(read(0, "A heron at the weir."), read(24, "Snow on the hill."), nil, Options{}); !diff.Changed {
		t.Error("got no change")
	}
}

// TestLinksWithParameters: where a link leads is told, though its parameters are others in each look.
func TestLinksWithParameters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	terms := func(year int) []string {
		return draws(func() string {
			return fmt.Sprintf(`<p>See the <a href="/terms-%d?mark=%d">terms of service</a>.</p>`, year, r.Uint32())
		})
	}
	m := monitor(t)
	for i, run := range []struct {
		year int
		want bool
	}{{2025, false}, {2025, false}, {2026, true}, {2026, false}} {
		if got := m.sees(terms(run.year)...); got != run.want {
			t.Errorf("run %d: got changed %v, want %v", i, got, run.want)
		}
	}
}

// TestNamesInALine: names in a line that are put in another order for each look are noise, but where all looks agree by chance.
func TestNamesInALine(t *testing.T) {
	t.Parallel()
	all := []string{"Heron Books", "Agencia Pino", "Dorset Choir", "Velo Nord"}
	told := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		line := func() string {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			quote := []string{"It never fails.", "They wrote back soon.", "We moved in an hour."}[r.IntN(3)]
			return fmt.Sprintf(`<blockquote class="quote">%s</blockquote><div class="names"><span>%s</span></div>`, quote, strings.Join(all, "</span> <span>"))
		}
		m := monitor(t)
		for range 20 {
			if m.sees(draws(line)...) {
				told++
			}
		}
	}
	if told > 2 {
		t.Errorf("the order of names was told %d times in 400 runs", told)
	}
}

// TestLists: what rotates is noise, also beside what does not; an item that is new in all looks is a change, and so is one that
// is gone from all.
func TestLists(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	pool := strings.Fields("Anvil Bucket Crate Drum Easel Flask Globe Hinge Inkwell Jar")
	item := func(name string) string { return "<li>" + name + " of oak</li>" }
	list := func(steady []string, rotating int) func() string {
		return func() string {
			var items []string
			for _, name := range steady {
				items = append(items, item(name))
			}
			for _, i := range r.Perm(len(pool))[:rotating] {
				items = append(items, item(pool[i]))
			}
			r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			return "<ul>" + strings.Join(items, "") + "</ul>"
		}
	}
	steady := []string{"Desk", "Chair", "Shelf", "Bench", "Stool", "Table"}
	for rotating := range 3 {
		m := monitor(t)
		for i, run := range []struct {
			steady []string
			want   bool
		}{
			{steady, false},
			{steady, false},
			{steady, false},
			{append(slices.Clone(steady), "Lamp"), true},
			{append(slices.Clone(steady), "Lamp"), false},
			{append(slices.Clone(steady[1:]), "Lamp"), true},
			{append(slices.Clone(steady[1:]), "Lamp"), false},
		} {
			if got := m.sees(draws(list(run.steady, rotating))...); got != run.want {
				t.Errorf("run %d with %d that rotate: got changed %v, want %v", i, rotating, got, run.want)
			}
		}
	}
	m := monitor(t)
	for i := range 20 {
		if m.sees(draws(list(nil, 3))...) {
			t.Errorf("run %d: a list that is drawn anew was told", i)
		}
	}
}

// TestBannerComesToRest: what was never seen in a place that varies, and is in all looks, is a change; what was seen there is none.
func TestBannerComesToRest(t *testing.T) {
	t.Parallel()
	banner := func(text string) string { return "<p>Here we stand.</p><p>" + text + "</p><p>There you stand.</p>" }
	offers := []string{banner("Hats for all heads"), banner("Gloves made by hand"), banner("Scarves that keep warm"), banner("Boots for every bog"), banner("Hats for all heads")}
	m := monitor(t)
	m.sees(offers...)
	for i := range 6 {
		if m.sees(append(offers[i%4:], offers[:i%4]...)...) {
			t.Error("a banner in rotation was told")
		}
	}
	if m.sees(offers[1]) {
		t.Error("one of what is known to rotate was told, as it was in all looks")
	}
	if !m.sees(banner("The shop closes for good in June")) {
		t.Error("what was never seen and is in all looks was not told")
	}
	if m.sees(banner("The shop closes for good in June")) || m.looks > 40 {
		t.Errorf("what stays was told, or looked at again: %d looks", m.looks)
	}
}

// TestRollout: a page that is new in one look and as it was in another is left to the next run. One that flips to and fro is noise.
func TestRollout(t *testing.T) {
	t.Parallel()
	const old, edited = "<p>Price: 9 €</p>", "<p>Price: 8 €</p>"
	m := monitor(t)
	m.sees(old)
	if m.sees(edited, old) {
		t.Error("what was half rolled out was told")
	}
	if !m.sees(edited) {
		t.Error("what was rolled out was not told")
	}
	if m.sees(edited) {
		t.Error("it was told again")
	}
	m = monitor(t)
	m.sees(old)
	for i := range 6 {
		if m.sees(edited, old) || m.sees(old, edited) {
			t.Errorf("run %d: what flips was told", i)
		}
	}
}

// TestLooksAtNothing: no look is taken where nothing seems to have changed and the page is known, nor for what is not watched.
func TestLooksAtNothing(t *testing.T) {
	t.Parallel()
	m := monitor(t)
	m.sees("<p>Price: 9 €</p>")
	if m.looks != looksMax {
		t.Errorf("got %d looks at what is met for the first time, want %d", m.looks, looksMax)
	}
	m.sees("<p>Price: 9 €</p>")
	m.sees("<p>Price: 9 €</p>")
	if m.looks != looksMax {
		t.Errorf("got %d looks, want %d", m.looks, looksMax)
	}
	none := func([]string) []Page { t.Error("looked at what is not watched"); return nil }
	noise := &Noise{Met: map[string]int{placeOf(hashOf(testURL)): 0}}
	before, after := visit(t, 0, "<p>Price: 9 €</p><p>Colour: green</p>"), visit(t, 1, "<p>Price: 9 €</p><p>Colour: red</p>")
	if diff := Settle(before, after, none, noise, Options{Focus: []string{"price"}}); diff.Changed || len(diff.Other) != 1 {
		t.Errorf("got %+v", diff)
	}
}

// TestLooksThatSayNothing leave a change a change: there is no look, or it is of something else.
func TestLooksThatSayNothing(t *testing.T) {
	t.Parallel()
	before, after := visit(t, 0, "<p>Price: 9 €</p>"), visit(t, 1, "<p>Price: 8 €</p>")
	elsewhere := pageOf(t, "<p>Price: 7 €</p>")
	elsewhere.URL = "https://other.example/"
	extracted := pageOf(t, "<p>Price: 7 €</p>")
	extracted.Data = json.RawMessage(`{}`)
	for _, pages := range [][]Page{nil, {FailedPage(testURL, "timeout")}, {elsewhere}, {extracted}} {
		noise := &Noise{}
		if diff := Settle(before, after, func([]string) []Page { return pages }, noise, Options{}); !diff.Changed || len(noise.Varying) > 0 {
			t.Errorf("got %+v, and learned %v", diff, noise.Varying)
		}
	}
}

// TestLooksAtData: a field that differs between looks is no change, and the others are exact.
func TestLooksAtData(t *testing.T) {
	t.Parallel()
	snapshot := func(data string) Snapshot {
		page := pageOf(t, "<p>Whatever.</p>")
		page.Data = json.RawMessage(data)
		return NewSnapshot(testTime, page)
	}
	for name, tt := range map[string]struct {
		before, first, second string
		want                  int
	}{
		"the same change":     {`{"n":1,"price":9}`, `{"n":1,"price":8}`, `{"n":1,"price":8}`, 1},
		"another each time":   {`{"n":1,"price":9}`, `{"n":2,"price":9}`, `{"n":3,"price":9}`, 0},
		"one of each":         {`{"n":1,"price":9}`, `{"n":2,"price":8}`, `{"n":3,"price":8}`, 1},
		"read wrongly":        {`{"n":1,"price":9}`, `{"n":1,"price":null}`, `{"n":1,"price":9}`, 0},
		"an item in rotation": {`{"l":["a","b"]}`, `{"l":["a","c"]}`, `{"l":["a","d"]}`, 0},
		"a new item":          {`{"l":["a","b"]}`, `{"l":["a","b","c"]}`, `{"l":["c","a","b"]}`, 1},
	} {
		diff := Settle(snapshot(tt.before), snapshot(tt.first), func([]string) []Page { return snapshot(tt.second).Pages }, &Noise{}, Options{})
		if len(diff.Changes) != tt.want {
			t.Errorf("%s: got %d changes, want %d: %s", name, len(diff.Changes), tt.want, diff.Unified)
		}
	}
}

// TestDaysGoBy: what is told from the day of the run is no change, and a date that is put off is one.
func TestDaysGoBy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, after string
		want          bool
	}{
		{"<p>Get it by Thursday, 5 March if you hurry.</p>", "<p>Get it by Friday, 6 March if you hurry.</p>", false},
		{"<p>It is now Mon Mar 02, 2026 2:37 pm in town.</p>", "<p>It is now Tue Mar 03, 2026 7:10 am in town.</p>", false},
		{"<p>Printed for you on 03/03/2026 in the hall.</p>", "<p>Printed for you on 04/03/2026 in the hall.</p>", false},
		{"<p>The concert is on Saturday 9 May 2026.</p>", "<p>The concert is on Sunday 10 May 2026.</p>", true},
		{"<p>The shop closes on 5 March.</p>", "<p>The shop closes on 12 March.</p>", true},
		{"<p>Another 75 days and we are off.</p>", "<p>Another 74 days and we are off.</p>", false},
		{"<p>Delivery takes 5 days.</p>", "<p>Delivery takes 6 days.</p>", true},
		{"<p>Some 48,210 hikers came here.</p>", "<p>Some 48,530 hikers came here.</p>", false},
		{"<p>Some 48,000 hikers came here.</p>", "<p>Some 49,000 hikers came here.</p>", true},
		{"<p>The hall holds 1,204 chairs.</p>", "<p>The hall holds 1,187 chairs.</p>", true},
		{"<p>It weighs 1,204 g.</p>", "<p>It weighs 1,211 g.</p>", true},
		{"<p>Keswick: Sunny spells, 7 °C</p>", "<p>Keswick: Fog at first, 4 °C</p>", false},
		{"<p>Water of 7 °C is fine for them.</p>", "<p>Water of 9 °C is fine for them.</p>", true},
		{"<p>$1 is about €0.92 or £0.79 today</p>", "<p>$1 is about €0.93 or £0.80 today</p>", false},
	} {
		if diff := Compare(visit(t, 0, tt.before), visit(t, 24, tt.after), nil, Options{}); diff.Changed != tt.want {
			t.Errorf("%s to %s: got %v, want %v", tt.before, tt.after, diff.Changed, tt.want)
		}
	}
}

// TestStripOfTheDay: a strip with the date, the weather and a saying says nothing of the thing, and a notice with a date does.
func TestStripOfTheDay(t *testing.T) {
	t.Parallel()
	const strip, above = `<div class="note">%s</div>`, `<body><div class="brand">Pryce</div><div class="note">%s</div><h1>People</h1><p>We are a small practice of some size.</p></body>`
	for _, tt := range []struct {
		page, before, after string
		want                bool
	}{
		{strip, "Mon 2 March. Leeds: 2 °C and drizzle. “Less is a bore.” Robert Venturi", "Tue 3 March. Leeds: 4 °C and blowy. “It is alive.” Mary Shelley", false},
		{above, "Monday, 2 March. Less is a bore, says Robert", "Tuesday, 3 March. Be kind, says Mary", false},
		{above, "Leeds: 2 °C and drizzle. Less is a bore.", "Leeds: 9 °C and fog. Be kind to everybody.", false},
		{strip, "Mon 2 March. Come in by the east door.", "Tue 3 March. Come in by the west door.", true},
		{above, "Mon 2 March. Leeds: 2 °C and drizzle. The hall is open.", "Tue 3 March. Leeds: 4 °C and blowy. The hall is closed.", true},
		{above, "Mon 2 March: 2 °C. Tea for 4 €.", "Tue 3 March: 2 °C. Tea for 5 €.", true},
		{above, "Leeds, the talk is on Mon 9 March.", "Leeds, the talk is on Mon 16 March.", true},
		{above, "Kept at 2 °C all year.", "Kept at 4 °C all year.", true},
		{above, "", "Tue 3 March. The lift does not run.", true},
	} {
		read := func(at int, text string) Snapshot {
			body := fmt.Sprintf(tt.page, text)
			if tt.page == strip {
				body = wholePage(body)
			}
			page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
			if err != nil {
				t.Fatal(err)
			}
			return NewSnapshot(testTime.Add(time.Duration(at)*time.Hour), page)
		}
		diff := Compare(read(0, tt.before), read(24, tt.after), nil, Options{})
		if diff.Changed != tt.want {
			t.Errorf("%s to %s: got %v, want %v", tt.before, tt.after, diff.Changed, tt.want)
		}
	}
}

// TestWholePages: what says something of all of a page does not make it noise, nor does what is said of one part of it.
func TestWholePages(t *testing.T) {
	t.Parallel()
	read := func(price string) Snapshot {
		body := `<html><head><title>Plans</title></head><body data-variant="b"><div class="promo-layout"><h1>Plans</h1><p>All of our plans are for teams.</p><p>Team: $` + price +
			`</p><ul><li>Mail: Under maintenance</li><li>Web: Operational</li></ul></div></body></html>`
		page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		return NewSnapshot(testTime, page)
	}
	if diff := Compare(read("29"), read("31"), nil, Options{}); !diff.Changed || len(diff.Failed) > 0 {
		t.Errorf("got %+v", diff)
	}
}

// TestFrames: what is around the content is no part beside it, though it may be named after what it has within.
func TestFrames(t *testing.T) {
	t.Parallel()
	const edited = `<h1>Uploads</h1><p>An upload puts one object in a bucket, and may have parts.</p><table><tr><th>timeout</th><td>%s</td></tr></table>`
	menu := "<ul>" + strings.Repeat(`<li><a href="/r">A resource of many</a></li>`, 40) + "</ul>"
	for _, tt := range []struct {
		name, page string
		want       bool
	}{
		{"body for nav", `<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav>Menu</nav><section class="wy-nav-content">` + edited + `</section></div></body>`, true},
		{"body with a sidebar", `<body class="page-sidebar"><div>` + edited + `</div></body>`, true},
		{"sticky header", `<body><div id="fixed-header">` + edited + `</div></body>`, true},
		{"main in a part", `<body><div class="with-nav nav">` + menu + `<div role="main">` + edited + `</div></div></body>`, true},
		{"main in an aside", `<body><aside>` + menu + `<main>` + edited + `</main></aside></body>`, true},
		{"little beside much", `<body>` + menu + `<div class="layout has-sidebar">` + edited + `</div></body>`, true},
		{"version in a menu", `<body><nav><div class="version">v3.%s</div></nav><main><h1>Uploads</h1><p>An upload puts one object in a bucket.</p></main></body>`, true},
		{"sidebar", `<body><main><h1>Uploads</h1><p>An upload puts one object in a bucket.</p></main><div class="sidebar"><p>Look at page %s</p></div></body>`, false},
		{"navigation", `<body class="for-nav"><div class="main-nav">Page %s</div><main><h1>Uploads</h1><p>An upload puts one object in a bucket.</p></main></body>`, false},
	} {
		read := func(value string) Snapshot {
			body := "<html><head><title>Uploads</title></head>" + fmt.Sprintf(tt.page, value) + "</html>"
			page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
			if err != nil {
				t.Fatal(err)
			}
			return NewSnapshot(testTime, page)
		}
		if diff := Compare(read("30"), read("60"), nil, Options{}); diff.Changed != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, diff.Changed, tt.want)
		}
	}
}

// FuzzSettle looks at pages of any bytes: it is no change what only one of the looks has, and a page that is as it was.
func FuzzSettle(f *testing.F) {
	f.Add(wholePage(`<ul><li>a<li>b</ul>`), wholePage(`<ul><li>b<li>c</ul>`), wholePage(`<ul><li>d<li>b</ul>`))
	f.Add(wholePage(`<table><tr><td>1,299.00 €<td>in 3 days`), wholePage(`<table><tr><td>€1299<td>12.05.2026`), wholePage(`<table><tr><td>€1299<td>02.03.2026 x`))
	f.Add("<p>a b c 1</p>", "<h1>x<p>a b d 2 3</p>", "<p>a e d 4</p><p>20260302 5 days</p>")
	f.Add(wholePage(`<div class=card><b>a</b>1</div><div class=card><b>b</b>2 x</div>`), wholePage(`<div class=card><b>a</b>1 y</div>`), wholePage(`<div class=card><b>b</b><p>2<p>3</div>`))
	f.Fuzz(func(t *testing.T, before, first, second string) {
		var pages []Page
		for _, body := range []string{before, first, second} {
			page, err := Read(t.Context(), extract.Source{URL: testURL, MediaType: "text/html", Body: []byte(body)})
			if err != nil {
				return
			}
			pages = append(pages, page)
		}
		noise := &Noise{}
		was, is := NewSnapshot(testTime, pages[0]), NewSnapshot(testTime.AddDate(0, 0, 1), pages[1])
		for _, look := range []int{2, 0, 1} {
			diff := Settle(was, is, func([]string) []Page { return pages[look : look+1] }, noise, Options{})
			checkDiff(t, &diff)
			written, err := json.Marshal(noise)
			if err != nil {
				t.Fatal(err)
			}
			noise = &Noise{}
			if err := json.Unmarshal(written, noise); err != nil {
				t.Fatal(err)
			}
			if diff := Settle(was, was, func([]string) []Page { return pages[look : look+1] }, noise, Options{}); diff.Changed {
				t.Fatalf("a page differs from itself: %s", diff.Unified)
			}
		}
	})
}
