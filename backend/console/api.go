package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// callTimeout is how long a page waits for the API.
	callTimeout = 10 * time.Second
	// spendTimeout is how long a purchase may take, since the card's bank may be asked meanwhile.
	spendTimeout = 60 * time.Second
	// answerBytesMax is the largest response that is shown. Text inlined by the API ends at 6 MB (service contract, "General").
	answerBytesMax = 8 << 20
	// detailBytesMax is how much of an error's text is shown.
	detailBytesMax = 2000
)

var (
	errTooLarge = errors.New("the response is too large for a page")
	errNoAnswer = errors.New("the API's response cannot be read")
	errTimeout  = errors.New("the API did not respond in time")
	errAway     = errors.New("the API cannot be reached")
)

// Refusal is an error response of the API.
type Refusal struct {
	Status     int
	Code       string // "" if the response had none
	Detail     string
	Metadata   map[string]any
	RetryAfter time.Duration // 0: not given
	RequestID  string
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Detail) }

// faults are the faulty fields of a validation error, and what is wrong with them.
func (r *Refusal) faults() []string {
	list, _ := r.Metadata["errors"].([]any)
	var faults []string
	for _, entry := range list {
		fault, _ := entry.(map[string]any)
		msg, _ := fault["msg"].(string)
		loc, _ := fault["loc"].([]any)
		var path []string
		for _, part := range loc {
			if text := fmt.Sprint(part); text != "body" {
				path = append(path, text)
			}
		}
		if msg != "" {
			faults = append(faults, clipped(strings.TrimSpace(strings.Join(path, ".")+" "+msg), detailBytesMax))
		}
	}
	return faults
}

// text is a metadata entry that is a string.
func (r *Refusal) text(name string) string {
	text, _ := r.Metadata[name].(string)
	return text
}

// link is a metadata entry that is a URL of a page; "" for others.
func (r *Refusal) link(name string) string { return webAddress(r.text(name)) }

// webAddress is text if it is a URL that a link may use, else "".
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return ""
	}
	return text
}

// apiClient calls the API like any other client.
type apiClient struct {
	base string // where the edge is: "https://api.example.com"
	// host is the edge's own host name, for when base is another address of it.
	host string
	http *http.Client
}

// call is one request to the API.
type call struct {
	method string
	path   string // with its parts escaped
	query  url.Values
	body   any    // nil: none
	once   string // the Idempotency-Key; "": none
}

// do sends a request with an API key, and decodes the response into out, which may be nil. The error is a [Refusal] if
// the API refused.
func (a *apiClient) do(ctx context.Context, key string, c call, out any) (status int, err error) {
	req, err := a.request(ctx, key, c)
	if err != nil {
		return 0, err
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return 0, requestError(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerBytesMax+1))
	if err != nil {
		return 0, requestError(ctx, err)
	}
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return resp.StatusCode, refusalOf(resp, body)
	}
	if len(body) > answerBytesMax {
		return resp.StatusCode, errTooLarge
	}
	if out == nil {
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return resp.StatusCode, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return resp.StatusCode, nil
}

func (a *apiClient) request(ctx context.Context, key string, c call) (*http.Request, error) {
	var body io.Reader
	if c.body != nil {
		text, err := json.Marshal(c.body)
		if err != nil {
			return nil, fmt.Errorf("writing a request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	address := a.base + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, c.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("writing a request: %w", err)
	}
	req.Host = a.host
	req.Header.Set("Accept", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.once != "" {
		req.Header.Set("Idempotency-Key", c.once)
	}
	return req, nil
}

// requestError says why there is no response. The transport's own error text is only for the log.
func requestError(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout()) {
		return fmt.Errorf("%w: %w", errTimeout, err)
	}
	return fmt.Errorf("%w: %w", errAway, err)
}

// refusalOf reads both forms of errors: the standard one and that of monitors. A response in neither form, such as the
// page of a proxy, yields only a status.
func refusalOf(resp *http.Response, body []byte) *Refusal {
	r := &Refusal{Status: resp.StatusCode, RequestID: clipped(resp.Header.Get("X-Request-Id"), 128)}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.RetryAfter = time.Duration(min(seconds, 1<<30)) * time.Second
	}
	var form struct {
		Code     string         `json:"code"`
		Detail   string         `json:"detail"`
		Error    string         `json:"error"`
		Metadata map[string]any `json:"metadata"`
	}
	if json.Unmarshal(body, &form) != nil {
		return r
	}
	r.Code, r.Detail, r.Metadata = clipped(form.Code, 100), form.Detail, form.Metadata
	if r.Detail == "" {
		r.Detail = form.Error
	}
	r.Detail = clipped(r.Detail, detailBytesMax)
	return r
}
