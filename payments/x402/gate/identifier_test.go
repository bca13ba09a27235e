package gate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
	"github.com/turnpike-edge/turnpike/payments/x402/siwx"
)

// extend adds extensions to a payment.
func extend(extensions any) func(map[string]any) {
	return func(m map[string]any) { m["extensions"] = extensions }
}

func withID(id any) map[string]any {
	return map[string]any{x402.ExtensionIdentifier: map[string]any{"info": map[string]any{"required": false, "id": id}}}
}

// payAs returns the header pair of a fresh payment with an identifier.
func (b *booth) payAs(id string) []string { return b.payWith(withID(id)) }

func (b *booth) payWith(extensions any) []string {
	b.Helper()
	a := b.authorization()
	return b.header(2, a, x402test.Sign(b.T, b.key, a, b.requirement().Network), extend(extensions))
}

const testID = "pay_0123456789abcdef"

// challenge decodes PAYMENT-REQUIRED.
func (a *answer) challenge(t testing.TB) (c x402.ChallengeV2) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(a.Header().Get(x402.HeaderRequired))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExtensionsOfTheChallenge(t *testing.T) {
	t.Parallel()
	bazaar := json.RawMessage(`{"info":{},"schema":{}}`)
	for name, tt := range map[string]struct {
		change   func(*Config)
		required bool
		want     string
	}{
		"both":           {nil, false, "bazaar, payment-identifier, sign-in-with-x"},
		"no identifiers": {func(c *Config) { c.NoIdentifiers = true }, true, "bazaar, sign-in-with-x"},
		"no sign-ins":    {func(c *Config) { c.NoSignIns = true }, false, "bazaar, payment-identifier"},
		"neither":        {func(c *Config) { c.NoIdentifiers, c.NoSignIns = true, true }, false, "bazaar"},
		"required":       {nil, true, "bazaar, payment-identifier, sign-in-with-x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, tt.change)
			b.offer.Extensions = map[string]json.RawMessage{"bazaar": bazaar}
			b.offer.IdentifierRequired = tt.required
			a := b.serve(b.request())
			extensions := a.challenge(t).Extensions
			var names []string
			for _, name := range []string{"bazaar", x402.ExtensionIdentifier, siwx.Extension} {
				if extensions[name] != nil {
					names = append(names, name)
				}
			}
			if got := strings.Join(names, ", "); got != tt.want || len(extensions) != len(names) {
				t.Errorf("extensions: got %s, want %s", got, tt.want)
			}
			if len(b.offer.Extensions) != 1 {
				t.Error("the offer's own extensions were changed")
			}
			required := tt.required && extensions[x402.ExtensionIdentifier] != nil
			var says struct{ Info struct{ Required *bool } }
			if raw := extensions[x402.ExtensionIdentifier]; raw != nil {
				if err := json.Unmarshal(raw, &says); err != nil || *says.Info.Required != required {
					t.Errorf("info: got %s, want required %v", raw, required)
				}
			}
			if offers := strings.Contains(a.Body.String(), `"accepts":[]`); offers != required {
				t.Errorf("version 1 offered nothing: got %v, want %v", offers, required)
			}
		})
	}
	t.Run("size", func(t *testing.T) {
		t.Parallel()
		b := newBooth(t, nil)
		b.offer.Resource = "https://api.example.com/" + strings.Repeat("x", 400) + "?q=1"
		b.offer.Description = strings.Repeat("d", 200)
		a := b.serve(b.request())
		if n := len(a.Header().Get(x402.HeaderRequired)); n > 4<<10 {
			t.Errorf("PAYMENT-REQUIRED is %d bytes long, want 4096 at most", n)
		}
	})
}

func TestIdentifierIsRead(t *testing.T) {
	t.Parallel()
	info := func(info any) any { return map[string]any{x402.ExtensionIdentifier: map[string]any{"info": info}} }
	for name, tt := range map[string]struct {
		extensions any
		want       string // empty: a payment without an identifier
		refused    string
	}{
		"none":               {nil, "", ""},
		"others only":        {map[string]any{"bazaar": map[string]any{}}, "", ""},
		"null":               {map[string]any{x402.ExtensionIdentifier: nil}, "", ""},
		"echoed as it was":   {map[string]any{x402.ExtensionIdentifier: json.RawMessage(x402.IdentifierOptional)}, "", ""},
		"no info":            {map[string]any{x402.ExtensionIdentifier: map[string]any{}}, "", ""},
		"null id":            {withID(nil), "", ""},
		"shortest":           {withID("0123456789abcdeF"), "0123456789abcdeF", ""},
		"longest":            {withID(strings.Repeat("-_", 64)), strings.Repeat("-_", 64), ""},
		"empty":              {withID(""), "", "of 0 characters"},
		"too short":          {withID("0123456789abcde"), "", "16 to 128"},
		"too long":           {withID(strings.Repeat("a", 129)), "", "of 129 characters"},
		"another character":  {withID("0123456789abcde."), "", "letters, digits, hyphens and underscores"},
		"not ASCII":          {withID("0123456789abcdeé"), "", "letters"},
		"a number":           {withID(1234567890123456), "", "want a string"},
		"spelt otherwise":    {info(map[string]any{"ID": testID}), "", "want id"},
		"info of wrong type": {info("x"), "", "info has the wrong type"},
		"of wrong type":      {map[string]any{x402.ExtensionIdentifier: "x"}, "", "extensions.payment-identifier"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			a := b.serve(b.request(b.payWith(tt.extensions)...))
			if tt.refused == "" {
				b.wantPaid(a)
				if got := b.claim().Identifier; got != tt.want {
					t.Errorf("identifier: got %q, want %q", got, tt.want)
				}
				return
			}
			b.wantAnswer(a, http.StatusBadRequest, x402.CodePayload)
			if !strings.Contains(a.Body.String(), tt.refused) {
				t.Errorf("message: got %s, want it to say %q", a.Body, tt.refused)
			}
			b.wantCounts(0, 0, 0)
		})
	}
}

func TestIdentifierRequired(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.IdentifierRequired = true
	for _, version := range []int{1, 2} {
		a := b.serve(b.request(b.pay(version)...))
		b.wantAnswer(a, http.StatusBadRequest, x402.CodePayload)
	}
	b.wantCounts(0, 0, 0)
	b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
}

// One purchase that is paid for twice is charged once, and both get the first response.
func TestPurchaseIsChargedOnce(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		t.Run(string(settle), func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = settle
			first := b.serve(b.request(b.payAs(testID)...))
			b.wantPaid(first)
			again := b.serve(b.request(b.payAs(testID)...))
			b.wantPaid(again)
			if got, want := again.Header().Get(x402.HeaderReceiptV2), first.Header().Get(x402.HeaderReceiptV2); got != want {
				t.Errorf("receipt: got %s, want the first one's, %s", got, want)
			}
			b.wantCounts(1, 1, 1)

			b.wantAnswer(b.serveAt(b.gate, b.request(b.payAs(testID)...), "another body"), http.StatusConflict, x402.CodeIdentifierUsed)
			r := b.request(b.payAs(testID)...)
			r.Method = http.MethodPut
			b.wantAnswer(b.serve(r), http.StatusConflict, x402.CodeIdentifierUsed)
			amount := b.offer.Amount
			b.offer.Amount++
			dearer := b.serve(b.request(b.payAs(testID)...))
			b.wantAnswer(dearer, http.StatusConflict, x402.CodeIdentifierUsed)
			if dearer.Header().Get(x402.HeaderRequired) != "" {
				t.Error("a conflict must not ask for payment")
			}
			b.offer.Amount = amount
			b.wantCounts(1, 1, 1)

			b.wantPaid(b.serve(b.request(b.payAs(testID + "2")...)))
			b.wantPaid(b.serve(b.request(b.pay(2)...)))
			b.wantCounts(3, 3, 3)
		})
	}
}

// An identifier belongs to its payer: another wallet may use the same text, and without a good signature nothing is revealed.
func TestIdentifierIsThePayers(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
	a := b.authorization()
	forged := b.header(2, a, x402test.Sign(t, x402test.NewKey(t), a, x402.BaseSepolia()), extend(withID(testID)))
	b.wantAnswer(b.serve(b.request(forged...)), http.StatusPaymentRequired, x402.CodeSignature)
	b.wantAnswer(b.serveAt(b.gate, b.request(forged...), "another body"), http.StatusPaymentRequired, x402.CodeSignature)
	b.wantCounts(1, 1, 1)
	b.key = x402test.NewKey(t)
	b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
	b.wantCounts(2, 2, 2)
}

// A purchase that failed may be paid for again.
func TestIdentifierAfterAFailure(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(b *booth){
		"upstream": func(b *booth) {
			good := b.next
			b.next = func(http.ResponseWriter, *http.Request, x402.Claim) error { return errTest }
			if a := b.serve(b.request(b.payAs(testID)...)); !errors.Is(a.err, errTest) {
				b.Errorf("got %v, want the upstream's error", a.err)
			}
			b.next = good
		},
		"settlement": func(b *booth) {
			b.chain.set(func(c *chainFake) { c.before = func() error { return x402.Refuse(x402.CodeInsufficientFunds, "gone") } })
			b.wantAnswer(b.serve(b.request(b.payAs(testID)...)), http.StatusPaymentRequired, x402.CodeInsufficientFunds)
			b.chain.set(func(c *chainFake) { c.before = nil })
		},
		"kept no longer": func(b *booth) {
			b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
			b.clock.Advance(b.offer.UpstreamTimeout + x402.OfferSlack + keepAfterLapse + time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			fail(b)
			runs := b.ran()
			b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
			if got := b.ran() - runs; got != 1 {
				t.Errorf("runs: got %d, want one more", got)
			}
		})
	}
}

// A response that is not kept is not produced a second time for the same identifier.
func TestIdentifierOfALongAnswer(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.ResponseBytesMax = 3 })
	if a := b.serve(b.request(b.payAs(testID)...)); a.Code != http.StatusOK {
		t.Fatalf("got %d %s", a.Code, a.Body)
	}
	a := b.serve(b.request(b.payAs(testID)...))
	b.wantAnswer(a, http.StatusConflict, x402.CodeResponseNotKept)
	if a.receipt(t) == nil {
		t.Error("the payer gets no receipt")
	}
	b.wantCounts(1, 1, 1)
}

// The first payment of a purchase has spent the payer's last money, so the chain refuses the second. The second still
// gets the purchase's response.
func TestIdentifierOfAPoorPayer(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	second := b.payAs(testID)
	b.gate.cfg.Facilitator = overtaking{b.chain, func() {
		b.gate.cfg.Facilitator = b.chain
		b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
	}}
	b.wantPaid(b.serve(b.request(second...)))
	b.wantCounts(1, 1, 1)
}

// overtaking runs something while a payment is checked, and then refuses the payment.
type overtaking struct {
	*chainFake
	meanwhile func()
}

func (o overtaking) Verify(context.Context, *x402.Payment, *x402.Requirements) (x402.Checked, error) {
	o.meanwhile()
	return x402.Checked{}, x402.Refuse(x402.CodeInsufficientFunds, "the payer has 0")
}

// TestConcurrentPayments sends many payments for one purchase at once to two edges.
func TestConcurrentPayments(t *testing.T) {
	t.Parallel()
	const payments = 30
	for name, open := range claimstest.Archives() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := open(t)
			b := newBoothOn(t, &on, nil)
			gates := []*Gate{b.gate, b.newGate(nil)}
			var arrived, done sync.WaitGroup
			arrived.Add(payments)
			b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				arrived.Wait()
				_, err := io.WriteString(w, "report")
				return err
			}
			headers, answers := make([][]string, payments), make([]*answer, payments)
			for i := range headers {
				headers[i] = b.payAs(testID)
			}
			for i := range payments {
				done.Go(func() {
					arrived.Done()
					answers[i] = b.serveAt(gates[i%2], b.request(headers[i]...), "body")
				})
			}
			done.Wait()
			for _, a := range answers {
				b.wantPaid(a)
				if got, want := a.Header().Get(x402.HeaderReceiptV2), answers[0].Header().Get(x402.HeaderReceiptV2); got != want {
					t.Errorf("receipt: got %s, want %s", got, want)
				}
			}
			b.wantCounts(1, 1, 1)
		})
	}
}

// Payments that waited for a run that failed get its response.
func TestConcurrentPaymentsOfAFailure(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	running := make(chan struct{})
	b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
		close(running)
		b.waitForListeners(5)
		w.WriteHeader(http.StatusTeapot)
		return nil
	}
	headers := make([][]string, 6)
	for i := range headers {
		headers[i] = b.payAs(testID)
	}
	var done sync.WaitGroup
	done.Go(func() { b.serve(b.request(headers[5]...)) })
	<-running
	for _, header := range headers[:5] {
		done.Go(func() {
			if a := b.serve(b.request(header...)); a.Code != http.StatusTeapot || a.err != nil {
				t.Errorf("got %d %s, %v, want the first one's answer", a.Code, a.Body, a.err)
			}
		})
	}
	done.Wait()
	b.wantCounts(1, 0, 0)
}

// While a settlement's outcome is unknown, another payment does not replace it.
func TestIdentifierOfAnUnknownSettlement(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.chain.set(func(c *chainFake) {
		c.lookErr = errTest
		c.after = func() error { return &x402.SettlementUnknownError{Err: errTest} }
	})
	b.wantAnswer(b.serve(b.request(b.payAs(testID)...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	b.wantAnswer(b.serve(b.request(b.payAs(testID)...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	b.chain.set(func(c *chainFake) { c.lookErr, c.after = nil, nil })
	b.wantPaid(b.serve(b.request(b.payAs(testID)...)))
	b.wantCounts(1, 1, 1)
}

// After a crash between settlement and upstream, another payment for the purchase starts the upstream run.
func TestIdentifierOfAClaimThatNeverRan(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.Settle = price.SettleBefore
	b.chain.set(func(c *chainFake) {
		c.lookErr = errTest
		c.after = func() error { return &x402.SettlementUnknownError{Err: errTest} }
	})
	b.wantAnswer(b.serve(b.request(b.payAs(testID)...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	b.wantCounts(0, 1, 1)
	b.chain.set(func(c *chainFake) { c.lookErr, c.after = nil, nil })
	again := b.payAs(testID)
	b.wantPaid(b.serve(b.request(again...)))
	b.wantPaid(b.serve(b.request(again...)))
	b.wantCounts(1, 1, 1)
}

// TestBuyerIdentifies shows that all payments of one purchase share an identifier, and that each purchase has its own.
func TestBuyerIdentifies(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	buyer, err := client.New(client.Config{Client: new(http.Client), Key: b.key, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(ctx context.Context) *client.SignedPayment {
		t.Helper()
		resp := b.serve(b.request()).Result()
		resp.Request = b.request().WithContext(ctx)
		signed, err := buyer.Sign(resp)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	id, err := buyer.NewIdentifier()
	if err != nil || !x402.ValidIdentifier(id) {
		t.Fatalf("identifier: got %q, %v", id, err)
	}
	purchase := client.WithIdentifier(t.Context(), id)
	for range 3 {
		signed := sign(purchase)
		if signed.Identifier != id {
			t.Errorf("identifier: got %q, want %q", signed.Identifier, id)
		}
		b.wantPaid(b.serve(b.request(signed.HeaderName, signed.HeaderValue)))
	}
	b.wantCounts(1, 1, 1)
	one, other := sign(t.Context()), sign(t.Context())
	if one.Identifier == other.Identifier || !x402.ValidIdentifier(one.Identifier) {
		t.Errorf("two purchases: got %q and %q, want one each", one.Identifier, other.Identifier)
	}
	b.gate.cfg.NoIdentifiers = true
	if got := sign(purchase).Identifier; got != "" {
		t.Errorf("not offered: got %q, want none", got)
	}
	b.gate.cfg.NoIdentifiers = false
	resp := b.serve(b.request()).Result()
	resp.Request = b.request().WithContext(client.WithIdentifier(t.Context(), "short"))
	if _, err := buyer.Sign(resp); err == nil {
		t.Error("a bad identifier: got no error")
	}
}
