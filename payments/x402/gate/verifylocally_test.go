package gate

import (
	"math/big"
	"net/http"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func localCase(tb testing.TB, version int) (http.Header, *x402.Terms, *booth) {
	tb.Helper()
	t, ok := tb.(*testing.T)
	if !ok {
		t = &testing.T{}
	}
	b := newBooth(t, nil)
	h := b.request(b.pay(version)...).Header
	return h, &x402.Terms{Offers: b.gate.requirements(&b.offer), Settle: b.offer.Settle, UpstreamTimeout: b.offer.UpstreamTimeout}, b
}

func TestVerifyLocally(t *testing.T) {
	t.Parallel()
	for version := x402.Version1; version <= x402.Version2; version++ {
		h, terms, b := localCase(t, version)
		p, req, refusal := x402.VerifyLocally(h, terms, b.clock.Now())
		if refusal != nil || p.Version != version || req != &terms.Offers[0] {
			t.Errorf("version %d: got %v, %v, %v", version, p, req, refusal)
		}
		if p, req, refusal := x402.VerifyLocally(http.Header{}, terms, b.clock.Now()); p != nil || req != nil || refusal != nil {
			t.Errorf("without payment: got %v, %v, %v", p, req, refusal)
		}
		for code, spoil := range map[x402.Code]func(){
			x402.CodePayload:     func() { h.Add(x402.HeaderPaymentV1, "more") },
			x402.CodeRecipient:   func() { terms.Offers[0].PayTo = common.Address{1} },
			x402.CodeNetwork:     func() { terms.Offers = terms.Offers[1:] },
			x402.CodeValidBefore: func() { b.clock.Advance(x402.OfferSlack + b.offer.UpstreamTimeout) },
			x402.CodeSignature: func() {
				a := b.authorization()
				r := b.request(b.header(version, a, x402test.Sign(t, x402test.NewKey(t), a, x402.BaseSepolia()), nil)...)
				h = r.Header
			},
		} {
			h, terms, b = localCase(t, version)
			spoil()
			if _, _, refusal := x402.VerifyLocally(h, terms, b.clock.Now()); refusal == nil || refusal.Code != code {
				t.Errorf("version %d: got %v, want %s", version, refusal, code)
			}
		}
	}
}

// BenchmarkVerifyLocally must reach at least 0.85 of "bare", which is the digest and the recovery of the signer alone.
func BenchmarkVerifyLocally(b *testing.B) {
	for name, version := range map[string]int{"v1": x402.Version1, "v2": x402.Version2} {
		h, terms, booth := localCase(b, version)
		now := booth.clock.Now()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, refusal := x402.VerifyLocally(h, terms, now); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
		b.Run(name+" without recovery", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, _ := x402.ReadPayment(h)
				req, _ := x402.MatchRequirements(p, terms.Offers)
				p.Hash()
				if refusal := terms.Check(p, req, now); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		p := benchmarkPayment(b)
		sig := x402.NormalizeV(p.Signature)
		sig[64] -= 27
		b.ReportAllocs()
		for b.Loop() {
			digest := p.Authorization.Digest(x402.Base())
			pub, err := crypto.Ecrecover(digest[:], sig)
			if err != nil || common.Address(crypto.Keccak256(pub[1:])[12:]) != p.Authorization.From {
				b.Fatal("not signed")
			}
		}
	})
}

func benchmarkPayment(b *testing.B) *x402.Payment {
	b.Helper()
	key := x402test.NewKey(b)
	a := x402.Authorization{
		From: crypto.PubkeyToAddress(key.PublicKey), To: x402test.PayTo, Value: 10_000,
		ValidAfter: new(big.Int), ValidBefore: big.NewInt(1_790_000_070),
	}
	return &x402.Payment{Version: 2, Authorization: a, Signature: x402test.Sign(b, key, &a, x402.Base())}
}
