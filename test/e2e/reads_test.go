package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// unpaidReads are the reads that need no payment; %s is the id.
var unpaidReads = []struct{ path, prefix, code string }{
	{"/v1/crawls/%s", "crawl_", "crawl_not_found"},
	{"/v1/crawls/%s/pages", "crawl_", "crawl_not_found"},
	{"/v1/batches/%s", "batch_", "batch_not_found"},
	{"/v1/batches/%s/items", "batch_", "batch_not_found"},
	{"/v1/answers/%s", "answer_", "answer_not_found"},
	{"/v1/scrapes/%s", "scrape_", "scrape_not_found"},
	{"/v1/retrieve?retrieve_id=%s", "", "not_found"},
}

// wantAlike checks that two refusals differ only in what is unique to each response.
func wantAlike(t *testing.T, what string, got, want answer) {
	t.Helper()
	plain := func(a answer) (map[string]any, http.Header) {
		var body map[string]any
		if len(a.body) > 0 {
			a.json(t, &body)
		}
		delete(body, "id")
		delete(body, "created")
		header := a.header.Clone()
		for _, own := range []string{"Date", "X-Request-Id", "Ratelimit"} { // the rest of a rate limit counts down
			if header.Get(own) == "" {
				t.Errorf("%s: no header %s", what, own)
			}
			header.Del(own)
		}
		return body, header
	}
	gotBody, gotHeader := plain(got)
	wantBody, wantHeader := plain(want)
	a, errA := json.Marshal([]any{got.status, gotBody, gotHeader})
	b, errB := json.Marshal([]any{want.status, wantBody, wantHeader})
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("%s: got %s, want it as the other: %s", what, a, b)
	}
}

func (s *stack) read(edge, path, id string, headers ...string) call {
	return call{method: http.MethodGet, url: edge + strings.Replace(path, "%s", id, 1), headers: headers}
}

// TestUnpaidReads shows that anyone with its id can read what a wallet has paid for, and that a team's resource looks to
// all others as if it did not exist.
func TestUnpaidReads(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, other, w := s.purse(t, 100), s.purse(t, 10), s.wallet(t)
	var keyed, paid scrapeObject
	s.scrape(s.pages.fresh()).with(owner.bearer()...).do(t).json(t, &keyed)
	bought := s.paidScrape(s.pages.fresh()).with(w.good(t, 2)...).do(t)
	bought.wantStatus(t, http.StatusOK)
	bought.json(t, &paid)
	// Ids of resources, created by a team and by a wallet, each with one page.
	made := map[string][2]string{"scrape_": {keyed.ID, paid.ID}, "": {keyed.RetrieveID, paid.RetrieveID}}
	for prefix, c := range map[string]call{
		"crawl_":  {url: "/v1/crawls", body: onePage(s.pages.fresh())},
		"batch_":  {url: "/v1/batches", body: oneItem(s.pages.fresh())},
		"answer_": {url: "/v1/answers", body: askAbout(s.pages.fresh())},
	} {
		var ids [2]string
		ids[0] = creates(t, owner, c.url, c.body, "id")[0]
		payment := w.good(t, 1)
		if prefix == "answer_" {
			payment = w.paysAnswer(t)
		}
		got := call{url: s.edge + "/x402" + c.url, body: c.body}.with(payment...).do(t)
		got.wantStatus(t, http.StatusOK)
		var object struct{ ID string }
		got.json(t, &object)
		ids[1] = object.ID
		made[prefix] = ids
	}
	for _, read := range unpaidReads {
		t.Run(read.path, func(t *testing.T) {
			t.Parallel()
			unknown := read.prefix + strings.Repeat("0", 26)
			get := func(id string, headers ...string) answer { return s.read(s.edge, read.path, id, headers...).do(t) }
			head := func(id string) answer {
				c := s.read(s.edge, read.path, id)
				c.method = http.MethodHead
				return c.do(t)
			}
			nothing := get(unknown)
			nothing.refused(t, http.StatusUnauthorized, "invalid_api_key", "Authorization: Bearer <key>")
			missing := get(unknown, other.bearer()...)
			missing.refused(t, http.StatusNotFound, read.code)
			head(unknown).wantStatus(t, http.StatusUnauthorized)
			get(unknown, "Authorization", "Bearer nobody").refused(t, http.StatusUnauthorized, "invalid_api_key", "not valid")

			ids, ok := made[read.prefix]
			if !ok {
				return // the service creates none yet
			}
			byTeam, byWallet := ids[0], ids[1]
			get(byWallet).wantStatus(t, http.StatusOK)
			head(byWallet).wantStatus(t, http.StatusOK)
			get(byTeam, owner.bearer()...).wantStatus(t, http.StatusOK)
			wantAlike(t, "a team's, without a key", get(byTeam), nothing)
			wantAlike(t, "a team's, by HEAD without a key", head(byTeam), head(unknown))
			wantAlike(t, "a team's, by another's key", get(byTeam, other.bearer()...), missing)
			wantAlike(t, "a wallet's, by a key", get(byWallet, other.bearer()...), missing)
			for _, id := range []string{byTeam, byWallet} {
				get(id, "Authorization", "Bearer "+owner.key+"x").refused(t, http.StatusUnauthorized, "invalid_api_key")
				get(id, "Authorization", "Basic dTpw").refused(t, http.StatusUnauthorized, "invalid_api_key")
			}
		})
	}
	t.Run("paid for by none of it", func(t *testing.T) {
		owner.wantSpent(t, 3+answerPrice)
		other.wantUntouched(t)
	})
}

// TestUnpaidReadsAtTheEdge shows that the edge tells the backend who reads: a key's team, or nobody. It covers all seven
// kinds of resources.
func TestUnpaidReadsAtTheEdge(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, other := s.purse(t, 10), s.purse(t, 10)
	verifier, err := edgewire.NewVerifier([]byte(identitySecret), edgewire.DefaultAudience, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	backend := s.standIn(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		id, err := verifier.Verify(r, r.RequestURI)
		if err != nil || id.Max != 0 || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s: got identity %+v, %v, and Authorization %q, want one that covers nothing, and no key",
				r.Method, r.RequestURI, id, err, r.Header.Get("Authorization"))
			return
		}
		byTeam, byWallet := strings.Contains(r.RequestURI, "of_a_team"), strings.Contains(r.RequestURI, "of_a_wallet")
		switch id.Payer {
		case edgewire.Payer{Kind: edgewire.PayerAnonymous}:
			if !byWallet {
				w.WriteHeader(http.StatusUnauthorized)
			}
		case edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: owner.team, KeyID: owner.keyID}:
			if !byTeam {
				w.WriteHeader(http.StatusNotFound)
			}
		case edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: other.team, KeyID: other.keyID}:
			w.WriteHeader(http.StatusNotFound)
		default:
			t.Errorf("%s: got it from %+v, want a team or nobody", r.RequestURI, id.Payer)
		}
		_, _ = io.WriteString(w, "the backend's")
	})
	edge, err := s.startEdge(t.Context(), backend.url)
	if err != nil {
		t.Fatal(err)
	}
	w := s.wallet(t)
	for _, read := range unpaidReads {
		for _, tc := range []struct {
			name    string
			headers []string
			status  map[string]int // by owner
		}{
			{"nobody", nil, map[string]int{"wallet": 200, "team": 401, "unknown": 401}},
			{"its owner", owner.bearer(), map[string]int{"wallet": 404, "team": 200, "unknown": 404}},
			{"another team", other.bearer(), map[string]int{"wallet": 404, "team": 404, "unknown": 404}},
			{"who made up an identity", []string{edgewire.IdentityHeader, good(t, nil)}, map[string]int{"wallet": 200, "team": 401, "unknown": 401}},
			{"who pays all the same", w.good(t, 1), map[string]int{"wallet": 200, "team": 401, "unknown": 401}},
		} {
			for whose, status := range tc.status {
				before := asked.Load()
				got := s.read(edge, read.path, read.prefix+"of_a_"+whose, tc.headers...).do(t)
				if got.status != status || string(got.body) != "the backend's" || asked.Load() != before+1 {
					t.Errorf("%s of a %s by %s: got %d %s after %d requests, want the backend's %d",
						read.path, whose, tc.name, got.status, got.body, asked.Load()-before, status)
				}
				got.wantNoReceipt(t)
			}
		}
		for _, tc := range []struct {
			name, method string
			headers      []string
			statuses     []int
		}{
			{"an invalid key", http.MethodGet, []string{"Authorization", "Bearer " + owner.key + "x"}, []int{401}},
			{"an empty key", http.MethodGet, []string{"Authorization", "Bearer "}, []int{401}},
			{"another scheme", http.MethodGet, []string{"Authorization", "Basic dTpw"}, []int{401}},
			{"two keys", http.MethodGet, append(owner.bearer(), other.bearer()...), []int{401}},
			{"POST", http.MethodPost, nil, []int{401}},
			{"DELETE", http.MethodDelete, nil, []int{401}},
			{"POST that says it is GET", http.MethodPost, []string{"X-Http-Method-Override", "GET"}, []int{401}},
			{"DELETE by a key", http.MethodDelete, owner.bearer(), []int{404, 405}},
		} {
			cancels := strings.HasPrefix(read.path, "/v1/batches/") || strings.HasPrefix(read.path, "/v1/crawls/")
			if cancels && tc.name == "DELETE by a key" {
				continue // it cancels, which the backend handles
			}
			before := asked.Load()
			c := s.read(edge, read.path, read.prefix+"of_a_wallet", tc.headers...)
			c.method = tc.method
			got := c.do(t)
			if !slices.Contains(tc.statuses, got.status) || asked.Load() != before {
				t.Errorf("%s by %s: got %d after %d requests to the backend, want %d after none",
					read.path, tc.name, got.status, asked.Load()-before, tc.statuses)
			}
		}
	}
	for _, p := range []*purse{owner, other} {
		p.wantUntouched(t)
	}
	w.wantUntouched(t)
}
