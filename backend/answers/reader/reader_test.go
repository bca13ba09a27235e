package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// world is pages in memory. A search finds all of them.
type world struct{ pages, given []*ask.Source }

func (w *world) Search(context.Context, string, int) ([]websearch.Result, error) {
	var out []websearch.Result
	for _, source := range w.pages {
		out = append(out, websearch.Result{URL: source.URL})
	}
	return out, nil
}

func (w *world) Open(_ context.Context, url string) (*ask.Source, error) {
	for _, source := range w.pages {
		if source.URL == url {
			return source, nil
		}
	}
	return nil, errors.New("no such page")
}

func (w *world) Given() []*ask.Source { return w.given }

const pageURL = "https://shop.example/page"

func sourceOf(t testing.TB, url, body string) *ask.Source {
	t.Helper()
	from := extract.Source{URL: url, MediaType: "text/html", Body: []byte(body)}
	document, err := extract.Read(t.Context(), from, extract.Options{Structured: true})
	if err != nil {
		t.Fatal(err)
	}
	return &ask.Source{URL: url, Title: document.Metadata.Title, Document: document, Page: from, Named: url == pageURL}
}

func shipped(t testing.TB) *Reader {
	t.Helper()
	m, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return New(m)
}

func answer(t testing.TB, w ask.World, text, format string) ask.Answer {
	t.Helper()
	f, err := ask.ParseFormat(json.RawMessage(format))
	if err != nil {
		t.Fatal(err)
	}
	got, err := shipped(t).Answer(t.Context(), ask.Task{Text: text, Format: f}, w)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// schema is a form of one field, given as "type name: description".
func schema(field string) string {
	head, described, _ := strings.Cut(field, ": ")
	kind, name, _ := strings.Cut(head, " ")
	inner, _ := json.Marshal(map[string]any{"type": kind, "description": described})
	return `{"type":"object","properties":{"` + name + `":` + string(inner) + `}}`
}

// article and product are pages as many sites have them.
const (
	article = `<html lang="en-US"><head><title>Rowing boats for rent at Lake Orla | Orla Times</title>
<meta property="article:published_time" content="2024-05-19T08:00:00Z"><meta name="author" content="Maren Aldous">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Rowing boats for rent at Lake Orla","datePublished":"2024-05-19T08:00:00Z","author":{"@type":"Person","name":"Maren Aldous"}}</script></head>
<body><header><nav><a href="/">Home</a> <a href="/news">News</a></nav></header>
<main><article><h1>Rowing boats for rent at Lake Orla</h1><p class="byline">By Maren Aldous</p><p class="date">Published May 19, 2024</p><p>6 min read</p>
<p>The lake has 42 rowing boats, and more are being built in the yard behind the pier. They are rented from April on, said the harbour office.</p>
<p>People come from the whole valley to row here, and the town has widened the road and added a bus from the station.</p></article></main>
<footer><p>Call us: <a href="tel:+1-800-555-0142">800-555-0142</a></p><p>E-mail: <a href="mailto:desk@orla-times.example">Write to the newsroom</a></p><p>© 2024 Orla Times</p></footer></body></html>`
	product = `<html lang="en"><head><title>Harbour Lamp 40 - Lamps - Example Shop</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Harbour Lamp 40","sku":"HL-4077","brand":{"@type":"Brand","name":"Norlys"},"offers":{"@type":"Offer","price":"129.95","priceCurrency":"USD","availability":"https://schema.org/InStock"}}</script></head>
<body><main><h1>Harbour Lamp 40</h1><div class="price">$129.95</div><p>In stock</p><p>A lamp of brass for the garden, made by hand, that stands wind and rain for years.</p>
<h2>Specifications</h2><table><tr><th>Weight</th><td>2.4 kg</td></tr><tr><th>Height</th><td>40 cm</td></tr><tr><th>Material</th><td>Brass</td></tr><tr><th>Warranty</th><td>5 years</td></tr><tr><th>SKU</th><td>HL-4077</td></tr></table></main></body></html>`
)

// TestGoldens pins what the reader gives and what it does not.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, page, task, field, want string }{
		{"date of publication", article, "When was the article published?", "string published: Date of publication, YYYY-MM-DD", `"2024-05-19"`},
		{"author", article, "Who wrote the article?", "string author: Author of the article", `"Maren Aldous"`},
		{"e-mail address that only a link has", article, "E-mail of the newsroom", "string email: E-mail address of the newsroom", `"desk@orla-times.example"`},
		{"phone in the footer", article, "Phone number of the paper", "string phone: Phone number", `"+1-800-555-0142"`},
		{"no price where there is none", article, "What does a subscription cost?", "number subscription_price: Price of a subscription, in USD", `"NOT_FOUND"`},
		{"no fax", product, "Fax number", "string fax: Fax number of the shop", `"NOT_FOUND"`},
		{"no e-mail", product, "E-mail address", "string email: E-mail address of the shop", `"NOT_FOUND"`},
		{"price as a number", product, "Price of the lamp", "number price: Price, in USD", `129.95`},
		{"weight in a table", product, "Weight of the lamp", "number weight_kg: Weight in kg", `2.4`},
		{"another unit is not given", product, "Weight of the lamp", "number weight_lb: Weight in pounds", `"NOT_FOUND"`},
		{"height in a table", product, "Height of the lamp", "number height_cm: Height in cm", `40`},
		{"warranty", product, "Warranty of the lamp", "integer warranty_years: Warranty in years", `5`},
		{"no brightness", product, "How bright is it?", "integer lumens: Brightness in lumens", `"NOT_FOUND"`},
	} {
		got := answer(t, &world{pages: []*ask.Source{sourceOf(t, pageURL, tt.page)}}, tt.task+" "+pageURL, schema(tt.field))
		var values map[string]json.RawMessage
		if err := json.Unmarshal(got.JSON, &values); err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			if string(value) != tt.want {
				t.Errorf("%s: got %s, want %s", tt.name, value, tt.want)
			}
			if given := string(value) != `"NOT_FOUND"`; given != (len(got.Citations) == 1) {
				t.Errorf("%s: got the citations %v for %s", tt.name, got.Citations, value)
			}
		}
	}
}

// TestRange holds numbers to the bounds of the schema.
func TestRange(t *testing.T) {
	t.Parallel()
	w := &world{pages: []*ask.Source{sourceOf(t, pageURL, product)}}
	const format = `{"type":"object","properties":{"weight_kg":{"type":"number","description":"Weight in kg","maximum":2}}}`
	if got := answer(t, w, "Weight of the lamp "+pageURL, format); string(got.JSON) != `{"weight_kg":"NOT_FOUND"}` {
		t.Errorf("got %s, want nothing above the maximum", got.JSON)
	}
}

// TestSearches takes values from pages that a search finds only if they have the names of the task.
func TestSearches(t *testing.T) {
	t.Parallel()
	w := &world{pages: []*ask.Source{sourceOf(t, "https://shop.example/lamp", product)}}
	const format = `{"type":"object","properties":{"weight_kg":{"type":"number","description":"Weight in kg"}}}`
	if got := answer(t, w, "Weight of the Harbour Lamp 40", format); string(got.JSON) != `{"weight_kg":2.4}` {
		t.Errorf("its own page: got %s, want 2.4", got.JSON)
	}
	for _, task := range []string{"Weight of the Harbour Lamp 60", "Weight of a lamp"} {
		if got := answer(t, w, task, format); string(got.JSON) != `{"weight_kg":"NOT_FOUND"}` {
			t.Errorf("%s: got %s, want nothing", task, got.JSON)
		}
	}
}

// TestSearchesForRareWords tells pages by words that others do not have.
func TestSearchesForRareWords(t *testing.T) {
	t.Parallel()
	w := &world{pages: []*ask.Source{sourceOf(t, "https://docket.example/hollerby", `<html><head><title>The docket hollerby</title></head><body><main><h1>The docket hollerby</h1>
<p>The harbour office keeps the docket hollerby for its owner, and says nothing about it to anybody else.</p><p>Docket number: 4711</p></main></body></html>`)}}
	got := answer(t, w, "What is the docket number of the docket hollerby?", `{"docket_number": "the docket's number"}`)
	if string(got.JSON) != `{"docket_number":"4711"}` {
		t.Errorf("got %s, want 4711", got.JSON)
	}
}

// TestFiles reads members of context files by the names of fields.
func TestFiles(t *testing.T) {
	t.Parallel()
	file := func(content string) *ask.Source {
		return &ask.Source{URL: "file:1", JSON: json.RawMessage(content), Document: &extract.Document{Text: content}, Named: true}
	}
	for _, tt := range []struct{ content, want string }{
		{`{"name": "Elm", "berths": 24}`, `{"berths":24}`},
		{`[{"berths": 24}, {"berths": 25}]`, `{"berths":"NOT_FOUND"}`},
		{`{"boats": 24}`, `{"berths":"NOT_FOUND"}`},
		{`{"berths": "many"}`, `{"berths":"NOT_FOUND"}`},
	} {
		if got := answer(t, &world{given: []*ask.Source{file(tt.content)}}, "How many berths?", `{"berths":0}`); string(got.JSON) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.content, got.JSON, tt.want)
		}
	}
}

// TestAnswersAreTheSame reads pages again.
func TestAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	const format = `{"author":"","published":"date","price":0,"phone":"","colours":["name of a colour"],"in_stock":true}`
	first := ""
	for range 3 {
		got := answer(t, &world{pages: []*ask.Source{sourceOf(t, pageURL, product+article)}}, "All about it "+pageURL, format)
		if first == "" {
			first = string(got.JSON)
		}
		if string(got.JSON) != first {
			t.Errorf("got %s, then %s", first, got.JSON)
		}
	}
}

// TestWeights writes the shipped model as it was read, and refuses damaged ones.
func TestWeights(t *testing.T) {
	t.Parallel()
	m := shipped(t).model
	packed, err := m.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := readModel(packed)
	if err != nil || !reflect.DeepEqual(again.Rarity, m.Rarity) || again.TrustMin != m.TrustMin || !bytes.Equal(packed, weights) {
		t.Errorf("got %v, want the same model", err)
	}
	for _, n := range []int{0, 5, len(packed) / 2, len(packed) - 1} {
		if _, err := readModel(packed[:n]); !errors.Is(err, errWeights) {
			t.Errorf("%d bytes: got %v, want that they are damaged", n, err)
		}
	}
}

// FuzzAnswer reads pages of any bytes. Whatever is given must stand in the page.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(article))
	f.Add([]byte(product))
	f.Add([]byte("<table><tr><td>a: $1,000 (<a href='mailto:%20x@y.example?s'>"))
	f.Add([]byte("<ul><li>€ 5<li>٣٤ May 2024 +49 (0)30 1234567 24/7 Mon–Fri"))
	format, err := ask.ParseFormat(json.RawMessage(`{"price":0,"cost":"","published":"date","phone":"","email":"","address":"","hours":"","author":"","colours":["x"],"open":true,"id":""}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		from := extract.Source{URL: pageURL, MediaType: "text/html", Body: bytes.ToValidUTF8(body, nil)}
		document, err := extract.Read(t.Context(), from, extract.Options{Structured: true})
		if err != nil {
			return
		}
		source := &ask.Source{URL: pageURL, Title: document.Metadata.Title, Document: document, Page: from, Named: true}
		got, err := shipped(t).Answer(t.Context(), ask.Task{Text: "All of it " + pageURL, Format: format}, &world{pages: []*ask.Source{source}})
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(got.JSON) {
			t.Errorf("got %q, want JSON", got.JSON)
		}
	})
}
