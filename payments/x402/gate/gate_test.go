package gate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

func TestChallenge(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.NoIdentifiers, c.NoSignIns = true, true })
	a := b.serve(b.request())
	b.wantAnswer(a, http.StatusPaymentRequired, x402.CodePaymentRequired)
	const wantBody = `{"x402Version":1,"error":"payment_required","message":"this costs 0.01 USDC: repeat the request with a payment for one of the offers","accepts":[` +
		`{"scheme":"exact","network":"base-sepolia","maxAmountRequired":"10000","resource":"https://api.example.com/reports?day=1","description":"a report","mimeType":"text/plain","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":70,"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","extra":{"name":"USDC","version":"2"}},` +
		`{"scheme":"exact","network":"base","maxAmountRequired":"10000","resource":"https://api.example.com/reports?day=1","description":"a report","mimeType":"text/plain","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":70,"asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","extra":{"name":"USD Coin","version":"2"}}]}` + "\n"
	if got := a.Body.String(); got != wantBody {
		t.Errorf("body:\ngot  %s\nwant %s", got, wantBody)
	}
	raw, err := x402.DecodeBase64(a.Header().Get(x402.HeaderRequired))
	if err != nil {
		t.Fatal(err)
	}
	const wantHeader = `{"x402Version":2,"error":"payment_required","resource":{"url":"https://api.example.com/reports?day=1","description":"a report","mimeType":"text/plain"},"accepts":[` +
		`{"scheme":"exact","network":"eip155:84532","amount":"10000","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":70,"extra":{"name":"USDC","version":"2"}},` +
		`{"scheme":"exact","network":"eip155:8453","amount":"10000","asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":70,"extra":{"name":"USD Coin","version":"2"}}]}`
	if got := raw; got != wantHeader {
		t.Errorf("header:\ngot  %s\nwant %s", got, wantHeader)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Access-Control-Expose-Headers": x402.ExposedHeaders, "Content-Type": "application/json"} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestPaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		version int
		settle  price.Settle
	}{
		"v1 settle after": {1, price.SettleAfter}, "v2 settle after": {2, price.SettleAfter},
		"v1 settle before": {1, price.SettleBefore}, "v2 settle before": {2, price.SettleBefore},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = tt.settle
			header := b.pay(tt.version)
			b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
				if r.Header.Get(header[0]) != "" {
					t.Error("the upstream sees the payment")
				}
				if c.Network != "eip155:84532" || c.Amount != 10_000 || c.ID == uuid.Nil {
					t.Errorf("claim: got %+v", c)
				}
				w.Header().Set("Cache-Control", "public, max-age=60")
				w.Header().Set("Turnpike-Cost", "1")
				w.Header().Set("Payment-Response", "forged")
				w.Header().Set("X-Payment-Response", "forged")
				_, err := io.WriteString(w, "report")
				return err
			}
			a := b.serve(b.request(header...))
			b.wantPaid(a)
			if got, want := a.Header().Get("Cache-Control"), "max-age=60, private"; got != want {
				t.Errorf("Cache-Control: got %q, want %q", got, want)
			}
			if got := a.Header().Get("Turnpike-Cost"); got != "" {
				t.Errorf("Turnpike-Cost: got %q, want none", got)
			}
			network := map[int]string{1: "base-sepolia", 2: "eip155:84532"}[tt.version]
			if got := a.receipt(t); got.Network != network || got.Version != tt.version || got.Payer != b.claim().Key.Payer {
				t.Errorf("receipt: got %+v, want network %s in version %d", got, network, tt.version)
			}
			b.wantState(claims.StateSettled)

			again := b.serve(b.request(header...))
			b.wantPaid(again)
			if got := again.Header().Get("X-Request-Id"); got == a.Header().Get("X-Request-Id") {
				t.Error("the copy got the first answer's request id")
			}
			b.wantCounts(1, 1, 1)
		})
	}
}

func TestCopyAcrossVersionsAndTime(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	auth := b.authorization()
	sig := x402test.Sign(t, b.key, auth, x402.BaseSepolia())
	v1, v2 := b.header(1, auth, sig, nil), b.header(2, auth, sig, nil)
	b.wantPaid(b.serve(b.request(v1...)))
	b.wantPaid(b.serve(b.request(v2...))) // the same authorisation in the other protocol version

	b.clock.Advance(70*time.Second + 9*time.Minute) // lapsed
	b.wantPaid(b.serve(b.request(v1...)))
	stale := b.pay(1)
	b.offer.Amount = 20_000 // the price has changed since
	b.wantPaid(b.serve(b.request(v1...)))
	b.wantAnswer(b.serve(b.request(stale...)), http.StatusPaymentRequired, x402.CodeValue)

	b.clock.Advance(2 * time.Minute) // and not kept any longer
	b.offer.Amount = 10_000
	b.wantAnswer(b.serve(b.request(v1...)), http.StatusPaymentRequired, x402.CodeValidBefore)
	b.wantCounts(1, 1, 1)
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	auth := b.authorization()
	header := b.header(1, auth, x402test.Sign(t, b.key, auth, x402.BaseSepolia()), nil)
	b.wantPaid(b.serve(b.request(header...)))

	otherBody := b.serveAt(b.gate, b.request(header...), "other body")
	b.wantAnswer(otherBody, http.StatusConflict, x402.CodeAlreadyUsed)
	r := b.request(header...)
	r.Method = http.MethodPut
	b.wantAnswer(b.serve(r), http.StatusConflict, x402.CodeAlreadyUsed)
	r = b.request(header...)
	r.URL.Path = "/other"
	b.wantAnswer(b.serve(r), http.StatusConflict, x402.CodeAlreadyUsed)

	other := *auth
	other.ValidBefore = new(big.Int).Add(auth.ValidBefore, big.NewInt(1)) // another payload on the same nonce
	a := b.serve(b.request(b.header(1, &other, x402test.Sign(t, b.key, &other, x402.BaseSepolia()), nil)...))
	b.wantAnswer(a, http.StatusConflict, x402.CodeAlreadyUsed)
	if a.Header().Get(x402.HeaderRequired) != "" {
		t.Error("a conflict must not ask for payment")
	}
	b.wantCounts(1, 1, 1)
}

func TestUpstreamFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		next   NextFunc
		status int
		err    error
		panic  any
	}{
		"error status": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			http.Error(w, "broken", http.StatusBadGateway)
			return nil
		}, http.StatusBadGateway, nil, nil},
		"client's fault": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			http.Error(w, "bad", http.StatusUnprocessableEntity)
			return nil
		}, http.StatusUnprocessableEntity, nil, nil},
		"error": {func(http.ResponseWriter, *http.Request, x402.Claim) error { return errTest }, http.StatusOK, errTest, nil},
		"error after writing": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			_, _ = io.WriteString(w, "half")
			return errTest
		}, http.StatusOK, errTest, nil},
		"panic mid-body": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}, http.StatusBadGateway, nil, nil}, // nothing was sent yet, so the client gets the error
		"another panic": {func(http.ResponseWriter, *http.Request, x402.Claim) error { panic(errTest) }, http.StatusOK, nil, errTest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			good := b.next
			b.next = tt.next
			header := b.pay(2)
			a := b.serve(b.request(header...))
			if a.Code != tt.status || !errors.Is(a.err, tt.err) || a.panicked != tt.panic {
				t.Errorf("got %d, %v, %v, want %d, %v, %v", a.Code, a.err, a.panicked, tt.status, tt.err, tt.panic)
			}
			if strings.Contains(a.Body.String(), "half") || a.receipt(t) != nil {
				t.Errorf("unpaid answer: got %q with receipt %+v", a.Body, a.receipt(t))
			}
			b.wantState(claims.StateReleased)
			b.wantCounts(1, 0, 0)

			b.next = good // the same payment can be tried again
			b.wantPaid(b.serve(b.request(header...)))
			b.wantCounts(2, 1, 1)
			if b.ids[0] == b.ids[1] {
				t.Error("the second run has the first one's claim id")
			}
		})
	}
}

func TestUpstreamFailsAfterSettlement(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		next NextFunc
		kept bool
	}{
		"error status": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			http.Error(w, "broken", http.StatusInternalServerError)
			return nil
		}, true},
		"panic": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle, b.next = price.SettleBefore, tt.next
			header := b.pay(2)
			first := b.serve(b.request(header...))
			if first.receipt(t) == nil {
				t.Error("the payer gets no receipt")
			}
			b.wantState(claims.StateRefundDue)
			again := b.serve(b.request(header...))
			if again.receipt(t) == nil || again.Header().Get(x402.HeaderRequired) != "" {
				t.Errorf("copy: got receipt %+v and challenge %q", again.receipt(t), again.Header().Get(x402.HeaderRequired))
			}
			if tt.kept && again.Code != http.StatusInternalServerError || !tt.kept && again.code() != x402.CodeResponseNotKept {
				t.Errorf("copy: got %d %s", again.Code, again.Body)
			}
			b.wantCounts(1, 1, 1)
		})
	}
}

func TestOverCap(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.ResponseBytesMax = 8 })
	half := func(w http.ResponseWriter) error {
		for range 4 {
			if _, err := io.WriteString(w, "0123"); err != nil {
				return err
			}
		}
		return http.NewResponseController(w).Flush()
	}
	for name, tt := range map[string]struct {
		next  NextFunc
		state claims.State
		runs  int
	}{
		"streamed": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error { return half(w) }, claims.StateSettled, 1},
		"upstream dies after": {func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			_ = half(w)
			panic(http.ErrAbortHandler)
		}, claims.StateRefundDue, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, func(c *Config) { c.ResponseBytesMax = 8 })
			b.next = tt.next
			header := b.pay(1)
			a := b.serve(b.request(header...))
			if got := a.Body.String(); got != "0123012301230123" || a.receipt(t) == nil {
				t.Errorf("got %q with receipt %+v", got, a.receipt(t))
			}
			b.wantState(tt.state)
			again := b.serve(b.request(header...))
			b.wantAnswer(again, http.StatusConflict, x402.CodeResponseNotKept)
			if again.receipt(t) == nil {
				t.Error("the copy gets no receipt")
			}
			b.wantCounts(1, 1, 1)
		})
	}
	t.Run("settlement fails at the cap", func(t *testing.T) {
		b.chain.set(func(c *chainFake) { c.before = func() error { return x402.Refuse(x402.CodeInsufficientFunds, "gone") } })
		b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			if err := half(w); err != nil {
				panic(http.ErrAbortHandler) // as a reverse proxy does
			}
			return nil
		}
		a := b.serve(b.request(b.pay(1)...))
		b.wantAnswer(a, http.StatusPaymentRequired, x402.CodeInsufficientFunds)
		if a.panicked != nil || strings.Contains(a.Body.String(), "0123") {
			t.Errorf("got panic %v and body %q", a.panicked, a.Body)
		}
		b.wantState(claims.StateFailed)
	})
	t.Run("error status over the cap", func(t *testing.T) {
		b := newBooth(t, func(c *Config) { c.ResponseBytesMax = 8 })
		b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			w.WriteHeader(http.StatusInternalServerError)
			return half(w)
		}
		a := b.serve(b.request(b.pay(1)...))
		if a.Code != http.StatusInternalServerError || a.Body.Len() != 16 || a.receipt(t) != nil {
			t.Errorf("got %d %q, want the upstream's error and no receipt", a.Code, a.Body)
		}
		b.wantState(claims.StateReleased)
		b.wantCounts(1, 0, 0)
	})
}

func TestSettlementFails(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		t.Run(string(settle), func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = settle
			b.chain.set(func(c *chainFake) { c.before = func() error { return x402.Refuse(x402.CodePayload, "gone") } })
			header := b.pay(2)
			for range 2 {
				a := b.serve(b.request(header...))
				b.wantAnswer(a, http.StatusPaymentRequired, x402.CodePayload)
				if receipt := a.receipt(t); receipt == nil || receipt.Success || receipt.ErrorReason != x402.CodePayload {
					t.Errorf("receipt: got %+v, want a failure", receipt)
				}
				if a.Header().Get(x402.HeaderRequired) == "" {
					t.Error("want a fresh challenge")
				}
			}
			b.wantState(claims.StateFailed)
			runs := map[price.Settle]int{price.SettleAfter: 1, price.SettleBefore: 0}[settle]
			b.wantCounts(runs, 1, 0)
		})
	}
}

func TestSettlementUnknown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settle price.Settle
		moved  bool
	}{
		"after, money moved":      {price.SettleAfter, true},
		"after, money not moved":  {price.SettleAfter, false},
		"before, money moved":     {price.SettleBefore, true},
		"before, money not moved": {price.SettleBefore, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Settle = tt.settle
			b.chain.set(func(c *chainFake) {
				c.lookErr = errTest // the node cannot be reached either
				if tt.moved {
					c.after = func() error { return &x402.SettlementUnknownError{Err: errTest} }
				} else {
					c.before = func() error { return errTest }
				}
			})
			header := b.pay(2)
			a := b.serve(b.request(header...))
			b.wantAnswer(a, http.StatusServiceUnavailable, x402.CodeSettlementPending)
			if a.Header().Get(x402.HeaderRequired) != "" || a.Header().Get("Retry-After") == "" {
				t.Errorf("got headers %v, want Retry-After and no challenge", a.Header())
			}
			b.wantState(claims.StateUnknown)
			b.chain.set(func(c *chainFake) { c.lookErr, c.before, c.after = nil, nil, nil })
			// A client that repeats its request gets the response, without Recover.
			b.wantPaid(b.serve(b.request(header...)))
			b.wantState(claims.StateSettled)
			b.wantPaid(b.serve(b.request(header...)))
			if _, moved := b.chain.counts(); moved != 1 || b.ran() != 1 {
				t.Errorf("transfers, runs: got %d, %d, want 1, 1", moved, b.ran())
			}
		})
	}
}

// A client that disconnects loses nothing: its payment fetches the response later.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	t.Run("while it is settled", func(t *testing.T) {
		t.Parallel()
		b := newBooth(t, nil)
		header := b.pay(1)
		ctx, leave := context.WithCancel(t.Context())
		b.chain.set(func(c *chainFake) { c.before = func() error { leave(); return nil } })
		b.serve(b.request(header...).WithContext(ctx))
		b.wantState(claims.StateSettled)
		b.wantPaid(b.serve(b.request(header...)))
		b.wantCounts(1, 1, 1)
	})
	t.Run("while the upstream works, settle after", func(t *testing.T) {
		t.Parallel()
		b := newBooth(t, nil)
		good := b.next
		header := b.pay(1)
		ctx, leave := context.WithCancel(t.Context())
		b.next = func(_ http.ResponseWriter, r *http.Request, _ x402.Claim) error {
			leave()
			<-r.Context().Done()
			return r.Context().Err()
		}
		a := b.serve(b.request(header...).WithContext(ctx))
		if !errors.Is(a.err, context.Canceled) {
			t.Errorf("error: got %v, want canceled", a.err)
		}
		b.wantState(claims.StateReleased)
		b.next = good
		b.wantPaid(b.serve(b.request(header...)))
		b.wantCounts(2, 1, 1)
	})
	t.Run("while the upstream works, settle before", func(t *testing.T) {
		t.Parallel()
		b := newBooth(t, nil)
		b.offer.Settle = price.SettleBefore
		good := b.next
		header := b.pay(1)
		ctx, leave := context.WithCancel(t.Context())
		b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
			leave()
			if r.Context().Err() != nil {
				t.Error("the paid upstream was cut off")
			}
			return good(w, r, c)
		}
		b.serve(b.request(header...).WithContext(ctx))
		b.wantState(claims.StateSettled)
		b.wantPaid(b.serve(b.request(header...)))
		b.wantCounts(1, 1, 1)
	})
}

func TestServeRefusesBadOffers(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer = x402.Offer{Amount: -1, Resource: "/relative"}
	a := b.serve(b.request())
	if a.err == nil {
		t.Fatal("error: got none")
	}
	for _, want := range []string{"amount", "resource", "settle", "timeout"} {
		if !strings.Contains(a.err.Error(), want) {
			t.Errorf("error: got %v, want it to name the %s", a.err, want)
		}
	}
	if _, err := NewGate(Config{}); err == nil || !strings.Contains(err.Error(), "facilitator") || !strings.Contains(err.Error(), "store") {
		t.Errorf("empty configuration: got %v", err)
	}
}

func TestFacilitatorUnreachable(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.gate.cfg.Facilitator = unreachable{b.chain}
	a := b.serve(b.request(b.pay(2)...))
	if !errors.Is(a.err, x402.ErrUnavailable) || a.Body.Len() != 0 {
		t.Errorf("got %v and %q, want ErrUnavailable and nothing written", a.err, a.Body)
	}
	b.wantCounts(0, 0, 0)
}

type unreachable struct{ *chainFake }

func (unreachable) Verify(context.Context, *x402.Payment, *x402.Requirements) (x402.Checked, error) {
	return x402.Checked{}, errTest
}

func TestPrivateCacheControl(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                          "private",
		"public, max-age=5":         "max-age=5, private",
		"no-store":                  "no-store",
		"max-age=5, s-maxage=10":    "max-age=5, private",
		"private":                   "private",
		"no-cache, must-revalidate": "no-cache, must-revalidate, private",
	} {
		if got := privateCacheControl([]string{in}); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestNoticesAreJSON(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := x402.WriteNotice(w, http.StatusConflict, x402.CodeInProgress, "a & b", nil); err != nil {
		t.Fatal(err)
	}
	var got x402.Notice
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Error != x402.CodeInProgress || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %+v, %v, %v", got, err, w.Header())
	}
}
