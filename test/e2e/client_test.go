package e2e

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// client follows no redirects and adds no headers of its own.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       time.Minute,
}

// call is one request of a client.
type call struct {
	method  string // default: POST
	url     string
	headers []string // name, value, name, value
	body    string
}

func (c call) with(headers ...string) call {
	c.headers = append(append([]string{}, c.headers...), headers...)
	return c
}

// answer is a response whose body has been read.
type answer struct {
	url    string
	status int
	header http.Header
	body   []byte
}

func (c call) do(t *testing.T) answer {
	t.Helper()
	got, err := c.try(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// try is do for goroutines, which cannot call t.Fatal.
func (c call) try(ctx context.Context) (answer, error) { return c.tryBy(ctx, client) }

// tryBy is try with another client.
func (c call) tryBy(ctx context.Context, client *http.Client) (answer, error) {
	req, err := c.request(ctx)
	if err != nil {
		return answer{}, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	return readAll(c.url, resp)
}

func (c call) request(ctx context.Context) (*http.Request, error) {
	method := c.method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	if c.body != "" && !slices.Contains(c.headers, "Content-Type") {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(c.headers); i += 2 {
		if c.headers[i] == "Host" {
			req.Host = c.headers[i+1]
			continue
		}
		req.Header[http.CanonicalHeaderKey(c.headers[i])] = append(req.Header[http.CanonicalHeaderKey(c.headers[i])], c.headers[i+1])
	}
	return req, nil
}

func read(t *testing.T, url string, resp *http.Response) answer {
	t.Helper()
	got, err := readAll(url, resp)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func readAll(url string, resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, fmt.Errorf("reading the answer of %s: %w", url, err)
	}
	return answer{url: url, status: resp.StatusCode, header: resp.Header, body: body}, nil
}

// raw sends a request line unchanged; net/http would normalize it.
func raw(t *testing.T, base, line string, headers ...string) answer {
	t.Helper()
	host := strings.TrimPrefix(base, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	var text strings.Builder
	fmt.Fprintf(&text, "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", line, host)
	for i := 0; i < len(headers); i += 2 {
		fmt.Fprintf(&text, "%s: %s\r\n", headers[i], headers[i+1])
	}
	if _, err := io.WriteString(conn, text.String()+"\r\n"); err != nil {
		t.Fatalf("sending %q: %v", line, err)
	}
	method, _, _ := strings.Cut(line, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("reading the answer to %q: %v", line, err)
	}
	defer resp.Body.Close()
	return read(t, base, resp)
}

func (a answer) json(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("%s: body %q: %v", a.url, a.body, err)
	}
}

func (a answer) wantStatus(t *testing.T, want int) {
	t.Helper()
	if a.status != want {
		t.Fatalf("%s: got %d %s, want %d", a.url, a.status, a.body, want)
	}
}

// standard is the error object of the API contract.
type standard struct {
	ID       string         `json:"id"`
	Object   string         `json:"object"`
	Code     string         `json:"code"`
	Type     string         `json:"type"`
	Status   int            `json:"status"`
	Title    string         `json:"title"`
	Detail   string         `json:"detail"`
	Created  int64          `json:"created"`
	Metadata map[string]any `json:"metadata"`
}

// kinds maps a status to the last part of the error type and to its title.
var kinds = map[int][2]string{
	400: {"bad_request", "Bad Request"},
	401: {"unauthorized", "Unauthorized"},
	402: {"payment_required", "Payment Required"},
	403: {"forbidden", "Forbidden"},
	404: {"not_found", "Not Found"},
	405: {"method_not_allowed", "Method Not Allowed"},
	409: {"conflict", "Conflict"},
	413: {"payload_too_large", "Payload Too Large"},
	422: {"unprocessable", "Unprocessable Entity"},
	429: {"too_many_requests", "Too Many Requests"},
	500: {"internal_error", "Internal Server Error"},
	501: {"not_implemented", "Not Implemented"},
	502: {"bad_gateway", "Bad Gateway"},
	503: {"service_unavailable", "Service Unavailable"},
	504: {"timeout", "Gateway Timeout"},
}

var (
	// errorID requires at least 120 bits: 24 characters of base 32.
	errorID   = regexp.MustCompile(`^error_[0-9a-z]{24,}$`)
	requestID = regexp.MustCompile(`^req_[0-9a-z]{24,}$`)
	fields    = []string{"id", "object", "code", "type", "status", "title", "detail", "created", "metadata"}
)

// refused checks that the response is the standard error object, and that its detail contains every text of says.
func (a answer) refused(t *testing.T, status int, code string, says ...string) standard {
	t.Helper()
	a.wantStatus(t, status)
	var members map[string]json.RawMessage
	a.json(t, &members)
	for _, name := range fields {
		if _, ok := members[name]; !ok {
			t.Errorf("error object: no %s in %s", name, a.body)
		}
	}
	if len(members) != len(fields) {
		t.Errorf("error object: got %d members, want the %d of the contract: %s", len(members), len(fields), a.body)
	}
	var got standard
	a.json(t, &got)
	if !errorID.MatchString(got.ID) {
		t.Errorf("error id: got %q, want %s", got.ID, errorID)
	}
	want := standard{
		ID: got.ID, Object: "error", Code: code, Type: docsURL + "/api-reference/errors/" + kinds[status][0],
		Status: status, Title: kinds[status][1], Detail: got.Detail, Created: got.Created,
	}
	if got.Object != want.Object || got.Code != want.Code || got.Type != want.Type || got.Status != want.Status || got.Title != want.Title {
		t.Errorf("error object: got %+v, want %+v", got, want)
	}
	if age := time.Since(time.Unix(got.Created, 0)); age < -time.Minute || age > 5*time.Minute {
		t.Errorf("created: got %d, want now in Unix seconds", got.Created)
	}
	if got.Metadata == nil {
		t.Errorf("metadata: got %s, want an object", members["metadata"])
	}
	for _, text := range says {
		if !strings.Contains(got.Detail, text) {
			t.Errorf("detail: got %q, want it to say %q", got.Detail, text)
		}
	}
	if got.Detail == "" || strings.Contains(got.Detail, "\n") {
		t.Errorf("detail: got %q, want a sentence", got.Detail)
	}
	a.wantPlainHeaders(t)
	return got
}

// wantPlainHeaders checks the headers that every refusal has.
func (a answer) wantPlainHeaders(t *testing.T) {
	t.Helper()
	if id := a.header.Get("X-Request-Id"); !requestID.MatchString(id) || len(a.header.Values("X-Request-Id")) != 1 {
		t.Errorf("X-Request-Id: got %q, want one, such as req_…", a.header.Values("X-Request-Id"))
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*",
	} {
		if got := a.header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"Turnpike-Identity", "Turnpike-Cost", "Turnpike-Hold-Adopted"} {
		if got := a.header.Values(name); got != nil {
			t.Errorf("%s: got %q, want it kept between edge and backend", name, got)
		}
	}
}

type offerV1 struct {
	Scheme, Network, MaxAmountRequired, Resource, Description, MimeType, PayTo, Asset string
	MaxTimeoutSeconds                                                                 int
	Extra                                                                             struct{ Name, Version string }
}

type offerV2 struct {
	Scheme, Network, Amount, PayTo, Asset string
	MaxTimeoutSeconds                     int
	Extra                                 struct{ Name, Version string }
}

// challenged checks a 402 challenge in x402 versions 1 and 2: the reason, and all that the next attempt needs.
func (a answer) challenged(t *testing.T, s *stack, status int, code string, says ...string) {
	t.Helper()
	a.wantStatus(t, status)
	var v1 struct {
		X402Version    int
		Error, Message string
		Accepts        []offerV1
	}
	a.json(t, &v1)
	var v2 struct {
		X402Version int
		Error       string
		Resource    struct{ URL, Description, MimeType string }
		Accepts     []offerV2
	}
	decodeHeader(t, a.header.Get("Payment-Required"), &v2)
	if v1.X402Version != 1 || v1.Error != code || v2.X402Version != 2 || v2.Error != code {
		t.Errorf("reason: got %q by version %d and %q by version %d, want %q by 1 and 2 (%s)",
			v1.Error, v1.X402Version, v2.Error, v2.X402Version, code, v1.Message)
	}
	for _, text := range says {
		if !strings.Contains(v1.Message, text) {
			t.Errorf("message: got %q, want it to say %q", v1.Message, text)
		}
	}
	if len(v1.Accepts) != 1 || len(v2.Accepts) != 1 {
		t.Fatalf("offers: got %d and %d, want one by each version", len(v1.Accepts), len(v2.Accepts))
	}
	asset := s.chain.Token().Hex()
	wantV1 := offerV1{
		Scheme: "exact", Network: "base-sepolia", MaxAmountRequired: "10000", Resource: a.url, Description: v1.Accepts[0].Description,
		MimeType: "application/json", PayTo: payTo.Hex(), Asset: asset, MaxTimeoutSeconds: 190, Extra: struct{ Name, Version string }{"USDC", "2"},
	}
	if v1.Accepts[0] != wantV1 || wantV1.Description == "" {
		t.Errorf("offer by version 1: got %+v, want %+v with a description", v1.Accepts[0], wantV1)
	}
	wantV2 := offerV2{
		Scheme: "exact", Network: "eip155:84532", Amount: "10000", PayTo: payTo.Hex(), Asset: asset, MaxTimeoutSeconds: 190,
		Extra: wantV1.Extra,
	}
	if v2.Accepts[0] != wantV2 || v2.Resource.URL != a.url || v2.Resource.MimeType != "application/json" {
		t.Errorf("offer by version 2: got %+v for %+v, want %+v for %s", v2.Accepts[0], v2.Resource, wantV2, a.url)
	}
	a.wantPlainHeaders(t)
	a.wantNoReceipt(t)
	if got := strings.Join(a.header.Values("Access-Control-Expose-Headers"), ", "); !strings.Contains(got, "PAYMENT-REQUIRED") {
		t.Errorf("Access-Control-Expose-Headers: got %q, want PAYMENT-REQUIRED in it", got)
	}
}

func (a answer) wantNoReceipt(t *testing.T) {
	t.Helper()
	for _, name := range []string{"Payment-Response", "X-Payment-Response"} {
		if got := a.header.Get(name); got != "" {
			t.Errorf("%s: got %q, want none", name, got)
		}
	}
}

func decodeHeader(t *testing.T, value string, into any) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("header %q: %v", value, err)
	}
}
