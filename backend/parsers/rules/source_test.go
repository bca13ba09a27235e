package rules

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const shopPage = `<!doctype html><html lang="en"><head><title>Kettle – Shop</title><base href="https://shop.example/items/">
<meta property="og:price" content="49.90"><meta name="keywords" content="kettle, steel"><meta name="keywords" content="water"></head>
<body><h1 id="top"> Steel
 Kettle </h1><p class="price" data-amount="4990">€ 1.299,00</p>
<div class="gallery"><img src="a.jpg"><img alt="none"><img src="/b.jpg"></div>
<ul class="offers"><li class="offer"><b>Anna</b><a href="/anna">see</a><i>12</i></li><li class="offer"><b>Bo</b><i>n/a</i></li>
<li class="offer"><a href="x">nobody</a></li></ul>
<dl><dt>Weight:</dt><dd>1.5 kg</dd><dt>Colour</dt><dd>Red</dd></dl><p>SKU: AB-12</p>
<table><tr><th>Material</th><td>Steel</td></tr></table>
<div id="nest"><section><p>in</p></section></div><script>var x = "1"</script></body></html>`

func shop() extract.Source {
	return extract.Source{URL: "https://shop.example/items/1", MediaType: "text/html", Body: []byte(shopPage)}
}

func shopDocument() *extract.Document {
	product := &extract.Item{Types: []string{"Product"}, Properties: map[string][]any{
		"name": {"Steel Kettle"}, "brand": {&extract.Item{Types: []string{"Brand"}, Properties: map[string][]any{"name": {"Hot"}}}},
		"offers": {
			&extract.Item{Types: []string{"Offer"}, Properties: map[string][]any{"price": {"49.90"}, "priceCurrency": {"EUR"}}},
			&extract.Item{Types: []string{"Offer"}, Properties: map[string][]any{"price": {json.Number("55")}}},
		},
	}}
	return &extract.Document{
		Metadata: extract.Metadata{Title: "Kettle – Shop", Language: "en"},
		Text:     "the text", Markdown: "the *text*", HTML: "<p>the text", Type: "product",
		Structured: &extract.Structured{
			JSONLD:    []*extract.Item{{Types: []string{"WebPage"}, Properties: map[string][]any{"mainEntity": {product}}}},
			Microdata: []*extract.Item{{Types: []string{"https://schema.org/Thing"}, ID: "urn:1", Properties: map[string][]any{"name": {"Micro"}}}},
			Tables: []extract.Table{
				{Caption: "Sizes", Header: []string{"Size", "Price"}, Rows: [][]string{{"S", "10"}, {"M", "12"}}},
				{Rows: [][]string{{"a", "b"}}},
			},
		},
	}
}

// evalField runs one field on the shop's page and returns its value as JSON.
func evalField(t *testing.T, form, field string) string {
	t.Helper()
	raw := `{"name":"x","schema":{"type":"object","properties":{"v":` + form + `}},"fields":{"v":` + field + `}}`
	d, faults := Compile([]byte(raw), []any{"body"})
	if faults != nil {
		t.Fatalf("%s: got faults %v, want none", field, faults)
	}
	out, err := d.Do(t.Context(), shop(), shopDocument())
	if err != nil {
		t.Fatalf("%s: %v", field, err)
	}
	if len(out.Faults) > 0 {
		return "none: " + out.Faults[0].String()
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(out.JSON), `{"v":`), "}")
}

func TestSources(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, field, want string }{
		{"css", `{"css":"h1"}`, `"Steel Kettle"`},
		{"css that finds nothing", `{"css":"h2"}`, `null`},
		{"css, all", `{"css":".offer b","all":true}`, `["Anna","Bo"]`},
		{"css, all of nothing", `{"css":".none","all":true}`, `[]`},
		{"an attribute", `{"css":".price","attr":"data-amount"}`, `"4990"`},
		{"attributes, of those that have it", `{"css":".gallery img","attr":"src","all":true,"transforms":["absolute_url"]}`, `["https://shop.example/items/a.jpg","https://shop.example/b.jpg"]`},
		{"the first that has the attribute", `{"css":".gallery img","attr":"alt"}`, `"none"`},
		{"lines", `{"css":"dl","take":"lines"}`, `"Weight:\n1.5 kg\nColour\nRed"`},
		{"inner HTML", `{"css":"#nest","take":"html"}`, `"<section><p>in</p></section>"`},
		{"outer HTML", `{"css":"#nest p","take":"outer_html"}`, `"<p>in</p>"`},
		{"a script, by name", `{"css":"script"}`, `"var x = \"1\""`},
		{"xpath", `{"xpath":"//h1"}`, `"Steel Kettle"`},
		{"xpath to an attribute", `{"xpath":"//h1/@id"}`, `"top"`},
		{"xpath to text", `{"xpath":"//li/b/text()","all":true}`, `["Anna","Bo"]`},
		{"xpath that counts", `{"xpath":"count(//li)"}`, `3`},
		{"xpath that is a string", `{"xpath":"concat(//li[1]/b, '!')"}`, `"Anna!"`},
		{"xpath that is a truth", `{"xpath":"boolean(//h1)"}`, `true`},
		{"xpath that is no number", `{"xpath":"number('x')"}`, `null`},
		{"json_ld by type and path", `{"json_ld":{"type":"Product","path":"offers.price"}}`, `"49.90"`},
		{"json_ld, all", `{"json_ld":{"type":"product","path":"offers.price"},"all":true}`, `["49.90",55]`},
		{"json_ld, by index", `{"json_ld":{"type":"Product","path":"offers[1].price"}}`, `55`},
		{"json_ld, a thing is its name", `{"json_ld":{"type":"Product","path":"brand"}}`, `"Hot"`},
		{"json_ld, a type alone", `{"json_ld":"Brand"}`, `"Hot"`},
		{"json_ld, its type", `{"json_ld":{"type":"Brand","path":"@type"}}`, `"Brand"`},
		{"json_ld, things as objects", `{"json_ld":{"type":"Offer"},"all":true,"fields":{"p":{"path":"price"},"c":{"path":"priceCurrency"}}}`, `[{"c":"EUR","p":"49.90"},{"c":null,"p":55}]`},
		{"microdata", `{"microdata":"Thing"}`, `"Micro"`},
		{"microdata, its id", `{"microdata":{"type":"Thing","path":"@id"}}`, `"urn:1"`},
		{"rdfa that is not there", `{"rdfa":"Thing"}`, `null`},
		{"structured, whichever has it", `{"structured":"Thing"}`, `"Micro"`},
		{"meta by property", `{"meta":"og:price"}`, `"49.90"`},
		{"meta by name, all", `{"meta":"Keywords","all":true}`, `["kettle, steel","water"]`},
		{"a table", `{"table":{"caption":"size"},"all":true}`, `[{"Price":"10","Size":"S"},{"Price":"12","Size":"M"}]`},
		{"a table without a header", `{"table":{"index":1},"all":true}`, `[["a","b"]]`},
		{"a table's rows as objects", `{"table":{"header":["price"]},"all":true,"fields":{"s":{"column":"size"},"p":{"column":"1"}}}`, `[{"p":"10","s":"S"},{"p":"12","s":"M"}]`},
		{"no such table", `{"table":{"caption":"none"},"all":true}`, `[]`},
		{"a label of a list", `{"label":"Weight"}`, `"1.5 kg"`},
		{"a label with a colon", `{"label":"colour:"}`, `"Red"`},
		{"a label in a line", `{"label":"SKU"}`, `"AB-12"`},
		{"a label in a table", `{"label":"Material"}`, `"Steel"`},
		{"no such label", `{"label":"Height"}`, `null`},
		{"the page's address", `{"page":"url"}`, `"https://shop.example/items/1"`},
		{"the page's title", `{"page":"title"}`, `"Kettle – Shop"`},
		{"the page's markdown", `{"page":"markdown"}`, `"the *text*"`},
		{"a constant", `{"const":{"a":[1]}}`, `{"a":[1]}`},
		{"the first that yields", `{"any":[{"css":"h2"},{"meta":"none"},{"css":"h1"}]}`, `"Steel Kettle"`},
		{"none that yields", `{"any":[{"css":"h2"}],"default":"x"}`, `"x"`},
		{"all of the first that yields", `{"any":[{"css":".none"},{"css":".offer b"}],"all":true}`, `["Anna","Bo"]`},
		{
			"objects, without those that lack what they need", `{"css":".offer","all":true,"fields":{"who":{"css":"b","required":true},"n":{"css":"i","transforms":["integer"]},"url":{"css":"a","attr":"href","transforms":["absolute_url"]}}}`,
			`[{"n":12,"url":"https://shop.example/anna","who":"Anna"},{"n":null,"url":null,"who":"Bo"}]`,
		},
		{"the element itself", `{"css":".offer a","all":true,"fields":{"at":{"attr":"href"},"said":{}}}`, `[{"at":"/anna","said":"see"},{"at":"x","said":"nobody"}]`},
		{"a group", `{"fields":{"a":{"css":"h1"},"b":{"fields":{"c":{"page":"type"}}}}}`, `{"a":"Steel Kettle","b":{"c":"product"}}`},
		{"an object of nothing", `{"css":"h1","fields":{"a":{"css":"b"}}}`, `null`},
		{"default", `{"css":"h2","default":[1]}`, `[1]`},
		{"required", `{"css":"h2","required":true}`, `none: v: nothing was found, but the field is required`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := evalField(t, `{}`, tc.field); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.field, got, tc.want)
			}
		})
	}
}

// Values are converted to the schema's type where the text allows it.
func TestValuesFollowTheSchema(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, form, field, want string }{
		{"a number", `{"type":"number"}`, `{"meta":"og:price"}`, `49.90`},
		{"an integer", `{"type":"integer"}`, `{"css":".price","attr":"data-amount"}`, `4990`},
		{"no integer", `{"type":"integer"}`, `{"meta":"og:price"}`, `none: v: got number, want integer`},
		{"a string", `{"type":"string"}`, `{"json_ld":{"type":"Product","path":"offers[1].price"}}`, `"55"`},
		{"a truth as a string", `{"type":"string"}`, `{"xpath":"boolean(//h1)"}`, `"true"`},
		{"a truth", `{"type":"boolean"}`, `{"const":"yes"}`, `true`},
		{"a list of one", `{"type":"array","items":{"type":"number"}}`, `{"meta":"og:price"}`, `[49.90]`},
		{"a list of one number", `{"type":"array"}`, `{"xpath":"count(//h1)"}`, `[1]`},
		{"items", `{"type":"array","items":{"type":"number"}}`, `{"css":".offer i","all":true}`, `none: v.1: got string, want number`},
		{"items in a reference", `{"type":["array","null"],"items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`, `{"const":["1","2"]}`, `[1,2]`},
		{"branches together", `{"anyOf":[{"type":"string","maxLength":1},{"type":"array","items":{"type":"integer"}}]}`, `{"const":["1","2"]}`, `[1,2]`},
		{"all of them", `{"allOf":[{"type":"number"},{"minimum":1}]}`, `{"meta":"og:price"}`, `49.90`},
		{"a tree", `{"$ref":"#/properties/v/$defs/t","$defs":{"t":{"type":"array","items":{"anyOf":[{"type":"integer"},{"$ref":"#/properties/v/$defs/t"}]}}}}`, `{"const":["1",["2",["3"]]]}`, `[1,[2,[3]]]`},
		{"a tree that is too deep", `{}`, `{"const":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `none: nests deeper than 32 levels`},
		{"null, allowed", `{"type":["number","null"]}`, `{"css":"h2"}`, `null`},
		{"a value of many", `{"enum":["a","b"]}`, `{"const":"c"}`, `none: v: value must be one of 'a', 'b'`},
		{"a format", `{"type":"string","format":"uri"}`, `{"css":".gallery img","attr":"src","transforms":["absolute_url"]}`, `"https://shop.example/items/a.jpg"`},
		{"not the format", `{"type":"string","format":"date-time"}`, `{"css":"h1"}`, `none: v: 'Steel Kettle' is not valid date-time`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := evalField(t, tc.form, tc.field)
			if short, _, _ := strings.Cut(got, ":"); short == "none" && strings.HasPrefix(tc.want, "none") {
				if !strings.HasPrefix(got, tc.want) {
					t.Errorf("%s: got %s, want %s", tc.field, got, tc.want)
				}
				return
			}
			if got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.field, got, tc.want)
			}
		})
	}
	if got := evalField(t, `{"type":"number"}`, `{"css":"h2"}`); got != "{" {
		t.Errorf("got %s, want a field that is missing and may not be null left out", got)
	}
}
