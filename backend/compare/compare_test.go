package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// wholePage puts a body into a page with enough in it to be one.
func wholePage(body string) string {
	return `<!doctype html><html lang="en"><head><title>A page of the shop</title></head><body><main><h1>A page of the shop</h1>` +
		`<p>We sell lamps, chairs and desks to everybody who needs some.</p>` + body + `</main></body></html>`
}

func visit(t testing.TB, at int, body string) Snapshot {
	t.Helper()
	return NewSnapshot(testTime.AddDate(0, 0, at), read(t, wholePage(body)))
}

// TestFields compares what was extracted.
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
			page := read(t, wholePage(fmt.Sprintf("<p>Something else %c.</p>", 'a'+at)))
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
	good, other := read(t, lampPage), read(t, wholePage(`<p>Another page with a text of its own.</p>`))
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
		soft := NewSnapshot(testTime, read(t, body))
		diff := Compare(first, soft, nil, Options{})
		if diff.Changed || len(diff.Failed) != 1 {
			t.Errorf("%s: got %+v, want a failure", body, diff)
		}
		kept := soft.Keep(first)
		if diff := Compare(kept, NewSnapshot(testTime, read(t, strings.Replace(lampPage, "$129.00", "$119.00", 1))), nil, Options{}); !diff.Changed {
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
			if diff := Compare(pair[0], pair[1], nil, Options{}); diff.Changed || len(diff.Other) > 0 {
				t.Fatalf("draw %d: %s %+v", seed, diff.Summary, diff.Other)
			}
		}
	}
}

// TestNoiseStaysSmall over many runs that differ everywhere, each in its own way.
func TestNoiseStaysSmall(t *testing.T) {
	t.Parallel()
	noise, r := &Noise{}, rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		d := &difference{places: []string{placeOf(r.Uint64N(5000)), placeOf(r.Uint64())}, was: fmt.Sprint(r.Uint64()), now: fmt.Sprint(r.Uint64())}
		noise.vary(d)
		noise.change(d)
		noise.Runs++
		noise.bound()
	}
	written, err := json.Marshal(noise)
	if err != nil || len(noise.Places) > placesMax || len(written) > 2_000_000 {
		t.Errorf("got %d places and %d bytes, %v", len(noise.Places), len(written), err)
	}
}

// TestWeights: the model that is compiled in can be read, and what it writes is the same.
func TestWeights(t *testing.T) {
	t.Parallel()
	m, err := readModel(weights)
	if err != nil {
		t.Fatal(err)
	}
	if again := m.Append(nil); string(again) != string(weights) {
		t.Errorf("got %d bytes, want the same %d", len(again), len(weights))
	}
	for _, damaged := range [][]byte{nil, weights[:len(weights)/2], weights[:20]} {
		if _, err := readModel(damaged); err == nil {
			t.Errorf("got no error of %d bytes", len(damaged))
		}
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
func checkDiff(t testing.TB, diff *Diff) {
	t.Helper()
	if !utf8.ValidString(diff.Unified) || !utf8.ValidString(diff.Summary) || len(diff.Unified) > unifiedBytesMax || len(diff.Summary) > summaryBytesMax+len("…") {
		t.Fatalf("got %d and %d bytes: %q", len(diff.Unified), len(diff.Summary), diff.Summary)
	}
	if len(diff.Changes) > changesMax || len(diff.Other) > changesMax || diff.Changed != (len(diff.Changes) > 0) && diff.More == 0 {
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
	f.Add([]byte(`{"pages":[{"url":"a","blocks":[{"kind":"row","text":"x","under":9,"fork":-3,"depth":99,"head":7,"group":-1}]}]}`),
		[]byte(`{"pages":[{"url":"a","blocks":[{"kind":"heading","text":"y","under":1,"level":99}]},{"url":"a"}]}`), []byte(`{"comparisons":-1,"history":{"a":{"r":9,"c":3,"s":[1]},"b":null},"looked_at":{"b":7}}`), []byte(`{"format":"date"}`))
	f.Add([]byte(`{"pages":[{"url":"a","data":{"a":[1,2]}}]}`), []byte(`{"pages":[{"url":"a","data":[{"id":1}]}]}`), []byte(`{}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, first, second, learned, schema []byte) {
		var before, after Snapshot
		var noise Noise
		if json.Unmarshal(first, &before) != nil || json.Unmarshal(second, &after) != nil || json.Unmarshal(learned, &noise) != nil {
			return
		}
		before, after = NewSnapshot(before.At, before.Pages...), NewSnapshot(after.At, after.Pages...)
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

// FuzzWords reads texts of any kind.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"1,299.00 €", "12.05.2026 14:03:22 UTC", "v2.3.1-rc1", "in 3 days, 5m ago", "٣ ½ １２", "8f3a-2b1c", "1\u00a0299,5", "(3) x", "漢字 かな"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = cleanText(text)
		if !utf8.ValidString(text) || cleanText(text) != text {
			t.Fatalf("not canonical: %q", text)
		}
		end := 0
		for _, w := range wordsOf(text) {
			if w.from < end || w.to <= w.from || w.to > len(text) {
				t.Fatalf("got a word from %d to %d after %d", w.from, w.to, end)
			}
			end = w.to
		}
		shapeOf(text)
		valuesOf(text, text+" 1")
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
