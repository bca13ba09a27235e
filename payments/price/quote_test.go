package price

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// quoteServer returns the quotes that the test sets and records the requests.
type quoteServer struct {
	*httptest.Server

	asked *http.Request
	body  string
}

func newQuoteServer(t *testing.T, status int, answer string) *quoteServer {
	t.Helper()
	s := &quoteServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked, s.body = r, string(body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *quoteServer) quoter() *HTTPQuoter {
	return &HTTPQuoter{
		URL: s.URL + QuotePath, Client: s.Client(),
		Sign: func(_ context.Context, id *edgewire.Identity) (string, error) {
			return id.Method + " " + id.URI + " " + id.BodySHA256, nil
		},
	}
}

func quoteBook(t *testing.T) *Book {
	t.Helper()
	b, err := Parse([]byte(`{"version":1,"rules":[
		{"methods":["POST"],"path":"/v1/batches","unit":"credit","price":"quote","operation":"batch","dry_run":true}]}`))
	if err != nil {
		t.Fatalf("parsing the book: %v", err)
	}
	return b
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/batches?a=1", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestQuote(t *testing.T) {
	t.Parallel()
	s := newQuoteServer(t, http.StatusOK, `{"amount": 412, "items": 412}`)
	r := post(`{"file_id":"file_1"}`)

	q, err := quoteBook(t).price(t.Context(), r, edgewire.UnitCredit, s.quoter())
	if err != nil {
		t.Fatalf("pricing: %v", err)
	}
	if q.Amount != 412 || q.Unit != edgewire.UnitCredit || q.Operation != "batch" || string(q.Body.Text()) != `{"file_id":"file_1"}` {
		t.Errorf("got %+v, want 412 credits for a batch, with the body that was priced", q)
	}
	if query := s.asked.URL.Query(); query.Get("method") != http.MethodPost || query.Get("uri") != "/v1/batches?a=1" || query.Get("unit") != "credit" {
		t.Errorf("asked with %s, want method, uri and unit of the request", s.asked.URL.RawQuery)
	}
	if s.body != `{"file_id":"file_1"}` {
		t.Errorf("asked with body %s, want the request's", s.body)
	}
	wantIdentity := "POST " + s.asked.URL.RequestURI() + " " + edgewire.HashBody([]byte(s.body))
	if got := s.asked.Header.Get(edgewire.IdentityHeader); got != wantIdentity {
		t.Errorf("asked in the name of %q, want %q", got, wantIdentity)
	}
	if left, _ := io.ReadAll(r.Body); string(left) != s.body {
		t.Errorf("left body %q for the upstream, want %q", left, s.body)
	}
}

func TestQuoteWithoutBody(t *testing.T) {
	t.Parallel()
	s := newQuoteServer(t, http.StatusOK, `{"amount": 0}`)
	r := httptest.NewRequest(http.MethodPost, "/v1/batches", http.NoBody)

	q, err := quoteBook(t).price(t.Context(), r, edgewire.UnitCredit, s.quoter())
	if err != nil || q.Amount != 0 || q.Free || q.Body == nil {
		t.Errorf("got %+v and %v, want 0 credits, not free, bound to the empty body", q, err)
	}
}

func TestQuoteDryRunAsksNobody(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/v1/batches?dry_run=true", http.NoBody)
	if q, err := quoteBook(t).Price(t.Context(), r, edgewire.UnitCredit); err != nil || q.Amount != 0 {
		t.Errorf("got %+v and %v, want 0 without asking", q, err)
	}
}

// A refusal of the request itself reaches the client unchanged, however long it is.
func TestQuoteRefused(t *testing.T) {
	t.Parallel()
	long := `{"detail":"` + strings.Repeat("x", 200<<10) + `"}`
	for _, test := range []struct {
		status int
		answer string
	}{
		{http.StatusBadRequest, `{"code":"validation_error"}`},
		{http.StatusBadRequest, long},
		{http.StatusPaymentRequired, `{"code":"credits_exhausted"}`},
		{http.StatusForbidden, `{"code":"blocked_address"}`},
		{http.StatusNotFound, `{"detail":"no such file"}`},
		{http.StatusConflict, `{"code":"invalid_state"}`},
		{http.StatusRequestEntityTooLarge, `{}`},
		{http.StatusUnprocessableEntity, `{}`},
		{http.StatusTooManyRequests, `{}`},
		{http.StatusNotImplemented, `{"code":"provider_not_configured"}`},
	} {
		s := newQuoteServer(t, test.status, test.answer)
		_, err := quoteBook(t).price(t.Context(), post(`{}`), edgewire.UnitCredit, s.quoter())
		refused, ok := errors.AsType[*QuoteRefusedError](err)
		if !ok || refused.Status != test.status || string(refused.Body) != test.answer || refused.Type != "application/json" || refused.RetryAfter != "7" {
			t.Errorf("status %d with %d bytes: got %.200v, want the upstream's own refusal", test.status, len(test.answer), err)
		}
	}
}

func TestQuoteUnavailable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		answer string
	}{
		"upstream is broken":     {http.StatusInternalServerError, `{}`},
		"upstream is overloaded": {http.StatusServiceUnavailable, `{}`},
		"secrets differ":         {http.StatusUnauthorized, `{}`},
		"redirected nowhere":     {http.StatusMultipleChoices, `{}`},
		"no amount":              {http.StatusOK, `{}`},
		"negative":               {http.StatusOK, `{"amount":-1}`},
		"no integer":             {http.StatusOK, `{"amount":1.5}`},
		"out of range":           {http.StatusOK, `{"amount":9223372036854775808}`},
		"said twice":             {http.StatusOK, `{"amount":1,"amount":2}`},
		"not JSON":               {http.StatusOK, `412`},
		"too long":               {http.StatusOK, `{"amount":1,"x":"` + strings.Repeat("x", quoteBytesMax) + `"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newQuoteServer(t, test.status, test.answer)
			if _, err := quoteBook(t).price(t.Context(), post(`{}`), edgewire.UnitCredit, s.quoter()); !errors.Is(err, ErrUnavailable) {
				t.Errorf("got %v, want ErrUnavailable", err)
			}
		})
	}
	t.Run("nobody to ask", func(t *testing.T) {
		t.Parallel()
		if _, err := quoteBook(t).Price(t.Context(), post(`{}`), edgewire.UnitCredit); !errors.Is(err, ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	})
}

func TestQuoteBadBody(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"a":1,"a":2}`, `{`, `nonsense`} {
		s := newQuoteServer(t, http.StatusOK, `{"amount":1}`)
		_, err := quoteBook(t).price(t.Context(), post(body), edgewire.UnitCredit, s.quoter())
		if !errors.Is(err, ErrBadRequest) || s.asked != nil {
			t.Errorf("%s: got %v and asked %v, want ErrBadRequest before anybody is asked", body, err, s.asked != nil)
		}
	}
}

func FuzzParseQuote(f *testing.F) {
	f.Add([]byte(`{"amount":12}`))
	f.Add([]byte(`{"amount":-1}`))
	f.Add([]byte(`{"amount":1e3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if amount, err := parseQuote(data); err == nil && amount < 0 {
			t.Errorf("%q: got %d, want 0 or more", data, amount)
		}
	})
}

// An upstream that is away for a moment, for example during a restart, is asked when it is back.
func TestQuoteWaitsForARestart(t *testing.T) {
	t.Parallel()
	s := newQuoteServer(t, http.StatusOK, `{"amount": 3}`)
	q := s.quoter()
	var tries atomic.Int64
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if tries.Add(1) <= 3 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	q.Client = &http.Client{Transport: transport}
	got, err := quoteBook(t).price(t.Context(), post(`{"a":1}`), edgewire.UnitCredit, q)
	if err != nil || got.Amount != 3 || s.body != `{"a":1}` || tries.Load() != 4 {
		t.Errorf("got %+v, %v, body %q and %d connections tried, want 3 credits by the fourth", got, err, s.body, tries.Load())
	}
	// A client that disconnects stops waiting.
	tries.Store(-1 << 40)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := quoteBook(t).price(gone, post(`{}`), edgewire.UnitCredit, q); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

// If the upstream dies after it received the question, the quote is requested again: a quote changes nothing.
func TestQuoteIsAskedAgainOnceLost(t *testing.T) {
	t.Parallel()
	s := newQuoteServer(t, http.StatusOK, `{"amount": 3}`)
	answer := s.Config.Handler
	var asked atomic.Int64
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= 2 {
			panic(http.ErrAbortHandler)
		}
		answer.ServeHTTP(w, r)
	})
	got, err := quoteBook(t).price(t.Context(), post(`{"a":1}`), edgewire.UnitCredit, s.quoter())
	if err != nil || got.Amount != 3 || s.body != `{"a":1}` || asked.Load() != 3 {
		t.Errorf("got %+v, %v, body %q and %d questions, want 3 credits by the third", got, err, s.body, asked.Load())
	}
	// An upstream that dies at each such question is soon left alone.
	asked.Store(-1 << 40)
	before := asked.Load()
	if _, err := quoteBook(t).price(t.Context(), post(`{}`), edgewire.UnitCredit, s.quoter()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if got := asked.Load() - before; got != 1+quoteLostMax {
		t.Errorf("got %d questions, want %d", got, 1+quoteLostMax)
	}
}
