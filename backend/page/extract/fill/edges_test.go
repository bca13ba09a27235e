package fill

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

func TestOrderConstAndDefault(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"z":{"const":"v1"},"name":{"type":"string"},"kind":{"type":"string","default":"unknown"},"a":{"type":"object","properties":{"b":{"type":"string"}}},"l":{"type":"array","items":{"type":"string"}}}}`
	got := fillPage(t, "https://example.com/", `<h1>Lamp</h1>`, schema)
	if want := `{"z":"v1","name":"Lamp","kind":"unknown","a":null,"l":null}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestASchemaThatRefersToItselfEnds(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},"parent":{"$ref":"#"}}}`
	page := `<h1>Tree</h1>` + strings.Repeat(`<div class="children"><h2>A</h2><div class="children"><h3>B</h3></div><div class="children"><h3>C</h3></div></div>`, 5)
	got := fillPage(t, "https://example.com/", page, schema)
	if !strings.Contains(string(got), `"name":"Tree"`) {
		t.Errorf("got %s, want the name of the tree", got)
	}
}

// The result is always the same: it does not depend on the order of maps.
func TestFillIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		first := fillPage(t, s.url, s.page, s.schema)
		for range 3 {
			if again := fillPage(t, s.url, s.page, s.schema); string(again) != string(first) {
				t.Errorf("%s: got %s, then %s", s.name, first, again)
			}
		}
	}
}

func TestOtherBodiesThanPages(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.CompileObject([]byte(`{"type":"object","properties":{"title":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	source := extract.Source{URL: "https://example.com/a.pdf", MediaType: "application/pdf", Body: []byte("%PDF-1.7 <h1>no page</h1>")}
	got, err := Fill(t.Context(), s, source, &extract.Document{Metadata: extract.Metadata{Title: "Report"}})
	if err != nil || string(got) != `{"title":"Report"}` {
		t.Errorf("got %s, %v, want the document's title", got, err)
	}
}

func TestACallerWhoLeaves(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.CompileObject([]byte(corpusSchema))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	page := []byte(strings.Repeat("<p>Price: 1</p>", 5000))
	_, err = Fill(ctx, s, extract.Source{URL: "https://example.com/", MediaType: "text/html", Body: page}, &extract.Document{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// Hostile pages get a bounded amount of work. This only has to end.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"cards in cards":   strings.Repeat(`<div class="card"><b>Name:</b> x <div class="card">`, 60) + strings.Repeat(`</div><h3>a</h3><p>b</p></div>`, 60),
		"many cards":       strings.Repeat(`<div class="product"><h3>a</h3><span class="price">1 €</span></div>`, 5000),
		"many lists":       strings.Repeat(`<ul><li><b>Price</b> 1</li><li><b>Name</b> 2</li></ul>`, 3000),
		"one long label":   `<dl><dt>` + strings.Repeat("price ", 50_000) + `</dt><dd>1</dd></dl>`,
		"many pairs":       `<dl>` + strings.Repeat(`<dt>Price</dt><dd>1</dd>`, 20_000) + `</dl>`,
		"headings in rows": strings.Repeat(`<h2>Reviews</h2><p>x</p>`, 5000),
		"flat":             strings.Repeat(`<h2>Reviews</h2>`, 10) + strings.Repeat(`<p>x: y</p>`, 20_000),
		"classes":          `<p class="` + strings.Repeat("price ", 20_000) + `">1 €</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fillPage(t, "https://example.com/", page, corpusSchema)
		})
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.page, s.schema)
	}
	f.Fuzz(func(t *testing.T, page, text string) {
		s, err := jsonschema.CompileObject([]byte(text))
		if err != nil {
			return
		}
		document, err := extract.Page(t.Context(), []byte(page), extract.Options{BaseURL: "https://example.com/", Structured: true})
		if err != nil {
			return
		}
		source := extract.Source{URL: "https://example.com/", MediaType: "text/html", Body: []byte(page)}
		got, err := Fill(t.Context(), s, source, document)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(got) {
			t.Fatalf("not JSON: %s", got)
		}
	})
}

func BenchmarkFill(b *testing.B) {
	s, err := jsonschema.CompileObject([]byte(corpusSchema))
	if err != nil {
		b.Fatal(err)
	}
	page := []byte(`<html lang="en"><h1>Lamps</h1>` + strings.Repeat(`<div class="product"><h3><a href="/a">Lamp</a></h3><span class="price">1 €</span><p>A lamp of glass.</p></div>`, 500))
	document, err := extract.Page(b.Context(), page, extract.Options{BaseURL: "https://example.com/", Structured: true})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fill(b.Context(), s, extract.Source{URL: "https://example.com/", Body: page}, document); err != nil {
			b.Fatal(err)
		}
	}
}
