package price

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// QuotePath is where an upstream quotes the prices of rules with `quote`.
const QuotePath = "/.well-known/turnpike-quote"

const (
	quoteTimeout = 5 * time.Second
	// An upstream without a connection, for example while it restarts, is tried again for as long as the shipped
	// Caddyfile tries to send it requests.
	quoteTryDuration = 10 * time.Second
	quoteTryInterval = 100 * time.Millisecond
	// quoteLostMax is how often a quote request is repeated that an upstream received but did not answer. A request
	// that crashes the upstream must not be repeated a hundred times.
	quoteLostMax = 3
	// quoteBytesMax has room for refusals that list the errors of a long body.
	quoteBytesMax = 1 << 20
)

// QuoteRequest is the request to be priced, as the client sent it.
type QuoteRequest struct {
	Method string
	// URI is path and query.
	URI  string
	Unit edgewire.Unit
	// Body is empty if the request has none.
	Body *edgewire.Body
}

// Quoter asks an upstream what one request costs.
type Quoter interface {
	// Quote returns the most that the request may cost, 0 or more. It returns a [QuoteRefusedError] if the upstream
	// refuses the request itself, and [ErrUnavailable] if it gives no quote.
	Quote(ctx context.Context, req *QuoteRequest) (int64, error)
}

// QuoteRefusedError is an upstream's refusal to quote. The upstream would refuse the request itself in the same way, so
// the response is passed on to the client.
type QuoteRefusedError struct {
	Status int // 400 to 499, or 501
	// Type, RetryAfter and Body are the response's Content-Type, Retry-After and body.
	Type, RetryAfter string
	Body             []byte
}

func (e *QuoteRefusedError) Error() string {
	return fmt.Sprintf("upstream refused the request with status %d", e.Status)
}

func (c *compiledRule) isQuoted() bool { return c.rule.Price.IsQuoted() }

// ask gets the upstream's quote. It reads the request's body if it is nil, so that the quote and the identity are bound to it.
func (c *compiledRule) ask(ctx context.Context, r *http.Request, body *edgewire.Body, unit edgewire.Unit, quoter Quoter) (Quote, error) {
	if quoter == nil {
		return Quote{}, fmt.Errorf("pricing %s: %w: its price is the upstream's quote, and no upstream is configured", c, ErrUnavailable)
	}
	if body == nil {
		text, err := readOptionalBody(r, c.quote.BodyBytesMax)
		if err != nil {
			return Quote{}, fmt.Errorf("pricing %s: %w", c, err)
		}
		body = edgewire.NewBody(text)
	}
	amount, err := quoter.Quote(ctx, &QuoteRequest{Method: r.Method, URI: r.URL.RequestURI(), Unit: unit, Body: body})
	if err != nil {
		return Quote{}, fmt.Errorf("requesting the quote for %s: %w", c, err)
	}
	q := c.quote
	q.Unit, q.Amount, q.Body = unit, amount, body
	return q, nil
}

// readOptionalBody reads strict JSON, or an empty body.
func readOptionalBody(r *http.Request, bytesMax int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return []byte{}, nil
	}
	return ReadJSON(r, bytesMax)
}

// HTTPQuoter asks over HTTP: it posts the request's body to [QuotePath], with method, URI and unit in the query, and
// expects the response {"amount": n}.
type HTTPQuoter struct {
	// URL of the upstream's quotes, without a query.
	URL    string
	Client *http.Client
	// Sign returns the identity header for the quote request, in the name of the client that the quote is for. nil: no
	// header is sent.
	Sign func(ctx context.Context, identity *edgewire.Identity) (string, error)
}

var _ Quoter = (*HTTPQuoter)(nil)

// Quote implements Quoter.
func (q *HTTPQuoter) Quote(ctx context.Context, req *QuoteRequest) (int64, error) {
	query := url.Values{"method": {req.Method}, "uri": {req.URI}, "unit": {string(req.Unit)}}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL+"?"+query.Encode(), bytes.NewReader(req.Body.Text()))
	if err != nil {
		return 0, fmt.Errorf("quote request: %w", err)
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/json")
	if q.Sign != nil {
		identity := edgewire.Identity{
			Method: post.Method, URI: post.URL.RequestURI(), BodySHA256: edgewire.HashBody(req.Body.Text()), Unit: req.Unit,
		}
		signed, err := q.Sign(ctx, &identity)
		if err != nil {
			return 0, fmt.Errorf("signing the quote request: %w", err)
		}
		post.Header.Set(edgewire.IdentityHeader, signed)
	}
	return q.ask(ctx, post)
}

// ask sends the request, repeats it while it cannot connect, and a few times if the connection is lost: a quote has no
// effects.
func (q *HTTPQuoter) ask(ctx context.Context, post *http.Request) (int64, error) {
	giveUp := time.NewTimer(quoteTryDuration)
	defer giveUp.Stop()
	again := time.NewTicker(quoteTryInterval)
	defer again.Stop()
	for lost := 0; ; {
		amount, err := q.askOnce(ctx, post)
		if lostAfterwards(err) {
			lost++
		} else if !neverSent(err) {
			return amount, err
		}
		if lost > quoteLostMax {
			return 0, err
		}
		select {
		case <-again.C:
		case <-giveUp.C:
			return 0, err
		case <-ctx.Done():
			return 0, err
		}
		if post.Body, err = post.GetBody(); err != nil {
			return 0, fmt.Errorf("retrying the quote request: %w", err)
		}
	}
}

// neverSent reports that no connection could be opened.
func neverSent(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// lostAfterwards reports that the connection ended before the response, as when an upstream restarts.
func lostAfterwards(err error) bool {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok || neverSent(err) {
		return false
	}
	_, ok = errors.AsType[*net.OpError](failed)
	return ok || errors.Is(failed, io.EOF) || errors.Is(failed, io.ErrUnexpectedEOF)
}

func (q *HTTPQuoter) askOnce(ctx context.Context, post *http.Request) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, quoteTimeout)
	defer cancel()
	res, err := q.Client.Do(post.WithContext(ctx))
	if err != nil {
		return 0, fmt.Errorf("%w: quote request: %w", ErrUnavailable, err)
	}
	defer func() { _ = res.Body.Close() }()
	return readQuote(res)
}

func readQuote(res *http.Response) (int64, error) {
	data, err := io.ReadAll(io.LimitReader(res.Body, quoteBytesMax+1))
	if err == nil && len(data) > quoteBytesMax {
		err = fmt.Errorf("is larger than %d bytes", quoteBytesMax)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: reading the quote: %w", ErrUnavailable, err)
	}
	switch {
	case res.StatusCode == http.StatusOK:
		return parseQuote(data)
	case isAboutTheRequest(res.StatusCode):
		return 0, &QuoteRefusedError{
			Status: res.StatusCode, Type: res.Header.Get("Content-Type"), RetryAfter: res.Header.Get("Retry-After"), Body: data,
		}
	default:
		return 0, fmt.Errorf("%w: quote request: got status %d, want 200", ErrUnavailable, res.StatusCode)
	}
}

// isAboutTheRequest reports whether a status concerns the client's request. 401, 405 and 407 concern edge and upstream
// (a secret that differs, an upstream that does not quote), and the client cannot do anything about them. 501 says that
// the upstream cannot do what was requested.
func isAboutTheRequest(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired:
		return false
	case http.StatusNotImplemented:
		return true
	}
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError
}

// parseQuote reads {"amount": n}. Other fields are ignored.
func parseQuote(data []byte) (int64, error) {
	var answer struct {
		Amount *int64 `json:"amount"`
	}
	err := edgewire.CheckJSON(data)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err == nil && answer.Amount == nil {
		err = errors.New("has no amount")
	}
	if err == nil && *answer.Amount < 0 {
		err = fmt.Errorf("amount is %d, want 0 or more", *answer.Amount)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: quote: %w", ErrUnavailable, err)
	}
	return *answer.Amount, nil
}
