package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	replyBytesMax   = 4 << 20
	messageBytesMax = 300
	// waitMax is the longest wait before a retry. If a server asks for more, there is no retry.
	waitMax   = 20 * time.Second
	waitFirst = 500 * time.Millisecond
)

// server sends requests to one API.
type server struct {
	endpoint string
	header   http.Header
	key      string
	attempts int
	timeout  time.Duration
	client   *http.Client
	// now and wait are the clock.
	now  func() time.Time
	wait func(ctx context.Context, d time.Duration) error
}

func newServer(c Config, endpoint string, header http.Header) *server {
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "turnpike")
	return &server{
		endpoint: endpoint, header: header, key: c.Key, attempts: c.Attempts, timeout: c.Timeout, now: time.Now, wait: wait,
		client: &http.Client{
			// A redirect would send the key and the page elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
				TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    10 * time.Second,
				MaxResponseHeaderBytes: 64 << 10,
				MaxIdleConnsPerHost:    16,
				IdleConnTimeout:        90 * time.Second,
				ForceAttemptHTTP2:      true,
			},
		},
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// post sends body and decodes the response into result. It retries while the server is busy or unreachable and time remains.
func (s *server) post(ctx context.Context, body, result any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return &Error{Reason: ReasonRefused, Message: "the request cannot be encoded", Err: err}
	}
	return s.repeat(ctx, func() *Error {
		answer, failure := s.once(ctx, encoded)
		if failure == nil && json.Unmarshal(answer, result) != nil {
			return noJSON()
		}
		return failure
	})
}

func noJSON() *Error {
	return &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: "the server's response is not the JSON that its API specifies"}
}

// repeat calls once, and again while the server is busy or unreachable and time remains.
func (s *server) repeat(ctx context.Context, once func() *Error) error {
	for attempt := 1; ; attempt++ {
		failure := once()
		if failure == nil {
			return nil
		}
		pause, again := s.pause(failure, attempt)
		if deadline, ok := ctx.Deadline(); !again || ok && s.now().Add(pause).After(deadline) {
			return s.final(ctx, failure)
		}
		if err := s.wait(ctx, pause); err != nil {
			return s.final(ctx, failure)
		}
	}
}

// final distinguishes the caller's cancellation from a failure.
func (s *server) final(ctx context.Context, failure *Error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("calling the language model: %w", context.Canceled)
	}
	return failure
}

// pause is the wait before the next attempt; false if there is none.
func (s *server) pause(failure *Error, attempt int) (time.Duration, bool) {
	switch failure.Reason {
	case ReasonRateLimited, ReasonUnavailable:
	default:
		return 0, false
	}
	if attempt >= s.attempts || failure.Status == http.StatusOK || failure.RetryAfter > waitMax {
		return 0, false
	}
	if failure.Status != 0 && failure.Status != http.StatusTooManyRequests && failure.Status < http.StatusInternalServerError {
		return 0, false
	}
	if failure.RetryAfter > 0 {
		return failure.RetryAfter, true
	}
	pause := waitFirst << (attempt - 1)
	return pause/2 + rand.N(pause/2), true //nolint:gosec // spreads retries; not for security
}

// open sends a request and returns a response with status 200; the caller closes its body.
func (s *server) open(ctx context.Context, body []byte) (*http.Response, *Error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Reason: ReasonRefused, Message: "the request cannot be made"}
	}
	request.Header = s.header.Clone()
	response, err := s.client.Do(request)
	if err != nil {
		return nil, s.broken(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, replyBytesMax))
	if err != nil {
		return nil, s.broken(ctx, err)
	}
	return nil, s.refusal(response, answer)
}

func (s *server) once(ctx context.Context, body []byte) ([]byte, *Error) {
	response, failure := s.open(ctx, body)
	if failure != nil {
		return nil, failure
	}
	defer response.Body.Close()
	return s.whole(ctx, response.Body)
}

// whole reads a response to its end.
func (s *server) whole(ctx context.Context, body io.Reader) ([]byte, *Error) {
	answer, err := io.ReadAll(io.LimitReader(body, replyBytesMax+1))
	if err != nil {
		return nil, s.broken(ctx, err)
	}
	if len(answer) > replyBytesMax {
		return nil, &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: fmt.Sprintf("the response is longer than %d bytes", replyBytesMax)}
	}
	return answer, nil
}

// broken is the error for a request without a response.
func (s *server) broken(ctx context.Context, err error) *Error {
	var timeout net.Error
	if ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() && errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: ReasonTimeout, Message: "no response in time", Err: context.DeadlineExceeded}
	}
	return &Error{Reason: ReasonUnavailable, Message: s.clean(err.Error()), Err: err}
}

// apiError is the error format of both APIs. Some servers send just a string.
type apiError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param"`
	Code    any    `json:"code"` // text, a number or null, depending on the server
}

func readAPIError(body []byte) apiError {
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &said) != nil {
		return apiError{Message: string(body)}
	}
	var e apiError
	if json.Unmarshal(said.Error, &e) == nil && e.Message != "" {
		return e
	}
	var text string
	if json.Unmarshal(said.Error, &text) == nil && text != "" {
		return apiError{Message: text}
	}
	if said.Message != "" {
		return apiError{Message: said.Message}
	}
	return apiError{Message: string(said.Detail)}
}

// refusal is the error for a response with a status other than 200.
func (s *server) refusal(response *http.Response, body []byte) *Error {
	said := readAPIError(body)
	e := &Error{
		Reason: reasonOf(response.StatusCode, said), Status: response.StatusCode,
		RetryAfter: s.retryAfter(response.Header), Err: &said,
	}
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		// Servers repeat parts of the key here.
		e.Message, e.Err = "the server rejects the key or its permissions", nil
	default:
		e.Message = s.clean(said.Message)
	}
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		e.Message = "the server returned a redirect, which is not followed: configure its target as the URL"
	}
	return e
}

func (e *apiError) Error() string { return e.Message }

// text is all text of the error, to search for words.
func (e *apiError) text() string {
	return strings.ToLower(fmt.Sprint(e.Message, " ", e.Type, " ", e.Param, " ", e.Code))
}

func reasonOf(status int, said apiError) Reason {
	text := said.text()
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusTooManyRequests && has("insufficient_quota"):
		// The account has no money left, so waiting does not help.
		return ReasonRefused
	case status == http.StatusTooManyRequests:
		return ReasonRateLimited
	case status == http.StatusRequestEntityTooLarge,
		status == http.StatusBadRequest && has("context_length_exceeded", "context length", "prompt is too long", "context window", "maximum context", "context size"):
		return ReasonTooLong
	case status == http.StatusBadRequest && has("content_filter", "content_policy", "content management policy"):
		return ReasonContentFiltered
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return ReasonTimeout
	case status >= http.StatusInternalServerError:
		return ReasonUnavailable
	}
	return ReasonRefused
}

// retryAfter reads when to retry: in milliseconds if given, else in seconds or as a date (RFC 9110, 10.2.3).
func (s *server) retryAfter(header http.Header) time.Duration {
	const most = 24 * time.Hour
	if ms, err := strconv.ParseInt(header.Get("Retry-After-Ms"), 10, 64); err == nil && ms > 0 {
		return min(time.Duration(min(ms, int64(most/time.Millisecond)))*time.Millisecond, most)
	}
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int64(most/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(s.now()), 0), most)
	}
	return 0
}

// clean makes a server's text fit for a log: short, on one line, without the key.
func (s *server) clean(text string) string {
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	return clip(oneLine(strings.ToValidUTF8(text, "")), messageBytesMax)
}
