package reader

import (
	"context"
	"encoding/json"
	"errors"
	cmdline "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

var update = cmdline.Bool("update", false, "write what the pages of testdata are read as")

// fill reads a page as a scrape does.
func fill(tb testing.TB, url, page, schema string) string {
	tb.Helper()
	s, err := jsonschema.CompileObject([]byte(schema))
	if err != nil {
		tb.Fatal(err)
	}
	source := extract.Source{URL: url, MediaType: "text/html", Body: []byte(page)}
	document, err := extract.Read(tb.Context(), source, extract.Options{BaseURL: url, Structured: true})
	if err != nil {
		tb.Fatal(err)
	}
	got, err := shipped(tb).Fill(tb.Context(), s, source, document)
	if err != nil {
		tb.Fatal(err)
	}
	value, err := jsonschema.Parse(got)
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		tb.Errorf("%s does not follow the schema: %v", got, err)
	}
	return string(got)
}

// TestFillPages fills schemas from pages with structured data, tables and cards, as testdata has them.
func TestFillPages(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no pages under testdata: %v", err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		url, rest, _ := strings.Cut(string(content), "\n-- schema --\n")
		schema, rest, _ := strings.Cut(rest, "\n-- page --\n")
		page, want, ok := strings.Cut(rest, "\n-- want --\n")
		if !ok {
			t.Fatalf("%s: want a URL, then schema, page and want", path)
		}
		got := fill(t, url, page, schema) + "\n"
		if *update {
			if err := os.WriteFile(path, []byte(strings.TrimSuffix(string(content), want)+got), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestPrices reads the price of the page's own subject, and nothing of what else it offers.
func TestPrices(t *testing.T) {
	t.Parallel()
	const (
		price   = `{"type":"object","properties":{"price":{"type":"number"}}}`
		euros   = `{"type":"object","properties":{"price_eur":{"type":"number"}}}`
		related = `<h2>You may also like</h2><div class="related"><div class="card"><h3>Desk lamp</h3><span class="price">$45.00</span></div>
			<div class="card"><h3>Floor lamp</h3><span class="price">$210.00</span></div></div>`
		jsonLD = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Harbour lamp","offers":{"@type":"Offer","price":"PRICE","priceCurrency":"USD"}}</script>`
	)
	for _, tt := range []struct{ name, body, schema, want string }{
		{"JSON-LD", strings.Replace(jsonLD, "PRICE", "1779.00", 1) + `<h1>Harbour lamp</h1>` + related, price, `{"price":1779}`},
		{"JSON-LD with a sign", strings.Replace(jsonLD, "PRICE", "$1,779.00", 1) + `<h1>Harbour lamp</h1>` + related, price, `{"price":1779}`},
		{"JSON-LD in another currency", strings.Replace(jsonLD, "PRICE", "18", 1) + `<h1>Harbour lamp</h1>`, euros, `{"price_eur":null}`},
		{"microdata", `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Harbour lamp</h1><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
			<span itemprop="price">$1,779.00</span></div></div>` + related, price, `{"price":1779}`},
		{"microdata with content", `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Harbour lamp</h1><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
			<meta itemprop="priceCurrency" content="USD"><span itemprop="price" content="18.50">$18</span></div></div>`, price, `{"price":18.5}`},
		{"bare", `<h1>Harbour lamp</h1><div class="product"><span class="price">$18</span><button>Add to cart</button></div>`, price, `{"price":18}`},
		{"label", `<h1>Harbour lamp</h1><p><b>Price</b>: €49.00</p>`, price, `{"price":49}`},
		{"only of others", `<h1>Harbour lamp</h1><p>This lamp is out of stock and not sold any more.</p>` + related, price, `{"price":null}`},
		{"structured data only of others", `<h1>Harbour lamp</h1><script type="application/ld+json">[{"@type":"Product","name":"Desk lamp","offers":{"price":45}},
			{"@type":"Product","name":"Floor lamp","offers":{"price":210}}]</script>`, price, `{"price":null}`},
		{"one of two items has the page's title", `<h1>Harbour lamp</h1><script type="application/ld+json">[{"@type":"Product","name":"Desk lamp","offers":{"price":45}},
			{"@type":"Product","name":"Harbour lamp","offers":{"price":18}}]</script>`, price, `{"price":18}`},
	} {
		if got := fill(t, pageURL, `<!doctype html><html lang="en"><head><title>Harbour lamp</title></head><body><main>`+tt.body+`</main></body></html>`, tt.schema); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestFillForms converts what structured data says to the types of schemas.
func TestFillForms(t *testing.T) {
	t.Parallel()
	const page = `<html lang="en-US"><h1>Loom</h1><script type="application/ld+json">{"@type":"Product","name":"Loom","sku":"L-1","weight":"2.4 kg","image":"/loom.jpg",
		"releaseDate":"2026-03-02T08:15:00-05:00","url":"javascript:alert(1)","color":["red","blue"],"brand":{"@type":"Brand","name":"Norlys"},
		"offers":{"price":18,"priceCurrency":"USD","availability":"https://schema.org/InStock"},"aggregateRating":{"ratingValue":"4.5","reviewCount":"1,204"}}</script>`
	for schema, want := range map[string]string{
		`"sku":{"type":"string"}`:                                   `"L-1"`,
		`"product_sku":{"type":["string","null"]}`:                  `"L-1"`,
		`"weight_kg":{"type":"number"}`:                             `2.4`,
		`"weight_lb":{"type":"number"}`:                             `null`,
		`"image":{"type":"string","format":"uri"}`:                  `"https://shop.example/loom.jpg"`,
		`"url":{"type":"string","format":"uri"}`:                    `null`,
		`"release_date":{"type":"string","format":"date"}`:          `"2026-03-02"`,
		`"release_date":{"type":"string","format":"date-time"}`:     `"2026-03-02T08:15:00-05:00"`,
		`"color":{"type":"array","items":{"type":"string"}}`:        `["red","blue"]`,
		`"brand":{"type":"string"}`:                                 `"Norlys"`,
		`"brand":{"type":"object","properties":{"name":{}}}`:        `{"name":"Norlys"}`,
		`"currency":{"type":"string"}`:                              `"USD"`,
		`"in_stock":{"type":"boolean"}`:                             `true`,
		`"availability":{"enum":["in_stock","sold_out"]}`:           `"in_stock"`,
		`"rating":{"type":"number"}`:                                `4.5`,
		`"rating":{"type":"number","maximum":4}`:                    `null`,
		`"review_count":{"type":"integer"}`:                         `1204`,
		`"kind":{"const":"v1"}`:                                     `"v1"`,
		`"kind":{"type":"string","default":"unknown"}`:              `"unknown"`,
		`"captain":{"type":"object","properties":{"age":{}}}`:       `null`,
		`"crew":{"type":"array","items":{"type":"string"}}`:         `null`,
		`"anchor":{"type":"object","description":"of any members"}`: `null`,
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(schema, `"`), `"`)
		if got := fill(t, pageURL, page, `{"type":"object","properties":{`+schema+`}}`); got != `{"`+name+`":`+want+`}` {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestASchemaThatRefersToItselfEnds(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"title":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},"parent":{"$ref":"#"}}}`
	page := `<title>Tree</title><h1>Tree</h1>` + strings.Repeat(`<div class="children"><h2>A</h2><div class="children"><h3>B</h3></div><div class="children"><h3>C</h3></div></div>`, 5)
	if got := fill(t, pageURL, page, schema); !strings.HasPrefix(got, `{"title":"Tree"`) {
		t.Errorf("got %s, want the title of the tree", got)
	}
}

func TestFillOtherBodies(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.CompileObject([]byte(`{"type":"object","properties":{"title":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	source := extract.Source{URL: "https://example.com/a.pdf", MediaType: "application/pdf", Body: []byte("%PDF-1.7 <h1>no page</h1>")}
	got, err := shipped(t).Fill(t.Context(), s, source, &extract.Document{Metadata: extract.Metadata{Title: "Report"}})
	if err != nil || string(got) != `{"title":"Report"}` {
		t.Errorf("got %s, %v, want the document's title", got, err)
	}
}

// manyFields has many fields that most pages lack.
const manyFields = `{"type":"object","properties":{"title":{"type":"string"},"author":{"type":"string"},"publish_date":{"type":"string","format":"date"},
	"price":{"type":"number"},"currency":{"type":"string"},"brand":{"type":"string"},"email":{"type":"string"},"phone":{"type":"string"},
	"rating":{"type":"number"},"address":{"type":"string"},"weight_kg":{"type":"number"},"company":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
	"comments":{"type":"array","items":{"type":"object","properties":{"author":{"type":"string"},"text":{"type":"string"}}}},
	"products":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}}}}`

func TestACallerWhoLeaves(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.CompileObject([]byte(manyFields))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = shipped(t).Fill(ctx, s, extract.Source{URL: pageURL, MediaType: "text/html", Body: []byte(`<p>Price: 1</p>`)}, &extract.Document{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// Hostile pages get a bounded amount of work. This only has to end.
func TestFillHostilePages(t *testing.T) {
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
			fill(t, pageURL, page, manyFields)
		})
	}
}

func FuzzFill(f *testing.F) {
	f.Add(article, manyFields)
	f.Add(product, `{"type":"object","properties":{"name":{"type":"string"},"offers":{"type":"object","properties":{"price":{"type":"number"}}}}}`)
	f.Fuzz(func(t *testing.T, page, text string) {
		s, err := jsonschema.CompileObject([]byte(text))
		if err != nil {
			return
		}
		document, err := extract.Page(t.Context(), []byte(page), extract.Options{BaseURL: pageURL, Structured: true})
		if err != nil {
			return
		}
		got, err := shipped(t).Fill(t.Context(), s, extract.Source{URL: pageURL, MediaType: "text/html", Body: []byte(page)}, document)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(got) {
			t.Fatalf("not JSON: %s", got)
		}
	})
}

func BenchmarkFill(b *testing.B) {
	s, err := jsonschema.CompileObject([]byte(manyFields))
	if err != nil {
		b.Fatal(err)
	}
	page := []byte(`<html lang="en"><h1>Lamps</h1>` + strings.Repeat(`<div class="product"><h3><a href="/a">Lamp</a></h3><span class="price">1 €</span><p>A lamp of glass.</p></div>`, 500))
	document, err := extract.Page(b.Context(), page, extract.Options{BaseURL: pageURL, Structured: true})
	if err != nil {
		b.Fatal(err)
	}
	r := shipped(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Fill(b.Context(), s, extract.Source{URL: pageURL, MediaType: "text/html", Body: page}, document); err != nil {
			b.Fatal(err)
		}
	}
}
