package structured

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

const testURL = "https://example.com/a/b.html"

// structuredOf returns the data of a page, or the error for a page that cannot be parsed within nodesMax.
func structuredOf(ctx context.Context, input string, nodesMax int) (*Data, error) {
	root, _, err := markup.Parse([]byte(input), nodesMax)
	if err != nil {
		return nil, err
	}
	base, err := whatwg.Parse(testURL)
	if err != nil {
		return nil, err
	}
	scripts := Scripts{}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script {
			scripts.Add(n)
		}
	}
	references := links.NewReferences(root, base)
	if err := references.MakeAbsolute(root, 0); err != nil {
		return nil, err
	}
	return Read(ctx, root, references, scripts.Values)
}

func mustRead(t testing.TB, input string) *Data {
	t.Helper()
	data, err := structuredOf(t.Context(), input, 100_000)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return data
}

func asJSON(t testing.TB, value any) string {
	t.Helper()
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatalf("encoding: %v", err)
	}
	return strings.TrimSpace(out.String())
}

func TestJSONLD(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script, want string }{
		{
			"plain", `{"@context":"https://schema.org","@type":"Product","name":"Cart","weight":12.50,"isNew":true,"sku":null}`,
			`[{"types":["Product"],"properties":{"isNew":[true],"name":["Cart"],"weight":[12.50]}}]`,
		},
		{
			"nested", `{"@type":"Product","offers":[{"@type":"Offer","price":"9"},{"@type":"Offer","price":10}]}`,
			`[{"types":["Product"],"properties":{"offers":[{"types":["Offer"],"properties":{"price":["9"]}},{"types":["Offer"],"properties":{"price":[10]}}]}}]`,
		},
		{"array", `[{"@type":"A"},[{"@type":"B"}]]`, `[{"types":["A"],"properties":{}},{"types":["B"],"properties":{}}]`},
		{
			"graph with references", `{"@graph":[{"@type":"Article","author":{"@id":"#ann"}},{"@id":"#ann","@type":"Person","name":"Ann","knows":{"@id":"#ann"}}]}`,
			`[{"types":["Article"],"properties":{"author":[{"types":["Person"],"id":"https://example.com/a/b.html#ann","properties":{"knows":[{"types":[],"id":"https://example.com/a/b.html#ann","properties":{}}],"name":["Ann"]}}]}},` +
				`{"types":["Person"],"id":"https://example.com/a/b.html#ann","properties":{"knows":[{"types":["Person"],"id":"https://example.com/a/b.html#ann","properties":{"knows":[{"types":[],"id":"https://example.com/a/b.html#ann","properties":{}}],"name":["Ann"]}}],"name":["Ann"]}}]`,
		},
		{
			"prefixes", `{"@context":{"s":"http://schema.org/","name":"s:name","kind":"@type"},"kind":"s:Thing","s:name":"x","http://www.schema.org/url":"y","foaf:nick":"z"}`,
			`[{"types":["Thing"],"properties":{"foaf:nick":["z"],"name":["x"],"url":["y"]}}]`,
		},
		{"aliases of schema.org", `{"@context":"https://schema.org","type":"Thing","id":"/x"}`, `[{"types":["Thing"],"id":"https://example.com/x","properties":{}}]`},
		{"literals", `{"@type":"T","name":{"@value":"x","@language":"en"},"list":{"@list":[1,2]},"value":"kept"}`, `[{"types":["T"],"properties":{"list":[1,2],"name":["x"],"value":["kept"]}}]`},
		{"entities", `{"@type":"T","name":"Salt &amp; Bread"}`, `[{"types":["T"],"properties":{"name":["Salt & Bread"]}}]`},
		{"comment around", "<!-- \n{\"@type\":\"T\"}\n -->", `[{"types":["T"],"properties":{}}]`},
		{"CDATA around", "//<![CDATA[\n{\"@type\":\"T\"}\n//]]>", `[{"types":["T"],"properties":{}}]`},
		{"CDATA on one line", `/* <![CDATA[ */{"@type":"T"}/* ]]> */`, `[{"types":["T"],"properties":{}}]`},
		{"commas", `{"@type":"T",,"a":[1,2,],"b":"x",};`, `[{"types":["T"],"properties":{"a":[1,2],"b":["x"]}}]`},
		{"a comma is missing", "{\"@type\":\"T\",\"a\":\"x\"\n\"b\":\"y\"}", `[{"types":["T"],"properties":{"a":["x"],"b":["y"]}}]`},
		{"line breaks in strings", "{\"@type\":\"T\",\"a\":\"x\ny\tz\"}", `[{"types":["T"],"properties":{"a":["x\ny\tz"]}}]`},
		{"quotation marks in strings", `{"@type":"T","a":"he said "stop" twice","b":"5\" wide"}`, `[{"types":["T"],"properties":{"a":["he said \"stop\" twice"],"b":["5\" wide"]}}]`},
		{"several values", `{"@type":"A"}{"@type":"B"};{"@type":"C"}`, `[{"types":["A"],"properties":{}},{"types":["B"],"properties":{}},{"types":["C"],"properties":{}}]`},
		{"a brace too many", `{"@type":"A"}},{"@type":"B"}`, `[{"types":["A"],"properties":{}},{"types":["B"],"properties":{}}]`},
		{"cut off", `{"@type":"T","a":"x","b":{"c":"y`, `[{"types":["T"],"properties":{"a":["x"],"b":[{"types":[],"properties":{"c":["y"]}}]}}]`},
		{"escaped as text", `{&quot;@type&quot;:&quot;T&quot;}`, `[{"types":["T"],"properties":{}}]`},
		{"escapes", `{"@type":"T","a":"\u00e9\ud83d\ude00\/\n\q"}`, `[{"types":["T"],"properties":{"a":["é😀/\nq"]}}]`},
		{"half a pair", `{"@type":"T","a":"\ud83dx\u12"}`, `[{"types":["T"],"properties":{"a":["` + "\uFFFDx\uFFFD" + `12"]}}]`},
		{"numbers that are none", `{"@type":"T","a":[01,-,1.,1e5,.5,-0.5E-3,+1]}`, `[{"types":["T"],"properties":{"a":["01","-","1.",1e5,".5",-0.5E-3,"+1"]}}]`},
		{"no JSON", `alert(1)`, `[]`},
		{"nothing", ``, `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := `<script type="application/ld+json; charset=utf-8">` + tt.script + `</script>`
			if got := asJSON(t, mustRead(t, page).JSONLD); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestReferencesAcrossScripts(t *testing.T) {
	t.Parallel()
	page := `<script type="application/ld+json">{"@type":"Product","brand":{"@type":"Brand","@id":"#b"}}</script>` +
		`<script type="application/ld+json">{"@type":"Brand","@id":"#b","name":"Bee"}</script>`
	got := mustRead(t, page).JSONLD
	brand, ok := got[0].Properties["brand"][0].(*Item)
	if !ok || len(brand.Properties["name"]) != 1 || brand.Properties["name"][0] != "Bee" {
		t.Errorf("got %s, want the brand's name joined", asJSON(t, got))
	}
}

func TestMicrodata(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, want string }{
		{
			"product", `<div itemscope itemtype="http://schema.org/Product https://example.org/Thing" itemid="urn:isbn:1"><h1 itemprop="name">Hand <b>cart</b></h1>` +
				`<img itemprop="image" src="c.png"><a itemprop="url sameAs" href="/c">c</a><meta itemprop="sku" content=" 12 3 ">` +
				`<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="9.5">9,50 €</span>` +
				`<link itemprop="availability" href="https://schema.org/InStock"></div><time itemprop="releaseDate" datetime="2024-01-02">2 Jan</time>` +
				`<time itemprop="d">soon</time><data itemprop="n" value="7">seven</data><meter itemprop="m" value="0.5">half</meter><object itemprop="o" data="o.swf"></object></div>`,
			`[{"types":["Product","https://example.org/Thing"],"id":"urn:isbn:1","properties":{"d":["soon"],"image":["https://example.com/a/c.png"],"m":["0.5"],"n":["7"],"name":["Hand cart"],` +
				`"o":["https://example.com/a/o.swf"],"offers":[{"types":["Offer"],"properties":{"availability":["https://schema.org/InStock"],"price":["9.5"]}}],"releaseDate":["2024-01-02"],` +
				`"sameAs":["https://example.com/c"],"sku":["12 3"],"url":["https://example.com/c"]}}]`,
		},
		{
			"itemref", `<p id=b>B <i itemprop=b>2</i></p><div itemscope itemref="c b nowhere"><i itemprop=a>1</i></div><p id=c itemprop=b>3</p>`,
			`[{"types":[],"properties":{"a":["1"],"b":["2","3"]}}]`,
		},
		{
			"cycle", `<div id=x itemscope itemref=y></div><div id=y itemprop=p itemscope itemref=z></div><div id=z itemprop=q itemscope itemref=y></div>`,
			`[{"types":[],"properties":{"p":[{"types":[],"properties":{"q":[{"types":[],"properties":{}}]}}]}}]`,
		},
		{"itself", `<div id=x itemscope itemref=x itemprop=p></div><div itemscope itemref=x></div>`, `[{"types":[],"properties":{"p":[{"types":[],"properties":{}}]}}]`},
		{"item in an item, not its property", `<div itemscope itemtype=A><div itemscope itemtype=B><i itemprop=b>1</i></div></div>`, `[{"types":["A"],"properties":{}},{"types":["B"],"properties":{"b":["1"]}}]`},
		{"properties of nothing", `<i itemprop=x>1</i>`, `[]`},
		{"text", `<div itemscope><div itemprop=t><p>a</p><p>b<br>c</p><ul><li>d</li></ul>e<script>f</script></div></div>`, `[{"types":[],"properties":{"t":["a b c d e"]}}]`},
		{"names with schema.org", `<div itemscope><i itemprop="https://schema.org/name x">1</i></div>`, `[{"types":[],"properties":{"name":["1"],"x":["1"]}}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := asJSON(t, mustRead(t, tt.input).Microdata); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestRDFa(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, want string }{
		{
			"person", `<div vocab="http://schema.org/" typeof="Person" resource="#ann"><span property="name">Ann Bee</span><img property=image src=a.png>` +
				`<a property="url" href="/ann">me</a><div property="address" typeof="PostalAddress"><span property="addressLocality">Bath</span></div><meta property="jobTitle" content="Keeper"></div>`,
			`[{"types":["Person"],"id":"https://example.com/a/b.html#ann","properties":{"address":[{"types":["PostalAddress"],"properties":{"addressLocality":["Bath"]}}],` +
				`"image":["https://example.com/a/a.png"],"jobTitle":["Keeper"],"name":["Ann Bee"],"url":["https://example.com/ann"]}}]`,
		},
		{
			"prefixes", `<div prefix="s: https://schema.org/ foaf: http://xmlns.com/foaf/0.1/" typeof="s:Thing foaf:Thing"><b property="s:name foaf:name">x</b></div>`,
			`[{"types":["Thing","foaf:Thing"],"properties":{"foaf:name":["x"],"name":["x"]}}]`,
		},
		{"known prefix", `<div typeof="schema:Thing"><b property="schema:name">x</b></div>`, `[{"types":["Thing"],"properties":{"name":["x"]}}]`},
		{"resource as value", `<div typeof="T"><p property="p" resource="/r">shown</p><time property=d datetime=2024>now</time></div>`, `[{"types":["T"],"properties":{"d":["2024"],"p":["https://example.com/r"]}}]`},
		{"things apart", `<div typeof="A"><div typeof="B"><i property=b>1</i></div><i property=a>2</i></div>`, `[{"types":["A"],"properties":{"a":["2"]}},{"types":["B"],"properties":{"b":["1"]}}]`},
		{"named without a type", `<div resource="/x"><i property=a>1</i></div>`, `[{"types":[],"id":"https://example.com/x","properties":{"a":["1"]}}]`},
		{"Open Graph is metadata", `<html vocab="http://schema.org/" typeof="WebPage"><head><meta property="og:title" content=x><meta property="article:tag" content=y></head>`, `[{"types":["WebPage"],"properties":{}}]`},
		{"said of the page", `<p property="x">1</p>`, `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := asJSON(t, mustRead(t, tt.input).RDFa); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, want string }{
		{
			"head", `<table><caption>Tolls</caption><thead><tr><th>Road<th>Toll</thead><tbody><tr><td>Old<td>1</tbody><tfoot><tr><td>All<td>1</table>`,
			`[{"caption":"Tolls","header":["Road","Toll"],"rows":[["Old","1"],["All","1"]]}]`,
		},
		{"header by cells", `<table><tr><td><th>a<th>b<tr><th>x<td>1<td>2</table>`, `[{"header":["","a","b"],"rows":[["x","1","2"]]}]`},
		{"no header", `<table><tr><th>Weight<td>2 kg<tr><th>Colour<td>red</table>`, `[{"rows":[["Weight","2 kg"],["Colour","red"]]}]`},
		{
			"spans", `<table><tr><th rowspan=2>r<th colspan=2>c<tr><th>c1<th>c2<tr><td rowspan=0>1<td>2<td>3<tr><td>4<tr><td colspan=2>5</table>`,
			`[{"header":["r","c c1","c c2"],"rows":[["1","2","3"],["1","4",""],["1","5","5"]]}]`,
		},
		{"spans end with their section", `<table><tbody><tr><td rowspan=9>a<td>b</tbody><tbody><tr><td>c<td>d</tbody></table>`, `[{"rows":[["a","b"],["c","d"]]}]`},
		{"figure", `<figure><table><tr><td>a<td>b<tr><td>c<td>d</table><figcaption>F</figcaption></figure>`, `[{"caption":"F","rows":[["a","b"],["c","d"]]}]`},
		{"images", `<table><tr><th>ok<th>what<tr><td><img alt=yes><td>x</table>`, `[{"header":["ok","what"],"rows":[["yes","x"]]}]`},
		{"layout: role", `<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>`, `[]`},
		{"layout: one column", `<table><tr><td>a<tr><td>b<tr><td>c</table>`, `[]`},
		{"layout: one row", `<table><tr><td>a<td>b<td>c</table>`, `[]`},
		{"layout: around a table", `<table><tr><td>menu<td><table><tr><td>a<td>1<tr><td>b<td>2</table><tr><td>x<td>y</table>`, `[{"rows":[["a","1"],["b","2"]]}]`},
		{"layout: links", `<table><tr><td><a href=1>one</a><td><a href=2>two</a><tr><td><a href=3>three</a><td>x</table>`, `[]`},
		{"links under headers", `<table><tr><th>a<th>b<tr><td><a href=1>one</a><td><a href=2>two</a></table>`, `[{"header":["a","b"],"rows":[["one","two"]]}]`},
		{"layout: a form", `<table><tr><th>Name<td><input><tr><th>Mail<td><input></table>`, `[]`},
		{"layout: long cells", `<table><tr><td>` + strings.Repeat("word ", 400) + `<td>x<tr><td>y<td>z</table>`, `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := asJSON(t, mustRead(t, tt.input).Tables); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func script(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

// hostileData needs far more work or memory than its size suggests, in one way each.
func hostileData() map[string]string {
	const n = 100_000
	each := func(count int, format string) string {
		var out strings.Builder
		for i := range count {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	return map[string]string{
		"nested arrays":        script(strings.Repeat("[", n)),
		"nested objects":       script(strings.Repeat(`{"a":`, n)),
		"nested, then more":    script(`{"@type":"T","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,"name":"kept"}`),
		"many values":          script("[" + strings.Repeat("1,", 2*n) + "]"),
		"cycle of ids":         script(`{"@graph":[` + each(2000, `{"@id":"#%[1]d","@type":"T","next":{"@id":"#%[1]d"},"all":[{"@id":"#1"},{"@id":"#2"}]},`) + `]}`),
		"all refer to all":     script(`{"@graph":[` + each(400, `{"@id":"#%d","@type":"T","r":[`+each(100, `{"@id":"#%d"},`)+`]},`) + `]}`),
		"long text, referred":  script(`{"@graph":[{"@id":"#x","@type":"T","t":"` + strings.Repeat("x", n) + `"},` + each(2000, `{"@type":"U%d","r":{"@id":"#x"}},`) + `]}`),
		"nothing, referred":    script(`{"@graph":[{"@id":"#x","@type":"T","t":[` + strings.Repeat("null,", n/2) + `]},` + each(9000, `{"r%d":{"@id":"#x"}},`) + `]}`),
		"comments":             script(strings.Repeat("//-->", n)),
		"open comments":        script(strings.Repeat("/*", n)),
		"quotation marks":      script(`{"a":"` + strings.Repeat(`" x`, n) + `"}`),
		"spaces after a quote": script(`{"a":"` + strings.Repeat(`"`+strings.Repeat(" ", 100), n/50) + `x"}`),
		"prefixes":             script(`{"@context":{` + each(n/4, `"p%d":"http://schema.org/",`) + `},"@graph":[` + each(1000, `{"p%d:name":1},`) + `]}`),
		"itemscopes":           strings.Repeat("<i itemscope>", n),
		"itemscopes apart":     strings.Repeat("<i itemscope itemtype=T><b itemprop=n>x</b></i>", n/2),
		"nested properties":    strings.Repeat("<div itemscope itemprop=p>", 500) + strings.Repeat("x ", n),
		"properties in texts":  "<div itemscope>" + strings.Repeat("<div itemprop=p>", 400) + strings.Repeat("x ", n),
		"itemref cycle":        each(2000, `<div itemscope id=a%[1]d itemprop=p itemref="a`) + strings.Repeat("</div>", 2000),
		"itemref ring":         ring(2000),
		"itemref to all":       "<div id=all>" + strings.Repeat("<b itemprop=n>x</b>", 5000) + "</div>" + strings.Repeat("<p itemscope itemref=all></p>", 5000),
		"itemref names":        strings.Repeat(`<p itemscope itemref="`+each(200, "x%d ")+`"></p>`, 500),
		"rdfa things":          strings.Repeat("<i typeof=T resource=x>", n),
		"rdfa nested":          strings.Repeat("<div property=p typeof=T>", 500) + strings.Repeat("<b property=n>x</b>", n/4),
		"rdfa prefixes":        strings.Repeat(`<div prefix="`+each(50, "p%d: http://schema.org/ ")+`">`, 400),
		"large table":          "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>x", 50), 4000) + "</table>",
		"spans":                "<table><tr><th>a<th>b" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>x", 5000) + "</table>",
		"tables":               strings.Repeat("<table><tr><td>a<td>b<tr><td>c<td>d</table>", n/20),
		"tables in tables":     strings.Repeat("<table><tr><td>a<td>", 400) + strings.Repeat("<b>x</b>", n/4),
	}
}

// ring makes items that each contain the next by reference, and the last the first.
func ring(n int) string {
	var out strings.Builder
	out.WriteString("<div itemscope itemref=r0></div>")
	for i := range n {
		fmt.Fprintf(&out, "<div itemscope itemprop=p id=r%d itemref='r%d r%d'></div>", i, (i+1)%n, (i+2)%n)
	}
	return out.String()
}

func TestHostileStructuredData(t *testing.T) {
	t.Parallel()
	for name, input := range hostileData() {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			data, err := structuredOf(t.Context(), input, 400_000)
			if err != nil && !errors.Is(err, markup.ErrTooComplex) {
				t.Fatalf("got %v, want an answer or ErrTooComplex", err)
			}
			size := 0
			if err == nil {
				size = len(asJSON(t, data))
			}
			took := time.Since(begin)
			t.Logf("%d bytes in, %d of data out, %v", len(input), size, took)
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if size > 64<<20 {
				t.Errorf("got %d bytes of data out of %d", size, len(input))
			}
		})
	}
}

func TestDeepJSONIsPassedOver(t *testing.T) {
	t.Parallel()
	input := script(`{"@type":"T","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"name":"kept"}`)
	got := mustRead(t, input).JSONLD
	if len(got) != 1 || len(got[0].Properties["name"]) != 1 {
		t.Errorf("got %s, want what is beside the deep value kept", asJSON(t, got))
	}
}

// checkStructured checks what holds for all structured data.
func checkStructured(t *testing.T, s *Data) {
	t.Helper()
	asJSON(t, s) // no circles, no NaN or infinities
	for _, table := range s.Tables {
		for _, row := range table.Rows {
			if table.Header != nil && len(row) != len(table.Header) {
				t.Fatalf("got a row of %d cells under a header of %d", len(row), len(table.Header))
			}
		}
	}
}

func FuzzJSONLD(f *testing.F) {
	for _, seed := range []string{
		`{"@context":"https://schema.org","@graph":[{"@type":"A","@id":"#a","x":{"@id":"#a"}}]}`, `[{"a":"\ud83d\ude00","b":1e5,}]`, `<!--{"a":"b" "c":[true,null]}-->`,
		`//<![CDATA[` + "\n" + `{"@value":1}//]]>`, `{"@context":{"x":"http://schema.org/","t":"@type"},"t":"x:Y","x:n":{"@list":[1]}}`, `{&quot;a&quot;:1}`, `{"a":"b "c" d"}`, `[[[[`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		left := 10_000
		checkStructured(t, &Data{JSONLD: jsonLDItems(ReadJSON(text, &left), links.Against(nil))})
	})
}

func FuzzMarkedUpData(f *testing.F) {
	for _, seed := range []string{
		`<div itemscope itemtype="https://schema.org/T" itemref="a b"><i itemprop="x y">1</i></div><p id=a itemprop=z itemscope itemref=b><p id=b itemprop=q>`,
		`<div vocab="http://schema.org/" typeof=A resource=x prefix="a: b c:"><b property="n a:n" content=x><i property=m typeof=B href=c>`,
		`<table><caption>c<thead><tr><th rowspan=2>a<th colspan=3>b<tbody><tr><td rowspan=0>1<td>2<tr><td>3</table>`,
		`<meta itemscope itemprop=x content=y><time itemprop datetime><object itemscope itemid=x data=y>`, `<table><tr><td><table><tr><td>a<td>b<tr><td>c`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		data, err := structuredOf(t.Context(), strings.ToValidUTF8(input, "\uFFFD"), 20_000)
		if err != nil {
			return
		}
		checkStructured(t, data)
	})
}

// Items decode to what was encoded.
func TestItemsAsJSON(t *testing.T) {
	t.Parallel()
	want := &Item{Types: []string{"Product"}, ID: "https://shop.example/1", Properties: map[string][]any{
		"name":   {"Kettle", true, json.Number("1.50")},
		"offers": {&Item{Types: []string{"Offer"}, Properties: map[string][]any{"price": {json.Number("3")}}}, "none"},
	}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &Item{}
	if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, text := range []string{`{"properties":{"a":[[1]]}}`, `{"properties":{"a":[null]}}`, `[]`} {
		_ = json.Unmarshal([]byte(text), new(Item)) // must not panic
	}
}
