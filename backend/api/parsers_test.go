package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// itemParser is a definition; more adds to it.
func itemParser(name, more string) string {
	return `{"name":"` + name + `",` + more + `"schema":{"type":"object","required":["title"],"properties":{"title":{"type":"string"},"price":{"type":["number","null"]}}},
		"fields":{"title":{"css":"h1","required":true},"price":{"css":".price","transforms":["number"]}}}`
}

func (s *service) post(id *edgewire.Identity, uri, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(call{method: http.MethodPost, uri: uri, body: body, identity: id})
}

func (s *service) createParser(team, body string) parsers.Parser {
	s.t.Helper()
	w := s.post(teamPays(team, 0), "/v1/parsers", body)
	wantStatus(s.t, w, http.StatusOK)
	wantCost(s.t, w, "0")
	return decoded[parsers.Parser](s.t, w)
}

type parserPage struct {
	Object   string            `json:"object"`
	Parsers  []parsers.Summary `json:"parsers"`
	Versions []parsers.Summary `json:"versions"`
	Cursor   *string           `json:"cursor"`
}

func TestParserVersions(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	first := s.createParser(s.team, itemParser("item", ""))
	if first.Version != 1 || first.Name != "item" || first.Reference != "item@1" || !strings.HasPrefix(first.ID, "parser_") || first.BuiltIn ||
		first.Created == nil || *first.Created != s.clock.Now().Unix() {
		t.Errorf("got %+v, want version 1", first.Summary)
	}
	spaced := strings.ReplaceAll(itemParser("item", ""), ",", " ,\n ")
	if again := s.createParser(s.team, spaced); again.Version != 1 || again.ID != first.ID {
		t.Errorf("got %+v, want the version that is the same", again.Summary)
	}
	second := s.createParser(s.team, itemParser("item", `"description":"Better",`))
	if second.Version != 2 || second.ID == first.ID || second.Description != "Better" {
		t.Errorf("got %+v, want version 2", second.Summary)
	}
	for id, want := range map[string]string{"item": second.ID, "item@1": first.ID, "item@2": second.ID, first.ID: first.ID} {
		w := s.get(teamPays(s.team, 0), "/v1/parsers/"+id)
		wantStatus(t, w, http.StatusOK)
		got := decoded[parsers.Parser](t, w)
		if got.ID != want || !strings.Contains(string(got.Definition), `"fields"`) || !strings.Contains(string(got.Schema), `"title"`) {
			t.Errorf("%s: got %s with %s, want %s", id, got.ID, got.Definition, want)
		}
	}
	w := s.get(teamPays(s.team, 0), "/v1/parsers/item/versions?limit=1")
	page := decoded[parserPage](t, w)
	if len(page.Versions) != 1 || page.Versions[0].ID != second.ID || page.Cursor == nil {
		t.Fatalf("got %s, want the latest and a cursor", w.Body)
	}
	w = s.get(teamPays(s.team, 0), "/v1/parsers/item/versions?limit=1&cursor="+*page.Cursor)
	if page = decoded[parserPage](t, w); len(page.Versions) != 1 || page.Versions[0].ID != first.ID || page.Cursor != nil {
		t.Errorf("got %s, want the first and no cursor", w.Body)
	}
}

func TestParserIsDeletedWithItsVersions(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	first := s.createParser(s.team, itemParser("item", ""))
	wantError(t, s.do(call{method: http.MethodDelete, uri: "/v1/parsers/item@1", identity: teamPays(s.team, 0)}), problem.ValidationError)
	wantError(t, s.do(call{method: http.MethodDelete, uri: "/v1/parsers/" + first.ID, identity: teamPays(s.team, 0)}), problem.ValidationError)
	wantError(t, s.do(call{method: http.MethodDelete, uri: "/v1/parsers/@turnpike/article", identity: teamPays(s.team, 0)}), problem.AccessDenied)
	w := s.do(call{method: http.MethodDelete, uri: "/v1/parsers/item", identity: teamPays(s.team, 0)})
	wantStatus(t, w, http.StatusOK)
	if !strings.Contains(w.Body.String(), `"id":"item"`) || !strings.Contains(w.Body.String(), `"deleted":true`) {
		t.Errorf("got %s, want what was deleted", w.Body)
	}
	for _, id := range []string{"item", "item@1", first.ID, "item/versions"} {
		wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers/"+id), problem.ParserNotFound)
	}
	wantError(t, s.do(call{method: http.MethodDelete, uri: "/v1/parsers/item", identity: teamPays(s.team, 0)}), problem.ParserNotFound)
	// Work that has resolved its version continues; new work does not start.
	if err := s.parsers.Check(t.Context(), s.team, "item@1"); problem.From(err).Code != problem.ParserNotFound {
		t.Errorf("got %v, want none of a deleted parser", err)
	}
	source := extract.Source{URL: "https://a.example/", MediaType: "text/html", Body: []byte("<h1>A</h1><p class=price>1")}
	if got, err := s.parsers.Parse(t.Context(), s.team, "item@1", source, nil); err != nil || string(got) != `{"price":1,"title":"A"}` {
		t.Errorf("got %s, %v, want what is under way to go on", got, err)
	}
	if again := s.createParser(s.team, itemParser("item", "")); again.Version != 2 {
		t.Errorf("got version %d, want 2: a version's name is given once", again.Version)
	}
	wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers/item@1"), problem.ParserNotFound)
}

// Ids with a slash, plain and escaped, and invalid names.
func TestParserIDsInPaths(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for _, id := range []string{"@turnpike/article", "@turnpike%2Farticle", "%40turnpike%2farticle", "@turnpike/article@1", "@turnpike%2Farticle%401"} {
		w := s.get(teamPays(s.team, 0), "/v1/parsers/"+id)
		wantStatus(t, w, http.StatusOK)
		got := decoded[parsers.Parser](t, w)
		if got.ID != "@turnpike/article" || got.Reference != "@turnpike/article@1" || !got.BuiltIn || got.Created != nil || string(got.Definition) != "null" ||
			!strings.Contains(string(got.Schema), "word_count") {
			t.Errorf("%s: got %s, want the built-in parser", id, w.Body)
		}
	}
	for _, id := range []string{"@turnpike/article/versions", "@turnpike%2Farticle/versions"} {
		w := s.get(teamPays(s.team, 0), "/v1/parsers/"+id)
		wantStatus(t, w, http.StatusOK)
		if page := decoded[parserPage](t, w); len(page.Versions) != 1 || page.Versions[0].Version != 1 {
			t.Errorf("%s: got %s, want one version", id, w.Body)
		}
	}
	for _, id := range []string{
		"none", "@turnpike/none", "@turnpike/article@2", "@other/article", "parser_x", "parser_00000000000000000000000a", "UPPER", "item@0", "item@", "item@x",
		"%ff", "a%20b", strings.Repeat("x", 190),
	} {
		wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers/"+id), problem.ParserNotFound)
	}
	wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers/a/b/c/d"), problem.NotFound)
}

func TestParsersAreListedByPage(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	want := []string{"@turnpike/article", "@turnpike/links", "@turnpike/metadata", "@turnpike/product", "@turnpike/tables"}
	for i := range 4 {
		name := fmt.Sprintf("own-%d", i)
		s.createParser(s.team, itemParser(name, ""))
		want = append(want, name)
	}
	s.createParser(s.newTeam(), itemParser("foreign", ""))
	for limit := 1; limit <= 10; limit++ {
		var got []string
		uri := fmt.Sprintf("/v1/parsers?limit=%d", limit)
		for next := uri; ; {
			w := s.get(teamPays(s.team, 0), next)
			wantStatus(t, w, http.StatusOK)
			page := decoded[parserPage](t, w)
			if page.Object != "list" || len(page.Parsers) > limit {
				t.Fatalf("got %s, want at most %d", w.Body, limit)
			}
			for _, p := range page.Parsers {
				got = append(got, p.Name)
			}
			if page.Cursor == nil {
				break
			}
			next = uri + "&cursor=" + *page.Cursor
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "cursor=!", "cursor=AAAA"} {
		wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers?"+query), problem.ValidationError)
		wantError(t, s.get(teamPays(s.team, 0), "/v1/parsers/own-1/versions?"+query), problem.ValidationError)
	}
}

// On every route, another team's parser looks like one that does not exist.
func TestForeignParserIsUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	mine := s.createParser(s.team, itemParser("item", ""))
	other := s.newTeam()
	body := func(id string) string { return `{"parser":"` + id + `","html":"<h1>x</h1>"}` }
	for _, pair := range [][2]string{{"item", "none"}, {"item@1", "none@1"}, {mine.ID, "parser_00000000000000000000000a"}} {
		var seen [2][]string
		for i, id := range pair {
			for _, c := range []call{
				{method: http.MethodGet, uri: "/v1/parsers/" + id},
				{method: http.MethodGet, uri: "/v1/parsers/" + id + "/versions"},
				{method: http.MethodPost, uri: "/v1/parsers/test", body: body(id)},
			} {
				c.identity = teamPays(other, 0)
				e := wantError(t, s.do(c), problem.ParserNotFound)
				seen[i] = append(seen[i], e.Detail)
			}
			if err := s.parsers.Check(t.Context(), other, id); problem.From(err).Code != problem.ParserNotFound {
				t.Errorf("%s: got %v, want it unknown", id, err)
			}
		}
		if !slices.Equal(seen[0], seen[1]) {
			t.Errorf("got %q for another team's, want %q as for one that is not there", seen[0], seen[1])
		}
	}
	if again := s.createParser(other, itemParser("item", "")); again.Version != 1 || again.ID == mine.ID {
		t.Errorf("got %+v, want a parser of its own", again.Summary)
	}
}

// Concurrent creations of one name get consecutive versions, and equal definitions are one version.
func TestConcurrentVersionsAreConsecutive(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	const n = 50
	made, same := make(chan int, n), make(chan int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			w := s.post(teamPays(s.team, 0), "/v1/parsers", itemParser("item", fmt.Sprintf(`"description":"%d",`, i)))
			made <- decoded[parsers.Parser](t, w).Version
		})
		all.Go(func() {
			w := s.post(teamPays(s.team, 0), "/v1/parsers", itemParser("one", ""))
			same <- decoded[parsers.Parser](t, w).Version
		})
	}
	all.Wait()
	var versions []int
	for range n {
		versions = append(versions, <-made)
		if got := <-same; got != 1 {
			t.Errorf("got version %d of the same definition, want 1", got)
		}
	}
	slices.Sort(versions)
	for i, version := range versions {
		if version != i+1 {
			t.Fatalf("got versions %v, want 1 to %d", versions, n)
		}
	}
}

func TestFaultyDefinitionsNameEveryFault(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	body := `{"name":"Item","colour":1,"schema":{"type":"object","$ref":"https://example.com/x"},"fields":{"a":{"css":"p["},"b":{"xpath":"//["},"c":{},"d":{"transforms":["none"],"css":"p"}}}`
	e := wantError(t, s.post(teamPays(s.team, 0), "/v1/parsers", body), problem.ValidationError)
	for _, loc := range []string{"body.name", "body.colour", "body.schema.$ref", "body.fields.a.css", "body.fields.b.xpath", "body.fields.c:", "body.fields.d.transforms.0"} {
		if !strings.Contains(e.Detail, loc) {
			t.Errorf("got %q, want a fault at %s", e.Detail, loc)
		}
	}
	for name, body := range map[string]string{
		"a list": `[]`, "null": `null`, "text": `"x"`, "nothing in it": `{}`, "no fields": `{"name":"x","schema":{"type":"object"},"fields":{}}`,
		"too large": itemParser("item", `"description":"`+strings.Repeat("x", rules.DefinitionBytesMax)+`",`),
	} {
		if e := wantError(t, s.post(teamPays(s.team, 0), "/v1/parsers", body), problem.ValidationError); len(e.Metadata["errors"].([]any)) == 0 {
			t.Errorf("%s: got %+v, want faults", name, e)
		}
	}
	wantError(t, s.post(teamPays(s.team, 0), "/v1/parsers", `{"name":`), problem.InvalidJSON)
}

func serveItem(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><title>Shop</title><h1>Kettle</h1><p class="price">12,50 €</p>`)
}

func TestParserIsTriedOut(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, serveItem)
	s.createParser(s.team, itemParser("item", ""))
	for name, parser := range map[string]string{"a name": `"item"`, "an object": `{"id":"item@1"}`, "a definition": itemParser("other", "")} {
		body := `{"parser":` + parser + `,"url":"` + site.URL + `/a"}`
		w := s.post(teamPays(s.team, 1), "/v1/parsers/test", body)
		wantStatus(t, w, http.StatusOK)
		wantCost(t, w, "1")
		got := decoded[parsers.TestResult](t, w)
		if string(got.Result) != `{"price":12.50,"title":"Kettle"}` || !got.Valid || got.CreditsConsumed != 1 || got.URL != site.URL+"/a" ||
			len(got.Errors) != 0 || len(got.Warnings) != 0 {
			t.Errorf("%s: got %s", name, w.Body)
		}
	}
	hits := site.hits.Load()
	w := s.post(teamPays(s.team, 0), "/v1/parsers/test", `{"parser":"item","html":"<p class=price>cheap","base_url":"https://a.example/"}`)
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "0")
	got := decoded[parsers.TestResult](t, w)
	if got.Valid || len(got.Errors) != 1 || fmt.Sprint(got.Errors[0].Loc) != "[result title]" || len(got.Warnings) == 0 || got.CreditsConsumed != 0 {
		t.Errorf("got %s, want the fault of the title and a warning of the price", w.Body)
	}
	quote := s.post(teamPays(s.team, 0), "/v1/parsers/test?dry_run=true", `{"parser":"item","url":"`+site.URL+`"}`)
	wantStatus(t, quote, http.StatusOK)
	wantCost(t, quote, "0")
	if quote.Body.String() != "{\"object\":\"quote\",\"credits\":1,\"usd\":0.001}\n" {
		t.Errorf("got %s, want the price", quote.Body)
	}
	wantError(t, s.post(teamPays(s.team, 0), "/v1/parsers/test?dry_run=true", `{"parser":"none","url":"`+site.URL+`"}`), problem.ParserNotFound)
	wantError(t, s.post(teamPays(s.team, 0), "/v1/parsers/test", `{"parser":"item","url":"`+site.URL+`"}`), problem.CreditsExhausted)
	if site.hits.Load() != hits {
		t.Error("a page was fetched that was not paid for")
	}
}

func TestTrialsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, options{guarded: true})
	for _, tc := range []struct {
		name, body string
		code       problem.Code
		want       string
	}{
		{"nothing", `{}`, problem.ValidationError, "body.parser: is required"},
		{"no page", `{"parser":"@turnpike/article"}`, problem.ValidationError, "url or html"},
		{"both", `{"parser":"@turnpike/article","url":"https://a.example","html":"x"}`, problem.ValidationError, "body.html"},
		{"an unknown field", `{"parser":"@turnpike/article","html":"x","colour":1}`, problem.ValidationError, "body.colour"},
		{"a number as a parser", `{"parser":1,"html":"x"}`, problem.ValidationError, "body.parser"},
		{"no name", `{"parser":"A B","html":"x"}`, problem.ValidationError, "body.parser"},
		{"a faulty definition", `{"parser":{"name":"x"},"html":"x"}`, problem.ValidationError, "body.parser.schema"},
		{"a relative URL", `{"parser":"@turnpike/article","url":"/x"}`, problem.ValidationError, "body.url"},
		{"another scheme", `{"parser":"@turnpike/article","url":"ftp://a.example"}`, problem.ValidationError, "body.url"},
		{"a base that is none", `{"parser":"@turnpike/article","html":"x","base_url":"x"}`, problem.ValidationError, "body.base_url"},
		{"a base with a URL", `{"parser":"@turnpike/article","url":"https://a.example","base_url":"https://a.example"}`, problem.ValidationError, "body.base_url"},
		{"loopback", `{"parser":"@turnpike/article","url":"http://127.0.0.1/"}`, problem.BlockedAddress, "public address"},
		{"loopback in other words", `{"parser":"@turnpike/article","url":"http://0x7f.1/"}`, problem.BlockedAddress, "public address"},
		{"another port", `{"parser":"@turnpike/article","url":"http://a.example:8080/"}`, problem.BlockedAddress, "port"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := s.post(teamPays(s.team, 1), "/v1/parsers/test", tc.body)
			wantError(t, w, tc.code)
			if !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("got %s, want %s in it", w.Body, tc.want)
			}
		})
	}
}

// One identity makes one fetch and one charge. It can retry what failed.
func TestTrialIsPaidOnce(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, serveItem)
	body := `{"parser":"@turnpike/metadata","url":"` + site.URL + `"}`
	id := walletPays(walletA, 10_000)
	first := s.post(id, "/x402/v1/parsers/test", body)
	wantStatus(t, first, http.StatusOK)
	wantCost(t, first, "10000")
	if got := decoded[parsers.TestResult](t, first); !got.Valid || got.CreditsConsumed != 0 || got.Parser != "@turnpike/metadata@1" {
		t.Errorf("got %s", first.Body)
	}
	again := s.post(id, "/x402/v1/parsers/test", body)
	wantStatus(t, again, http.StatusOK)
	wantCost(t, again, "10000") // by the one payment of both
	if again.Body.String() != first.Body.String() || site.hits.Load() != 1 {
		t.Errorf("got %s after %d fetches, want %s after 1", again.Body, site.hits.Load(), first.Body)
	}
	wantError(t, s.post(id, "/x402/v1/parsers/test", `{"parser":"@turnpike/tables","url":"`+site.URL+`"}`), problem.InvalidState)

	failing := teamPays(s.team, 1)
	wantError(t, s.post(failing, "/v1/parsers/test", `{"parser":"@turnpike/metadata","url":"`+refusing(t)+`"}`), problem.FetchFailed)
	w := s.post(failing, "/v1/parsers/test", body)
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "1")

	// If a process died, the identity is free again once that is certain.
	_, err := s.pool.Exec(t.Context(), `update parser_trial set status = 'running', answer = null where jti = $1`, failing.ID)
	must(t, err)
	wantError(t, s.post(failing, "/v1/parsers/test", body), problem.InvalidState)
	s.clock.Advance(parsers.TimeoutDefault + time.Minute + time.Second)
	wantStatus(t, s.post(failing, "/v1/parsers/test", body), http.StatusOK)

	s.clock.Advance(25 * time.Hour)
	if n, err := s.parsers.Purge(t.Context(), 10); err != nil || n != 2 {
		t.Errorf("got %d, %v, want both trials deleted", n, err)
	}
}

// A wallet cannot store parsers, and the error says so.
func TestWalletsHaveTheBuiltInParsers(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, serveItem)
	s.createParser(s.team, itemParser("item", ""))
	body := func(parser string) string { return `{"parser":` + parser + `,"url":"` + site.URL + `"}` }
	e := wantError(t, s.post(walletPays(walletA, 10_000), "/x402/v1/parsers/test", body(`"item"`)), problem.ParserNotFound)
	if !strings.Contains(e.Detail, "built-in") {
		t.Errorf("got %q, want it to say what there is", e.Detail)
	}
	wantStatus(t, s.post(walletPays(walletA, 10_000), "/x402/v1/parsers/test", body(itemParser("item", ""))), http.StatusOK)
	wallet := principal.With(t.Context(), &principal.Caller{Kind: edgewire.PayerWallet})
	if err := s.parsers.Check(wallet, s.newTeam(), "@turnpike/product@1"); err != nil {
		t.Errorf("got %v, want the built-in parser", err)
	}
	if err := s.parsers.Check(wallet, s.newTeam(), "item"); !strings.Contains(err.Error(), "built-in") {
		t.Errorf("got %v, want it to say what there is", err)
	}
	wantError(t, s.post(nobody(), "/v1/parsers", itemParser("item", "")), problem.InvalidAPIKey)
	wantError(t, s.get(nobody(), "/v1/parsers"), problem.InvalidAPIKey)
}

func TestParserOfAPageThatDoesNotFit(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	s.createParser(s.team, itemParser("item", ""))
	html := func(body string) extract.Source {
		return extract.Source{URL: "https://a.example/", MediaType: "text/html", Body: []byte(body)}
	}
	for _, tc := range []struct {
		name, parser string
		source       extract.Source
		code         problem.Code
		want         string
	}{
		{"what is required is missing", "item", html("<p>x"), problem.InvalidParserInput, "title: nothing was found"},
		{"not a page", "item", extract.Source{MediaType: "application/json", Body: []byte("{}")}, problem.InvalidParserInput, "application/json"},
		{"no product", "@turnpike/product", html("<p>x"), problem.InvalidParserInput, "no product"},
		{"no text", "@turnpike/article", html(""), problem.InvalidParserInput, "no text"},
		{"a film", "@turnpike/article", extract.Source{MediaType: "video/mp4", Body: []byte("x")}, problem.UnsupportedFileType, "no text"},
		{"no such parser", "none", html("x"), problem.ParserNotFound, "no parser"},
		{"no name", "a b", html("x"), problem.ValidationError, "body.parser"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.parsers.Parse(t.Context(), s.team, tc.parser, tc.source, nil)
			e := problem.From(err)
			if got != nil || e.Code != tc.code || !strings.Contains(e.Detail, tc.want) {
				t.Errorf("got %s and %v, want %s with %q", got, err, tc.code, tc.want)
			}
		})
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.parsers.Parse(canceled, s.team, "@turnpike/links", html("<p>x"), nil); problem.From(err).Code == problem.InvalidParserInput {
		t.Errorf("got %v, want it not to be the page's fault", err)
	}
	for id, want := range map[string]string{"item": "item@1", "@turnpike/tables": "@turnpike/tables@1"} {
		if got, err := s.parsers.Resolve(t.Context(), s.team, id); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %s", id, got, err, want)
		}
	}
}
