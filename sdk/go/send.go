package turnpike

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"
)

// request is one call of the API.
type request struct {
	method, path string
	payable      bool // whether a wallet can pay for it, below /x402
	query        any  // a pointer to a struct with tags, or nil
	body         any
	values       url.Values // in addition to query
	header       http.Header
	stream       bool // whether the caller reads the response's body
	unpaid       bool // whether to return a challenge instead of paying
}

const (
	backoffFirst  = 500 * time.Millisecond
	backoffMax    = 20 * time.Second
	retryAfterMax = 2 * time.Minute // of a service that asks to wait longer, the error is returned
	jsonType      = "application/json"
)

func send[T any](ctx context.Context, c *Client, r *request, opts []Option) (*T, error) {
	_, body, err := c.do(ctx, r, opts) //nolint:bodyclose // do has read the body and closed it
	if err != nil {
		return nil, err
	}
	var out T
	if err := json.Unmarshal(body, &out); err != nil {
		return nil, fmt.Errorf("%s %s: reading the response: %w", r.method, r.path, err)
	}
	return &out, nil
}

// do sends a request, pays for it if it has to, and repeats it after failures that may pass. All repetitions have one
// idempotency key and one payment, so they are charged once.
func (c *Client) do(ctx context.Context, r *request, opts []Option) (*http.Response, []byte, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	call := o.report
	if call == nil {
		call = new(Call)
	}
	*call = Call{IdempotencyKey: o.key}
	if call.IdempotencyKey == "" && r.method == http.MethodPost {
		call.IdempotencyKey = rand.Text()
	}
	attempt, err := c.prepare(r, call.IdempotencyKey)
	if err != nil {
		return nil, nil, err
	}
	var payment *Payment
	notCharged := true // as each response to the payment said
	defer func() {
		if payment != nil && notCharged {
			payment.Release()
		}
	}()
	tries := c.tries()
	for {
		resp, body, err := c.attempt(ctx, attempt, payment, call)
		if payment == nil && err == nil && resp.StatusCode == http.StatusPaymentRequired && c.cfg.Wallet != nil && r.payable && !r.unpaid {
			if payment, err = c.pay(resp, call.IdempotencyKey, r); err != nil {
				return nil, nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
			}
			continue
		}
		if err == nil {
			call.learn(resp, payment)
			if resp.StatusCode < http.StatusBadRequest || (r.unpaid && resp.StatusCode == http.StatusPaymentRequired) {
				notCharged = notCharged && call.USDC == 0 && resp.StatusCode < http.StatusMultipleChoices // the response of an earlier call, or free
				return resp, body, nil
			}
			err = readError(resp, body)
		}
		if payment != nil {
			notCharged = notCharged && call.USDC == 0 && saysNotCharged(err)
		}
		if err := tries.next(ctx, err); err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
	}
}

// tries are the repetitions of one call.
type tries struct {
	client  *Client
	left    int
	backoff time.Duration
	limited time.Duration // the time that a rate limit has taken
}

func (c *Client) tries() *tries {
	return &tries{client: c, left: c.cfg.MaxRetries, backoff: backoffFirst}
}

// next waits for the time of the next try after an error. It returns the error if there is none.
func (t *tries) next(ctx context.Context, err error) error {
	pause, retry := again(err, t.backoff)
	if !retry || t.left <= 0 || ctx.Err() != nil {
		return err
	}
	if errors.Is(err, ErrRateLimit) && t.limited < retryAfterMax {
		t.limited += pause
	} else {
		t.left--
	}
	t.backoff = min(2*t.backoff, backoffMax)
	select {
	case <-t.client.wait(pause):
		return nil
	case <-ctx.Done():
		return errors.Join(ctx.Err(), err)
	}
}

// attempt is what all requests of a call have in common.
type attempt struct {
	*request

	url  string
	body []byte
}

func (c *Client) prepare(r *request, idempotencyKey string) (*attempt, error) {
	a := &attempt{request: r, url: c.base + r.path}
	if c.cfg.Wallet != nil && r.payable {
		a.url = c.base + "/x402" + r.path
	}
	values := queryValues(r.query)
	maps.Copy(values, r.values)
	if len(values) > 0 {
		a.url += "?" + values.Encode()
	}
	header := http.Header{"Accept": {jsonType}, "User-Agent": {orElse(c.cfg.UserAgent, "") + " turnpike-go/" + Version}}
	if r.body != nil && !reflect.ValueOf(r.body).IsNil() {
		var err error
		if a.body, err = json.Marshal(r.body); err != nil {
			return nil, fmt.Errorf("encoding the request: %w", err)
		}
		header.Set("Content-Type", jsonType)
	}
	if c.cfg.Key != "" {
		header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	if idempotencyKey != "" {
		header.Set("Idempotency-Key", idempotencyKey)
	}
	maps.Copy(header, r.header)
	a.header = header
	return a, nil
}

// attempt sends one request. It reads the response, unless a stream begins.
func (c *Client) attempt(ctx context.Context, a *attempt, payment *Payment, call *Call) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, a.method, a.url, bytes.NewReader(a.body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = a.header.Clone()
	if payment != nil {
		req.Header.Set("Payment-Signature", payment.Header())
	}
	call.Requests++
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	if a.stream && resp.StatusCode == http.StatusOK {
		return resp, nil, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// pay signs a payment for a challenge. Its identifier follows from the idempotency key, so that calls with the same key
// are charged once although each signs a payment.
func (c *Client) pay(resp *http.Response, idempotencyKey string, r *request) (*Payment, error) {
	challenge, err := base64.StdEncoding.DecodeString(resp.Header.Get("Payment-Required"))
	if err != nil || len(challenge) == 0 {
		return nil, fmt.Errorf("%w: the response has no x402 version 2 challenge", ErrPayment)
	}
	sum := sha256.Sum256([]byte(r.method + " " + r.path + " " + idempotencyKey))
	return c.cfg.Wallet.Sign(challenge, "pay_"+hex.EncodeToString(sum[:16]))
}

// learn reads from a response what the call cost.
func (call *Call) learn(resp *http.Response, payment *Payment) {
	call.Status, call.RequestID = resp.StatusCode, resp.Header.Get("X-Request-Id")
	call.Replayed = resp.Header.Get("Idempotent-Replayed") == "true"
	call.Credits, _ = strconv.ParseInt(resp.Header.Get("X-Credits-Used"), 10, 64)
	call.CreditsRemaining, _ = strconv.ParseInt(resp.Header.Get("X-Credits-Remaining"), 10, 64)
	if payment == nil {
		return
	}
	var receipt struct {
		Success     bool   `json:"success"`
		Transaction string `json:"transaction"`
	}
	raw, err := base64.StdEncoding.DecodeString(resp.Header.Get("Payment-Response"))
	if err == nil && json.Unmarshal(raw, &receipt) == nil && receipt.Success {
		call.USDC, call.Transaction = payment.Amount, receipt.Transaction
	}
}

// again returns whether a call may succeed if it is repeated, and when. Failures of the page itself are results: they
// are not repeated.
func again(err error, wait time.Duration) (time.Duration, bool) {
	wait += mathrand.N(wait / 2) //nolint:gosec // not a secret
	var e *Error
	if !errors.As(err, &e) {
		return wait, !errors.Is(err, context.Canceled)
	}
	retry := false
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable:
		retry = true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		retry = e.Code == "" || e.Code == "upstream_failed" // a proxy's
	case http.StatusConflict:
		retry = e.RetryAfter > 0
	}
	return max(wait, e.RetryAfter), retry && e.RetryAfter <= retryAfterMax
}

func retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// quote returns the price of a request: by a dry run, or, for a wallet, from the challenge.
func (c *Client) quote(ctx context.Context, r *request, opts []Option) (*Quote, error) {
	if c.cfg.Wallet == nil || !r.payable {
		r.values = url.Values{"dry_run": {"true"}}
		return send[Quote](ctx, c, r, opts)
	}
	r.unpaid = true
	resp, _, err := c.do(ctx, r, opts) //nolint:bodyclose // see send
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusPaymentRequired {
		return &Quote{Object: "quote"}, nil
	}
	challenge, err := base64.StdEncoding.DecodeString(resp.Header.Get("Payment-Required"))
	if err != nil {
		return nil, fmt.Errorf("%s %s: Payment-Required: %w", r.method, r.path, err)
	}
	offer, _, err := c.cfg.Wallet.choose(challenge)
	if err != nil {
		return nil, err
	}
	return &Quote{Object: "quote", USD: offer.amount.Dollars()}, nil
}

// queryValues returns the fields of a query that are set.
func queryValues(query any) url.Values {
	values := url.Values{}
	v := reflect.ValueOf(query)
	if query == nil || v.IsNil() {
		return values
	}
	v = v.Elem()
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Tag.Get("query"), v.Field(i)
		if field.Kind() == reflect.Slice {
			for j := range field.Len() {
				values.Add(name, fmt.Sprint(field.Index(j)))
			}
		} else if !field.IsZero() {
			values.Set(name, fmt.Sprint(field))
		}
	}
	return values
}
