package gate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

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
					network := x402.Network{ChainID: id + 1, Asset: common.HexToAddress("0x01"), TokenName: "Some token with a name", TokenVersion: "2"}
					c.Accepts = append(c.Accepts, Acceptance{Network: network, PayTo: x402test.PayTo})
				}
				c.Accepts = c.Accepts[2:]
			})
			b.offer.Bazaar, b.offer.OutputSchema = usage.Bazaar(), usage.OutputSchema()
			b.offer.Extensions = map[string]json.RawMessage{"other": raw(`{"info":{}}`)}
			a := b.serve(b.request())
			header := a.Header().Get(x402.HeaderRequired)
			if a.Code != http.StatusPaymentRequired || len(header) > x402.ChallengeBytesMax {
				t.Errorf("got status %d, %d bytes, want 402 and at most %d", a.Code, len(header), x402.ChallengeBytesMax)
			}
			plain, err := base64.StdEncoding.DecodeString(header)
			if err != nil {
				t.Fatal(err)
			}
			var got x402.ChallengeV2
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

// The body has the first ways to pay that fit, in the order of the header. The description of the request yields to one of them.
func TestChallengeBodyStaysShort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		schema, ways  int // bytes of the description of the request, and how many ways to pay
		want          int
		wantDescribed bool
	}{
		{"one way", 1000, 1, 1, true},
		{"all fit", 1000, 4, 4, true},
		{"some fit", 1000, 9, 4, true},
		{"one fits", 5000, 3, 1, true},
		{"one fits without its description", 7000, 3, 3, false},
		{"some fit without their descriptions", 7000, 30, 17, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, func(c *Config) {
				c.Accepts = nil
				for id := range uint64(tt.ways) {
					network := x402.Network{Name: fmt.Sprintf("chain-%d", id), ChainID: id + 1, Asset: common.HexToAddress("0x01"), TokenName: "USDC", TokenVersion: "2"}
					c.Accepts = append(c.Accepts, Acceptance{Network: network, PayTo: x402test.PayTo})
				}
			})
			b.offer.OutputSchema = raw(`{"input":"` + strings.Repeat("x", tt.schema) + `"}`)
			a := b.serve(b.request())
			if a.Code != http.StatusPaymentRequired || a.Body.Len() > 6<<10 {
				t.Errorf("got status %d, %d bytes, want 402 and at most 6 KiB", a.Code, a.Body.Len())
			}
			var got x402.ChallengeV1
			if err := json.Unmarshal(a.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Accepts) != tt.want {
				t.Fatalf("got %d ways to pay, want %d", len(got.Accepts), tt.want)
			}
			for i, accepts := range got.Accepts {
				if want := fmt.Sprintf("chain-%d", i); accepts.Network != want || (accepts.OutputSchema != nil) != tt.wantDescribed {
					t.Errorf("got %+v, want %s, described: %t", accepts, want, tt.wantDescribed)
				}
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
	header := b.header(2, auth, x402test.Sign(t, b.key, auth, b.requirement().Network), nil)
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
