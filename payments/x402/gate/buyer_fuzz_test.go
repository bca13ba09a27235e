package gate

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// FuzzSign shows that whatever price a server states, the buyer signs for no more than its limit and for no other token.
func FuzzSign(f *testing.F) {
	b := newBooth(&testing.T{}, nil)
	challenge := b.serve(b.request())
	f.Add(challenge.Header().Get(x402.HeaderRequired), challenge.Body.Bytes())
	f.Add("", challenge.Body.Bytes())
	f.Add("e30=", []byte(`{"x402Version":1,"accepts":[{}]}`))
	buyer, err := client.New(client.Config{Client: new(http.Client), Key: b.key})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
		resp.Header.Set(x402.HeaderRequired, header)
		signed, err := buyer.Sign(resp)
		if err != nil {
			return
		}
		p, refusal := x402.ReadPayment(http.Header{signed.HeaderName: {signed.HeaderValue}})
		if refusal != nil {
			if len(signed.HeaderValue) > x402.HeaderBytesMax || signed.Version == x402.Version2 {
				return // the payment repeats what the server wrote
			}
			t.Fatalf("signed and not readable: %v", refusal)
		}
		most := map[int]int64{x402.Version1: int64(client.SpendMaxV1), x402.Version2: int64(client.SpendMaxV2)}[signed.Version]
		if int64(p.Authorization.Value) > most || p.Authorization.Value != signed.Amount {
			t.Errorf("signed %s, said %s, at most %d", p.Authorization.Value, signed.Amount, most)
		}
		if !p.SignedByPayer(x402.Base()) && !p.SignedByPayer(x402.BaseSepolia()) {
			t.Error("signed for another token")
		}
	})
}

// FuzzReadReceipt shows that every receipt is either read or refused, whatever a server sends.
func FuzzReadReceipt(f *testing.F) {
	b := newBooth(&testing.T{}, nil)
	for version := x402.Version1; version <= x402.Version2; version++ {
		h := b.serve(b.request(b.pay(version)...)).Header()
		f.Add(h.Get(x402.HeaderReceiptV1), h.Get(x402.HeaderReceiptV2))
	}
	f.Add("", "e30=")
	f.Fuzz(func(t *testing.T, v1, v2 string) {
		h := http.Header{}
		h.Set(x402.HeaderReceiptV1, v1)
		h.Set(x402.HeaderReceiptV2, v2)
		receipt, err := x402.ReadReceipt(h)
		if err != nil && receipt != nil || v1+v2 == "" && (receipt != nil || err != nil) {
			t.Errorf("got %+v, %v", receipt, err)
		}
	})
}
