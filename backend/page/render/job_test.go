package render

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func TestJobsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := &web{t: t}
	for name, c := range map[string]struct {
		change func(*Job)
		want   string
	}{
		"no URL":       {func(j *Job) { j.URL = fetch.URL{} }, "URL is empty"},
		"no way out":   {func(j *Job) { j.Dial = nil }, "Dial must be set"},
		"screen":       {func(j *Job) { j.Screen = Screen{Width: 10_000, Height: 1} }, "Screen.Width must be between 1 and 8192"},
		"no height":    {func(j *Job) { j.Screen = Screen{Width: 100} }, "Screen.Height"},
		"wait":         {func(j *Job) { j.Wait = time.Hour }, "Wait must be between 0 and 1m0s"},
		"HTML":         {func(j *Job) { j.HTMLBytesMax = -1 }, "HTMLBytesMax must not be negative"},
		"many actions": {func(j *Job) { j.Actions = make([]Action, 101) }, "at most 100 are allowed"},
		"unknown":      {func(j *Job) { j.Actions = []Action{{Kind: "hover"}} }, `Actions[0]: Kind "hover" must be wait, click, fill_input or scroll`},
		"no selector":  {func(j *Job) { j.Actions = []Action{{Kind: ActionClick}} }, "Actions[0]: Selector must have"},
		"large value": {func(j *Job) {
			j.Actions = []Action{{Kind: ActionFillInput, Selector: "a", Value: strings.Repeat("x", 2<<20)}}
		}, "Value must have at most"},
		"direction":     {func(j *Job) { j.Actions = []Action{{Kind: ActionScroll, Direction: "in"}} }, `Direction "in" must be up`},
		"amount":        {func(j *Job) { j.Actions = []Action{{Kind: ActionScroll, Direction: ScrollUp, Amount: -1}} }, "Amount must be between"},
		"action's wait": {func(j *Job) { j.Actions = []Action{{Kind: ActionWait, Duration: -1}} }, "Duration must be between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := New(Config{})
			if err != nil {
				t.Fatal(err)
			}
			job := w.job("http://site.test/")
			c.change(&job)
			_, err = r.Render(t.Context(), job)
			checkError(t, err, Error{Reason: ReasonInvalidJob}, c.want)
		})
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Browsers: -1, Timeout: -1, Endpoint: "http://browser:9222", EgressHost: "worker"})
	for _, want := range []string{"Browsers must not be negative", "Timeout must not be negative", "Endpoint must be a ws://", `EgressHost "worker" must be an IP address`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := New(Config{Browser: "chromium", Endpoint: "ws://browser:9222/x"}); err == nil {
		t.Error("got no error for a browser here and elsewhere")
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{strings.Repeat("12345678\x00", 1000), true},
		{strings.Repeat("1", 101), false},
		{"a\x00" + strings.Repeat("1", 101), false},
		{"a\x00" + strings.Repeat("1", 100) + "\x00", true},
	} {
		_, err := io.ReadAll(&boundedMessages{ReadCloser: io.NopCloser(strings.NewReader(c.text)), max: 100})
		if (err == nil) != c.ok {
			t.Errorf("%.20q…: got %v, want an error: %v", c.text, err, !c.ok)
		}
	}
}

func TestUserAgents(t *testing.T) {
	t.Parallel()
	b := &browser{
		agent:  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
		config: Config{UserAgentComment: "compatible; TurnpikeBot/1; +https://example.com"},
	}
	for mobile, want := range map[bool]string{
		false: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; TurnpikeBot/1; +https://example.com) Chrome/156.0.0.0 Safari/537.36",
		true:  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko; compatible; TurnpikeBot/1; +https://example.com) Chrome/156.0.0.0 Mobile Safari/537.36",
	} {
		if got := b.userAgent(mobile); got != want {
			t.Errorf("mobile %v: got %s, want %s", mobile, got, want)
		}
	}
}

func TestReasonsOfFailures(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fetch.Reason{
		"net::ERR_CERT_DATE_INVALID":        fetch.ReasonTLS,
		"net::ERR_SSL_PROTOCOL_ERROR":       fetch.ReasonTLS,
		"net::ERR_TOO_MANY_REDIRECTS":       fetch.ReasonTooManyRedirects,
		"net::ERR_CONNECTION_TIMED_OUT":     fetch.ReasonTimeout,
		"net::ERR_EMPTY_RESPONSE":           fetch.ReasonReset,
		"net::ERR_NAME_NOT_RESOLVED":        fetch.ReasonDNS,
		"net::ERR_CONTENT_DECODING_FAILED":  fetch.ReasonBadEncoding,
		"net::ERR_UNSAFE_PORT":              fetch.ReasonBlockedPort,
		"net::ERR_INVALID_HTTP_RESPONSE":    fetch.ReasonBadResponse,
		"net::ERR_SOMETHING_NOBODY_FORESAW": fetch.ReasonBadResponse,
	} {
		if got := reasonOfNetError(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errJobTimeout)
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want Reason
	}{
		{t.Context(), errBrowserGone, ReasonCrashed},
		{ctx, errBrowserGone, ReasonCrashed},
		{ctx, io.EOF, ReasonTimeout},
		{t.Context(), io.EOF, ReasonCrashed},
		{ctx, &Error{Reason: ReasonAction}, ReasonAction},
	} {
		if got := fail(c.ctx, c.err); got.Reason != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got.Reason, c.want)
		}
	}
}
