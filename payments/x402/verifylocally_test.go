package x402

import (
	"net/http"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

func localCase(tb testing.TB, version int) (http.Header, *Terms, *booth) {
	tb.Helper()
	t, ok := tb.(*testing.T)
	if !ok {
		t = &testing.T{}
	}
	b := newBooth(t, nil)
	h := b.request(b.pay(version)...).Header
	return h, &Terms{Offers: b.gate.requirements(&b.offer), Settle: b.offer.Settle, UpstreamTimeout: b.offer.UpstreamTimeout}, b
}

func TestVerifyLocally(t *testing.T) {
	t.Parallel()
	for version := version1; version <= version2; version++ {
		h, terms, b := localCase(t, version)
		p, req, refusal := VerifyLocally(h, terms, b.clock.Now())
		if refusal != nil || p.Version != version || req != &terms.Offers[0] {
			t.Errorf("version %d: got %v, %v, %v", version, p, req, refusal)
		}
		if p, req, refusal := VerifyLocally(http.Header{}, terms, b.clock.Now()); p != nil || req != nil || refusal != nil {
			t.Errorf("without payment: got %v, %v, %v", p, req, refusal)
		}
		for code, spoil := range map[Code]func(){
			CodePayload:     func() { h.Add(HeaderPaymentV1, "more") },
			CodeRecipient:   func() { terms.Offers[0].PayTo = common.Address{1} },
			CodeNetwork:     func() { terms.Offers = terms.Offers[1:] },
			CodeValidBefore: func() { b.clock.Advance(offerSlack + b.offer.UpstreamTimeout) },
			CodeSignature: func() {
				a := b.authorization()
				r := b.request(b.header(version, a, sign(t, newKey(t), a, BaseSepolia()), nil)...)
				h = r.Header
			},
		} {
			h, terms, b = localCase(t, version)
			spoil()
			if _, _, refusal := VerifyLocally(h, terms, b.clock.Now()); refusal == nil || refusal.Code != code {
				t.Errorf("version %d: got %v, want %s", version, refusal, code)
			}
		}
	}
}

// BenchmarkVerifyLocally must reach at least 0.85 of "bare", which is the digest and the recovery of the signer alone.
func BenchmarkVerifyLocally(b *testing.B) {
	for name, version := range map[string]int{"v1": version1, "v2": version2} {
		h, terms, booth := localCase(b, version)
		now := booth.clock.Now()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, refusal := VerifyLocally(h, terms, now); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
		b.Run(name+" without recovery", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, _ := readPayment(h)
				req, _ := matchRequirements(p, terms.Offers)
				p.hash()
				if refusal := terms.check(p, req, now); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		p := benchmarkPayment(b)
		sig := normalizeV(p.Signature)
		sig[64] -= 27
		b.ReportAllocs()
		for b.Loop() {
			digest := p.Authorization.Digest(Base())
			pub, err := crypto.Ecrecover(digest[:], sig)
			if err != nil || common.Address(crypto.Keccak256(pub[1:])[12:]) != p.Authorization.From {
				b.Fatal("not signed")
			}
		}
	})
}
