package websearch

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	replyBytesMax = 4 << 20
	// itemsMax is how many results of one response are processed.
	itemsMax = 200
	// retrySaidMost caps the wait that a provider can ask for: a month, the period of quotas.
	retrySaidMost = 31 * 24 * time.Hour
)

// service is the common part of the adapters: one request, one response, and the interpretation of failures.
type service struct {
	name    string
	key     string
	client  *http.Client
	timeout time.Duration
	now     func() time.Time
	// refusal explains a response with a status other than 200; it may use service.refused.
	refusal func(reply) *Error
}

func newService(name, key string, o Options) *service {
	o = o.withDefaults()
	return &service{
		name: name, key: key, timeout: o.Timeout, now: o.Now,
		client: &http.Client{
			// A redirect would send the key and the query elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:            (&net.Dialer{Timeout: o.Timeout}).DialContext,
				TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    o.Timeout,
				MaxResponseHeaderBytes: 64 << 10,
				MaxIdleConnsPerHost:    16,
				IdleConnTimeout:        90 * time.Second,
				ForceAttemptHTTP2:      true,
			},
		},
	}
}

// Name implements Provider.
func (s *service) Name() string { return s.name }

// reply is a response that was read completely.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request and decodes the JSON response into result. Its errors are *Error, or the caller's cancellation.
func (s *service) ask(ctx context.Context, method, address string, header http.Header, body []byte, result any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return s.fault(ReasonUnavailable, 0, "the request cannot be created") // without the error's text, which contains the URL
	}
	request.Header = header
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "turnpike")
	answer, err := s.exchange(request)
	if err != nil {
		return s.broken(ctx, err)
	}
	if answer.status != http.StatusOK {
		failure := s.refusal(answer)
		failure.Provider, failure.Status = s.name, answer.status
		if failure.RetryAfter == 0 {
			failure.RetryAfter = retryAfter(answer.header, s.now())
		}
		return failure
	}
	if len(answer.body) > replyBytesMax {
		return s.fault(ReasonBadReply, answer.status, fmt.Sprintf("the response is longer than %d bytes", replyBytesMax))
	}
	if looksLikeHTML(answer) {
		return s.fault(ReasonBadReply, answer.status, "the response is an HTML page instead of JSON")
	}
	if err := json.Unmarshal(answer.body, result); err != nil {
		return s.promised(answer.status)
	}
	return nil
}

func (s *service) exchange(request *http.Request) (reply, error) {
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, replyBytesMax+1))
	return reply{response.StatusCode, response.Header, body}, err
}

func (s *service) fault(reason Reason, status int, message string) *Error {
	return &Error{Provider: s.name, Reason: reason, Status: status, Message: message}
}

// promised is the error for a response that is not JSON, or JSON of another form.
func (s *service) promised(status int) *Error {
	return s.fault(ReasonBadReply, status, "the response is not the JSON that the API specifies")
}

// broken is the error for a request without a complete response.
func (s *service) broken(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cancelled()
	}
	var timeout net.Error
	if ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		failure := s.fault(ReasonTimeout, 0, "no response in time")
		failure.Err = context.DeadlineExceeded
		return failure
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return s.fault(ReasonUnavailable, 0, "the response was cut off")
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the URL, which contains the query
	}
	return s.fault(ReasonUnavailable, 0, clean(err.Error(), s.key))
}

// refused explains a status that means the same with every service. The service's own message is for the log.
func (s *service) refused(answer reply, said string) *Error {
	failure := &Error{Message: clean(said, s.key)}
	switch status := answer.status; {
	case status >= 300 && status < 400:
		failure.Reason, failure.Message = ReasonBadReply, "responds with a redirect, which is not followed: configure the URL that it redirects to"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		// Services repeat parts of the key in these responses.
		failure.Reason, failure.Message = ReasonRefused, "the service rejected the key, or its plan does not permit the request"
	case status == http.StatusPaymentRequired:
		failure.Reason = ReasonQuota
	case status == http.StatusTooManyRequests:
		failure.Reason = ReasonRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		failure.Reason = ReasonTimeout
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusRequestEntityTooLarge, status == http.StatusRequestURITooLong:
		failure.Reason = ReasonBadQuery
	case status >= http.StatusInternalServerError:
		failure.Reason = ReasonUnavailable
	default:
		failure.Reason = ReasonBadReply
	}
	return failure
}

// looksLikeHTML detects a page in place of JSON, as sent by proxies and captive portals.
func looksLikeHTML(answer reply) bool {
	return bytes.HasPrefix(bytes.TrimSpace(answer.body), []byte("<")) || strings.HasPrefix(answer.header.Get("Content-Type"), "text/html")
}

// retryAfter parses Retry-After: seconds, or a date (RFC 9110, 10.2.3).
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return secondsWithin(seconds)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), retrySaidMost)
	}
	return 0
}

// secondsWithin converts seconds from a service, without negative values and overflow.
func secondsWithin(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(retrySaidMost/time.Second))) * time.Second
}

// said is text in a response. A value of another type is ignored and does not affect the rest.
type said string

// UnmarshalJSON implements json.Unmarshaler.
func (s *said) UnmarshalJSON(encoded []byte) error {
	var text string
	if json.Unmarshal(encoded, &text) == nil {
		*s = said(text)
	}
	return nil
}

// item is one result in a service's response.
type item struct{ url, title, snippet, date said }

// results converts items, which read decodes one by one. Some invalid ones are ignored; if all are invalid, the response
// has another form than promised.
func (s *service) results(q Query, encoded []json.RawMessage, read func(json.RawMessage) (item, error)) ([]Result, error) {
	var found []Result
	for _, one := range encoded[:min(len(encoded), itemsMax)] {
		i, err := read(one)
		if err != nil || i.url == "" {
			continue
		}
		found = append(found, Result{
			URL: string(i.url), Title: plain(string(i.title), titleCharsMax), Snippet: plain(string(i.snippet), snippetCharsMax),
			Published: published(string(i.date), s.now()), Provider: s.name,
		})
	}
	if len(encoded) > 0 && len(found) == 0 {
		return nil, s.promised(http.StatusOK)
	}
	return keep(q, s.name, found), nil
}
