package e2e

import (
	"bytes"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// paidScrape is a request that succeeds with a payment of 0.01 USDC.
func (s *stack) paidScrape(page string) call {
	return call{url: s.edge + "/x402/v1/scrapes", body: fmt.Sprintf(scrapeOutput, page)}
}

type receipt struct {
	Success                                       bool
	Transaction, Network, Payer, ErrorReason, Amt string
}

func TestWalletPays(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for version, name := range map[int]string{1: "X-Payment-Response", 2: "Payment-Response"} {
		t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) {
			t.Parallel()
			w, page := s.wallet(t), s.pages.fresh()
			c := s.paidScrape(page)
			c.do(t).challenged(t, s, http.StatusPaymentRequired, "payment_required", "0.01 USDC", "repeat the request with a payment")
			pays := c.with(w.good(t, version)...)
			got := pays.do(t)
			got.wantStatus(t, http.StatusOK)
			if !strings.Contains(string(got.body), "# Harbour") {
				t.Errorf("answer: got %s, want the page as markdown", got.body)
			}
			var paid receipt
			decodeHeader(t, got.header.Get(name), &paid)
			if !paid.Success || !strings.EqualFold(paid.Payer, w.address().Hex()) || len(paid.Transaction) != 66 {
				t.Errorf("receipt: got %+v, want a success with %s as its payer", paid, w.address())
			}
			again := pays.do(t)
			if again.status != http.StatusOK || !bytes.Equal(again.body, got.body) {
				t.Errorf("the same payment again: got %d %s, want the same answer", again.status, again.body)
			}
			if a, b := got.header.Get("X-Request-Id"), again.header.Get("X-Request-Id"); a == b {
				t.Errorf("request ids: got %q twice, want each request's own", a)
			}
			w.wantSpent(t, scrapeUnits)
			w.wantStates(t, "settled")
			s.pages.wantFetched(t, page, 1)
		})
	}
}

// badPayment returns the headers of a payment from the case's wallet.
type badPayment func(t *testing.T, w *wallet) []string

func TestPaymentsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const (
		bad       = http.StatusBadRequest
		unpaid    = http.StatusPaymentRequired
		oversized = http.StatusRequestHeaderFieldsTooLarge

		payload      = "invalid_payload"
		requirements = "invalid_payment_requirements"
		recipient    = "invalid_exact_evm_payload_recipient_mismatch"
		value1       = "invalid_exact_evm_payload_authorization_value"
		value2       = "invalid_exact_evm_payload_authorization_value_mismatch"
		after        = "invalid_exact_evm_payload_authorization_valid_after"
		before       = "invalid_exact_evm_payload_authorization_valid_before"
		signature    = "invalid_exact_evm_payload_signature"
	)
	raw := func(headers ...string) badPayment { return func(*testing.T, *wallet) []string { return headers } }
	made := func(version int, change func(t *testing.T, p *payment) *payment) badPayment {
		return func(t *testing.T, w *wallet) []string {
			t.Helper()
			return change(t, w.payment(t, version)).headers(t)
		}
	}
	tampered := func(version int, f func(m map[string]any)) badPayment {
		return made(version, func(_ *testing.T, p *payment) *payment { return p.tampered(f) })
	}
	authorized := func(version int, member string, v any) badPayment {
		return made(version, func(_ *testing.T, p *payment) *payment { return p.authorized(member, v) })
	}
	accepted := func(member string, v any) badPayment {
		return made(2, func(_ *testing.T, p *payment) *payment { return p.accepted(member, v) })
	}
	signed := func(version int, f func(a *x402.Authorization)) badPayment {
		return made(version, func(_ *testing.T, p *payment) *payment { return p.altered(f) })
	}
	in := func(d time.Duration) *big.Int { return big.NewInt(time.Now().Add(d).Unix()) }
	payloadOf := func(m map[string]any) map[string]any { return m["payload"].(map[string]any) }

	for _, tc := range []struct {
		name   string
		pay    badPayment
		status int
		code   string
		says   string
	}{
		{"v1 not base64", raw("X-PAYMENT", "%%%"), bad, payload, "X-PAYMENT: want base64"},
		{"v2 not base64", raw("PAYMENT-SIGNATURE", "%%%"), bad, payload, "PAYMENT-SIGNATURE: want base64"},
		{"v1 empty", raw("X-PAYMENT", ""), bad, payload, "X-PAYMENT"},
		{"v1 not JSON", raw("X-PAYMENT", b64("{")), bad, payload, "is not valid JSON"},
		{"v2 not JSON", raw("PAYMENT-SIGNATURE", b64("pay")), bad, payload, "is not valid JSON"},
		{"v1 a list", raw("X-PAYMENT", b64("[]")), bad, payload, "want a JSON object"},
		{"v1 null", raw("X-PAYMENT", b64("null")), bad, "invalid_x402_version", "want 1"},
		{"v1 cut off", func(t *testing.T, w *wallet) []string {
			t.Helper()
			h := w.good(t, 1)
			return []string{h[0], h[1][:200]}
		}, bad, payload, "is not valid JSON"},
		{"v1 wrong type", tampered(1, func(m map[string]any) { m["x402Version"] = "1" }), bad, payload, "member x402Version has the wrong type"},
		{"v2 wrong type", authorized(2, "value", 10000), bad, payload, "value has the wrong type"},
		{"v1 no payload", tampered(1, func(m map[string]any) { delete(m, "payload") }), bad, payload, "payload is missing"},
		{"v1 no authorization", tampered(1, func(m map[string]any) { delete(payloadOf(m), "authorization") }), bad, payload, "payload.authorization is missing"},
		{"v1 no signature", tampered(1, func(m map[string]any) { delete(payloadOf(m), "signature") }), bad, payload, "payload.signature"},
		{"v2 no accepted", tampered(2, func(m map[string]any) { delete(m, "accepted") }), bad, payload, "accepted is missing"},
		{"v1 short from", authorized(1, "from", "0x12"), bad, payload, "authorization.from"},
		{"v2 nonce without 0x", authorized(2, "nonce", strings.Repeat("ab", 32)), bad, payload, "authorization.nonce"},
		{"v2 value with a point", authorized(2, "value", "10000.0"), bad, payload, "authorization.value"},
		{"v2 time that is none", authorized(2, "validBefore", "soon"), bad, payload, "authorization.validBefore"},
		{"v1 oversized", raw("X-PAYMENT", strings.Repeat("A", 9<<10)), oversized, payload, "the maximum is 8192"},
		{"v2 oversized", raw("PAYMENT-SIGNATURE", strings.Repeat("A", 9<<10)), oversized, payload, "the maximum is 8192"},

		{"v1 header, v2 body", func(t *testing.T, w *wallet) []string {
			t.Helper()
			return []string{"X-PAYMENT", w.good(t, 2)[1]}
		}, bad, "invalid_x402_version", "X-PAYMENT: x402Version 2: want 1"},
		{"v2 header, v1 body", func(t *testing.T, w *wallet) []string {
			t.Helper()
			return []string{"PAYMENT-SIGNATURE", w.good(t, 1)[1]}
		}, bad, "invalid_x402_version", "PAYMENT-SIGNATURE: x402Version 1: want 2"},
		{"both headers", func(t *testing.T, w *wallet) []string {
			t.Helper()
			return append(w.good(t, 1), w.good(t, 2)...)
		}, bad, payload, "send exactly one of X-PAYMENT and PAYMENT-SIGNATURE"},
		{"one header twice", func(t *testing.T, w *wallet) []string {
			t.Helper()
			return append(w.good(t, 2), w.good(t, 2)...)
		}, bad, payload, "2 payment headers"},

		{"v1 no scheme", tampered(1, func(m map[string]any) { delete(m, "scheme") }), unpaid, "invalid_scheme", "want exact"},
		{"v1 other scheme", tampered(1, func(m map[string]any) { m["scheme"] = "upto" }), unpaid, "unsupported_scheme", "want exact"},
		{"v1 other network", tampered(1, func(m map[string]any) { m["network"] = "base" }), unpaid, "invalid_network", "want base-sepolia"},
		{"v1 network of v2", tampered(1, func(m map[string]any) { m["network"] = "eip155:84532" }), unpaid, "invalid_network", "want base-sepolia"},
		{"v2 other network", accepted("network", "eip155:8453"), unpaid, "invalid_network", "want eip155:84532"},
		{"v2 other asset", accepted("asset", otherAddress), unpaid, requirements, "accepted.asset"},
		{"v2 other payTo", accepted("payTo", otherAddress), unpaid, recipient, "accepted.payTo"},
		{"v2 other amount", accepted("amount", "1"), unpaid, value2, "want exactly 10000"},
		{"v1 pays another", signed(1, func(a *x402.Authorization) { a.To = common.HexToAddress(otherAddress) }), unpaid, recipient, "authorization.to"},
		{"v1 too little", signed(1, func(a *x402.Authorization) { a.Value-- }), unpaid, value1, "want exactly 10000"},
		{"v1 too much", signed(1, func(a *x402.Authorization) { a.Value++ }), unpaid, value1, "want exactly 10000"},
		{"v2 too little", signed(2, func(a *x402.Authorization) { a.Value-- }), unpaid, value2, "want exactly 10000"},
		{"v2 too much", signed(2, func(a *x402.Authorization) { a.Value = money.MicroUSDC(2 * scrapeUnits) }), unpaid, value2, "want exactly 10000"},
		{"v2 expired", signed(2, func(a *x402.Authorization) { a.ValidBefore = in(-time.Second) }), unpaid, before, "authorization.validBefore"},
		{"v1 long expired", signed(1, func(a *x402.Authorization) { a.ValidBefore = in(-time.Hour) }), unpaid, before, "authorization.validBefore"},
		{"v2 lapses too soon", signed(2, func(a *x402.Authorization) { a.ValidBefore = in(40 * time.Second) }), unpaid, before, "may take that long"},
		{"v2 not yet valid", signed(2, func(a *x402.Authorization) { a.ValidAfter = in(time.Minute) }), unpaid, after, "authorization.validAfter"},

		{"v2 of another wallet", made(2, func(t *testing.T, p *payment) *payment {
			t.Helper()
			p.signer = s.emptyWallet(t).key
			return p
		}), unpaid, signature, "not the payer's"},
		{"v1 not a signature", made(1, func(_ *testing.T, p *payment) *payment {
			p.resign = func(sig []byte) []byte { return bytes.Repeat([]byte{1}, len(sig)) }
			return p
		}), unpaid, signature, "not the payer's"},
		{"v1 cut signature", made(1, func(_ *testing.T, p *payment) *payment {
			p.resign = func(sig []byte) []byte { return sig[:64] }
			return p
		}), unpaid, signature, "not the payer's"},
		{"v2 high s", made(2, func(_ *testing.T, p *payment) *payment {
			p.resign = highS
			return p
		}), unpaid, signature, "not the payer's"},
		{"v2 signed for another chain", made(2, func(_ *testing.T, p *payment) *payment {
			p.network = x402.Base()
			return p
		}), unpaid, signature, "not the payer's"},
		{"v2 changed after signing", authorized(2, "nonce", "0x"+strings.Repeat("ab", 32)), unpaid, signature, "not the payer's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, page := s.wallet(t), s.pages.fresh()
			s.paidScrape(page).with(tc.pay(t, w)...).do(t).challenged(t, s, tc.status, tc.code, tc.says)
			w.wantUntouched(t)
			w.wantStates(t)
			s.pages.wantFetched(t, page, 0)
		})
	}
	t.Run("unfunded", func(t *testing.T) {
		t.Parallel()
		w, page := s.emptyWallet(t), s.pages.fresh()
		s.paidScrape(page).with(w.good(t, 2)...).do(t).challenged(t, s, unpaid, "insufficient_funds", "has 0 USDC, but this costs 0.01")
		w.wantStates(t)
		s.pages.wantFetched(t, page, 0)
	})
	t.Run("of a wallet that the token denies", func(t *testing.T) {
		t.Parallel()
		w, page := s.wallet(t), s.pages.fresh()
		if err := s.chain.Deny(t.Context(), w.address()); err != nil {
			t.Fatal(err)
		}
		pays := s.paidScrape(page).with(w.good(t, 2)...)
		pays.do(t).challenged(t, s, unpaid, "invalid_transaction_state", "the token would refuse the transfer")
		w.wantUntouched(t)
		w.wantStates(t)
		s.pages.wantFetched(t, page, 0)
		// The payment itself is still valid.
		if err := s.chain.Undeny(t.Context(), w.address()); err != nil {
			t.Fatal(err)
		}
		pays.do(t).wantStatus(t, http.StatusOK)
		w.wantSpent(t, scrapeUnits)
	})
}

// TestPaymentThatWasUsed shows that a payment buys one request, and cannot buy another.
func TestPaymentThatWasUsed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page, other := s.wallet(t), s.pages.fresh(), s.pages.fresh()
	p := w.payment(t, 2)
	pays := p.headers(t)
	s.paidScrape(page).with(pays...).do(t).wantStatus(t, http.StatusOK)

	elsewhere := s.paidScrape(page)
	elsewhere.url += "?a=b"
	renewed := *p
	renewed.auth.ValidBefore = new(big.Int).Add(p.auth.ValidBefore, big.NewInt(1))
	for _, tc := range []struct {
		name string
		call call
		says string
	}{
		{"for another body", s.paidScrape(other).with(pays...), "used for another request"},
		{"for another URI", elsewhere.with(pays...), "used for another request"},
		{"signed anew with its nonce", s.paidScrape(page).with(renewed.headers(t)...), "fresh nonce"},
	} {
		t.Run(tc.name, func(t *testing.T) { // not parallel: the payment is valid for two minutes
			got := tc.call.do(t)
			got.wantStatus(t, http.StatusConflict)
			var notice struct{ Error, Message string }
			got.json(t, &notice)
			if notice.Error != "payment_already_used" || !strings.Contains(notice.Message, tc.says) || !strings.Contains(notice.Message, "sign a new payment") {
				t.Errorf("notice: got %+v, want payment_already_used and %q", notice, tc.says)
			}
			got.wantPlainHeaders(t)
			got.wantNoReceipt(t)
			w.wantSpent(t, scrapeUnits)
			w.wantStates(t, "settled")
			s.pages.wantFetched(t, page, 1)
			s.pages.wantFetched(t, other, 0)
		})
	}
}

// TestPaymentIsGivenBack shows that a request that the upstream refuses is free, and that its payment can be used again.
func TestPaymentIsGivenBack(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	pays := w.good(t, 1)
	c := call{url: s.edge + "/x402/v1/scrapes", body: fmt.Sprintf(`{"url_to_scrape": %q, "colour": "red"}`, page)}
	c.with(pays...).do(t).refused(t, http.StatusBadRequest, "validation_error", "body.colour: is not a field of this request")
	w.wantUntouched(t)
	w.wantStates(t, "released")
	s.pages.wantFetched(t, page, 0)
	s.paidScrape(page).with(pays...).do(t).wantStatus(t, http.StatusOK)
	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "settled")
}

// TestTokenIsPaused is not parallel, because nobody can pay while it runs.
func TestTokenIsPaused(t *testing.T) { //nolint:paralleltest // see above
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	if err := s.chain.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	pays := s.paidScrape(page).with(w.good(t, 2)...)
	pays.do(t).challenged(t, s, http.StatusPaymentRequired, "invalid_transaction_state", "the token would refuse the transfer")
	w.wantUntouched(t)
	w.wantStates(t)
	s.pages.wantFetched(t, page, 0)
	if err := s.chain.Unpause(t.Context()); err != nil {
		t.Fatal(err)
	}
	pays.do(t).wantStatus(t, http.StatusOK)
	w.wantSpent(t, scrapeUnits)
}
