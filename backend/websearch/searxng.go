package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// searxngRoom is an assumption: SearXNG passes queries on to engines with their own limits, of which 32 words is the
// smallest common one.
var searxngRoom = room{chars: 1000, words: 32}

// SearXNG searches with the operator's own SearXNG, by its JSON API. See docs.searxng.org/dev/search_api.html.
type SearXNG struct {
	*service
	endpoint string
}

// NewSearXNG returns a provider for the SearXNG at base. It may reach private addresses: the URL comes from the operator.
func NewSearXNG(base string, o Options) *SearXNG {
	s := &SearXNG{service: newService(NameSearXNG, "", o), endpoint: strings.TrimRight(base, "/") + "/search"}
	s.refusal = s.refuse
	return s
}

type searxngReply struct {
	Results []json.RawMessage `json:"results"`
	// Unresponsive are engines that did not respond, as pairs of a name and a reason.
	Unresponsive json.RawMessage `json:"unresponsive_engines"`
}

type searxngItem struct {
	URL           said `json:"url"`
	Title         said `json:"title"`
	Content       said `json:"content"`
	PublishedDate said `json:"publishedDate"`
}

// Search implements Provider.
func (s *SearXNG) Search(ctx context.Context, q Query) ([]Result, error) {
	words := phrase(withoutCommands(q.Text), q, searxngRoom)
	if words == "" {
		return nil, s.fault(ReasonBadQuery, 0, "the query has no words")
	}
	parameters := url.Values{"q": {words}, "format": {"json"}}
	var answer searxngReply
	if err := s.ask(ctx, http.MethodGet, s.endpoint+"?"+parameters.Encode(), http.Header{}, nil, &answer); err != nil {
		return nil, err
	}
	return s.read(q, answer)
}

func (s *SearXNG) read(q Query, answer searxngReply) ([]Result, error) {
	if answer.Results == nil {
		return nil, s.promised(http.StatusOK)
	}
	if failing := engines(answer.Unresponsive); len(answer.Results) == 0 && failing != "" {
		// Either nothing was found, or no engine searched, so "no results" would be wrong. The circuit breaker ignores this
		// failure: the server responds, and suspends failing engines itself.
		failure := s.fault(ReasonUnavailable, http.StatusOK, "engines do not respond: "+failing)
		failure.passing = true
		return nil, failure
	}
	return s.results(q, answer.Results, func(encoded json.RawMessage) (item, error) {
		var i searxngItem
		err := json.Unmarshal(encoded, &i)
		return item{i.URL, i.Title, i.Content, i.PublishedDate}, err
	})
}

// engines lists the engines that did not respond, and why. Their format is not documented, so another format is not an
// error.
func engines(unresponsive json.RawMessage) string {
	var pairs [][]said
	_ = json.Unmarshal(unresponsive, &pairs)
	var texts []string
	for _, pair := range pairs {
		if len(pair) == 0 {
			continue
		}
		text := string(pair[0])
		if len(pair) > 1 && pair[1] != "" {
			text += " (" + string(pair[1]) + ")"
		}
		texts = append(texts, text)
	}
	return clean(strings.Join(texts, ", "), "")
}

// withoutCommands disables commands in a query: with them, clients could choose engines and time limits, or be redirected
// to another site.
func withoutCommands(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = strings.TrimLeft(word, "!:<?")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func (s *SearXNG) refuse(answer reply) *Error {
	switch answer.status {
	case http.StatusForbidden:
		return &Error{
			Reason: ReasonDisabled,
			Message: "does not return JSON: add json to search.formats in its settings.yml, and check that no proxy in front of it refuses requests; " +
				"see docs/searching.md",
		}
	case http.StatusUnauthorized:
		return &Error{Reason: ReasonRefused, Message: "asks for credentials, which cannot be configured here: allow this installation by its address"}
	case http.StatusTooManyRequests:
		return &Error{Reason: ReasonRateLimited, Message: "its limiter treats this installation as a bot: add an exception as described in docs/searching.md"}
	case http.StatusNotFound:
		return &Error{Reason: ReasonBadReply, Message: "there is no search below this URL: it must be SearXNG's base URL, without /search"}
	}
	return s.refused(answer, message(answer.body, "error"))
}

// message returns a text member of a JSON object; "" if there is none.
func message(body []byte, member string) string {
	var members map[string]json.RawMessage
	var text said
	if json.Unmarshal(body, &members) == nil {
		_ = json.Unmarshal(members[member], &text) // a value that is not text is ignored
	}
	return string(text)
}

var _ Provider = (*SearXNG)(nil)
