package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

const (
	serperURL = "https://google.serper.dev/search"
	// serperPage is the number of results in the smallest and cheapest search.
	serperPage = 10
)

// serperRoom is Google's limit: it ignores words after the 32nd.
var serperRoom = room{chars: 2000, words: 32}

// Serper searches with serper.dev, which uses Google.
type Serper struct {
	*service
	endpoint string
}

// NewSerper returns a provider that uses serper.dev with a key.
func NewSerper(key string, o Options) *Serper { return newSerper(serperURL, key, o) }

func newSerper(endpoint, key string, o Options) *Serper {
	s := &Serper{service: newService(NameSerper, key, o), endpoint: endpoint}
	s.refusal = s.refuse
	return s
}

type serperRequest struct {
	Q   string `json:"q"`
	Num int    `json:"num"`
}

type serperReply struct {
	// SearchParameters repeats the request. It distinguishes a response without results from an invalid one.
	SearchParameters json.RawMessage   `json:"searchParameters"`
	Organic          []json.RawMessage `json:"organic"`
}

type serperItem struct {
	Link    said `json:"link"`
	Title   said `json:"title"`
	Snippet said `json:"snippet"`
	Date    said `json:"date"`
}

// Search implements Provider.
func (s *Serper) Search(ctx context.Context, q Query) ([]Result, error) {
	pages := (max(q.Limit, 1) + serperPage - 1) / serperPage
	body, err := json.Marshal(serperRequest{Q: phrase(q.Text, q, serperRoom), Num: pages * serperPage})
	if err != nil {
		return nil, s.fault(ReasonBadQuery, 0, "the request cannot be written")
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("X-Api-Key", s.key)
	var answer serperReply
	if err := s.ask(ctx, http.MethodPost, s.endpoint, header, body, &answer); err != nil {
		return nil, err
	}
	return s.read(q, answer)
}

func (s *Serper) read(q Query, answer serperReply) ([]Result, error) {
	if answer.Organic == nil && len(answer.SearchParameters) == 0 {
		return nil, s.promised(http.StatusOK)
	}
	return s.results(q, answer.Organic, func(encoded json.RawMessage) (item, error) {
		var i serperItem
		err := json.Unmarshal(encoded, &i)
		return item{i.Link, i.Title, i.Snippet, i.Date}, err
	})
}

// refuse explains a refusal. An account without credits gets the same status as an invalid request.
func (s *Serper) refuse(answer reply) *Error {
	said := message(answer.body, "message")
	failure := s.refused(answer, said)
	if answer.status < http.StatusInternalServerError && strings.Contains(strings.ToLower(said), "credits") {
		failure.Reason, failure.Message = ReasonQuota, clean(said, s.key)
	}
	return failure
}

var _ Provider = (*Serper)(nil)
