//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// privately lists ways in which a team fetches a page for itself, each with a word that is only on its page.
var privately = []struct {
	how, word string
	scrape    map[string]any
}{
	{"as it is", "quillbrack", nil},
	{"with a cookie that the page sets", "vossenmark", nil},
	{"with actions", "thistlewick", map[string]any{"actions": []map[string]any{{"type": "click", "selector": "#more"}}}},
	{"with a parser of its own", "hollerby", map[string]any{"parser": "dockets"}},
	{"from another country", "pemberloft", map[string]any{"country": "DE"}},
	{"with a query in its address", "cardewell", nil},
}

// ownParser is a parser that a team has written itself.
const ownParser = `{"name": "dockets", "schema": {"type": "object", "properties": {"title": {"type": "string"}}},
	"fields": {"title": {"css": "h1", "required": true}}}`

// newVault serves a page for each word, at URLs that end in it.
func newVault(t *testing.T) (origin, port string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		word := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		if word == "vossenmark" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "of the owner"})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Docket %[1]s</title><main><h1>Docket %[1]s</h1>
			<p>The harbour office keeps the docket %[1]s for its owner, and says nothing about it to anybody else.</p><p>Docket number: 4711</p>
			<button id="more">More</button></main>`, word)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return server.URL, port
}

// TestSearchWalls shows that only the team that fetched a page finds it in searches and answers, however it was fetched.
// It uses the default index with sharing on: a backend that may fetch private ranges shares none of its pages.
func TestSearchWalls(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	origin, port := newVault(t)
	proxy := newToyProxy(t)
	c := newCrew(t, setup(t).withDatabase(t), &shelf{port: port}, 1,
		"TURNPIKE_SEARCH_PROVIDERS=local", "TURNPIKE_SEARCH_SHARED=true", "TURNPIKE_BROWSER=", "TURNPIKE_HOST_RATE=off", proxy.setting())
	owner, other := c.purse(t, 1000), c.purse(t, 1000)
	call{url: c.edge.URL("/v1/parsers"), body: ownParser}.with(owner.bearer()...).do(t).wantStatus(t, http.StatusOK)
	for _, page := range privately {
		address := origin + "/dockets/" + page.word
		if strings.Contains(page.how, "query") {
			address += "?ticket=1"
		}
		body := map[string]any{"url_to_scrape": address, "formats": []string{"markdown"}}
		maps.Copy(body, page.scrape)
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		call{url: c.edge.URL("/v1/scrapes"), body: string(text)}.with(owner.bearer()...).do(t).wantStatus(t, http.StatusOK)
	}
	// The other team has a page of its own, so that its index is not empty.
	call{url: c.edge.URL("/v1/scrapes"), body: fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, origin+"/dockets/ownpage")}.
		with(other.bearer()...).do(t).wantStatus(t, http.StatusOK)

	for _, page := range privately {
		urls := awaits(t, time.Minute, func(ctx context.Context) ([]string, error) { return c.finds(ctx, owner, page.word) },
			func(urls []string) bool { return len(urls) > 0 })
		if len(urls) != 1 || !strings.Contains(urls[0], page.word) {
			t.Errorf("%s: its owner found %q, want the page", page.how, urls)
		}
	}
	awaits(t, time.Minute, func(ctx context.Context) ([]string, error) { return c.finds(ctx, other, "ownpage") },
		func(urls []string) bool { return len(urls) > 0 })
	for _, page := range privately {
		for _, query := range []string{page.word, "docket " + page.word, "harbour office " + page.word, page.word[:len(page.word)-1]} {
			urls, err := c.finds(t.Context(), other, query)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(urls, func(u string) bool { return !strings.HasSuffix(u, "/ownpage") }) {
				t.Errorf("%s: another team found %q by %q", page.how, urls, query)
			}
		}
		for team, want := range map[*purse]string{owner: "4711", other: "NOT_FOUND"} {
			if got := c.docketNumber(t, team, page.word); got != want {
				t.Errorf("%s: asked for its number, got %q, want %q", page.how, got, want)
			}
		}
	}
}

// finds returns the URLs that a team's search finds.
func (c *crew) finds(ctx context.Context, p *purse, query string) ([]string, error) {
	got, err := call{url: c.edge.URL("/v1/searches"), body: fmt.Sprintf(`{"query": %q}`, query)}.with(p.bearer()...).try(ctx)
	if err != nil {
		return nil, err
	}
	if got.status != http.StatusOK {
		return nil, fmt.Errorf("searching for %s: got %d %s", query, got.status, got.body)
	}
	var search found
	if err := json.Unmarshal(got.body, &search); err != nil {
		return nil, err
	}
	var urls []string
	for _, link := range search.Result.Links {
		urls = append(urls, link.URL)
	}
	return urls, nil
}

// docketNumber asks for a docket's number as a team, and returns the answer.
func (c *crew) docketNumber(t *testing.T, p *purse, word string) string {
	t.Helper()
	body := fmt.Sprintf(`{"task": "What is the docket number of the docket %s?", "json_format": {"docket_number": "the docket's number"}}`, word)
	got := call{url: c.edge.URL("/v1/answers"), body: body}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var a answered
	got.json(t, &a)
	var values map[string]any
	if err := json.Unmarshal([]byte(a.Result.JSON), &values); err != nil {
		t.Fatalf("%v in %s", err, a.Result.JSON)
	}
	return fmt.Sprint(values["docket_number"])
}
