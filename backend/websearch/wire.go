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
	// itemsMax is how many results of one answer are looked at.
	itemsMax = 200
	// retrySaidMost is the longest that a provider can say to wait: a month, for which quotas are.
	retrySaidMost = 31 * 24 * time.Hour
)

// service is what the adapters have in common: one request, one answer, and what it means when it is not one.
type service struct {
	name    string
	key     string
	client  *http.Client
	timeout time.Duration
	now     func() time.Time
	// refusal explains an answer with another status than 200; it may leave that to service.refused.
	refusal func(reply) *Error
}

func newService(name, key string, o Options) *service {
	o = o.withDefaults()
	return &service{
		name: name, key: key, timeout: o.Timeout, now: o.Now,
		client: &http.Client{
			// A redirect would carry the key and the query elsewhere.
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

// reply is an answer that was read whole.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask makes a request and decodes the JSON of its answer into result. Its errors are *Error, or the caller's cancellation.
func (s *service) ask(ctx context.Context, method, address string, header http.Header, body []byte, result any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return s.fault(ReasonUnavailable, 0, "the request cannot be made") // without the error's text, which has the URL
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
		return s.fault(ReasonBadReply, answer.status, fmt.Sprintf("the answer is longer than %d bytes", replyBytesMax))
	}
	if looksLikeHTML(answer) {
		return s.fault(ReasonBadReply, answer.status, "the answer is a page rather than JSON")
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

// promised is the error of an answer that is JSON of another form, or none.
func (s *service) promised(status int) *Error {
	return s.fault(ReasonBadReply, status, "the answer is not the JSON that its API promises")
}

// broken is a request without a whole answer.
func (s *service) broken(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cancelled()
	}
	var timeout net.Error
	if ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		failure := s.fault(ReasonTimeout, 0, "no answer in time")
		failure.Err = context.DeadlineExceeded
		return failure
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return s.fault(ReasonUnavailable, 0, "the answer breaks off")
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the URL, which has the query
	}
	return s.fault(ReasonUnavailable, 0, clean(err.Error(), s.key))
}

// refused explains what a status means with any service. What a service says of it is for the log.
func (s *service) refused(answer reply, said string) *Error {
	failure := &Error{Message: clean(said, s.key)}
	switch status := answer.status; {
	case status >= 300 && status < 400:
		failure.Reason, failure.Message = ReasonBadReply, "answers with a redirect, which is not followed: configure the URL that it leads to"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		// Services repeat parts of the key here.
		failure.Reason, failure.Message = ReasonRefused, "refuses the key, or what its plan may do"
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

// looksLikeHTML tells a page, as proxies and portals put in the place of an answer, from JSON.
func looksLikeHTML(answer reply) bool {
	return bytes.HasPrefix(bytes.TrimSpace(answer.body), []byte("<")) || strings.HasPrefix(answer.header.Get("Content-Type"), "text/html")
}

// retryAfter reads when to try again: seconds, or a date (RFC 9110, 10.2.3).
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

// secondsWithin is a number of seconds that a service says, none below zero and none that overflows.
func secondsWithin(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(retrySaidMost/time.Second))) * time.Second
}

// said is text in an answer. Whatever else stands in its place is no text, and spoils nothing but itself.
type said string

// UnmarshalJSON implements json.Unmarshaler.
func (s *said) UnmarshalJSON(encoded []byte) error {
	var text string
	if json.Unmarshal(encoded, &text) == nil {
		*s = said(text)
	}
	return nil
}

// item is one result as services give it.
type item struct{ url, title, snippet, date said }

// results makes results of items, which read decodes one by one. A few that are none do no harm; where all are none, the
// answer is of another form than promised.
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
