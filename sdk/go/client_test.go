package turnpike

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// serve returns a client of a service that answers with handle. Its waits end at once.
func serve(t *testing.T, cfg Config, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	cfg.BaseURL = server.URL
	if cfg.Wallet == nil {
		cfg.Key = "tp_key"
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.wait = func(time.Duration) <-chan time.Time {
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}
	return c
}

func testWallet(t *testing.T, maxSpend USDC) *Wallet {
	t.Helper()
	w, err := NewWallet(WalletConfig{PrivateKey: strings.Repeat("01", 32), MaxSpend: maxSpend})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := New(Config{BaseURL: "example.com"})
	if err == nil || !strings.Contains(err.Error(), `"example.com"`) || !strings.Contains(err.Error(), "a key or a wallet") {
		t.Errorf("got %v", err)
	}
	_, err = NewWallet(WalletConfig{PrivateKey: "0xsecret"})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "max spend") {
		t.Errorf("got %v, want both faults and no secret", err)
	}
}

// What may pass is repeated with one idempotency key and the same body; results are not.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status   int
		code     string
		header   http.Header
		requests int32
	}{
		"overloaded":              {503, "overloaded", nil, 4},
		"too many requests":       {429, "rate_limit_exceeded", http.Header{"Retry-After": {"30"}}, 8},
		"too long to wait":        {429, "rate_limit_exceeded", http.Header{"Retry-After": {"3600"}}, 1},
		"a proxy's failure":       {502, "", nil, 4},
		"the page failed":         {502, "fetch_failed", nil, 1},
		"a first call is running": {409, "idempotency_key_in_progress", http.Header{"Retry-After": {"1"}}, 4},
		"a state":                 {409, "invalid_state", nil, 1},
		"a request that is wrong": {400, "validation_error", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			var keys, bodies sync.Map
			c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				body, _ := io.ReadAll(r.Body)
				keys.Store(r.Header.Get("Idempotency-Key"), true)
				bodies.Store(string(body), true)
				maps.Copy(w.Header(), tt.header)
				w.Header().Set("X-Request-Id", "req_1")
				w.WriteHeader(tt.status)
				if tt.code != "" {
					fmt.Fprintf(w, `{"object":"error","id":"error_1","code":%q,"detail":"why","type":"https://docs.example/errors/x","metadata":{"a":1}}`, tt.code)
				}
			})
			var call Call
			_, err := c.Scrape(t.Context(), "https://example.com/", nil, Report(&call))
			var e *Error
			if !errors.As(err, &e) || e.Status != tt.status || e.Code != tt.code || e.RequestID != "req_1" {
				t.Fatalf("got %v", err)
			}
			if tt.code != "" && (e.Docs != "https://docs.example/errors/x" || e.ID != "error_1" || !strings.Contains(err.Error(), e.Docs)) {
				t.Errorf("got %+v", e)
			}
			if requests.Load() != tt.requests || call.Requests != int(tt.requests) || length(&keys) != 1 || length(&bodies) != 1 {
				t.Errorf("got %d requests, %d keys, %d bodies, want %d, 1, 1", requests.Load(), length(&keys), length(&bodies), tt.requests)
			}
		})
	}
}

func length(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

func TestABrokenConnectionIsRepeated(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("X-Credits-Used", "1")
		fmt.Fprint(w, `{"id":"scrape_1","result":{"markdown_content":null}}`)
	})
	var call Call
	scrape, err := c.Scrape(t.Context(), "https://example.com/", nil, Report(&call))
	if err != nil || scrape.ID != "scrape_1" || call.Credits != 1 || call.Requests != 3 {
		t.Errorf("got %+v, %+v, %v", scrape, call, err)
	}
}

func TestOtherErrorForms(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":"The monitor is being provisioned.","monitor_id":"monitor_1"}`: "The monitor is being provisioned.",
		`{"x402Version":1,"error":"insufficient_funds","message":"too little"}`:  "insufficient_funds: too little",
		`<html>bad gateway</html>`: "bad gateway",
	} {
		e := readError(&http.Response{StatusCode: 409, Header: http.Header{}}, []byte(body))
		if !strings.Contains(e.Error(), want) || !errors.Is(e, ErrConflict) {
			t.Errorf("%s: got %v, want %s", body, e, want)
		}
	}
}

func TestIteratorsFollowCursorsAndWait(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	parts := map[string]string{ // the list still grows after the first part
		"":  `{"data":[{"id":"a"},{"id":"b"}],"pages":[],"next_cursor":"2","has_more":false}`,
		"2": `{"data":[{"id":"c"}],"pages":[],"next_cursor":null}`,
	}
	c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		cursor := r.URL.Query().Get("cursor")
		if cursor == "2" && requests.Add(1) < 3 {
			fmt.Fprint(w, `{"data":[],"next_cursor":"2"}`)
			return
		}
		fmt.Fprint(w, parts[cursor])
	})
	got := ""
	for page, err := range c.CrawlPages(t.Context(), "crawl_1", nil) {
		if err != nil {
			t.Fatal(err)
		}
		got += page.ID
	}
	if got != "abc" || requests.Load() != 3 {
		t.Errorf("got %s after %d waits, want abc after 3", got, requests.Load())
	}
}

func TestAStreamThatBreaksIsContinued(t *testing.T) {
	t.Parallel()
	c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch r.Header.Get("Last-Event-ID") {
		case "":
			fmt.Fprint(w, ": alive\n\nid: 1\nevent: phase\ndata: {\"phase\":\ndata: \"spec\"}\n\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "1":
			fmt.Fprint(w, "id: 2\nevent: complete\ndata: {}\n\nid: 3\nevent: none\ndata: {}\n\n")
		}
	})
	got := ""
	for step, err := range c.MonitorSteps(t.Context(), "monitor_1") {
		if err != nil {
			t.Fatal(err)
		}
		got += step.Event + string(step.Data) + ";"
	}
	if want := "phase{\"phase\":\n\"spec\"};complete{};"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// challengeOf is a 402 for an amount, with an offer that the wallet does not understand before it.
func challengeOf(amount string) string {
	return `{"x402Version":2,"resource":{"url":"https://api.example/x"},"accepts":[{"scheme":"upto","network":"eip155:8453"},` +
		`{"scheme":"exact","network":"eip155:84532","amount":"` + amount + `","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}}],` +
		`"extensions":{"payment-identifier":{"info":{"required":false},"schema":{}},"other":{"a":1}}}`
}

// seller demands 0.01 USDC, and sells as often as sold says.
func seller(sold func(w http.ResponseWriter, payment map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := base64.StdEncoding.DecodeString(r.Header.Get("Payment-Signature"))
		var payment map[string]any
		if err != nil || json.Unmarshal(raw, &payment) != nil {
			w.Header().Set("Payment-Required", base64.StdEncoding.EncodeToString([]byte(challengeOf("10000"))))
			w.WriteHeader(http.StatusPaymentRequired)
			return
		}
		sold(w, payment)
	}
}

func accept(w http.ResponseWriter) {
	w.Header().Set("Payment-Response", base64.StdEncoding.EncodeToString([]byte(`{"success":true,"transaction":"0xabc"}`)))
	fmt.Fprint(w, `{"id":"scrape_1"}`)
}

func TestTheCapHoldsForParallelCalls(t *testing.T) {
	t.Parallel()
	var sold atomic.Int32
	w := testWallet(t, 70_000)
	c := serve(t, Config{Wallet: w}, seller(func(w http.ResponseWriter, _ map[string]any) {
		sold.Add(1)
		accept(w)
	}))
	var refused atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := c.Scrape(t.Context(), "https://example.com/", nil); errors.Is(err, ErrSpendingCap) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if sold.Load() != 7 || refused.Load() != 43 || w.Spent() != 70_000 {
		t.Errorf("got %d sold, %d refused, %s spent, want 7, 43, 0.07", sold.Load(), refused.Load(), w.Spent())
	}
}

// What the service says it did not charge counts until the payment has expired, since until then it can be charged. All else
// counts for ever.
func TestPaymentsThatWereNotChargedCountUntilTheyExpire(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	pending, invalid := answer(http.StatusServiceUnavailable, `{"code":"settlement_pending"}`), answer(http.StatusBadRequest, `{"code":"validation_error"}`)
	for name, tc := range map[string]struct {
		answers []func(http.ResponseWriter)
		want    error
		later   USDC
	}{
		"refused":                 {[]func(http.ResponseWriter){answer(http.StatusPaymentRequired, `{"x402Version":1,"error":"insufficient_funds"}`)}, ErrPayment, 0},
		"a page that fails":       {[]func(http.ResponseWriter){answer(http.StatusBadGateway, `{"code":"fetch_failed"}`)}, ErrFetchFailed, 0},
		"free":                    {[]func(http.ResponseWriter){answer(http.StatusOK, `{"id":"scrape_1"}`)}, nil, 0},
		"charged":                 {[]func(http.ResponseWriter){accept}, nil, 10_000},
		"charged at a second try": {[]func(http.ResponseWriter){answer(http.StatusTooManyRequests, `{"code":"rate_limit_exceeded"}`), accept}, nil, 10_000},
		"pending":                 {[]func(http.ResponseWriter){pending}, ErrServer, 10_000},
		"pending, and refused":    {[]func(http.ResponseWriter){pending, invalid}, ErrInvalidRequest, 10_000},
		"a proxy's error":         {[]func(http.ResponseWriter){answer(http.StatusBadGateway, "<html>")}, ErrServer, 10_000},
		"a conflict":              {[]func(http.ResponseWriter){answer(http.StatusConflict, `{"error":"payment_already_used"}`)}, ErrConflict, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testWallet(t, 15_000)
			now := time.Unix(1_800_000_000, 0)
			w.now = func() time.Time { return now }
			var requests atomic.Int32
			c := serve(t, Config{Wallet: w, MaxRetries: 1}, seller(func(w http.ResponseWriter, _ map[string]any) {
				tc.answers[min(int(requests.Add(1)), len(tc.answers))-1](w)
			}))
			if _, err := c.Scrape(t.Context(), "https://example.com/", nil); !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if _, err := c.Scrape(t.Context(), "https://example.com/", nil); !errors.Is(err, ErrSpendingCap) || w.Spent() != 10_000 {
				t.Errorf("before it expires: got %v, %s spent, want the cap's error and 0.01", err, w.Spent())
			}
			now = now.Add(time.Minute + time.Second)
			if w.Spent() != tc.later {
				t.Errorf("after it expired: got %s spent, want %s", w.Spent(), tc.later)
			}
		})
	}
}

func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   error
	}{
		{400, `{"code":"validation_error"}`, ErrInvalidRequest},
		{401, `{"code":"invalid_api_key"}`, ErrAuthentication},
		{402, `{"code":"credits_exhausted"}`, ErrCredits},
		{402, `{"x402Version":1,"error":"insufficient_funds"}`, ErrPayment},
		{403, `{"code":"access_denied"}`, ErrPermission},
		{404, `{"code":"crawl_not_found"}`, ErrNotFound},
		{409, `{"code":"invalid_state"}`, ErrConflict},
		{422, `{"code":"idempotency_key_reuse"}`, ErrInvalidRequest},
		{429, `{"code":"rate_limit_exceeded"}`, ErrRateLimit},
		{500, `{"code":"internal_server_error"}`, ErrServer},
		{502, `{"code":"fetch_failed"}`, ErrFetchFailed},
		{504, `{"code":"request_timeout"}`, ErrServer},
	} {
		err := readError(&http.Response{StatusCode: tc.status, Header: http.Header{}}, []byte(tc.body))
		for _, kind := range []error{
			ErrInvalidRequest, ErrAuthentication, ErrCredits, ErrPayment, ErrPermission, ErrNotFound, ErrConflict, ErrRateLimit, ErrServer, ErrFetchFailed,
		} {
			if got, want := errors.Is(err, kind), kind == tc.want; got != want { //nolint:errorlint // which of them it is
				t.Errorf("%v is %q: got %t, want %t", err, kind, got, want)
			}
		}
	}
}

// A payment whose response is lost is sent again as it is, and counts once.
func TestALostResponseIsPaidForOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	payments := map[string]int{}
	w := testWallet(t, 20_000)
	c := serve(t, Config{Wallet: w}, seller(func(w http.ResponseWriter, payment map[string]any) {
		raw, _ := json.Marshal(payment)
		mu.Lock()
		payments[string(raw)]++
		n := payments[string(raw)]
		mu.Unlock()
		if n < 3 {
			panic(http.ErrAbortHandler)
		}
		accept(w)
	}))
	var call Call
	_, err := c.Scrape(t.Context(), "https://example.com/", nil, Report(&call))
	if err != nil || len(payments) != 1 || w.Spent() != 10_000 || call.USDC != 10_000 || call.Transaction != "0xabc" {
		t.Errorf("got %v, %d payments, %s spent, %+v", err, len(payments), w.Spent(), call)
	}
	quote, err := c.QuoteScrape(t.Context(), &ScrapeRequest{URLToScrape: "https://example.com/"})
	if err != nil || quote.USD != 0.01 || w.Spent() != 10_000 {
		t.Errorf("quote: got %+v, %v, %s spent", quote, err, w.Spent())
	}
}

func TestPaymentsAreWhatTheChallengeAsksFor(t *testing.T) {
	t.Parallel()
	w := testWallet(t, 1_000_000)
	if want := "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"; w.Address() != want {
		t.Errorf("got address %s, want %s", w.Address(), want)
	}
	p, err := w.Sign([]byte(challengeOf("10000")), "pay_0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	var wire struct {
		Accepted   struct{ Amount string }
		Extensions map[string]struct{ Info struct{ ID string } }
		Payload    struct {
			Signature     string
			Authorization struct{ From, To, Value, ValidAfter, ValidBefore, Nonce string }
		}
	}
	if err := json.Unmarshal(p.JSON(), &wire); err != nil {
		t.Fatal(err)
	}
	a := wire.Payload.Authorization
	if wire.Accepted.Amount != "10000" || a.Value != "10000" || a.From != w.Address() || wire.Extensions["payment-identifier"].Info.ID != "pay_0123456789abcdef" {
		t.Errorf("got %s", p.JSON())
	}
	// The domain separator is that of the real contract, as measured on a chain.
	domain, _ := hex.DecodeString("71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818")
	from, _ := address(a.From)
	to, _ := address(a.To)
	nonce, _ := hex.DecodeString(a.Nonce[2:])
	var after, before int64
	_, _ = fmt.Sscan(a.ValidAfter, &after)
	_, _ = fmt.Sscan(a.ValidBefore, &before)
	digest := keccak([]byte("\x19\x01"), domain, keccak(transferType, padded(from), padded(to), word(10000), word(after), word(before), nonce))
	signature, _ := hex.DecodeString(wire.Payload.Signature[2:])
	signer, _, err := ecdsa.RecoverCompact(append([]byte{signature[64]}, signature[:64]...), digest)
	if err != nil || checksummed(keccak(signer.SerializeUncompressed()[1:])[12:]) != w.Address() {
		t.Errorf("the signature is not by the wallet: %v", err)
	}
	if _, err := w.Sign([]byte(challengeOf("1000001")), ""); !errors.Is(err, ErrSpendingCap) {
		t.Errorf("got %v, want the most for one payment", err)
	}
	if _, err := w.Sign([]byte(`{"accepts":[{"scheme":"exact","network":"eip155:1","amount":"1"}]}`), ""); !errors.Is(err, ErrPayment) {
		t.Errorf("got %v, want no offer", err)
	}
}

func TestUSDC(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]USDC{"0.05": 50_000, "1": 1_000_000, ".5": 500_000, "0.000001": 1} {
		if got, err := ParseUSDC(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "-1", "1e3", "0.0000001", "99999999999999999999", "1.2.3"} {
		if got, err := ParseUSDC(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
	if got := USDC(10_500).String(); got != "0.0105" {
		t.Errorf("got %s", got)
	}
}

func FuzzVerifyWebhook(f *testing.F) {
	f.Add("id", "1800000000", "v1,AAAA", []byte("{}"))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
		if event, err := verifyWebhook("whsec_c2VjcmV0", header, body, time.Unix(1_800_000_000, 0)); err == nil {
			t.Errorf("got %+v, want an error: nobody has the secret", event)
		}
	})
}

// The signature is one of the specification's own tests.
func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // of the Standard Webhooks' own tests
	body := []byte(`{"test": 2432232314}`)
	header := http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	now := time.Unix(1_614_265_330, 0)
	if _, err := verifyWebhook(secret, header, body, now); err != nil {
		t.Errorf("got %v", err)
	}
	for name, err := range map[string]error{
		"an old one":      second(verifyWebhook(secret, header, body, now.Add(6*time.Minute))),
		"another body":    second(verifyWebhook(secret, header, []byte(`{}`), now)),
		"another secret":  second(verifyWebhook("whsec_c2VjcmV0", header, body, now)),
		"nothing at all":  second(verifyWebhook(secret, http.Header{}, body, now)),
		"another version": second(verifyWebhook(secret, http.Header{"Webhook-Id": header["Webhook-Id"], "Webhook-Timestamp": header["Webhook-Timestamp"], "Webhook-Signature": {"v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}}, body, now)),
	} {
		if !errors.Is(err, ErrWebhook) {
			t.Errorf("%s: got %v, want %v", name, err, ErrWebhook)
		}
	}
}

func second[T any](_ T, err error) error { return err }
