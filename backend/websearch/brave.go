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
)

const (
	braveURL      = "https://api.search.brave.com/res/v1/web/search"
	braveCountMax = 20
)

// braveRoom is the longest query that is taken.
var braveRoom = room{chars: 400, words: 50}

// Brave searches with Brave's Search API, its plan for web search. See api-dashboard.search.brave.com. A search is one
// request, and so has 20 results at most.
type Brave struct {
	*service
	endpoint string
}

// NewBrave returns a provider that asks Brave with a key.
func NewBrave(key string, o Options) *Brave { return newBrave(braveURL, key, o) }

func newBrave(endpoint, key string, o Options) *Brave {
	b := &Brave{service: newService(NameBrave, key, o), endpoint: endpoint}
	b.refusal = b.refuse
	return b
}

type braveReply struct {
	Type said `json:"type"`
	// Web is left out where nothing was found.
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
		count = braveCountMax // some of them may be of other domains
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

// braveError is one of Brave's errors.
type braveError struct {
	Code   said `json:"code"`
	Detail said `json:"detail"`
	Meta   struct {
		// Errors are what was wrong with the request, and where: ["header", "x-subscription-token"].
		Errors []struct {
			Loc []said `json:"loc"`
		} `json:"errors"`
		QuotaLimit   number `json:"quota_limit"`
		QuotaCurrent number `json:"quota_current"`
	} `json:"meta"`
}

// number is a whole number in an answer; 0 where something else stands in its place.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(encoded []byte) error {
	var whole int64
	if json.Unmarshal(encoded, &whole) == nil {
		*n = number(whole)
	}
	return nil
}

// readBraveError reads an error as it is sent, and as the reference shows it: in a list.
func readBraveError(body []byte) braveError {
	var members struct {
		Error  json.RawMessage   `json:"error"`
		Errors []json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(body, &members) // what cannot be read says nothing
	encoded := members.Error
	if encoded == nil && len(members.Errors) > 0 {
		encoded = members.Errors[0]
	}
	var e braveError
	_ = json.Unmarshal(encoded, &e) // likewise
	return e
}

// ofQuota reports whether it is the quota that is used up, rather than the rate.
func (e braveError) ofQuota() bool {
	return e.Code == "QUOTA_LIMITED" || e.Meta.QuotaLimit > 0 && e.Meta.QuotaCurrent >= e.Meta.QuotaLimit
}

// ofToken reports whether it is the key that is missing or wrong.
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
		return &Error{Reason: ReasonRefused, Message: "refuses the key"}
	case e.Code == "OPTION_NOT_IN_PLAN":
		return &Error{Reason: ReasonRefused, Message: "the key's plan is not one for web search"}
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

// window is one of the limits that a plan has: so many requests in so long a time.
type window struct {
	limit, remaining int64
	length, reset    time.Duration
}

type windows []window

// quotaFrom is how long a window is that is a quota, and no limit of the rate.
const quotaFrom = 24 * time.Hour

// readWindows reads the headers that say what is left:
//
//	X-RateLimit-Policy: 1;w=1, 15000;w=2592000
//	X-RateLimit-Remaining: 0, 1000
//	X-RateLimit-Reset: 1, 1419704
func readWindows(header http.Header) windows {
	remaining, resets := numbers(header.Get("X-RateLimit-Remaining")), numbers(header.Get("X-RateLimit-Reset"))
	var all windows
	for i, policy := range strings.Split(cut(header.Get("X-RateLimit-Policy"), 1000), ",") {
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

// numbers reads a list of whole numbers; what is none ends it.
func numbers(list string) []int64 {
	var read []int64
	for text := range strings.SplitSeq(cut(list, 1000), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			break
		}
		read = append(read, n)
	}
	return read
}

// used reports whether nothing is left. A limit of 0 is none.
func (w window) used() bool { return w.limit > 0 && w.remaining <= 0 }

func (all windows) quotaUsed() bool {
	return slices.ContainsFunc(all, func(w window) bool { return w.used() && w.length >= quotaFrom })
}

// reset is when something is left again in all of them.
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
