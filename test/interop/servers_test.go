//go:build interop

package interop

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// testServers shows that shops with the protocol's own server middleware can settle through our facilitator service.
func (c *cell) testServers(t *testing.T) {
	for _, tt := range []struct {
		program, of string
		version     int
		clients     []client
	}{
		{"servers/express-v2.mjs", "@x402/express", 2, []client{fetchV2}},
		{"servers/express-v1.mjs", "x402-express", 1, []client{fetchV1, axiosV1, fetchV2V1}},
	} {
		shop := c.serve(t, tt.program, map[string]any{
			"facilitator": c.edge.URL("/facilitator"), "payTo": payTo.Hex(), "price": "$0.01",
		}) + "/report"
		at := version(t, tt.of) + " by our facilitator"
		for _, client := range tt.clients {
			t.Run(tt.of+" "+client.program, func(t *testing.T) {
				got := c.buy(t, order{client: client, what: at, settle: "after", url: shop, price: priceUnits})
				var said struct{ Call int }
				if err := json.Unmarshal([]byte(got.Body), &said); err != nil || said.Call == 0 {
					t.Errorf("body: got %s, want the shop's", got.Body)
				}
			})
		}
		t.Run(tt.of+" refuses", func(t *testing.T) {
			poor, err := crypto.ToECDSA(poorKey(t))
			if err != nil {
				t.Fatal(err)
			}
			payment := c.signAt(t, tt.version, shop, x402client.Config{Key: poor})
			if status, reason := c.reason(t, shop, tt.version, payment); status != http.StatusPaymentRequired || reason != "insufficient_funds" {
				t.Errorf("a poor wallet: got %d %s, want 402 insufficient_funds", status, reason)
			}
			// A payment is accepted once. The second time, the facilitator's reason reaches the client.
			payment = c.signAt(t, tt.version, shop, x402client.Config{Key: c.chain.Wallet()})
			if status, _ := c.reason(t, shop, tt.version, payment); status != http.StatusOK {
				t.Fatalf("a good payment: got %d, want 200", status)
			}
			if status, reason := c.reason(t, shop, tt.version, payment); status != http.StatusPaymentRequired || reason != "invalid_transaction_state" {
				t.Errorf("a used payment: got %d %s, want 402 invalid_transaction_state", status, reason)
			}
		})
	}
}

// signAt signs a payment for a shop's challenge with our own buyer.
func (c *cell) signAt(t *testing.T, version int, url string, cfg x402client.Config) *x402client.SignedPayment {
	t.Helper()
	cfg.Client, cfg.Version = &http.Client{Timeout: startTimeout}, version
	buyer, err := x402client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	challenge, err := get(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer challenge.Body.Close()
	payment, err := buyer.Sign(challenge)
	if err != nil {
		t.Fatalf("signing for %s (%s): %v", url, challenge.Status, err)
	}
	return payment
}

// reason sends a payment to a shop and returns the status and the error, read as the protocol version has it.
func (c *cell) reason(t *testing.T, url string, version int, payment *x402client.SignedPayment) (status int, code string) {
	t.Helper()
	resp, err := get(t.Context(), url, payment)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if version == 2 {
		if text, err = base64.StdEncoding.DecodeString(resp.Header.Get("PAYMENT-REQUIRED")); err != nil {
			t.Fatalf("PAYMENT-REQUIRED: %v", err)
		}
	}
	var said struct{ Error string }
	if len(text) > 0 {
		if err := json.Unmarshal(text, &said); err != nil {
			t.Fatalf("%s says %s: %v", url, text, err)
		}
	}
	return resp.StatusCode, said.Error
}
