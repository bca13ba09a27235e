package websearch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestFound(t *testing.T) {
	t.Parallel()
	day := func(year int, month time.Month, day, hour, minute int) time.Time {
		return time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	}
	for name, want := range map[string][]Result{
		"searxng_found": {
			{
				URL: "https://www.example.org/tolls", Title: "Tolls & turnpikes — history", Snippet: "How roads were paid for in the 18th century…",
				Published: day(2024, time.March, 5, 9, 30), Provider: "searxng",
			},
			{URL: "http://rivers.example.com/bridges?x=1", Title: "Bridges", Published: day(2023, time.November, 1, 22, 0), Provider: "searxng"},
			{URL: "https://shop.example.net/toll-tags", Title: "Toll tags", Snippet: "Order yours today", Provider: "searxng"},
		},
		"searxng_empty": nil,
		"brave_found": {
			{
				URL: "https://www.example.org/tolls", Title: "Tolls & turnpikes", Snippet: `What Rivers' keepers took, and why it "ended".`,
				Published: day(2024, time.March, 5, 9, 30), Provider: "brave",
			},
			{URL: "https://docs.example.com/input", Title: "<input>: The Input element", Snippet: "Attributes of it.", Provider: "brave"},
			{
				URL: "https://news.example.net/bridge", Title: "Bridge opens", Snippet: "A new crossing.",
				Published: day(2025, time.June, 15, 0, 0), Provider: "brave",
			},
		},
		"brave_empty": nil,
		"serper_found": {
			{
				URL: "https://www.example.org/tolls", Title: "Tolls & turnpikes", Snippet: "How roads were paid for ...",
				Published: day(2024, time.March, 5, 0, 0), Provider: "serper",
			},
			{URL: "https://rivers.example.com/bridges", Title: "Bridges", Snippet: "A list.", Provider: "serper"},
			{
				URL: "https://news.example.net/bridge", Title: "Bridge opens", Snippet: "A new crossing.",
				Published: day(2025, time.June, 17, 11, 0), Provider: "serper",
			},
		},
		"serper_empty": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, d := kindOf(t, name).with(t, recorded(t, name))
			got, err := provider.Search(t.Context(), query())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			d.asked()
		})
	}
}

// The providers' refusals are told apart.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Error{
		"searxng_disabled":         {Reason: ReasonDisabled, Status: 403, Message: "search.formats"},
		"searxng_limiter":          {Reason: ReasonRateLimited, Status: 429, Message: "limiter"},
		"searxng_engines":          {Reason: ReasonUnavailable, Status: 200, Message: "brave (Suspended: too many requests), duckduckgo (CAPTCHA), startpage (timeout)"},
		"searxng_query":            {Reason: ReasonBadQuery, Status: 400, Message: "pageno"},
		"searxng_error":            {Reason: ReasonUnavailable, Status: 500, Message: "search error"},
		"searxng_credentials":      {Reason: ReasonRefused, Status: 401, Message: "credentials"},
		"searxng_elsewhere":        {Reason: ReasonBadReply, Status: 404, Message: "without /search"},
		"brave_token_invalid":      {Reason: ReasonRefused, Status: 422, Message: "key"},
		"brave_token_invalid_list": {Reason: ReasonRefused, Status: 422, Message: "key"},
		"brave_token_missing":      {Reason: ReasonRefused, Status: 422, Message: "key"},
		"brave_token_unauthorized": {Reason: ReasonRefused, Status: 401, Message: "key"},
		"brave_no_subscription":    {Reason: ReasonRefused, Status: 404, Message: "key"},
		"brave_plan":               {Reason: ReasonRefused, Status: 400, Message: "plan"},
		"brave_rate":               {Reason: ReasonRateLimited, Status: 429, RetryAfter: time.Second, Message: "rate limit"},
		"brave_rate_metered":       {Reason: ReasonRateLimited, Status: 429, RetryAfter: time.Second, Message: "rate limit"},
		"brave_rate_retry_after":   {Reason: ReasonRateLimited, Status: 429, RetryAfter: 7 * time.Second, Message: "rate limit"},
		"brave_quota":              {Reason: ReasonQuota, Status: 429, Message: "quota"},
		"brave_quota_headers":      {Reason: ReasonQuota, Status: 429, RetryAfter: 1419704 * time.Second, Message: "limit"},
		"brave_quota_body":         {Reason: ReasonQuota, Status: 429, Message: "limit"},
		"brave_query":              {Reason: ReasonBadQuery, Status: 422, Message: "validate"},
		"brave_error":              {Reason: ReasonUnavailable, Status: 500, Message: "Internal error"},
		"brave_maintenance":        {Reason: ReasonUnavailable, Status: 503, RetryAfter: 2 * time.Minute},
		"serper_unauthorized":      {Reason: ReasonRefused, Status: 403, Message: "key"},
		"serper_credits":           {Reason: ReasonQuota, Status: 400, Message: "Not enough credits"},
		"serper_pattern":           {Reason: ReasonBadQuery, Status: 400, Message: "free accounts"},
		"serper_query":             {Reason: ReasonBadQuery, Status: 400, Message: "Missing query"},
		"serper_rate":              {Reason: ReasonRateLimited, Status: 429, RetryAfter: 3 * time.Second, Message: "Too many"},
		"serper_error":             {Reason: ReasonUnavailable, Status: 500, Message: "Internal"},
		"serper_gateway":           {Reason: ReasonTimeout, Status: 504},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kindOf(t, name)
			provider, d := k.with(t, recorded(t, name))
			_, err := provider.Search(t.Context(), query())
			got := wantReason(t, err, want.Reason)
			if got.Provider != k.name || got.Status != want.Status || got.RetryAfter != want.RetryAfter || !strings.Contains(got.Message, want.Message) {
				t.Errorf("got %+v\nwant %+v of %s", got, &want, k.name)
			}
			if !strings.Contains(err.Error(), k.name) || !strings.Contains(err.Error(), string(want.Reason)) {
				t.Errorf("got %q, want it to name the provider and the reason", err)
			}
			d.asked()
		})
	}
}

// Every recording is used.
func TestRecordingsAreUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != 6+29 {
		t.Errorf("got %d recordings (%v), want as many as there are cases above", len(files), err)
	}
}

// Replies with status 200 that are not results.
func TestBadReplies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing":            "",
		"null":               "null",
		"another object":     "{}",
		"a list":             `[{"url":"https://a.example/"}]`,
		"text":               "OK",
		"a page":             "\n<!DOCTYPE html><html><title>Sign in to the network</title></html>",
		"broken":             `{"type":"search","web":{"results":[{"url":"https://a.ex`,
		"more after it":      `{"type":"search","searchParameters":{},"results":[],"organic":[]} and more`,
		"results as text":    `{"type":"search","web":{"results":"none"},"results":"none","organic":"none","searchParameters":{}}`,
		"results as numbers": `{"type":"search","web":{"results":[1,2]},"results":[1,2],"organic":[1,2],"searchParameters":{}}`,
		"results without addresses": `{"type":"search","web":{"results":[{"title":"a"}]},"results":[{"title":"a"}],
			"organic":[{"title":"a"}],"searchParameters":{}}`,
		"addresses as numbers": `{"type":"search","web":{"results":[{"url":1}]},"results":[{"url":1}],"organic":[{"link":1}],"searchParameters":{}}`,
		"deep":                 strings.Repeat("[", 100_000),
		"huge":                 `{"type":"search","searchParameters":{},"results":[],"web":{"results":[]},"organic":[],"x":"` + strings.Repeat("x", replyBytesMax) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, k kind) {
				provider, _ := k.with(t, recording{Status: 200, Header: map[string]string{"Content-Type": "application/json"}, Text: body})
				if body == "" {
					provider, _ = k.with(t, recording{Status: 200})
				}
				_, err := provider.Search(t.Context(), query())
				got := wantReason(t, err, ReasonBadReply)
				if got.Status != 200 || got.Message == "" {
					t.Errorf("got %+v, want status 200 and a message", got)
				}
				if name == "a page" && !strings.Contains(got.Message, "page") {
					t.Errorf("got %q, want it to say that it is a page", got.Message)
				}
			})
		})
	}
}

// A result with a few wrong types is still used.
func TestWrongTypesSpoilOnlyThemselves(t *testing.T) {
	t.Parallel()
	items := `[7, null, {"url":{"a":1},"link":{"a":1}}, {"url":"https://a.example/","link":"https://a.example/",
		"title":["x"],"description":5,"content":5,"snippet":5,"page_age":5,"age":{},"publishedDate":false,"date":1.5}]`
	body := fmt.Sprintf(`{"type":"search","searchParameters":5,"web":{"results":%s},"results":%s,"organic":%s,"unresponsive_engines":{"a":1}}`, items, items, items)
	each(t, func(t *testing.T, k kind) {
		provider, _ := k.with(t, recording{Status: 200, Text: body, Header: map[string]string{"Content-Type": "application/json"}})
		got, err := provider.Search(t.Context(), query())
		if want := []Result{{URL: "https://a.example/", Provider: k.name}}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("the redirect was followed, with the header %v", r.Header)
		}))
		t.Cleanup(elsewhere.Close)
		for _, status := range []int{301, 302, 303, 307, 308} {
			provider, _ := k.with(t, http.RedirectHandler(elsewhere.URL, status))
			_, err := provider.Search(t.Context(), query())
			if got := wantReason(t, err, ReasonBadReply); got.Status != status || !strings.Contains(got.Message, "redirect") {
				t.Errorf("got %+v, want status %d and the word redirect", got, status)
			}
		}
	})
}

// hang sends what begin writes and then nothing until the client leaves.
func hang(begin func(http.ResponseWriter)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-r.Context().Done()
	})
}

func TestSlow(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"no answer": func(http.ResponseWriter) {},
		"half an answer": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"type":`))
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, k kind) {
				d := newDouble(t, k.check, hang(begin))
				provider := k.make(d.URL, Options{Timeout: 50 * time.Millisecond})
				_, err := provider.Search(t.Context(), query())
				wantReason(t, err, ReasonTimeout)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want it to wrap the deadline", err)
				}
			})
		})
	}
}

func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		ctx, leave := context.WithCancel(t.Context())
		provider, _ := k.with(t, hang(func(http.ResponseWriter) { leave() }))
		_, err := provider.Search(ctx, query())
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the cancellation", err)
		}
		wantNoSecret(t, err)
	})
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := "http://" + listener.Addr().String()
		_ = listener.Close()
		_, err = k.make(address, options()).Search(t.Context(), query())
		if got := wantReason(t, err, ReasonUnavailable); got.Status != 0 || !strings.Contains(got.Message, "refused") {
			t.Errorf("got %+v, want that the connection is refused", got)
		}
	})
}

func TestAnswerBreaksOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		provider, _ := k.with(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"type":"search","results":[],"searchParameters":{}`))
		}))
		_, err := provider.Search(t.Context(), query())
		if got := wantReason(t, err, ReasonUnavailable); !strings.Contains(got.Message, "was cut off") {
			t.Errorf("got %+v, want that the response was cut off", got)
		}
	})
}

// A reply that unpacks to more than the limit is refused.
func TestPackedAnswers(t *testing.T) {
	t.Parallel()
	pack := func(body []byte) http.Handler {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body)
		_ = w.Close()
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		})
	}
	each(t, func(t *testing.T, k kind) {
		provider, _ := k.with(t, pack(recorded(t, k.name+"_found").Body))
		if got, err := provider.Search(t.Context(), query()); err != nil || len(got) != 3 {
			t.Errorf("got %d results, %v, want 3", len(got), err)
		}
		provider, _ = k.with(t, pack(bytes.Repeat([]byte(" "), 1<<25)))
		_, err := provider.Search(t.Context(), query())
		wantReason(t, err, ReasonBadReply)
	})
}

// Some providers repeat the request, including the key, in their errors.
func TestKeysAreInNoError(t *testing.T) {
	t.Parallel()
	said := "bad header " + braveKey + " " + serperKey + " for you"
	each(t, func(t *testing.T, k kind) {
		for status := 300; status < 600; status += 1 + status%3 {
			body := fmt.Sprintf(`{"message":%q,"error":{"code":%q,"detail":%q}}`, said, said, said)
			if k.name == NameSearXNG { // it has no key
				body = `{"error":"search error"}`
			}
			provider, _ := k.with(t, recording{Status: status, Text: body, Header: map[string]string{"Retry-After": said, "X-RateLimit-Policy": said}})
			_, err := provider.Search(t.Context(), query())
			var failure *Error
			if !errors.As(err, &failure) || failure.Status != status || failure.Provider != k.name {
				t.Fatalf("status %d: got %v, want an error of %s", status, err, k.name)
			}
			own := braveKey
			if k.name == NameSerper {
				own = serperKey
			}
			for e := range tree(err) {
				if text := fmt.Sprintf("%v %+v %#v", e, e, failure.Message); strings.Contains(text, own) {
					t.Errorf("status %d: the error holds the key: %s", status, text)
				}
			}
		}
	})
}

// A key that cannot be sent does not show in the error, either.
func TestKeyThatIsNoHeader(t *testing.T) {
	t.Parallel()
	const key = "brave-key-5f2a91\ncaf\x7f"
	_, err := newBrave("http://127.0.0.1:1/", key, options()).Search(t.Context(), query())
	wantReason(t, err, ReasonUnavailable)
	if strings.Contains(err.Error(), "5f2a91") {
		t.Errorf("the error holds the key: %v", err)
	}
}

// The requests that are sent.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, service string
		query         Query
		want          url.Values
		body          string
	}{
		{"words", NameBrave, Query{Text: "river tolls", Limit: 12}, url.Values{
			"q": {"river tolls"}, "count": {"12"}, "result_filter": {"web"}, "text_decorations": {"false"},
		}, ""},
		{"more than a page", NameBrave, Query{Text: "river tolls", Limit: 25}, url.Values{
			"q": {"river tolls"}, "count": {"20"}, "result_filter": {"web"}, "text_decorations": {"false"},
		}, ""},
		{"domains", NameBrave, Query{Text: "river tolls", Limit: 3, Include: []string{"a.example", "b.example"}, Exclude: []string{"old.a.example"}}, url.Values{
			"q": {"river tolls site:a.example OR site:b.example -site:old.a.example"}, "count": {"20"}, "result_filter": {"web"}, "text_decorations": {"false"},
		}, ""},
		{"words", NameSearXNG, Query{Text: "river tolls", Limit: 12}, url.Values{"q": {"river tolls"}, "format": {"json"}}, ""},
		{"commands", NameSearXNG, Query{Text: "!!g river :de <3 !images ?tolls !! a!b", Limit: 12}, url.Values{
			"q": {"g river de 3 images tolls a!b"}, "format": {"json"},
		}, ""},
		{"words", NameSerper, Query{Text: `river "tolls"`, Limit: 10}, nil, `{"q":"river \"tolls\"","num":10}`},
		{"more than a page", NameSerper, Query{Text: "river tolls", Limit: 11}, nil, `{"q":"river tolls","num":20}`},
		{"domains", NameSerper, Query{Text: "tolls", Limit: 25, Exclude: []string{"a.example", "b.example"}}, nil, `{"q":"tolls -site:a.example -site:b.example","num":30}`},
	} {
		t.Run(tc.service+"/"+tc.name, func(t *testing.T) {
			t.Parallel()
			provider, d := kindOf(t, tc.service).with(t, recorded(t, tc.service+"_empty"))
			if _, err := provider.Search(t.Context(), tc.query); err != nil {
				t.Fatal(err)
			}
			request, body := d.asked()
			if tc.want != nil && !reflect.DeepEqual(request.URL.Query(), tc.want) {
				t.Errorf("got %v, want %v", request.URL.Query(), tc.want)
			}
			if body != tc.body {
				t.Errorf("got body %s, want %s", body, tc.body)
			}
		})
	}
}

// Not all providers respect operators, so their results are filtered by the query, too.
func TestDomainsAndLimitHoldForWhatComesBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		provider, _ := k.with(t, recorded(t, k.name+"_found"))
		q := query()
		q.Exclude = []string{"example.org"}
		got, err := provider.Search(t.Context(), q)
		if err != nil || len(got) != 2 || strings.Contains(got[0].URL, "example.org") {
			t.Errorf("got %v, %v, want two without example.org", got, err)
		}
		q.Include, q.Exclude = []string{"example.net"}, nil
		if got, err = provider.Search(t.Context(), q); err == nil && k.name == NameBrave && len(got) != 1 {
			t.Errorf("got %v, want one of example.net", got)
		}
		for _, r := range got {
			if !strings.Contains(r.URL, ".example.net/") {
				t.Errorf("got %s, want only example.net", r.URL)
			}
		}
		q.Include, q.Limit = nil, 2
		if got, err = provider.Search(t.Context(), q); err != nil || len(got) != 2 {
			t.Errorf("got %v, %v, want two", got, err)
		}
	})
}

func TestQueryOfCommandsAlone(t *testing.T) {
	t.Parallel()
	provider, d := kinds[0].with(t, recorded(t, "searxng_empty"))
	_, err := provider.Search(t.Context(), Query{Text: "!! ? :", Limit: 1})
	wantReason(t, err, ReasonBadQuery)
	if len(d.requests) > 0 {
		t.Error("the service was asked")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"":                                    0,
		"7":                                   7 * time.Second,
		"0":                                   0,
		"-5":                                  0,
		"1.5":                                 0,
		"soon":                                0,
		"9223372036854775807":                 retrySaidMost,
		"99999999999999999999":                0,
		"Tue, 17 Jun 2025 14:21:05 GMT":       time.Minute,
		"Tue, 17 Jun 2025 14:19:05 GMT":       0,
		"Fri, 31 Dec 9999 23:59:59 GMT":       retrySaidMost,
		"Tuesday, 17-Jun-25 14:20:15 GMT":     10 * time.Second,
		"Tue, 17 Jun 2025 14:21:05 GMT, 1, 2": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, today); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
