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

// QuotePath is where an upstream quotes prices that its book leaves to it.
const QuotePath = "/.well-known/turnpike-quote"

const (
	quoteTimeout = 5 * time.Second
	// An upstream that cannot be connected to, as while it restarts, is tried again for as long as the shipped Caddyfile
	// tries to send it requests.
	quoteTryDuration = 10 * time.Second
	quoteTryInterval = 100 * time.Millisecond
	// quoteLostMax is how often a question is asked again that an upstream took and did not answer: one that ends
	// whenever it reads a certain question is not to be asked a hundred times.
	quoteLostMax = 3
	// quoteBytesMax has room for refusals that repeat the faults of a long body.
	quoteBytesMax = 1 << 20
)

// QuoteRequest is the request that a price is wanted for, as the client sent it.
type QuoteRequest struct {
	Method string
	// URI is path and query.
	URI  string
	Unit edgewire.Unit
	// Body is empty where the request has none.
	Body []byte
}

// Quoter asks an upstream what one request costs.
type Quoter interface {
	// Quote returns the most that the request may cost, 0 or more. It returns a
	// [QuoteRefusedError] where the upstream will not have the request at all, and
	// [ErrUnavailable] where it gives no answer.
	Quote(ctx context.Context, req *QuoteRequest) (int64, error)
}

// QuoteRefusedError is an upstream's refusal to quote: the request itself would
// be refused in the same way, so the answer is passed on to the client.
type QuoteRefusedError struct {
	Status int // 400 to 499, or 501
	// Type, RetryAfter and Body are the answer's Content-Type, Retry-After and body.
	Type, RetryAfter string
	Body             []byte
}

func (e *QuoteRefusedError) Error() string {
	return fmt.Sprintf("upstream refuses the request with status %d", e.Status)
}

func (c *compiledRule) isQuoted() bool { return c.rule.Price.IsQuoted() }

// ask reads the request's body, so that the quote and the identity are bound to
// it, and asks for the quote.
func (c *compiledRule) ask(ctx context.Context, r *http.Request, unit edgewire.Unit, quoter Quoter) (Quote, error) {
	if quoter == nil {
		return Quote{}, fmt.Errorf("pricing %s: %w: its price is the upstream's quote, and there is no upstream to ask", c, ErrUnavailable)
	}
	body, err := readOptionalBody(r, c.quote.BodyBytesMax)
	if err != nil {
		return Quote{}, fmt.Errorf("pricing %s: %w", c, err)
	}
	amount, err := quoter.Quote(ctx, &QuoteRequest{Method: r.Method, URI: r.URL.RequestURI(), Unit: unit, Body: body})
	if err != nil {
		return Quote{}, fmt.Errorf("asking the price of %s: %w", c, err)
	}
	q := c.quote
	q.Unit, q.Amount, q.Body = unit, amount, body
	return q, nil
}

// readOptionalBody reads JSON, strictly, or an empty body.
func readOptionalBody(r *http.Request, bytesMax int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return []byte{}, nil
	}
	body, err := readBody(r, bytesMax)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(body); err != nil {
		return nil, badRequest(inBody, "%w", err)
	}
	return body, nil
}

// HTTPQuoter asks over HTTP: the request's body is posted to [QuotePath] with
// its method, URI and unit in the query, and the answer is {"amount": n}.
type HTTPQuoter struct {
	// URL of the upstream's quotes, without a query.
	URL    string
	Client *http.Client
	// Sign returns the identity header for the posted request, in the name of
	// whoever asks. nil: none is sent.
	Sign func(ctx context.Context, identity *edgewire.Identity) (string, error)
}

var _ Quoter = (*HTTPQuoter)(nil)

// Quote implements Quoter.
func (q *HTTPQuoter) Quote(ctx context.Context, req *QuoteRequest) (int64, error) {
	query := url.Values{"method": {req.Method}, "uri": {req.URI}, "unit": {string(req.Unit)}}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL+"?"+query.Encode(), bytes.NewReader(req.Body))
	if err != nil {
		return 0, fmt.Errorf("quote request: %w", err)
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/json")
	if q.Sign != nil {
		identity := edgewire.Identity{
			Method: post.Method, URI: post.URL.RequestURI(), BodySHA256: edgewire.HashBody(req.Body), Unit: req.Unit,
		}
		signed, err := q.Sign(ctx, &identity)
		if err != nil {
			return 0, fmt.Errorf("signing the quote request: %w", err)
		}
		post.Header.Set(edgewire.IdentityHeader, signed)
	}
	return q.ask(ctx, post)
}

// ask sends the request, again while no connection is to be had, and a few times where it was lost: a quote changes nothing.
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
			return 0, fmt.Errorf("repeating the quote request: %w", err)
		}
	}
}

// neverSent: there was no connection to be had.
func neverSent(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// lostAfterwards: the connection ended before the answer, as when an upstream restarts.
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

// isAboutTheRequest: 401, 405 and 407 are between edge and upstream (a secret that
// differs, an upstream that does not quote), and the client can do nothing about them.
// 501 says that the upstream cannot do what was asked for.
func isAboutTheRequest(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired:
		return false
	case http.StatusNotImplemented:
		return true
	}
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError
}

// parseQuote reads {"amount": n}. Other fields are the upstream's affair.
func parseQuote(data []byte) (int64, error) {
	var answer struct {
		Amount *int64 `json:"amount"`
	}
	err := checkJSON(data)
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
