package agent_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
)

const lampPage = `<html><head><title>Harbour Lamp</title></head><body><main><h1>Harbour Lamp</h1>
<p>The Harbour Lamp costs 12.50 EUR and weighs 2,345 g. It was sold 112 times.</p>
<p>It is tagged: brass, outdoor.</p><p>Delivery is 4 days. The Pier Lamp costs 19.90 EUR.</p>
<p><a href="/parts">Parts of the lamp</a></p></main></body></html>`

const partsPage = `<html><head><title>Parts</title></head><body><main><h1>Parts</h1><table><tr><th>Part</th><th>Count</th></tr>
<tr><td>Lens</td><td>1</td></tr><tr><td>Screw</td><td>8</td></tr></table><p>Spare parts cost 3.75 EUR each.</p></main></body></html>`

func lampWorld(t testing.TB) *world {
	t.Helper()
	return newWorld(t, map[string]string{"/lamp": lampPage, "/parts": partsPage})
}

const (
	priceQuote = "The Harbour Lamp costs 12.50 EUR"
	wantLamp   = `{"name":"Harbour Lamp","price":12.5,"currency":"EUR","tags":["brass","outdoor"],"parts":[{"part":"Lens","count":1},{"part":"Screw","count":8}]}`
	wantNone   = `{"name":"NOT_FOUND","price":"NOT_FOUND","currency":"NOT_FOUND","tags":"NOT_FOUND","parts":"NOT_FOUND"}`
)

// lampClaims are all the correct claims.
func lampClaims(w *world) []claim {
	lamp, parts := w.site.URL+"/lamp", w.site.URL+"/parts"
	return []claim{
		{"/name", "Harbour Lamp", lamp, priceQuote},
		{"/price", 12.5, lamp, priceQuote},
		{"/currency", "EUR", lamp, priceQuote},
		{"/tags/0", "brass", lamp, "It is tagged: brass, outdoor."},
		{"/tags/1", "outdoor", lamp, "It is tagged: brass, outdoor."},
		{"/parts/0/part", "Lens", parts, "Lens | 1"},
		{"/parts/0/count", "1", parts, "Lens | 1"},
		{"/parts/1/part", "Screw", parts, "Screw | 8"},
		{"/parts/1/count", 8, parts, "Screw | 8"},
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		w := lampWorld(t)
		got := try(t, provider, llmdouble.Steps(
			turn(search("Harbour Lamp price")), turn(open(w.site.URL+"/lamp#top")), turn(open(w.site.URL+"/parts"), more(w.site.URL+"/lamp", 1)), turn(submit(lampClaims(w)...)),
		), w, lampTask(t), agent.Options{})
		if got.err != nil || string(got.answer.JSON) != wantLamp || len(got.answer.Citations) != 9 || got.instead.asked != 0 {
			t.Fatalf("got %s, %+v, %v, want %s", got.answer.JSON, got.answer.Citations, got.err, wantLamp)
		}
		if want := []string{w.site.URL + "/lamp", w.site.URL + "/parts"}; !slices.Equal(got.answer.Sources, want) || !slices.Equal(w.openedURLs(), want) {
			t.Errorf("got sources %v, opened %v, want %v", got.answer.Sources, w.openedURLs(), want)
		}
		if r := got.record; r.Steps != 4 || r.Usage != (llm.Usage{Input: 400, Output: 80}) || r.Cost != 560 || r.Model != "toy-1-2026" {
			t.Errorf("got %+v, want what four steps use", r)
		}
		first := got.asked[0].Last().Text
		for _, part := range []string{"Harbour Lamp cost", "2026-03-01", "/price; number", "/tags/*; string", "/parts/*/count; number"} {
			if !strings.Contains(first, part) {
				t.Errorf("%q is missing of the task:\n%s", part, first)
			}
		}
	})
}

func TestStrangersTextStandsBetweenCodes(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		codes := map[string]bool{}
		for range 2 {
			w := lampWorld(t)
			w.file("7", `{"note":"The brass is old."}`)
			script := func(n int, r llmdouble.Request) llmdouble.Turn {
				return llmdouble.Steps(turn(search("x")), turn(open(w.site.URL+"/lamp")), turn(submit(lampClaims(w)[:1]...)))(n, r)
			}
			got := try(t, provider, script, w, lampTask(t), agent.Options{})
			code := got.asked[0].System[strings.Index(got.asked[0].System, "the code ")+len("the code "):][:32]
			codes[code] = true
			last := got.asked[2].Messages
			for _, tc := range []struct{ text, words string }{
				{last[0].Text, "The brass is old."}, {last[2].Results[0].Text, "A lamp for harbours."}, {last[4].Results[0].Text, "2,345 g"},
			} {
				at, begin, end := strings.Index(tc.text, tc.words), strings.Index(tc.text, "=== begin of "), strings.LastIndex(tc.text, "=== end of ")
				if at < begin || at > end || begin < 0 || strings.Count(tc.text, code) != 2 {
					t.Errorf("%q does not stand between codes:\n%s", tc.words, tc.text)
				}
			}
			for _, asked := range got.asked {
				if asked.System != got.asked[0].System || strings.Contains(asked.System, "brass") {
					t.Errorf("the system's part changes: %s", asked.System)
				}
			}
		}
		if len(codes) != 2 {
			t.Errorf("got the same code twice")
		}
	})
}

func TestRefusedValuesAreSaidAndMended(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		w := lampWorld(t)
		lamp := w.site.URL + "/lamp"
		got := try(t, provider, llmdouble.Steps(
			turn(search("x")), turn(open(lamp)),
			turn(submit(claim{"/name", "Harbour Lamp", lamp, priceQuote}, claim{"/price", 13, lamp, priceQuote})),
			turn(submit(claim{"/price", "12.50", lamp, priceQuote})),
		), w, lampTask(t), agent.Options{})
		if want := `{"name":"Harbour Lamp","price":12.50,`; !strings.HasPrefix(string(got.answer.JSON), want) {
			t.Errorf("got %s, %v, want %s", got.answer.JSON, got.err, want)
		}
		if said := got.asked[3].Last().Results[0].Text; !strings.Contains(said, "/price") || strings.Contains(said, "/name") {
			t.Errorf("got %q, want it to name the price alone", said)
		}
	})
}

func TestWhatIsSupportedCountsWhenTheBudgetEnds(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		w := lampWorld(t)
		lamp := w.site.URL + "/lamp"
		half := turn(submit(claim{"/name", "Harbour Lamp", lamp, priceQuote}, claim{"/price", 99, lamp, priceQuote}))
		for name, last := range map[string]llmdouble.Turn{
			"submits": turn(submit(claim{"/price", 12.5, lamp, priceQuote})), "writes": {Text: "I cannot say."}, "fails": {Status: 400, Raw: `{"error":{"message":"no"}}`},
		} {
			script := func(n int, r llmdouble.Request) llmdouble.Turn {
				switch {
				case r.Object || n == 4:
					return last
				case n < 2:
					return []llmdouble.Turn{turn(search("x")), turn(open(lamp))}[n]
				}
				return half
			}
			got := try(t, provider, script, w, lampTask(t), agent.Options{Budget: llm.Budget{Steps: 5}})
			want := `{"name":"Harbour Lamp","price":"NOT_FOUND",`
			if name == "submits" {
				want = `{"name":"Harbour Lamp","price":12.5,`
			}
			if got.err != nil || !strings.HasPrefix(string(got.answer.JSON), want) || got.instead.asked != 0 {
				t.Errorf("%s: got %s, %v, want %s", name, got.answer.JSON, got.err, want)
			}
		}
	})
}

func TestAListIsReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		w := lampWorld(t)
		lamp := w.site.URL + "/lamp"
		const quote = "It is tagged: brass, outdoor."
		got := try(t, provider, llmdouble.Steps(
			turn(search("x")), turn(open(lamp)),
			turn(submit(claim{"/tags/0", "outdoor", lamp, quote}, claim{"/price", 1, lamp, quote})),
			turn(submit(claim{"/tags/0", "brass", lamp, quote}, claim{"/tags/1", "outdoor", lamp, quote})),
		), w, lampTask(t), agent.Options{})
		if !strings.Contains(string(got.answer.JSON), `"tags":["brass","outdoor"]`) {
			t.Errorf("got %s, want the second list", got.answer.JSON)
		}
	})
}

func TestURLsAreOnlyOpenedAsTheyWereFound(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		for name, tc := range map[string]struct {
			url  string
			open bool
		}{
			"found": {"SITE/lamp", true}, "found, with a fragment": {"SITE/lamp#price", true}, "linked": {"SITE/parts", true},
			"named": {"SITE/named?x=1", true}, "guessed": {"SITE/about", false}, "found, and a query": {"SITE/lamp?leak=ORDER-7731", false},
			"found, and a path": {"SITE/lamp/ORDER-7731", false}, "named, and more": {"SITE/named?x=1&leak=2", false}, "in a file": {"SITE/filed", false},
			"in a snippet": {"SITE/snippet", false}, "in the page's text": {"SITE/told", false}, "a file of ours": {"file:///etc/passwd", false},
			"data": {"data:text/html,x", false}, "nothing": {"", false}, "with a name": {strings.Replace("SITE/lamp", "http://", "http://leak@", 1), true},
		} {
			w := newWorld(t, map[string]string{
				"/lamp": strings.Replace(lampPage, "</main>", "<p>See SITE/told for more.</p></main>", 1), "/parts": partsPage, "/named?x=1": partsPage,
			})
			w.results[0].Snippet = "See " + w.site.URL + "/snippet"
			w.file("1", `{"see":"`+w.site.URL+`/filed"}`)
			task := lampTask(t)
			task.Text += " See " + w.site.URL + "/named?x=1."
			address := strings.ReplaceAll(tc.url, "SITE", w.site.URL)
			try(t, provider, llmdouble.Steps(turn(search("x")), turn(open(w.site.URL+"/lamp")), turn(open(address)), turn(submit())), w, task, agent.Options{})
			key, _, _ := strings.Cut(address, "#")
			if got := slices.Contains(w.openedURLs(), key); got != tc.open || len(w.openedURLs()) > 2 {
				t.Errorf("%s: opened %v, want %t", name, w.openedURLs(), tc.open)
			}
		}
	})
}

func TestACallerWhoLeaves(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider) {
		ctx, cancel := context.WithCancel(t.Context())
		d := llmdouble.New(t, provider, func(int, llmdouble.Request) llmdouble.Turn {
			cancel()
			return llmdouble.Turn{Hang: true}
		})
		instead := &nobody{}
		_, err := agent.New(d.Client(), instead, agent.Options{}, slog.New(slog.DiscardHandler)).Answer(ctx, lampTask(t), lampWorld(t))
		if !errors.Is(err, context.Canceled) || instead.asked != 0 {
			t.Errorf("got %v, want the cancellation", err)
		}
	})
}
