package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	braveURL      = "https://api.search.brave.com/res/v1/web/search"
	braveCountMax = 20
)

// braveRoom is the longest query that Brave accepts.
var braveRoom = room{chars: 400, words: 50}

// Brave searches with Brave's Search API, its plan for web search. See api-dashboard.search.brave.com. A search is one
// request, and so has at most 20 results.
type Brave struct {
	*service
	endpoint string
}

// NewBrave returns a provider that uses Brave with a key.
func NewBrave(key string, o Options) *Brave { return newBrave(braveURL, key, o) }

func newBrave(endpoint, key string, o Options) *Brave {
	b := &Brave{service: newService(NameBrave, key, o), endpoint: endpoint}
	b.refusal = b.refuse
	return b
}

type braveReply struct {
	Type said `json:"type"`
	// Web is missing if nothing was found.
	Web *struct {
		Results []json.RawMessage `json:"results"`
	} `json:"web"`
}

type braveItem struct {
	URL         said `json:"url"`
	Title       said `json:"title"`
	Description said `json:"description"`
	PageAge     said `json:"page_age"`
	Age         said `json:"age"`
}

// Search implements Provider.
func (b *Brave) Search(ctx context.Context, q Query) ([]Result, error) {
	count := min(q.Limit, braveCountMax)
	if len(q.Include) > 0 || len(q.Exclude) > 0 {
		count = braveCountMax // some results may be from other domains
	}
	parameters := url.Values{
		"q": {phrase(q.Text, q, braveRoom)}, "count": {strconv.Itoa(max(count, 1))}, "result_filter": {"web"}, "text_decorations": {"false"},
	}
	header := http.Header{}
	header.Set("X-Subscription-Token", b.key)
	var answer braveReply
	if err := b.ask(ctx, http.MethodGet, b.endpoint+"?"+parameters.Encode(), header, nil, &answer); err != nil {
		return nil, err
	}
	return b.read(q, answer)
}

func (b *Brave) read(q Query, answer braveReply) ([]Result, error) {
	if answer.Type != "search" {
		return nil, b.promised(http.StatusOK)
	}
	if answer.Web == nil {
		return nil, nil
	}
	return b.results(q, answer.Web.Results, func(encoded json.RawMessage) (item, error) {
		var i braveItem
		err := json.Unmarshal(encoded, &i)
		date := i.PageAge
		if date == "" {
			date = i.Age
		}
		return item{i.URL, i.Title, i.Description, date}, err
	})
}

// braveError is an error object of Brave.
type braveError struct {
	Code   said `json:"code"`
	Detail said `json:"detail"`
	Meta   struct {
		// Errors are the faults of the request and their locations: ["header", "x-subscription-token"].
		Errors []struct {
			Loc []said `json:"loc"`
		} `json:"errors"`
		QuotaLimit   number `json:"quota_limit"`
		QuotaCurrent number `json:"quota_current"`
	} `json:"meta"`
}

// number is an integer in a response; 0 if the value has another type.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(encoded []byte) error {
	var whole int64
	if json.Unmarshal(encoded, &whole) == nil {
		*n = number(whole)
	}
	return nil
}

// readBraveError parses an error as it is really sent, and in the list form of the API reference.
func readBraveError(body []byte) braveError {
	var members struct {
		Error  json.RawMessage   `json:"error"`
		Errors []json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(body, &members) // an invalid body yields an empty error
	encoded := members.Error
	if encoded == nil && len(members.Errors) > 0 {
		encoded = members.Errors[0]
	}
	var e braveError
	_ = json.Unmarshal(encoded, &e) // likewise
	return e
}

// ofQuota reports whether the quota is used up, as opposed to the rate limit.
func (e braveError) ofQuota() bool {
	return e.Code == "QUOTA_LIMITED" || e.Meta.QuotaLimit > 0 && e.Meta.QuotaCurrent >= e.Meta.QuotaLimit
}

// ofToken reports whether the key is missing or wrong.
func (e braveError) ofToken() bool {
	for _, fault := range e.Meta.Errors {
		if slices.ContainsFunc(fault.Loc, func(at said) bool { return strings.EqualFold(string(at), "x-subscription-token") }) {
			return true
		}
	}
	return strings.HasPrefix(string(e.Code), "SUBSCRIPTION_")
}

func (b *Brave) refuse(answer reply) *Error {
	e := readBraveError(answer.body)
	windows := readWindows(answer.header)
	switch {
	case answer.status < http.StatusInternalServerError && e.ofToken():
		return &Error{Reason: ReasonRefused, Message: "the service rejected the key"}
	case e.Code == "OPTION_NOT_IN_PLAN":
		return &Error{Reason: ReasonRefused, Message: "the key's plan does not include web search"}
	case answer.status == http.StatusTooManyRequests:
		failure := b.refused(answer, string(e.Detail))
		if failure.RetryAfter = retryAfter(answer.header, b.now()); failure.RetryAfter == 0 {
			failure.RetryAfter = windows.reset()
		}
		if e.ofQuota() || windows.quotaUsed() {
			failure.Reason = ReasonQuota
		}
		return failure
	}
	return b.refused(answer, string(e.Detail))
}

// window is one of the limits of a plan: a number of requests per period.
type window struct {
	limit, remaining int64
	length, reset    time.Duration
}

type windows []window

// quotaFrom is the length from which a window is a quota rather than a rate limit.
const quotaFrom = 24 * time.Hour

// readWindows parses the headers with the remaining requests:
//
//	X-RateLimit-Policy: 1;w=1, 15000;w=2592000
//	X-RateLimit-Remaining: 0, 1000
//	X-RateLimit-Reset: 1, 1419704
func readWindows(header http.Header) windows {
	remaining, resets := numbers(header.Get("X-RateLimit-Remaining")), numbers(header.Get("X-RateLimit-Reset"))
	var all windows
	for i, policy := range strings.Split(clip.Bytes(header.Get("X-RateLimit-Policy"), 1000), ",") {
		limit, length, found := strings.Cut(strings.TrimSpace(policy), ";w=")
		most, err := strconv.ParseInt(limit, 10, 64)
		seconds, errLength := strconv.ParseInt(length, 10, 64)
		if !found || err != nil || errLength != nil || i >= len(remaining) || i >= len(resets) {
			return nil
		}
		all = append(all, window{most, remaining[i], secondsWithin(seconds), secondsWithin(resets[i])})
	}
	return all
}

// numbers parses a list of integers, up to the first invalid one.
func numbers(list string) []int64 {
	var read []int64
	for text := range strings.SplitSeq(clip.Bytes(list, 1000), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			break
		}
		read = append(read, n)
	}
	return read
}

// used reports whether nothing is left. A limit of 0 means no limit.
func (w window) used() bool { return w.limit > 0 && w.remaining <= 0 }

func (all windows) quotaUsed() bool {
	return slices.ContainsFunc(all, func(w window) bool { return w.used() && w.length >= quotaFrom })
}

// reset returns when requests are available again in all windows.
func (all windows) reset() time.Duration {
	var longest time.Duration
	for _, w := range all {
		if w.used() {
			longest = max(longest, w.reset)
		}
	}
	return longest
}

var _ Provider = (*Brave)(nil)
