//go:build interop

package interop

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

const dollar = 1_000_000 // units

// testCaps buys expensive crawls. Above its default cap, each client refuses by itself, as its documentation says, and is
// charged nothing. With a raised cap it pays the announced price.
func (c *cell) testCaps(t *testing.T) {
	const capV1, capV2 = "Payment amount exceeds maximum allowed", "rejected by spendControls.maxAmountPerPayment"
	for _, tt := range []struct {
		client  client
		pages   int
		price   uint64
		cap     uint64
		refused string
	}{
		{fetchV1, 1, dollar / 100, 0, ""}, // the minimum price of a crawl
		{fetchV1, 20, dollar / 10, 0, ""}, // the cap itself
		{fetchV1, 21, dollar * 105 / 1000, 0, capV1},
		{fetchV1, 100, dollar / 2, 0, capV1},
		{fetchV1, 1000, 5 * dollar, 0, capV1},
		{fetchV1, 1000, 5 * dollar, 5 * dollar, ""},
		{axiosV1, 1000, 5 * dollar, 0, ""}, // it has no cap
		{fetchV2, 100, dollar / 2, 0, ""},
		{fetchV2, 200, dollar, 0, ""}, // the cap itself
		{fetchV2, 201, dollar * 1005 / 1000, 0, capV2},
		{fetchV2, 1000, 5 * dollar, 0, capV2},
		{fetchV2, 1000, 5 * dollar, 5 * dollar, ""},
		{fetchV2V1, 100, dollar / 2, 0, ""},
		{fetchV2V1, 1000, 5 * dollar, 0, capV2},
		{fetchV2V1, 1000, 5 * dollar, 5 * dollar, ""},
	} {
		name := fmt.Sprintf("%s %d pages", tt.client.program, tt.pages)
		if tt.cap > 0 {
			name += ", cap raised"
		}
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"start_url":"https://example.com/","max_pages":%d}`, tt.pages)
			o := order{
				client: tt.client, what: fmt.Sprintf("a crawl of %d pages", tt.pages), settle: "before", url: c.edge.URL("/v1/crawls"),
				method: http.MethodPost, body: body, cap: tt.cap, price: tt.price, refusedByClient: tt.refused, upstream: c.up,
			}
			if tt.cap > 0 {
				o.what += ", cap raised"
			}
			if tt.refused == "" {
				o.callsOfTheUpstream = 1
			}
			for version, announced := range c.announced(t, o.url, body) {
				if want := fmt.Sprint(tt.price); announced != want {
					t.Errorf("announced by version %d: got %s, want %s", version+1, announced, want)
				}
			}
			c.buy(t, o)
		})
	}
}

// announced returns a request's price in the two offers of its challenge.
func (c *cell) announced(t *testing.T, url, body string) [2]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var v1 struct {
		Accepts []struct{ MaxAmountRequired string }
	}
	var v2 struct {
		Accepts []struct{ Amount string }
	}
	header, err := base64.StdEncoding.DecodeString(resp.Header.Get("PAYMENT-REQUIRED"))
	if err == nil {
		err = json.Unmarshal(header, &v2)
	}
	if err == nil {
		err = json.Unmarshal(text, &v1)
	}
	if err != nil || resp.StatusCode != http.StatusPaymentRequired || len(v1.Accepts) != 1 || len(v2.Accepts) != 1 {
		t.Fatalf("challenge: got %s %s, header %s, %v, want 402 with one offer of each version", resp.Status, text, header, err)
	}
	return [2]string{v1.Accepts[0].MaxAmountRequired, v2.Accepts[0].Amount}
}
