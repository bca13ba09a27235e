package x402

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// FuzzSign shows that whatever price a server states, the buyer signs for no more than its limit and for no other token.
func FuzzSign(f *testing.F) {
	b := newBooth(&testing.T{}, nil)
	challenge := b.serve(b.request())
	f.Add(challenge.Header().Get(HeaderRequired), challenge.Body.Bytes())
	f.Add("", challenge.Body.Bytes())
	f.Add("e30=", []byte(`{"x402Version":1,"accepts":[{}]}`))
	buyer, err := NewBuyer(BuyerConfig{Client: new(http.Client), Key: b.key})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
		resp.Header.Set(HeaderRequired, header)
		signed, err := buyer.Sign(resp)
		if err != nil {
			return
		}
		p, refusal := readPayment(http.Header{signed.HeaderName: {signed.HeaderValue}})
		if refusal != nil {
			if len(signed.HeaderValue) > HeaderBytesMax || signed.Version == version2 {
				return // the payment repeats what the server wrote
			}
			t.Fatalf("signed and not readable: %v", refusal)
		}
		most := map[int]int64{version1: int64(SpendMaxV1), version2: int64(SpendMaxV2)}[signed.Version]
		if int64(p.Authorization.Value) > most || p.Authorization.Value != signed.Amount {
			t.Errorf("signed %s, said %s, at most %d", p.Authorization.Value, signed.Amount, most)
		}
		if !p.SignedByPayer(Base()) && !p.SignedByPayer(BaseSepolia()) {
			t.Error("signed for another token")
		}
	})
}

// FuzzReadReceipt shows that every receipt is either read or refused, whatever a server sends.
func FuzzReadReceipt(f *testing.F) {
	b := newBooth(&testing.T{}, nil)
	for version := version1; version <= version2; version++ {
		h := b.serve(b.request(b.pay(version)...)).Header()
		f.Add(h.Get(HeaderReceiptV1), h.Get(HeaderReceiptV2))
	}
	f.Add("", "e30=")
	f.Fuzz(func(t *testing.T, v1, v2 string) {
		h := http.Header{}
		h.Set(HeaderReceiptV1, v1)
		h.Set(HeaderReceiptV2, v2)
		receipt, err := ReadReceipt(h)
		if err != nil && receipt != nil || v1+v2 == "" && (receipt != nil || err != nil) {
			t.Errorf("got %+v, %v", receipt, err)
		}
	})
}
