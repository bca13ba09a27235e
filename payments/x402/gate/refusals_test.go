package gate

import (
	"bytes"
	"encoding/base64"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// badPayment makes a request's payment headers.
type badPayment func(b *booth) []string

// signedAs changes the authorisation before it is signed.
func signedAs(version int, change func(b *booth, a *x402.Authorization)) badPayment {
	return func(b *booth) []string {
		a := b.authorization()
		change(b, a)
		return b.header(version, a, x402test.Sign(b.T, b.key, a, x402.BaseSepolia()), nil)
	}
}

// sent changes a good payment's message after it was signed.
func sent(version int, change func(m map[string]any)) badPayment {
	return func(b *booth) []string {
		a := b.authorization()
		return b.header(version, a, x402test.Sign(b.T, b.key, a, x402.BaseSepolia()), change)
	}
}

func accepted(member string, value any) badPayment {
	return sent(2, func(m map[string]any) { m["accepted"].(map[string]any)[member] = value })
}

func authorized(version int, member string, value any) badPayment {
	return sent(version, func(m map[string]any) {
		m["payload"].(map[string]any)["authorization"].(map[string]any)[member] = value
	})
}

func forged(change func(b *booth, a *x402.Authorization) []byte) badPayment {
	return func(b *booth) []string {
		a := b.authorization()
		return b.header(2, a, change(b, a), nil)
	}
}

func settledBefore(pay badPayment) badPayment {
	return func(b *booth) []string {
		b.offer.Settle = price.SettleBefore
		return pay(b)
	}
}

func at(member func(a *x402.Authorization) **big.Int, offset time.Duration) func(*booth, *x402.Authorization) {
	return func(b *booth, a *x402.Authorization) { *member(a) = big.NewInt(b.clock.Now().Add(offset).Unix()) }
}

func after(a *x402.Authorization) **big.Int  { return &a.ValidAfter }
func before(a *x402.Authorization) **big.Int { return &a.ValidBefore }

func highS(b *booth, a *x402.Authorization) []byte {
	sig := x402test.Sign(b.T, b.key, a, x402.BaseSepolia())
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(sig[32:64]))
	s.FillBytes(sig[32:64])
	sig[64] ^= 27 ^ 28
	return sig
}

func TestBadPayments(t *testing.T) {
	t.Parallel()
	const (
		bad       = http.StatusBadRequest
		refused   = http.StatusPaymentRequired
		oversized = http.StatusRequestHeaderFieldsTooLarge
	)
	raw := func(headers ...string) badPayment { return func(*booth) []string { return headers } }
	b64 := base64.StdEncoding.EncodeToString
	for name, tt := range map[string]struct {
		pay    badPayment
		status int
		code   x402.Code
	}{
		"v1 not base64":               {raw(x402.HeaderPaymentV1, "%%%"), bad, x402.CodePayload},
		"v2 not base64":               {raw(x402.HeaderPaymentV2, "%%%"), bad, x402.CodePayload},
		"v1 empty":                    {raw(x402.HeaderPaymentV1, ""), bad, x402.CodePayload},
		"v1 not JSON":                 {raw(x402.HeaderPaymentV1, b64([]byte("{"))), bad, x402.CodePayload},
		"v1 JSON null":                {raw(x402.HeaderPaymentV1, b64([]byte("null"))), bad, x402.CodeVersion},
		"v1 a list":                   {raw(x402.HeaderPaymentV1, b64([]byte("[]"))), bad, x402.CodePayload},
		"v1 trailing text":            {raw(x402.HeaderPaymentV1, b64([]byte(`{"x402Version":1} x`))), bad, x402.CodePayload},
		"v1 oversized":                {raw(x402.HeaderPaymentV1, strings.Repeat("A", x402.HeaderBytesMax+1)), oversized, x402.CodePayload},
		"v2 oversized":                {raw(x402.HeaderPaymentV2, strings.Repeat("A", x402.HeaderBytesMax+1)), oversized, x402.CodePayload},
		"both headers":                {func(b *booth) []string { return append(b.pay(1), b.pay(2)...) }, bad, x402.CodePayload},
		"one header twice":            {func(b *booth) []string { return append(b.pay(1), b.pay(1)...) }, bad, x402.CodePayload},
		"v1 a member twice":           {raw(x402.HeaderPaymentV1, b64([]byte(`{"x402Version":1,"scheme":"exact","scheme":"exact"}`))), bad, x402.CodePayload},
		"v2 a member twice":           {raw(x402.HeaderPaymentV2, b64([]byte(`{"x402Version":2,"accepted":{"payTo":"0x","payTo":"0x"}}`))), bad, x402.CodePayload},
		"v2 a member in capitals":     {sent(2, func(m map[string]any) { m["ACCEPTED"] = m["accepted"] }), bad, x402.CodePayload},
		"v2 truncated":                {func(b *booth) []string { h := b.pay(2); return []string{h[0], h[1][:300]} }, bad, x402.CodePayload},
		"v2 one header twice":         {func(b *booth) []string { return append(b.pay(2), b.pay(2)...) }, bad, x402.CodePayload},
		"v1 truncated":                {func(b *booth) []string { h := b.pay(1); return []string{h[0], h[1][:200]} }, bad, x402.CodePayload},
		"v1 version 2":                {sent(1, func(m map[string]any) { m["x402Version"] = 2 }), bad, x402.CodeVersion},
		"v2 version 1":                {sent(2, func(m map[string]any) { m["x402Version"] = 1 }), bad, x402.CodeVersion},
		"v1 version as text":          {sent(1, func(m map[string]any) { m["x402Version"] = "1" }), bad, x402.CodePayload},
		"v1 no scheme":                {sent(1, func(m map[string]any) { delete(m, "scheme") }), refused, x402.CodeScheme},
		"v1 other scheme":             {sent(1, func(m map[string]any) { m["scheme"] = "upto" }), refused, x402.CodeUnsupportedScheme},
		"v2 other scheme":             {accepted("scheme", "upto"), refused, x402.CodeUnsupportedScheme},
		"v1 other network":            {sent(1, func(m map[string]any) { m["network"] = "polygon" }), refused, x402.CodeNetwork},
		"v1 network of version 2":     {sent(1, func(m map[string]any) { m["network"] = "eip155:84532" }), refused, x402.CodeNetwork},
		"v2 other network":            {accepted("network", "eip155:1"), refused, x402.CodeNetwork},
		"v1 no payload":               {sent(1, func(m map[string]any) { delete(m, "payload") }), bad, x402.CodePayload},
		"v2 no accepted":              {sent(2, func(m map[string]any) { delete(m, "accepted") }), bad, x402.CodePayload},
		"v1 no authorization":         {sent(1, func(m map[string]any) { delete(m["payload"].(map[string]any), "authorization") }), bad, x402.CodePayload},
		"v1 no signature":             {sent(1, func(m map[string]any) { delete(m["payload"].(map[string]any), "signature") }), bad, x402.CodePayload},
		"v1 signature not hex":        {sent(1, func(m map[string]any) { m["payload"].(map[string]any)["signature"] = "0xzz" }), bad, x402.CodePayload},
		"v1 from too short":           {authorized(1, "from", "0x12"), bad, x402.CodePayload},
		"v1 to not hex":               {authorized(1, "to", "payee"), bad, x402.CodePayload},
		"v1 value a number":           {authorized(1, "value", 10000), bad, x402.CodePayload},
		"v1 value negative":           {authorized(1, "value", "-10000"), bad, x402.CodePayload},
		"v1 value with a point":       {authorized(1, "value", "10000.0"), bad, x402.CodePayload},
		"v1 value hexadecimal":        {authorized(1, "value", "0x2710"), bad, x402.CodePayload},
		"v1 value over uint256":       {authorized(1, "value", strings.Repeat("9", 78)), bad, x402.CodePayload},
		"v1 value over int64":         {authorized(1, "value", "9223372036854775808"), refused, x402.CodeValue},
		"v2 value over int64":         {authorized(2, "value", "9223372036854775808"), refused, x402.CodeValueMismatch},
		"v1 validBefore not a number": {authorized(1, "validBefore", "soon"), bad, x402.CodePayload},
		"v1 validAfter empty":         {authorized(1, "validAfter", ""), bad, x402.CodePayload},
		"v1 nonce too short":          {authorized(1, "nonce", "0x00"), bad, x402.CodePayload},
		"v1 value altered":            {authorized(1, "value", "10001"), refused, x402.CodeValue},
		"v1 validBefore altered":      {authorized(1, "validBefore", "1790000069"), refused, x402.CodeSignature},
		"v2 nonce altered":            {authorized(2, "nonce", "0x"+strings.Repeat("ab", 32)), refused, x402.CodeSignature},
		"v2 other recipient accepted": {accepted("payTo", "0x1111111111111111111111111111111111111111"), refused, x402.CodeRecipient},
		"v2 other asset accepted":     {accepted("asset", "0x1111111111111111111111111111111111111111"), refused, x402.CodeRequirements},
		"v2 other amount accepted":    {accepted("amount", "1"), refused, x402.CodeValueMismatch},
		"v2 other timeout accepted":   {accepted("maxTimeoutSeconds", 7000), refused, x402.CodeRequirements},
		"v2 other domain accepted":    {accepted("extra", map[string]any{"name": "USD Coin", "version": "2"}), refused, x402.CodeRequirements},
		"v2 no domain accepted":       {accepted("extra", nil), refused, x402.CodeRequirements},
		"v2 a list as domain":         {accepted("extra", []any{"USDC", "2"}), refused, x402.CodeRequirements},

		"v1 pays too little":             {signedAs(1, func(_ *booth, a *x402.Authorization) { a.Value = 9_999 }), refused, x402.CodeValue},
		"v1 pays too much":               {signedAs(1, func(_ *booth, a *x402.Authorization) { a.Value = 10_001 }), refused, x402.CodeValue},
		"v2 pays too little":             {signedAs(2, func(_ *booth, a *x402.Authorization) { a.Value = 9_999 }), refused, x402.CodeValueMismatch},
		"pays another":                   {signedAs(1, func(_ *booth, a *x402.Authorization) { a.To = common.Address{1} }), refused, x402.CodeRecipient},
		"from nobody":                    {signedAs(1, func(_ *booth, a *x402.Authorization) { a.From = common.Address{} }), bad, x402.CodePayload},
		"from the recipient":             {signedAs(1, func(_ *booth, a *x402.Authorization) { a.From = x402test.PayTo }), bad, x402.CodePayload},
		"not yet valid":                  {signedAs(2, at(after, time.Minute)), refused, x402.CodeValidAfter},
		"valid from now":                 {signedAs(2, at(after, 0)), refused, x402.CodeValidAfter},
		"expired":                        {signedAs(2, at(before, -time.Second)), refused, x402.CodeValidBefore},
		"long expired":                   {signedAs(2, at(before, -time.Hour)), refused, x402.CodeValidBefore},
		"expires in 6 s":                 {signedAs(2, at(before, 6*time.Second)), refused, x402.CodeValidBefore},
		"expires in 6 s, settled before": {settledBefore(signedAs(2, at(before, 6*time.Second))), refused, x402.CodeValidBefore},
		"expires now, settled before":    {settledBefore(signedAs(1, at(before, 0))), refused, x402.CodeValidBefore},
		"v1 not yet valid":               {signedAs(1, at(after, time.Second)), refused, x402.CodeValidAfter},
		"lapses before it could be settled": {
			signedAs(1, at(before, 40*time.Second)), refused, x402.CodeValidBefore,
		},
		"signed by another": {forged(func(b *booth, a *x402.Authorization) []byte {
			return x402test.Sign(b.T, x402test.NewKey(b.T), a, x402.BaseSepolia())
		}), refused, x402.CodeSignature},
		"signed for another network": {forged(func(b *booth, a *x402.Authorization) []byte {
			return x402test.Sign(b.T, b.key, a, x402.Base())
		}), refused, x402.CodeSignature},
		"high s": {forged(highS), refused, x402.CodeSignature},
		"v of 29": {forged(func(b *booth, a *x402.Authorization) []byte {
			sig := x402test.Sign(b.T, b.key, a, x402.BaseSepolia())
			sig[64] = 29
			return sig
		}), refused, x402.CodeSignature},
		"short signature": {forged(func(b *booth, a *x402.Authorization) []byte {
			return x402test.Sign(b.T, b.key, a, x402.BaseSepolia())[:64]
		}), refused, x402.CodeSignature},
		"ERC-6492 in no form": {forged(func(*booth, *x402.Authorization) []byte {
			return append(make([]byte, 40), bytes.Repeat([]byte{0x64, 0x92}, 16)...)
		}), bad, x402.CodePayload},
		"ERC-6492 by a stranger": {forged(func(b *booth, a *x402.Authorization) []byte {
			return x402test.Wrap6492(common.Address{1}, nil, x402test.Sign(b.T, x402test.NewKey(b.T), a, x402.BaseSepolia()))
		}), refused, x402.CodeSignature},
		"v1 high s": {func(b *booth) []string {
			a := b.authorization()
			return b.header(1, a, highS(b, a), nil)
		}, refused, x402.CodeSignature},
		"zero signature": {forged(func(*booth, *x402.Authorization) []byte { return make([]byte, 65) }), refused, x402.CodeSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			a := b.serve(b.request(tt.pay(b)...))
			b.wantAnswer(a, tt.status, tt.code)
			if a.Header().Get(x402.HeaderRequired) == "" || !strings.Contains(a.Body.String(), `"accepts":[{`) {
				t.Error("want a fresh challenge in both versions")
			}
			if !strings.Contains(a.Body.String(), `"message":"`) {
				t.Error("want a message")
			}
			b.wantCounts(0, 0, 0)
		})
	}
}

func TestGoodPaymentsAtTheEdges(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settle price.Settle
		pay    badPayment
	}{
		"valid since a second":            {price.SettleAfter, signedAs(2, at(after, -time.Second))},
		"valid since ever":                {price.SettleAfter, signedAs(2, func(_ *booth, a *x402.Authorization) { a.ValidAfter = new(big.Int) })},
		"valid for ever":                  {price.SettleAfter, signedAs(1, func(_ *booth, a *x402.Authorization) { a.ValidBefore = new(big.Int).Lsh(big.NewInt(1), 255) })},
		"just long enough":                {price.SettleAfter, signedAs(1, at(before, 41*time.Second))},
		"7 s are enough to settle before": {price.SettleBefore, signedAs(1, at(before, 7*time.Second))},
		"v of 0 or 1": {price.SettleAfter, forged(func(b *booth, a *x402.Authorization) []byte {
			sig := x402test.Sign(b.T, b.key, a, x402.BaseSepolia())
			sig[64] -= 27
			return sig
		})},
		"addresses in lower case": {price.SettleAfter, accepted("payTo", strings.ToLower(x402test.PayTo.Hex()))},
		"extra of its own":        {price.SettleAfter, accepted("extra", map[string]any{"name": "USDC", "version": "2", "more": 1})},
		"another resource":        {price.SettleAfter, sent(2, func(m map[string]any) { m["resource"] = map[string]any{"url": "https://elsewhere"} })},
		"URL alphabet, no padding": {price.SettleAfter, func(b *booth) []string {
			h := b.pay(2)
			return []string{h[0], strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(h[1]), "=")}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = tt.settle
			b.wantPaid(b.serve(b.request(tt.pay(b)...)))
		})
	}
}

func TestDomainSeparators(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		network x402.Network
		want    string
	}{ // computed with the real contract
		{x402.Base(), "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"},
		{x402.BaseSepolia(), "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818"},
	} {
		if got := tt.network.DomainSeparator().Hex(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.network.Name, got, tt.want)
		}
	}
}

func TestPaymentHashIgnoresSpelling(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	a := b.authorization()
	sig := x402test.Sign(t, b.key, a, x402.BaseSepolia())
	low := bytes.Clone(sig)
	low[64] -= 27
	var hashes [][32]byte
	for _, h := range [][]string{b.header(1, a, sig, nil), b.header(1, a, low, nil)} {
		p, refusal := x402.ParsePaymentV1(h[1])
		if refusal != nil {
			t.Fatal(refusal)
		}
		hashes = append(hashes, p.Hash())
	}
	if hashes[0] != hashes[1] {
		t.Error("v of 0 and of 27 give two payments, want one")
	}
}

func seeds(f *testing.F, version int) {
	t := &testing.T{}
	b := newBooth(t, nil)
	f.Add(b.pay(version)[1])
	f.Add("")
	f.Add("bnVsbA==")
	f.Add("eyJ4NDAyVmVyc2lvbiI6MX0")
}

func checkParsed(t *testing.T, p *x402.Payment, refusal *x402.Refusal) {
	t.Helper()
	if refusal != nil {
		if refusal.Status() < 400 || refusal.Code == "" || refusal.Message == "" {
			t.Errorf("refusal: got %+v, want code, message and an error status", refusal)
		}
		return
	}
	a := &p.Authorization
	if a.Value < 0 || a.ValidAfter.BitLen() > 256 || a.ValidBefore.Sign() < 0 || len(p.Signature) == 0 {
		t.Errorf("payment: got %+v", p)
	}
	p.Hash()
	p.SignedByPayer(x402.Base())
	again, refusal := x402.ParsePayload(p.Version, p.Raw)
	if refusal != nil || again.Hash() != p.Hash() {
		t.Errorf("parsing again: got %v, want the same payment", refusal)
	}
}

func FuzzParsePaymentV1(f *testing.F) {
	seeds(f, 1)
	f.Fuzz(func(t *testing.T, value string) {
		p, refusal := x402.ParsePaymentV1(value)
		checkParsed(t, p, refusal)
	})
}

func FuzzParsePaymentV2(f *testing.F) {
	seeds(f, 2)
	f.Fuzz(func(t *testing.T, value string) {
		p, refusal := x402.ParsePaymentV2(value)
		checkParsed(t, p, refusal)
	})
}
