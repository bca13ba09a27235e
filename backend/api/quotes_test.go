package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

const (
	bulkBytesMax = 4 << 20
	// largePart is a quarter of the memory for large bodies.
	largePart = 4 << 20
)

// bulk is a feature with quotes: two credits, or 20,000 units, for each "item" of the body.
type bulk struct {
	mu    sync.Mutex
	asked []price.QuoteRequest
	by    []edgewire.Payer
	enter chan struct{} // if set, the handler signals that it has the body
	leave chan struct{} // and waits for this
}

type bulkInput struct {
	ID   string `path:"id"`
	Body *decode.Body[json.RawMessage]
}

type bulkOutput struct{ Body principal.Priced[bulkAnswer] }

type bulkAnswer struct {
	Bytes int `json:"bytes"`
}

func (b *bulk) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "bulk", Method: http.MethodPost, Path: "/v1/bulk/{id}",
		Metadata: principal.Keyed.Metadata(principal.BodyMax(bulkBytesMax), principal.NoReplay),
	}, func(ctx context.Context, in *bulkInput) (*bulkOutput, error) {
		if b.enter != nil {
			b.enter <- struct{}{}
			<-b.leave
		}
		c := principal.From(ctx)
		if in.ID == "adopts" || in.ID == "adopts-and-fails" {
			c.Adopt()
		}
		if in.ID == "adopts-and-fails" {
			return nil, errors.New("after the commit")
		}
		return &bulkOutput{principal.Priced[bulkAnswer]{Result: &bulkAnswer{len(*in.Body.Value)}, Quote: c.DryRun}}, nil
	})
}

func (b *bulk) Quote(_ context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	b.mu.Lock()
	b.asked = append(b.asked, r)
	b.by = append(b.by, edgewire.Payer{Kind: c.Kind, TeamID: c.TeamID, KeyID: c.KeyID})
	b.mu.Unlock()
	items := int64(strings.Count(string(r.Body.Text()), "item"))
	switch {
	case strings.Contains(string(r.Body.Text()), "bad"):
		return 0, problem.Validation(problem.BodyFault("items", "is bad"))
	case strings.HasSuffix(r.URI, "/negative"):
		return -1, nil
	case r.Unit == edgewire.UnitUSDC:
		return 20_000 * items, nil
	}
	return 2 * items, nil
}

func setupBulk(t *testing.T, more ...func(c *api.Config)) (*service, *bulk) {
	t.Helper()
	b := &bulk{}
	rule := price.Rule{Methods: []string{http.MethodPost}, Path: "/v1/bulk/*", Unit: edgewire.UnitCredit, Price: price.Quoted(), DryRun: true, BodyBytesMax: bulkBytesMax}
	paid := rule
	paid.Path, paid.Unit, paid.Settle = "/x402"+rule.Path, edgewire.UnitUSDC, price.SettleBefore
	stray := rule
	stray.Path = "/v1/files/*/complete"
	book, err := price.New([]price.Rule{rule, paid, stray})
	must(t, err)
	return setup(t, options{features: []api.Feature{b}, api: func(c *api.Config) {
		c.Book, c.LargeBodies = book, admission.New(admission.Config{Size: 4 * largePart})
		for _, change := range more {
			change(c)
		}
	}}), b
}

// ask asks for a quote as the edge does.
func (s *service) ask(payer edgewire.Payer, unit edgewire.Unit, method, uri, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	query := url.Values{"method": {method}, "uri": {uri}, "unit": {string(unit)}}
	return s.do(call{
		method: http.MethodPost, uri: price.QuotePath + "?" + query.Encode(), body: body,
		identity: &edgewire.Identity{ID: "quote", Payer: payer, Unit: unit, BodySHA256: edgewire.HashBody([]byte(body))},
	})
}

var anyone = edgewire.Payer{Kind: edgewire.PayerAnonymous}

func TestQuotes(t *testing.T) {
	t.Parallel()
	s, b := setupBulk(t)
	team := edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: s.team, KeyID: "key_1"}
	for _, tt := range []struct {
		payer     edgewire.Payer
		unit      edgewire.Unit
		uri, body string
		amount    string
		want      price.QuoteRequest
	}{
		{team, edgewire.UnitCredit, "/v1/bulk/a?x=1", `["item","item"]`, "4", price.QuoteRequest{Method: "POST", URI: "/v1/bulk/a?x=1", Unit: edgewire.UnitCredit}},
		{team, edgewire.UnitCredit, "/v1/bulk/a", "", "0", price.QuoteRequest{Method: "POST", URI: "/v1/bulk/a", Unit: edgewire.UnitCredit}},
		{anyone, edgewire.UnitUSDC, "/x402/v1/bulk/a", `["item"]`, "20000", price.QuoteRequest{Method: "POST", URI: "/v1/bulk/a", Unit: edgewire.UnitUSDC}},
		{anyone, edgewire.UnitUSDC, "/x402/v1/bulk/a?dry_run=false", `["item"]`, "20000", price.QuoteRequest{Method: "POST", URI: "/v1/bulk/a", Unit: edgewire.UnitUSDC}},
	} {
		got := s.ask(tt.payer, tt.unit, http.MethodPost, tt.uri, tt.body)
		wantStatus(t, got, http.StatusOK)
		wantCost(t, got, "0")
		if want := `{"amount":` + tt.amount + "}\n"; got.Body.String() != want {
			t.Errorf("%s: got %s, want %s", tt.uri, got.Body, want)
		}
		last := b.asked[len(b.asked)-1]
		if string(last.Body.Text()) != tt.body {
			t.Errorf("%s: got body %q, want %q", tt.uri, last.Body.Text(), tt.body)
		}
		if last.Body = nil; fmt.Sprint(last) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %+v asked, want %+v", tt.uri, last, tt.want)
		}
		if by := b.by[len(b.by)-1]; by != tt.payer {
			t.Errorf("%s: got it asked by %+v, want %+v", tt.uri, by, tt.payer)
		}
	}
	for name, tt := range map[string]struct {
		got  *httptest.ResponseRecorder
		code problem.Code
	}{
		"what the feature refuses":    {s.ask(team, edgewire.UnitCredit, "POST", "/v1/bulk/a", `["bad"]`), problem.ValidationError},
		"what is no JSON":             {s.ask(team, edgewire.UnitCredit, "POST", "/v1/bulk/a", `{`), problem.InvalidJSON},
		"what nobody quotes":          {s.ask(team, edgewire.UnitCredit, "POST", "/v1/scrapes", `{}`), problem.NotFound},
		"another method":              {s.ask(team, edgewire.UnitCredit, "GET", "/v1/bulk/a", ``), problem.NotFound},
		"no path of ours":             {s.ask(team, edgewire.UnitCredit, "POST", "/v1/bulk//a", `[]`), problem.NotFound},
		"USDC for what is for credit": {s.ask(team, edgewire.UnitUSDC, "POST", "/v1/bulk/a", `[]`), problem.NotFound},
		"an amount that is none":      {s.ask(team, edgewire.UnitCredit, "POST", "/v1/bulk/negative", `[]`), problem.InternalServerError},
		"a query without a method":    {s.ask(team, edgewire.UnitCredit, "", "/v1/bulk/a", `[]`), problem.ValidationError},
		"no identity":                 {s.do(call{method: "POST", uri: price.QuotePath + "?method=POST&uri=/v1/bulk/a&unit=credit", body: `[]`}), problem.InvalidAPIKey},
		"another body": {s.do(call{
			method: "POST", uri: price.QuotePath + "?method=POST&uri=/v1/bulk/a&unit=credit", body: `[]`,
			identity: &edgewire.Identity{Payer: team, Unit: edgewire.UnitCredit, BodySHA256: edgewire.HashBody([]byte(`["item"]`))},
		}), problem.InvalidAPIKey},
		"another unit": {s.do(call{
			method: "POST", uri: price.QuotePath + "?method=POST&uri=/v1/bulk/a&unit=credit", body: `[]`,
			identity: &edgewire.Identity{Payer: team, Unit: edgewire.UnitUSDC},
		}), problem.InvalidAPIKey},
		"GET": {s.do(call{method: "GET", uri: price.QuotePath}), problem.MethodNotAllowed},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, tt.got, tt.code) })
	}
}

// The quote is checked again when the request arrives.
func TestQuotedRequests(t *testing.T) {
	t.Parallel()
	s, _ := setupBulk(t)
	post := func(uri, body string, id *edgewire.Identity) *httptest.ResponseRecorder {
		return s.do(call{method: http.MethodPost, uri: uri, body: body, identity: id})
	}
	got := post("/v1/bulk/a", `["item","item"]`, teamPays(s.team, 4))
	wantStatus(t, got, http.StatusOK)
	wantCost(t, got, "4")
	got = post("/x402/v1/bulk/a", `["item"]`, walletPays(walletA, 20_000))
	wantStatus(t, got, http.StatusOK)
	wantCost(t, got, "20000")
	wantError(t, post("/v1/bulk/a", `["item","item"]`, teamPays(s.team, 3)), problem.CreditsExhausted)
	wantError(t, post("/v1/bulk/a", `["bad"]`, teamPays(s.team, 3)), problem.ValidationError)
	// The book refers to a feature that gives no quotes.
	wantError(t, post("/v1/files/file_x/complete", "", teamPays(s.team, 3)), problem.NotFound)

	dry := post("/v1/bulk/a?dry_run=true", `["item","item"]`, teamPays(s.team, 0))
	wantStatus(t, dry, http.StatusOK)
	wantCost(t, dry, "0")
	if want := `{"object":"quote","credits":4,"usd":0.004}`; strings.TrimSpace(dry.Body.String()) != want {
		t.Errorf("got %s, want %s", dry.Body, want)
	}
	dry = post("/x402/v1/bulk/a?dry_run=true", `["item","item"]`, walletPays(walletA, 0))
	wantStatus(t, dry, http.StatusOK)
	if want := `{"object":"quote","credits":4,"usd":0.04}`; strings.TrimSpace(dry.Body.String()) != want {
		t.Errorf("got %s, want %s", dry.Body, want)
	}
}

// An adopted hold is reported, also with an error: the work exists.
func TestAdoptedHold(t *testing.T) {
	t.Parallel()
	s, _ := setupBulk(t)
	for path, status := range map[string]int{"adopts": http.StatusOK, "adopts-and-fails": http.StatusInternalServerError, "does-not": http.StatusOK} {
		got := s.do(call{method: http.MethodPost, uri: "/v1/bulk/" + path, body: `["item"]`, identity: teamPays(s.team, 2)})
		wantStatus(t, got, status)
		adopted, cost := "true", "0"
		if path == "does-not" {
			adopted, cost = "", "2"
		}
		if v := got.Header().Get(edgewire.AdoptedHeader); v != adopted {
			t.Errorf("%s: got %s %q, want %q", path, edgewire.AdoptedHeader, v, adopted)
		}
		wantCost(t, got, cost)
	}
}

// Only operations that opt in accept large bodies, and each body leaves memory for others.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	s, b := setupBulk(t)
	array := func(bytes int) string { return `["` + strings.Repeat("x", bytes-4) + `"]` }
	postAs := func(team, body string) *httptest.ResponseRecorder {
		return s.do(call{method: http.MethodPost, uri: "/v1/bulk/a", body: body, identity: teamPays(team, 0)})
	}
	post := func(body string) *httptest.ResponseRecorder { return postAs(s.team, body) }
	for bytes, ok := range map[int]bool{1 << 20: true, 1<<20 + 1: true, bulkBytesMax: true, bulkBytesMax + 1: false} {
		got := post(array(bytes))
		if !ok {
			e := wantError(t, got, problem.PayloadTooLarge)
			if !strings.Contains(e.Detail, fmt.Sprint(bulkBytesMax)) {
				t.Errorf("got %q, want the limit in it", e.Detail)
			}
			continue
		}
		wantStatus(t, got, http.StatusOK)
		if answer := decoded[bulkAnswer](t, got); answer.Bytes != bytes {
			t.Errorf("got %d bytes, want %d", answer.Bytes, bytes)
		}
	}
	wantError(t, s.do(call{method: http.MethodPost, uri: "/v1/files", body: array(1<<20 + 1), identity: teamPays(s.team, 0)}), problem.PayloadTooLarge)

	b.enter, b.leave = make(chan struct{}), make(chan struct{})
	answers := make(chan *httptest.ResponseRecorder)
	for range 2 {
		go func() { answers <- post(array(largePart)) }()
	}
	for range 2 {
		<-b.enter
	}
	refused := post(array(largePart))
	wantError(t, refused, problem.Overloaded)
	if got := refused.Header().Get("Retry-After"); got != "1" {
		t.Errorf("got Retry-After %q, want 1", got)
	}
	wantStatus(t, s.ask(anyone, edgewire.UnitCredit, "POST", "/v1/bulk/a", array(largePart)), http.StatusOK) // another client's share
	go func() { answers <- post(array(1 << 10)) }()                                                          // small bodies are still accepted
	<-b.enter
	other := s.newTeam()
	go func() { answers <- postAs(other, array(largePart)) }()
	<-b.enter
	close(b.leave)
	for range 4 {
		wantStatus(t, <-answers, http.StatusOK)
	}
	b.enter = nil
	wantStatus(t, post(array(largePart)), http.StatusOK)
}

// With two places, one of a team's two large bodies is handled at a time, beside one of another team.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	places := admission.New(admission.Config{Size: 2})
	s, b := setupBulk(t, func(c *api.Config) {
		c.LongWork = func(ctx context.Context) (func(), error) {
			place, err := places.Acquire(ctx, 1)
			return place.Release, err
		}
	})
	b.enter, b.leave = make(chan struct{}), make(chan struct{})
	answers := make(chan *httptest.ResponseRecorder)
	post := func(team string) {
		body := `["` + strings.Repeat("x", largePart-4) + `"]`
		answers <- s.do(call{method: http.MethodPost, uri: "/v1/bulk/a", body: body, identity: teamPays(team, 0)})
	}
	go post(s.team)
	<-b.enter
	go post(s.team)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for places.Stats().Keyed.Waiting == 0 {
		select {
		case <-tick.C:
		case <-b.enter:
			t.Fatal("two large bodies of a team are worked on at once, want one")
		}
	}
	go post(s.newTeam())
	<-b.enter // another team's, beside the first
	b.leave <- struct{}{}
	b.leave <- struct{}{}
	<-b.enter
	b.leave <- struct{}{}
	for range 3 {
		wantStatus(t, <-answers, http.StatusOK)
	}
	if n := places.Stats().Keyed.Held; n != 0 {
		t.Errorf("in the end %d places are held", n)
	}
}
