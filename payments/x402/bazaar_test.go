package x402

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func shape(schema, example string) Shape { return Shape{Schema: raw(schema), Example: raw(example)} }

// reportUsage describes a request with every field set.
func reportUsage() *Usage {
	return &Usage{
		Method: "POST", Template: "/reports/{id}/notes",
		PathParams:  shape(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, `{"id":"7"}`),
		QueryParams: shape(`{"type":"object","properties":{"deep":{"type":["boolean","null"]}}}`, `{}`),
		BodyType:    "json",
		Body:        shape(`{"type":"object","properties":{"text":{"type":"string"},"at":{"type":"object","required":["x"]},"any":true},"required":["text","at"]}`, `{"text":"a","at":{"x":1}}`),
		OutputType:  "application/json",
		Output:      shape(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`, `{"ok":true}`),
	}
}

func TestBazaarForms(t *testing.T) {
	t.Parallel()
	const input = `"input":{"type":"http","method":"POST","pathParams":{"id":"7"},"queryParams":{},"bodyType":"json","body":{"text":"a","at":{"x":1}}}`
	forms := reportUsage().Bazaar()
	if len(forms) < 4 {
		t.Fatalf("got %d forms: %s", len(forms), forms)
	}
	last := len(forms) - 1
	for i, want := range map[int]string{
		0: `{"info":{` + input + `,"output":{"type":"json","example":{"ok":true}}},"routeTemplate":"/reports/:id/notes","schema":{`,
		1: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{`,
		2: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{`,
		last: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
			`"properties":{"input":{"type":"object"}},"required":["input"],"type":"object"}}`,
	} {
		if !strings.HasPrefix(string(forms[i]), want) {
			t.Errorf("form %d: got  %s\nwant %s", i, forms[i], want)
		}
	}
	var whole struct {
		Schema struct {
			Properties struct {
				Input struct {
					Properties map[string]any
					Required   []string
				}
				Output map[string]any
			}
		}
	}
	if err := json.Unmarshal(forms[0], &whole); err != nil {
		t.Fatal(err)
	}
	asked := whole.Schema.Properties.Input
	if want := []string{"type", "method", "pathParams", "queryParams", "bodyType", "body"}; !slices.Equal(asked.Required, want) || len(asked.Properties) != 6 {
		t.Errorf("got required %q of %v, want %q", asked.Required, asked.Properties, want)
	}
	if whole.Schema.Properties.Output == nil || strings.Contains(string(forms[1]), `"ok"`) {
		t.Errorf("the answer is described in the whole alone: got %s", forms)
	}
}

// A shortened schema accepts everything that the full one accepts, and still names the required members.
func TestTerseSchemas(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","description":"d","additionalProperties":false,"required":["a"],"properties":{
		"a":{"type":"object","title":"t","required":["b"],"properties":{"b":{"enum":["x"],"default":"x"}}},
		"list":{"type":"array","minItems":2,"items":{"type":"object","properties":{"c":{"type":"string"}}}},"any":true}}`
	for levels, want := range []string{
		`{"type":"object"}`,
		`{"properties":{"a":{"type":"object"},"any":{},"list":{"items":{"type":"object"},"type":"array"}},"required":["a"],"type":"object"}`,
		`{"properties":{"a":{"properties":{"b":{"enum":["x"]}},"required":["b"],"type":"object"},"any":{},` +
			`"list":{"items":{"properties":{"c":{"type":"string"}},"type":"object"},"type":"array"}},"required":["a"],"type":"object"}`,
	} {
		usage := &Usage{Body: shape(schema, ``)}
		if got := string(usage.terse(levels).Body.Schema); got != want {
			t.Errorf("%d levels: got  %s\nwant %s", levels, got, want)
		}
		if string(usage.Body.Schema) != schema {
			t.Error("the usage itself was changed")
		}
	}
}

func TestBazaarOfLittle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		usage Usage
		want  string // part of the first form; empty: there is no form
	}{
		{"nothing known", Usage{Method: "GET", Template: "/a"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"other method", Usage{Method: "OPTIONS", Template: "/a"}, ""},
		{"body of a GET", Usage{Method: "GET", BodyType: "json", Body: shape(`{}`, `{}`)}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"no example", Usage{Method: "PUT", BodyType: "json", Body: shape(`{"pattern":"x"}`, ``)}, `"required":["type","method","bodyType"]`},
		{"no example, schema", Usage{Method: "PUT", BodyType: "json", Body: shape(`{"pattern":"x"}`, ``)}, `"body":{"pattern":"x"}`},
		{"other answer", Usage{Method: "GET", OutputType: "text/csv"}, `"output":{"type":"text","format":"text/csv"}`},
		{"further segments", Usage{Method: "GET", Template: "/a/*"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"odd variable", Usage{Method: "GET", Template: "/a/{b-c}"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"colon", Usage{Method: "GET", Template: "/a:b/{c}"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"no JSON", Usage{Method: "PUT", BodyType: "json", Body: shape(`{`, ``)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			forms := tt.usage.Bazaar()
			if (len(forms) > 0) != (tt.want != "") {
				t.Fatalf("got %s", forms)
			}
			if tt.want != "" && !strings.Contains(string(forms[0]), tt.want) {
				t.Errorf("got %s\nwant %s in it", forms[0], tt.want)
			}
		})
	}
}

func TestOutputSchema(t *testing.T) {
	t.Parallel()
	got := string(reportUsage().OutputSchema())
	want := `{"input":{"bodyFields":{"any":{"required":false},"at":{"required":["x"],"type":"object"},"text":{"required":true,"type":"string"}},` +
		`"bodyType":"json","discoverable":true,"method":"POST","pathParams":{"id":{"required":true,"type":"string"}},` +
		`"queryParams":{"deep":{"required":false,"type":"boolean"}},"type":"http"},"output":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	long := reportUsage()
	long.Output.Schema = raw(`{"description":"` + strings.Repeat("x", outputSchemaBytesMax) + `"}`)
	if got := long.OutputSchema(); got == nil || strings.Contains(string(got), `"output"`) {
		t.Errorf("a long answer: got %d bytes, want those on the request", len(got))
	}
	long.Body.Schema = raw(`{"properties":{"a":{"description":"` + strings.Repeat("x", outputSchemaBytesMax) + `"}}}`)
	if got := long.OutputSchema(); got != nil {
		t.Errorf("a long request: got %d bytes, want none", len(got))
	}
	if got := (&Usage{Method: "TRACE"}).OutputSchema(); got != nil {
		t.Errorf("got %s", got)
	}
}

// The header carries the fullest description that fits.
func TestChallengeHeaderStaysShort(t *testing.T) {
	t.Parallel()
	pad := func(n int) string { return `{"description":"` + strings.Repeat("x", n) + `"}` }
	tests := []struct {
		name                   string
		input, output, example int // bytes of the schemas and of the request's example
		networks               int
		want                   int // index of the form, from 0; -1: none
	}{
		{"whole", 100, 100, 10, 2, 0},
		{"long answer", 100, 4000, 10, 2, 1},
		{"long answer, barely", 100, 1400, 10, 2, 1},
		{"long description of the request", 4000, 10, 10, 2, 2},
		{"many networks", 100, 100, 10, 8, -1},
		{"long example", 100, 100, 2900, 2, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			usage := reportUsage()
			usage.Body.Schema, usage.Output.Schema = raw(pad(tt.input)), raw(pad(tt.output))
			usage.Body.Example = raw(pad(tt.example))
			b := newBooth(t, func(c *Config) {
				c.NoIdentifiers, c.NoSignIns = true, true // these come before the description
				for id := range uint64(tt.networks) {
					network := Network{ChainID: id + 1, Asset: common.HexToAddress("0x01"), TokenName: "Some token with a name", TokenVersion: "2"}
					c.Accepts = append(c.Accepts, Acceptance{Network: network, PayTo: testPayTo})
				}
				c.Accepts = c.Accepts[2:]
			})
			b.offer.Bazaar, b.offer.OutputSchema = usage.Bazaar(), usage.OutputSchema()
			b.offer.Extensions = map[string]json.RawMessage{"other": raw(`{"info":{}}`)}
			a := b.serve(b.request())
			header := a.Header().Get(HeaderRequired)
			if a.Code != http.StatusPaymentRequired || len(header) > ChallengeBytesMax {
				t.Errorf("got status %d, %d bytes, want 402 and at most %d", a.Code, len(header), ChallengeBytesMax)
			}
			plain, err := base64.StdEncoding.DecodeString(header)
			if err != nil {
				t.Fatal(err)
			}
			var got challengeV2
			if err := json.Unmarshal(plain, &got); err != nil {
				t.Fatal(err)
			}
			form := slices.IndexFunc(b.offer.Bazaar, func(one json.RawMessage) bool { return string(one) == string(got.Extensions["bazaar"]) })
			if form != tt.want || (got.Extensions["bazaar"] == nil) != (tt.want < 0) {
				t.Errorf("got form %d of %d, header of %d bytes, want form %d", form, len(b.offer.Bazaar), len(header), tt.want)
			}
			if string(got.Extensions["other"]) != `{"info":{}}` || len(b.offer.Extensions) != 1 {
				t.Errorf("other extensions: got %s, and the offer has %d", got.Extensions["other"], len(b.offer.Extensions))
			}
			if len(got.Accepts) != tt.networks {
				t.Errorf("got %d ways to pay, want %d", len(got.Accepts), tt.networks)
			}
		})
	}
}

// A stock client sends the challenge's extensions back with its payment.
func TestPaymentWithBazaarIsRead(t *testing.T) {
	t.Parallel()
	usage := reportUsage()
	usage.Output.Schema = raw(`{"description":"` + strings.Repeat("x", 800) + `"}`)
	b := newBooth(t, nil)
	b.offer.Bazaar = usage.Bazaar()
	auth := b.authorization()
	header := b.header(2, auth, sign(t, b.key, auth, b.requirement().Network), nil)
	plain, err := base64.StdEncoding.DecodeString(header[1])
	if err != nil {
		t.Fatal(err)
	}
	var payment map[string]any
	if err := json.Unmarshal(plain, &payment); err != nil {
		t.Fatal(err)
	}
	payment["extensions"] = map[string]json.RawMessage{"bazaar": b.offer.Bazaar[0]}
	if plain, err = json.Marshal(payment); err != nil {
		t.Fatal(err)
	}
	header[1] = base64.StdEncoding.EncodeToString(plain)
	if a := b.serve(b.request(header...)); a.Code != http.StatusOK {
		t.Errorf("a payment of %d bytes: got status %d, %s", len(header[1]), a.Code, a.Body)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	var listings []*Listing
	for i := range 5 {
		listing := &Listing{Offer: testOffer(), Template: fmt.Sprintf("/reports/%d", i), Methods: []string{"GET"}, Updated: b.clock.Now()}
		listings = append(listings, listing)
	}
	listings[1].Template = "/reports/{id}"
	listings[2].Template = "/reports/*"
	listings[3].Dynamic, listings[3].Expression, listings[3].Offer.Amount = true, "5", 0
	listings[4].Template = listings[0].Template
	doc := b.gate.Discover("https://a.example", &Publisher{Name: "n"}, listings, DiscoveryQuery{Version: 2})
	if want := []string{"https://a.example/reports/0", "https://a.example/reports/3"}; !slices.Equal(doc.Resources, want) {
		t.Errorf("got %q, want %q: what can be asked for as it is, each once", doc.Resources, want)
	}
	if doc.Version != 1 || doc.Instructions != DefaultInstructions || doc.Items[2].Resource != "https://a.example/reports/{+path}" || !doc.Items[2].Metadata.Template {
		t.Errorf("got %+v", doc)
	}
	if p := doc.Items[3].Metadata.Price; p.Mode != PriceDynamic || p.Amount+p.ExampleAmount != "" || doc.Items[3].Accepts == nil || len(doc.Items[3].Accepts) != 0 {
		t.Errorf("a price that is not known: got %+v, %v", p, doc.Items[3].Accepts)
	}
	for _, tt := range []struct{ limit, offset, want int }{{2, 0, 2}, {2, 4, 1}, {2, 5, 0}, {2, 900, 0}, {100, 0, 5}, {0, 3, 2}} {
		got := b.gate.Discover("https://a.example", &Publisher{}, listings, DiscoveryQuery{Version: 1, Limit: tt.limit, Offset: tt.offset})
		if len(got.Items) != tt.want || len(got.Resources) != 2 || got.Pagination.Total != 5 {
			t.Errorf("limit %d, offset %d: got %d items, %+v", tt.limit, tt.offset, len(got.Items), got.Pagination)
		}
	}
}
