package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
)

// counter is a facilitator server over a chain in memory, with good messages for it.
type counter struct {
	*testing.T
	booth  *booth
	server *server.Server
}

func newCounter(t *testing.T, payTo ...common.Address) *counter {
	t.Helper()
	b := newBooth(t, nil)
	server, err := server.New(server.Config{
		Facilitator: b.chain, Networks: []x402.Network{x402.BaseSepolia(), x402.Base()}, PayTo: payTo, Now: b.clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &counter{T: t, booth: b, server: server}
}

// message is the body of a request about a good payment; edit may spoil it.
func (d *counter) message(version int, edit func(m map[string]any)) string {
	d.Helper()
	raw, err := x402.DecodeBase64(d.booth.pay(version)[1])
	if err != nil {
		d.Fatal(err)
	}
	requirements, err := json.Marshal(d.booth.requirement().Wire(version))
	if err != nil {
		d.Fatal(err)
	}
	text, err := json.Marshal(x402.FacilitatorRequest{X402Version: version, PaymentPayload: json.RawMessage(raw), PaymentRequirements: requirements})
	if err != nil || edit == nil {
		return string(text)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		d.Fatal(err)
	}
	edit(m)
	if text, err = json.Marshal(m); err != nil {
		d.Fatal(err)
	}
	return string(text)
}

func (d *counter) post(path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w
}

func (d *counter) settle(body string) (int, x402.SettleResponse) {
	d.Helper()
	w := d.post("/settle", body)
	var answer x402.SettleResponse
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		d.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return w.Code, answer
}

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	for version := x402.Version1; version <= x402.Version2; version++ {
		d := newCounter(t)
		body := d.message(version, nil)
		var valid x402.VerifyResponse
		w := d.post("/verify", body)
		if err := json.Unmarshal(w.Body.Bytes(), &valid); err != nil || w.Code != http.StatusOK || !valid.IsValid || valid.Payer == "" {
			t.Errorf("verify v%d: got %d %s", version, w.Code, w.Body)
		}
		status, answer := d.settle(body)
		wantAmount, wantNetwork := "", "base-sepolia"
		if version == x402.Version2 {
			wantAmount, wantNetwork = "10000", "eip155:84532"
		}
		if status != http.StatusOK || !answer.Success || answer.Amount != wantAmount || answer.Network != wantNetwork || answer.Payer != valid.Payer {
			t.Errorf("settle v%d: got %d %+v", version, status, answer)
		}
		if again, same := d.settle(body); again != status || same != answer {
			t.Errorf("settle v%d again: got %d %+v, want %+v", version, again, same, answer)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	t.Parallel()
	within := func(member, name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[member].(map[string]any)[name] = value }
	}
	asked := func(name string, value any) func(map[string]any) { return within("paymentRequirements", name, value) }
	const other = "0x00000000000000000000000000000000000000aa"
	for name, tt := range map[string]struct {
		edit   func(map[string]any)
		status int
		code   x402.Code
	}{
		"no payload":           {func(m map[string]any) { delete(m, "paymentPayload") }, 400, x402.CodePayload},
		"payload of no shape":  {func(m map[string]any) { m["paymentPayload"] = "x" }, 400, x402.CodePayload},
		"version 3":            {func(m map[string]any) { m["x402Version"] = 3 }, 400, x402.CodeVersion},
		"version of the other": {func(m map[string]any) { m["x402Version"] = 1 }, 400, x402.CodeVersion},
		"version as a word":    {func(m map[string]any) { m["x402Version"] = "2" }, 400, x402.CodePayload},
		"no requirements":      {func(m map[string]any) { delete(m, "paymentRequirements") }, 200, x402.CodeRequirements},
		"another recipient":    {asked("payTo", other), 200, x402.CodeRequirements},
		"no recipient":         {asked("payTo", (common.Address{}).Hex()), 200, x402.CodeRequirements},
		"another asset":        {asked("asset", other), 200, x402.CodeRequirements},
		"another network":      {asked("network", "eip155:1"), 200, x402.CodeNetwork},
		"crossed networks": {func(m map[string]any) {
			asked("network", "eip155:8453")(m)
			asked("asset", x402.Base().Asset.Hex())(m)
			asked("extra", map[string]any{"name": "USD Coin", "version": "2"})(m)
		}, 200, x402.CodeNetwork},
		"another scheme":       {asked("scheme", "upto"), 200, x402.CodeUnsupportedScheme},
		"another amount":       {asked("amount", "9999"), 200, x402.CodeValueMismatch},
		"amount of nothing":    {asked("amount", "0"), 200, x402.CodeRequirements},
		"amount below nothing": {asked("amount", "-1"), 200, x402.CodeRequirements},
		"amount of broken":     {asked("amount", "1.5"), 200, x402.CodeRequirements},
		"amount as a number":   {asked("amount", 10000), 200, x402.CodeRequirements},
		"another token name":   {asked("extra", map[string]any{"name": "USD", "version": "2"}), 200, x402.CodeRequirements},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newCounter(t, x402test.PayTo)
			body := d.message(2, tt.edit)
			w := d.post("/verify", body)
			var verdict x402.VerifyResponse
			if err := json.Unmarshal(w.Body.Bytes(), &verdict); err != nil || w.Code != tt.status || verdict.IsValid || verdict.InvalidReason != tt.code || verdict.InvalidMessage == "" {
				t.Errorf("verify: got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.code)
			}
			status, answer := d.settle(body)
			if status != tt.status || answer.Success || answer.ErrorReason != tt.code || answer.Transaction != "" {
				t.Errorf("settle: got %d %+v, want %d %s", status, answer, tt.status, tt.code)
			}
			if d.booth.chain.verified != 0 || d.booth.chain.settles != 0 {
				t.Error("the facilitator was asked")
			}
		})
	}
}

func TestServerPaysListedOnly(t *testing.T) {
	t.Parallel()
	d := newCounter(t, common.HexToAddress("0xaa"), common.HexToAddress("0xbb"))
	status, answer := d.settle(d.message(2, nil))
	if status != http.StatusOK || answer.ErrorReason != x402.CodeRequirements || !strings.Contains(answer.ErrorMessage, x402test.PayTo.Hex()) || d.booth.chain.settles != 0 {
		t.Errorf("got %d %+v after %d settlements", status, answer, d.booth.chain.settles)
	}
}

func TestServerRoutes(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/supported", "", 200},
		{"HEAD", "/supported", "", 200},
		{"POST", "/supported", "", 405},
		{"GET", "/verify", "", 405},
		{"PUT", "/settle", "", 405},
		{"GET", "/", "", 404},
		{"POST", "/settle/", "", 404},
		{"POST", "//settle", "", 404},
		{"POST", "/SETTLE", "", 404},
		{"POST", "/settle", "", 400},
		{"POST", "/settle", "{", 400},
		{"POST", "/settle", "[]", 400},
		{"POST", "/verify", "{}{}", 400},
		{"POST", "/verify", `{"x":"` + strings.Repeat("x", 64<<10) + `"}`, 413},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(tt.method, "/", strings.NewReader(tt.body))
		r.URL.Path = tt.path
		d.server.ServeHTTP(w, r)
		if w.Code != tt.status || !json.Valid(w.Body.Bytes()) || (w.Code == 405) != (w.Header().Get("Allow") != "") || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d %v %s, want %d", tt.method, tt.path, w.Code, w.Header(), w.Body, tt.status)
		}
	}
}

func TestServerOutcomes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settles error
		moves   bool // before settles is returned
		lookErr error
		status  int
		code    x402.Code // empty: success
		hash    string
	}{
		"lapsed since it was settled": {x402.Refuse(x402.CodeValidBefore, "late"), true, nil, 200, "", ""},
		"front-run":                   {x402.Refuse(x402.CodeTransactionState, "used"), true, nil, 200, "", ""},
		"unknown and paid":            {&x402.SettlementUnknownError{Err: errTest}, true, nil, 200, "", ""},
		"unknown":                     {&x402.SettlementUnknownError{Transaction: x402test.SampleHash, Err: errTest}, false, nil, 200, x402.CodeSettlementPending, x402test.SampleHash},
		"unknown, no node":            {&x402.SettlementUnknownError{Err: errTest}, true, errTest, 200, x402.CodeSettlementPending, ""},
		"refused":                     {x402.Refuse(x402.CodeInsufficientFunds, "poor"), false, nil, 200, x402.CodeInsufficientFunds, ""},
		"nothing sent":                {fmt.Errorf("%w: %w", x402.ErrUnavailable, errTest), false, nil, 503, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newCounter(t)
			d.booth.chain.set(func(c *chainFake) {
				c.lookErr = tt.lookErr
				if tt.moves {
					c.after = func() error { return tt.settles }
				} else {
					c.before = func() error { return tt.settles }
				}
			})
			if tt.status != http.StatusOK {
				w := d.post("/settle", d.message(1, nil))
				if w.Code != tt.status || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "success") {
					t.Errorf("got %d %v %s", w.Code, w.Header(), w.Body)
				}
				return
			}
			status, answer := d.settle(d.message(1, nil))
			if status != tt.status || answer.Success != (tt.code == "") || answer.ErrorReason != tt.code || answer.Success != (answer.Transaction != "") && answer.Transaction != tt.hash {
				t.Errorf("got %d %+v, want %d %s", status, answer, tt.status, tt.code)
			}
		})
	}
}

// TestServerSettlesOnce sends one payment many times at once to two servers, and then again.
func TestServerSettlesOnce(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	p := c.Payment(2, nil)
	requirements, err := json.Marshal(c.Req.V2())
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(x402.FacilitatorRequest{X402Version: 2, PaymentPayload: json.RawMessage(p.Raw), PaymentRequirements: requirements})
	if err != nil {
		t.Fatal(err)
	}
	second, err := server.New(server.Config{Facilitator: c.facilitator, Networks: []x402.Network{x402.BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	post := func(server *server.Server) string {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/settle", bytes.NewReader(body)))
		return w.Body.String()
	}
	answers := make(chan string, 20)
	var done sync.WaitGroup
	for range cap(answers) {
		done.Go(func() { answers <- post(c.server) })
	}
	done.Wait()
	close(answers)
	want := post(second)
	if !strings.Contains(want, `"success":true`) {
		t.Fatalf("got %s", want)
	}
	for got := range answers {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := c.Balance(c.Req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}

func TestServerConfig(t *testing.T) {
	t.Parallel()
	_, err := server.New(server.Config{SettleTimeout: -1})
	for _, want := range []string{"facilitator:", "networks:", "settle timeout:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault with %s", err, want)
		}
	}
}

// FuzzFacilitatorRequest shows that no body crashes the server or makes it settle a bad payment.
func FuzzFacilitatorRequest(f *testing.F) {
	const payload = `{"signature":"0x11","authorization":{"from":"0x1111111111111111111111111111111111111111","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
		"value":"10","validAfter":"0","validBefore":"99999999999","nonce":"` + x402test.SampleHash + `"}}`
	const asked = `"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","maxTimeoutSeconds":60,
		"extra":{"name":"USDC","version":"2"}`
	f.Add([]byte(`{"x402Version":1,"paymentPayload":{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":` + payload + `},
		"paymentRequirements":{"scheme":"exact","network":"base-sepolia","maxAmountRequired":"10",` + asked + `}}`))
	f.Add([]byte(`{"x402Version":2,"paymentPayload":{"x402Version":2,"accepted":{"scheme":"exact","network":"eip155:84532","amount":"10",` + asked + `},"payload":` + payload + `},
		"paymentRequirements":{"scheme":"exact","network":"eip155:84532","amount":"10",` + asked + `}}`))
	for _, seed := range []string{"", "{}", "[]", "null", `{"x402Version":2}`, `{"x402Version":1e0,"paymentPayload":null,"paymentRequirements":null}`, "{\"x402Version\":\xff}"} {
		f.Add([]byte(seed))
	}
	clk := clocktest.New()
	f.Fuzz(func(t *testing.T, body []byte) {
		fake := &chainFake{clock: clk, moved: map[[32]byte]string{}}
		server, err := server.New(server.Config{
			Facilitator: fake, Networks: []x402.Network{x402.BaseSepolia()}, PayTo: []common.Address{x402test.PayTo}, Now: clk.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/verify", "/settle"} {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
			var answer struct {
				IsValid, Success           bool
				InvalidReason, ErrorReason x402.Code
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatalf("%s: got %d %s: %v", path, w.Code, w.Body, err)
			}
			good := answer.IsValid || answer.Success
			if w.Code != http.StatusOK && (good || w.Code != http.StatusBadRequest && w.Code != http.StatusRequestEntityTooLarge) {
				t.Errorf("%s: got %d %s", path, w.Code, w.Body)
			}
			if !good && answer.InvalidReason == "" && answer.ErrorReason == "" {
				t.Errorf("%s: refused without a reason: %s", path, w.Body)
			}
		}
		if len(fake.moved) > 1 {
			t.Errorf("moved %d", len(fake.moved))
		}
	})
}
