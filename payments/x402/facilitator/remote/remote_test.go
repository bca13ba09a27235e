package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func newRemote(t *testing.T, handler http.Handler, change func(*Config)) *Facilitator {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	cfg := Config{URL: server.URL, Client: server.Client()}
	if change != nil {
		change(&cfg)
	}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// samplePayment returns a payment that no facilitator has to accept.
func samplePayment(t *testing.T) (*x402.Payment, *x402.Requirements) {
	t.Helper()
	now := time.Now()
	req := &x402.Requirements{
		Network: x402.BaseSepolia(), PayTo: x402test.PayTo, Amount: 10_000, MaxTimeout: 70 * time.Second,
		Resource: "https://api.example.com/reports?day=1", Description: "a report", MimeType: "text/plain",
	}
	a := x402.Authorization{
		From: common.HexToAddress("0x1"), To: x402test.PayTo, Value: req.Amount,
		ValidAfter: big.NewInt(now.Add(-10 * time.Minute).Unix()), ValidBefore: big.NewInt(now.Add(req.MaxTimeout).Unix()),
	}
	accepted := req.V2()
	raw, err := json.Marshal(x402.PaymentV2{X402Version: x402.Version2, Accepted: &accepted, Payload: &x402.Payload{
		Signature: hexutil.Encode(make([]byte, x402.SignatureBytes)), Authorization: a.Wire(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, refusal := x402.ParsePayload(x402.Version2, string(raw))
	if refusal != nil {
		t.Fatal(refusal)
	}
	return p, req
}

// TestFacilitatorFaults shows how a facilitator's answers are interpreted without a node.
func TestFacilitatorFaults(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	refusing := func(reason string) http.HandlerFunc {
		return x402test.Saying(200, `{"success":false,"errorReason":"`+reason+`","transaction":"","network":"x"}`)
	}
	success := func(hash string) http.HandlerFunc {
		return x402test.Saying(200, `{"success":true,"transaction":"`+hash+`","network":"x"}`)
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		unknown bool
		code    x402.Code // empty: success, unless the outcome is unknown
	}{
		"drops the connection":  {x402test.Dropping, true, ""},
		"500":                   {x402test.Saying(500, "oops"), true, ""},
		"503":                   {x402test.Saying(503, "later"), true, ""},
		"not JSON":              {x402test.Saying(200, "<html>"), true, ""},
		"truncated":             {x402test.Saying(200, `{"success":true,"transaction":"`+x402test.SampleHash), true, ""},
		"huge":                  {x402test.Saying(200, `{"success":true,"transaction":"`+x402test.SampleHash+`","x":"`+strings.Repeat("x", facilitatorAnswerMax)+`"}`), true, ""},
		"empty object":          {x402test.Saying(200, "{}"), true, ""},
		"success":               {success(x402test.SampleHash), false, ""},
		"success without hash":  {success(""), true, ""},
		"success, short hash":   {success("0x12"), true, ""},
		"success, zero hash":    {success((common.Hash{}).Hex()), true, ""},
		"success, no 0x":        {success(x402test.SampleHash[2:]), true, ""},
		"always pending":        {x402test.Saying(200, `{"success":false,"errorReason":"settlement_pending","transaction":"`+x402test.SampleHash+`","network":"x"}`), true, ""},
		"nonce used":            {refusing("invalid_exact_evm_nonce_already_used"), true, ""},
		"transaction failed":    {refusing("invalid_exact_evm_transaction_failed"), true, ""},
		"a word of its own":     {refusing("not_on_tuesdays"), true, ""},
		"poor, by the spec":     {refusing("insufficient_funds"), false, x402.CodeInsufficientFunds},
		"poor, by the code":     {refusing("invalid_exact_evm_insufficient_balance"), false, x402.CodeInsufficientFunds},
		"refusal with 400":      {x402test.Saying(400, `{"success":false,"errorReason":"invalid_exact_evm_signature","transaction":"","network":"x"}`), false, x402.CodeSignature},
		"refusal with 412":      {x402test.Saying(412, `{"success":false,"errorReason":"permit2_allowance_required","transaction":"","network":"x"}`), false, x402.CodePayload},
		"success of wrong type": {x402test.Saying(200, `{"success":"true","transaction":"`+x402test.SampleHash+`"}`), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRemote(t, tt.handler, nil)
			done, err := f.Settle(t.Context(), p, req)
			_, unknown := errors.AsType[*x402.SettlementUnknownError](err)
			if unknown != tt.unknown {
				t.Fatalf("got %v, want unknown %v", err, tt.unknown)
			}
			switch {
			case tt.code != "":
				x402test.WantRefusal(t, err, tt.code)
			case !tt.unknown && (err != nil || done.Transaction != x402test.SampleHash):
				t.Errorf("got %+v, %v, want success", done, err)
			}
		})
	}
}

func TestFacilitatorThatIsNotThere(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	f, err := New(Config{URL: "http://127.0.0.1:1", Client: &http.Client{Timeout: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Settle(t.Context(), p, req); !errors.Is(err, x402.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable: nothing was sent", err)
	}
	if seen, err := f.Lookup(t.Context(), p, req, time.Time{}); err != nil || seen.Looked() {
		t.Errorf("lookup without a node: got %+v, %v, want that nobody looked", seen, err)
	}
}

// TestFacilitatorRetries shows that requests that change nothing are tried twice. Settlements that may have arrived
// are not, except those that are said to be pending.
func TestFacilitatorRetries(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	good := x402test.Saying(200, `{"isValid":true,"success":true,"transaction":"`+x402test.SampleHash+`"}`)
	pending := x402test.Saying(200, `{"success":false,"errorReason":"settlement_pending","transaction":"`+x402test.SampleHash+`"}`)
	for name, tt := range map[string]struct {
		path  string
		first http.HandlerFunc
		asked int64
		ok    bool
	}{
		"verify, dropped":       {"verify", x402test.Dropping, 2, true},
		"verify, 502":           {"verify", x402test.Saying(502, ""), 2, true},
		"verify, 503":           {"verify", x402test.Saying(503, ""), 2, true},
		"verify, 504":           {"verify", x402test.Saying(504, ""), 2, true},
		"verify, 500":           {"verify", x402test.Saying(500, ""), 1, false},
		"verify, 404":           {"verify", x402test.Saying(404, ""), 1, false},
		"verify, refused":       {"verify", x402test.Saying(200, `{"isValid":false,"invalidReason":"insufficient_funds"}`), 1, false},
		"verify, not found out": {"verify", x402test.Saying(200, `{"isValid":false,"invalidReason":"unexpected_verify_error"}`), 1, false},
		"settle, dropped":       {"settle", x402test.Dropping, 1, false},
		"settle, 502":           {"settle", x402test.Saying(502, ""), 1, false},
		"settle, 503":           {"settle", x402test.Saying(503, ""), 1, false},
		"settle, pending":       {"settle", pending, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			f := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					tt.first(w, r)
					return
				}
				good(w, r)
			}), nil)
			var err error
			if tt.path == "verify" {
				_, err = f.Verify(t.Context(), p, req)
			} else {
				_, err = f.Settle(t.Context(), p, req)
			}
			if (err == nil) != tt.ok || asked.Load() != tt.asked {
				t.Errorf("got %v after %d requests, want ok %v after %d", err, asked.Load(), tt.ok, tt.asked)
			}
			if _, refused := errors.AsType[*x402.Refusal](err); refused != (name == "verify, refused") {
				t.Errorf("got %v as a refusal: %v", err, refused)
			}
		})
	}
}

// TestPendingThatFailsAgain shows that a second request does not turn an unknown outcome into a certain one.
func TestPendingThatFailsAgain(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	var asked atomic.Int64
	f := newRemote(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			x402test.Saying(200, `{"success":false,"errorReason":"settlement_pending","transaction":"`+x402test.SampleHash+`"}`)(w, r)
			return
		}
		x402test.Dropping(w, r)
	}), nil)
	_, err := f.Settle(t.Context(), p, req)
	if unknown, ok := errors.AsType[*x402.SettlementUnknownError](err); !ok || unknown.Transaction != x402test.SampleHash {
		t.Errorf("got %v, want an unknown outcome with the hash", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	var elsewhere atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		x402test.Saying(200, `{"isValid":true,"success":true,"transaction":"`+x402test.SampleHash+`"}`)(w, r)
	}))
	t.Cleanup(thief.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := newRemote(t, http.RedirectHandler(thief.URL, status), nil)
		_, err := f.Verify(t.Context(), p, req)
		if err == nil || !strings.Contains(err.Error(), thief.URL) {
			t.Errorf("%d, verify: got %v, want an error that names %s", status, err, thief.URL)
		}
		_, err = f.Settle(t.Context(), p, req)
		if _, unknown := errors.AsType[*x402.SettlementUnknownError](err); !unknown {
			t.Errorf("%d, settle: got %v, want an unknown outcome", status, err)
		}
	}
	if got := elsewhere.Load(); got != 0 {
		t.Errorf("the payment was sent on %d times", got)
	}
}

func TestFacilitatorTimeout(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	f := newRemote(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}), func(c *Config) { c.Timeout = 50 * time.Millisecond })
	_, err := f.Settle(t.Context(), p, req)
	if _, unknown := errors.AsType[*x402.SettlementUnknownError](err); !unknown || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want an unknown outcome after the time", err)
	}
}

func TestFacilitatorCheck(t *testing.T) {
	t.Parallel()
	const both = `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"},{"x402Version":1,"scheme":"exact","network":"base-sepolia",
		"extra":{"feePayer":1}}],"extensions":[],"signers":{"eip155:*":["0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"]}}`
	for name, tt := range map[string]struct {
		answer  string
		network x402.Network
		want    string // part of the error
	}{
		"both versions":     {both, x402.BaseSepolia(), ""},
		"another network":   {both, x402.Base(), "network base in x402 version 1"},
		"another, by CAIP":  {both, x402.Base(), "network eip155:8453 in x402 version 2"},
		"version 2 only":    {`{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"}]}`, x402.BaseSepolia(), "version 1"},
		"another scheme":    {`{"kinds":[{"x402Version":2,"scheme":"upto","network":"eip155:84532"}]}`, x402.BaseSepolia(), "version 2"},
		"not a facilitator": {`<html>`, x402.BaseSepolia(), "asking the facilitator what it supports"},
	} {
		f := newRemote(t, x402test.Saying(200, tt.answer), nil)
		err := f.Check(t.Context(), tt.network)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestFacilitatorConfig(t *testing.T) {
	t.Parallel()
	client := &http.Client{Timeout: time.Second}
	for _, cfg := range []Config{
		{URL: "", Client: client},
		{URL: "ftp://x", Client: client},
		{URL: "https://", Client: client},
		{URL: "https://x"},
		{URL: "https://x", Client: client, Timeout: -1},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v: got no error", cfg)
		}
	}
}

// roundTrip is a transport in memory.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzFacilitatorAnswer shows that only a complete success with a hash counts as one, and only a decision as a refusal.
func FuzzFacilitatorAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"success":true,"transaction":"` + x402test.SampleHash + `","network":"base"}`,
		`{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"base"}`,
		`{"success":false,"errorReason":"settlement_pending","transaction":"` + x402test.SampleHash + `"}`,
		`{"isValid":true,"payer":"0x"}`, `{"isValid":false,"invalidReason":"invalid_network"}`, `{}`, `[]`, `null`, `{"success":null}`, "",
		`{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453","extra":{}}],"signers":{"eip155:*":[]}}`,
	} {
		f.Add(200, []byte(seed))
		f.Add(400, []byte(seed))
	}
	req := &x402.Requirements{Network: x402.BaseSepolia(), PayTo: x402test.PayTo, Amount: 10_000, MaxTimeout: time.Minute}
	p := &x402.Payment{Version: x402.Version2, Raw: "{}", Signature: make([]byte, x402.SignatureBytes)}
	p.Authorization.From, p.Authorization.To = common.HexToAddress("0x1"), x402test.PayTo
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		remote, err := New(Config{URL: "http://facilitator", Client: &http.Client{Transport: roundTrip(
			func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), Header: http.Header{}, Request: r}, nil
			},
		)}})
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			IsValid, Success bool
			Transaction      string
		}
		readable := json.Unmarshal(body, &said) == nil
		done, err := remote.Settle(t.Context(), p, req)
		if err == nil && (!readable || !said.Success || !strings.EqualFold(done.Transaction, said.Transaction) || len(done.Transaction) != 66) {
			t.Errorf("settled with %+v by %d %q", done, status, body)
		}
		if refusal, refused := errors.AsType[*x402.Refusal](err); refused && (refusal.Code == "" || len(refusal.Message) > 200) {
			t.Errorf("refused with %+v by %d %q", refusal, status, body)
		}
		if _, err := remote.Verify(t.Context(), p, req); err == nil && (!readable || !said.IsValid) {
			t.Errorf("valid by %d %q", status, body)
		}
		_ = remote.Check(t.Context(), x402.BaseSepolia())
	})
}
