package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// runBuiltIn runs a built-in parser on a page and returns its result.
func runBuiltIn(t *testing.T, name string, source extract.Source) (map[string]any, []Fault) {
	t.Helper()
	all, err := BuiltIns()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.Name != OwnPrefix+name {
			continue
		}
		out, err := b.Do(t.Context(), source, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var result map[string]any
		if out.JSON != nil {
			if err := json.Unmarshal(out.JSON, &result); err != nil {
				t.Fatal(err)
			}
		}
		return result, out.Faults
	}
	t.Fatalf("there is no parser %s", name)
	return nil, nil
}

func page(body string) extract.Source {
	return extract.Source{URL: "https://shop.example/items/1", MediaType: "text/html", Body: []byte(body)}
}

// wantJSON compares some members of a result, as JSON.
func wantJSON(t *testing.T, result map[string]any, want map[string]string) {
	t.Helper()
	for _, name := range sortedKeys(want) {
		got, err := EncodeJSON(result[name])
		if err != nil || string(got) != want[name] {
			t.Errorf("%s: got %s, want %s", name, got, want[name])
		}
	}
}

const filler = `Steel boils water faster than clay, and the handle of this one stays cool, which is why people who own it write
about it at length, in letters that are kept for later readers, who then buy one as well and write in turn. `

func TestProduct(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body string
		want       map[string]string
	}{
		{"JSON-LD", `<title>x</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Steel  Kettle","sku":"K-1","gtin13":"4006381333931",
			"brand":{"@type":"Brand","name":"Hot"},"description":"A <b>good</b> kettle &amp; lid","image":["/a.jpg",{"@type":"ImageObject","url":"b.jpg"}],"category":"Kitchen",
			"aggregateRating":{"@type":"AggregateRating","ratingValue":"4.5","reviewCount":"1,204","bestRating":5},
			"offers":[{"@type":"Offer","price":"49.90","priceCurrency":"EUR","availability":"https://schema.org/InStock","itemCondition":"NewCondition","seller":{"name":"Anna"},"url":"?o=1","priceValidUntil":"2030-01-31"},
			{"@type":"Offer","price":45,"priceCurrency":"EUR","availability":"OutOfStock"}]}</script><h1>Other</h1>`, map[string]string{
			"name": `"Steel Kettle"`, "sku": `"K-1"`, "gtin": `"4006381333931"`, "brand": `"Hot"`, "price": "45", "price_min": "45", "price_max": "49.9",
			"currency": `"EUR"`, "availability": `"in_stock"`, "condition": `"new"`, "rating": `{"best":5,"count":1204,"value":4.5}`, "category": `"Kitchen"`,
			"images": `["https://shop.example/a.jpg","https://shop.example/items/b.jpg"]`, "description": `"A good kettle & lid"`,
			"offers": `[{"availability":"in_stock","condition":"new","currency":"EUR","price":49.9,"seller":"Anna","url":"https://shop.example/items/1?o=1","valid_until":"2030-01-31"},` +
				`{"availability":"out_of_stock","condition":null,"currency":"EUR","price":45,"seller":null,"url":null,"valid_until":null}]`, "variants": "[]",
		}},
		{
			"an aggregate of offers", `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"K","offers":{"@type":"AggregateOffer","lowPrice":"10.00","highPrice":"20","priceCurrency":"USD","offerCount":3}}</script>`,
			map[string]string{"price": "10", "price_min": "10", "price_max": "20", "currency": `"USD"`},
		},
		{"variants", `<script type="application/ld+json">{"@context":"https://schema.org","@type":"ProductGroup","name":"Shirt","hasVariant":[
			{"@type":"Product","name":"Shirt S","sku":"S","size":"S","color":"Red","offers":{"@type":"Offer","price":10,"priceCurrency":"GBP","availability":"InStock"}},
			{"@type":"Product","sku":"M","size":"M","image":"m.jpg","offers":{"@type":"Offer","price":12,"priceCurrency":"GBP","availability":"SoldOut"}}]}</script>`, map[string]string{
			"name": `"Shirt"`, "price": "10", "price_max": "12", "currency": `"GBP"`,
			"variants": `[{"availability":"in_stock","currency":"GBP","gtin":null,"image":null,"name":"Shirt S","price":10,"properties":{"color":"Red","size":"S"},"sku":"S","url":null},` +
				`{"availability":"sold_out","currency":"GBP","gtin":null,"image":"https://shop.example/items/m.jpg","name":null,"price":12,"properties":{"size":"M"},"sku":"M","url":null}]`,
		}},
		{
			"microdata", `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Pan</h1><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
			<span itemprop="price" content="1299.00">1.299 €</span><meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/PreOrder"></div></div>`,
			map[string]string{"name": `"Pan"`, "price": "1299", "currency": `"EUR"`, "availability": `"preorder"`},
		},
		{
			"OpenGraph", `<meta property="og:type" content="product"><meta property="og:title" content="Cup"><meta property="og:image" content="/c.jpg">
			<meta property="product:price:amount" content="7.50"><meta property="product:price:currency" content="chf"><meta property="product:availability" content="in stock"><meta property="product:brand" content="Hot">`,
			map[string]string{"name": `"Cup"`, "price": "7.5", "currency": `"CHF"`, "availability": `"in_stock"`, "brand": `"Hot"`, "images": `["https://shop.example/c.jpg"]`},
		},
		{
			"labels and a visible price", `<html lang="de"><meta property="og:type" content="og:product"><h1>Becher</h1><p class="price">1.299,00 €</p>
			<dl><dt>Hersteller:</dt><dd>Heiß</dd><dt>EAN</dt><dd>4006381 333931</dd></dl><p>Artikelnummer: B-7</p><p>Verfügbarkeit: Auf Lager</p>`,
			map[string]string{"name": `"Becher"`, "price": "1299", "currency": `"EUR"`, "brand": `"Heiß"`, "gtin": `"4006381333931"`, "sku": `"B-7"`, "availability": `"in_stock"`},
		},
		{
			"of several the one that is for sale", `<script type="application/ld+json">[{"@context":"https://schema.org","@type":"Product","name":"Related"},
			{"@context":"https://schema.org","@type":"Product","name":"Main","offers":{"@type":"Offer","price":"3","priceCurrency":"EUR"}}]</script>`,
			map[string]string{"name": `"Main"`, "price": "3"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			result, faults := runBuiltIn(t, "product", page(tc.body))
			if len(faults) > 0 {
				t.Fatalf("got %v, want a result that satisfies the schema", faults)
			}
			wantJSON(t, result, tc.want)
		})
	}
	for _, body := range []string{"", "<h1>An essay</h1><p>" + filler, `<meta property="og:type" content="product">`} {
		if result, faults := runBuiltIn(t, "product", page(body)); len(faults) == 0 || result != nil {
			t.Errorf("%q: got %v, want no product", body, result)
		}
	}
}

func TestArticle(t *testing.T) {
	t.Parallel()
	result, faults := runBuiltIn(t, "article", page(`<!doctype html><html lang="en"><head><title>On Kettles</title><meta name="author" content="Anna B.">
		<meta property="article:published_time" content="2024-03-01T10:00:00Z"><meta name="description" content="About"></head><body><nav><a href="/">Home</a></nav>
		<article><h1>On Kettles</h1><p>`+strings.Repeat(filler, 3)+`</p><h2>Steel</h2><p>`+strings.Repeat(filler, 3)+`</p></article><footer>Imprint</footer></body></html>`))
	if len(faults) > 0 {
		t.Fatalf("got %v, want a result", faults)
	}
	wantJSON(t, result, map[string]string{
		"title": `"On Kettles"`, "byline": `"Anna B."`, "authors": `["Anna B."]`, "published_at": `"2024-03-01T10:00:00Z"`, "language": `"en"`,
		"description": `"About"`, "url": `"https://shop.example/items/1"`, "image": "null",
	})
	sections, _ := result["sections"].([]any)
	if len(sections) == 0 || !strings.Contains(result["text"].(string), "boils water") || strings.Contains(result["text"].(string), "Imprint") {
		t.Errorf("got %v, want the main content alone, in sections", result)
	}
	last, _ := sections[len(sections)-1].(map[string]any)
	if last["heading"] != "Steel" || last["level"] != 2.0 || !strings.Contains(last["markdown"].(string), "boils water") {
		t.Errorf("got %v, want the section of a heading", last)
	}
	if _, faults := runBuiltIn(t, "article", page("")); len(faults) == 0 {
		t.Error("got a result of an empty page, want none")
	}
	if result, faults := runBuiltIn(t, "article", extract.Source{URL: "https://a.example/x.md", MediaType: "text/markdown", Body: []byte("# A\n\nb c\n")}); len(faults) > 0 || result["word_count"] != 3.0 {
		t.Errorf("got %v, %v, want markdown read as an article", result, faults)
	}
}

func TestSectionsAndWords(t *testing.T) {
	t.Parallel()
	got, err := EncodeJSON(sectionsOf("intro\n\n# A #\ntext\n```sh\n# no heading\n```\n## B\n#tag\n~~~\n# no\n~~~~\n### \nend"))
	want := `[{"heading":null,"level":0,"markdown":"intro"},{"heading":"A","level":1,"markdown":"text\n` + "```sh\\n# no heading\\n```" + `"},` +
		`{"heading":"B","level":2,"markdown":"#tag\n~~~\n# no\n~~~~"},{"heading":null,"level":3,"markdown":"end"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for text, want := range map[string]int{"": 0, "a b": 2, "it's well-known, 3 times": 4, "日本語 text": 4, "— …": 0, "naïve": 1} {
		if got := countWords(text); got != want {
			t.Errorf("%q: got %d words, want %d", text, got, want)
		}
	}
}

func TestLinksTablesAndMetadata(t *testing.T) {
	t.Parallel()
	source := page(`<!doctype html><html lang="en"><head><title>T</title><meta property="og:title" content="OG"><meta property="og:image" content="a"><meta property="og:image" content="b">
		<meta name="robots" content="noindex"><meta name="viewport" content=""><link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/rss+xml" title="News" href="/feed">
		<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","mainEntity":{"@type":"Thing","name":"x"}}</script></head>
		<body><nav><a href="/menu">Menu</a></nav><main><h2>More</h2><p>` + filler + `<a href="https://other.example/a" rel="nofollow sponsored">Other</a></p>
		<table><caption>Sizes</caption><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>10</td></tr><tr><td>M</td><td>12</td></tr></table></main></body></html>`)
	links, faults := runBuiltIn(t, "links", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	list, _ := links["links"].([]any)
	if len(list) != 2 {
		t.Fatalf("got %v, want two links", links)
	}
	first, _ := list[0].(map[string]any)
	wantJSON(t, first, map[string]string{"url": `"https://shop.example/menu"`, "text": `"Menu"`, "scope": `"nav"`, "internal": "true", "rel": "[]"})
	second, _ := list[1].(map[string]any)
	wantJSON(t, second, map[string]string{"url": `"https://other.example/a"`, "rel": `["nofollow","sponsored"]`, "internal": "false", "context": `"More"`})

	tables, faults := runBuiltIn(t, "tables", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	wantJSON(t, tables, map[string]string{"tables": `[{"caption":"Sizes","header":["Size","Price"],"rows":[["S","10"],["M","12"]]}]`})

	metadata, faults := runBuiltIn(t, "metadata", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	wantJSON(t, metadata, map[string]string{
		"open_graph": `{"og:image":["a","b"],"og:title":["OG"]}`, "meta": `{"robots":["noindex"]}`, "language": `"en"`,
		"alternates": `[{"language":"de","url":"https://shop.example/de"}]`, "feeds": `[{"title":"News","type":"application/rss+xml","url":"https://shop.example/feed"}]`,
		"structured_types": `["WebPage","Thing"]`,
	})
}

// For any page, results satisfy the published schema. The test uses the repository's own pages.
func TestBuiltInResultsSatisfyTheirSchemas(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../page/extract/testdata/golden/*.html")
	if err != nil {
		t.Fatal(err)
	}
	sources := []extract.Source{shop(), page(""), page(shopPage + shopPage), {URL: "https://a.example/", MediaType: "application/json", Body: []byte(`{"a":1}`)}}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, page(string(body)))
	}
	for _, source := range sources {
		for _, name := range []string{"article", "links", "metadata", "product", "tables"} {
			result, faults := runBuiltIn(t, name, source)
			if result != nil && len(faults) > 0 {
				t.Errorf("%s on %.60q: got %v, want a result as the schema has it", name, source.Body, faults)
			}
		}
	}
}
