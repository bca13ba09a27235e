package maps_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// apiTest is the service over HTTP.
type apiTest struct {
	*place
	*apitest.API
}

func newAPI(t *testing.T) *apiTest {
	t.Helper()
	p := newPlace(t)
	return &apiTest{place: p, API: apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.pool), apikey.NewIssuer(p.pool), time.Now),
		Idempotency: idempotency.New(db.New(p.pool), 0),
		Features:    []api.Feature{p.service},
	})}
}

func (a *apiTest) key(covered int64) edgewire.Identity {
	id := apitest.Team(a.team, "key_1")
	id.Max = covered
	return id
}

func (a *apiTest) payment() edgewire.Identity { return apitest.Payment(uuid.NewString(), 10000) }

func (a *apiTest) quote(body string) *httptest.ResponseRecorder {
	_, w := a.Quote("/v1/maps", body, a.key(0))
	return w
}

func wantAnswer(t testing.TB, w *httptest.ResponseRecorder, cost string) *maps.Map {
	t.Helper()
	m := new(maps.Map)
	if err := json.Unmarshal(w.Body.Bytes(), m); err != nil || w.Code != http.StatusOK || w.Header().Get(edgewire.CostHeader) != cost {
		t.Fatalf("got %d at %q, %.300s (%v), want an answer at %s", w.Code, w.Header().Get(edgewire.CostHeader), w.Body, err, cost)
	}
	return m
}

// The quote is the maximum price, or what the team has if that is less. It also reports errors in the request.
func TestQuotes(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for available, want := range map[int]int{1000: 100, 100: 100, 40: 40, 0: 1, -5: 1} {
		a.available = money.Credits(available)
		if w := a.quote(`{"url":"https://example.com/"}`); strings.TrimSpace(w.Body.String()) != fmt.Sprintf(`{"amount":%d}`, want) {
			t.Errorf("with %d: got %d %s, want %d", available, w.Code, w.Body, want)
		}
	}
	for body, part := range map[string]string{
		``: "body", `[]`: "body", `{}`: "url", `{"url":""}`: "url", `{"url":"ftp://example.com/"}`: "url", `{"url":1}`: "url",
		`{"url":"https://example.com/","depth":1}`:                                                 "depth",
		`{"url":"https://example.com/","search_query":"x","top_n":-1}`:                             "top_n",
		`{"url":"https://example.com/","search_query":"x","top_n":1e300}`:                          "top_n",
		`{"url":"https://example.com/","search_query":"x","top_n":1.5}`:                            "top_n",
		`{"url":"https://example.com/","include_subdomain":"yes"}`:                                 "include_subdomain",
		`{"url":"https://example.com/","include_urls":["/a",""]}`:                                  "include_urls",
		`{"url":"https://example.com/","exclude_urls":"/a"}`:                                       "exclude_urls",
		`{"url":"https://example.com/","cursor":"` + maps.Cursor("x", 0) + `"}`:                    "cursor",
		`{"url":"https://example.com/","include_urls":[` + strings.Repeat(`"/a",`, 100) + `"/a"]}`: "include_urls",
	} {
		apitest.WantRefused(t, a.quote(body), problem.ValidationError, part)
	}
	apitest.WantRefused(t, a.quote(`{"url":"http://127.1.2.3.4/"}`), problem.ValidationError, "url")
	a.available = 1000
	for uri, want := range map[string]string{
		"/v1/maps?dry_run=true":      `{"object":"quote","credits":100,"usd":0.1}`,
		"/x402/v1/maps?dry_run=true": `{"object":"quote","credits":100,"usd":0.01}`,
	} {
		id := a.key(0)
		if strings.HasPrefix(uri, "/x402") {
			id = a.payment()
		}
		w := a.Send(http.MethodPost, uri, `{"url":"https://example.com/"}`, id)
		if got := strings.TrimSpace(w.Body.String()); got != want || w.Header().Get(edgewire.CostHeader) != "0" {
			t.Errorf("%s: got %d %s, want %s", uri, w.Code, got, want)
		}
	}
}

// Keys and wallets get the same, each at its own price, and cannot see each other's maps.
func TestMapsOverHTTP(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	s := newSite(t)
	locs := make([]string, 2500)
	for i := range locs {
		locs[i] = fmt.Sprintf("@/%04d?a=1&amp;b=2", i)
	}
	s.has("/sitemap.xml", "text/xml", urlset(locs...))
	body := fmt.Sprintf(`{"url":%q}`, s.server.URL)
	following := func(m *maps.Map) string { return fmt.Sprintf(`{"url":%q,"cursor":%q}`, s.server.URL, *m.Cursor) }

	// The hold decides, not the balance left at the time of the request.
	a.available = 0
	w := a.Send(http.MethodPost, "/v1/maps", body, a.key(2), "Idempotency-Key", "k1")
	m := wantAnswer(t, w, "2")
	if len(m.URLs) != 2000 || m.URLsCount != 2500 || m.Object != "map" || m.Cursor == nil || strings.Contains(w.Body.String(), `\u0026`) {
		t.Fatalf("got %d URLs of %d, %s %v, want 2000 and a cursor", len(m.URLs), m.URLsCount, m.Object, m.Cursor)
	}
	// No edge charges for it here, so that a retry reports its price too.
	if again := wantAnswer(t, a.Send(http.MethodPost, "/v1/maps", body, a.key(2), "Idempotency-Key", "k1"), "2"); again.ID != m.ID || len(again.URLs) != 2000 {
		t.Errorf("a repetition got %s, want %s", again.ID, m.ID)
	}
	rest := wantAnswer(t, a.Send(http.MethodPost, "/v1/maps", following(m), a.key(100), "Idempotency-Key", "k2"), "1")
	if len(rest.URLs) != 500 || rest.Cursor != nil || rest.ID != m.ID {
		t.Errorf("got %d URLs more and cursor %v, want 500 and none", len(rest.URLs), rest.Cursor)
	}
	wantAnswer(t, a.Send(http.MethodPost, "/v1/maps", following(m), a.key(100), "Idempotency-Key", "k2"), "1")
	if free := wantAnswer(t, a.Send(http.MethodGet, "/v1/maps/"+m.ID, "", a.key(0)), "0"); len(free.URLs) != 2500 || free.Cursor != nil {
		t.Errorf("got %d URLs for nothing, want all", len(free.URLs))
	}
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/maps/"+m.ID+"?cursor=x", "", a.key(0)), problem.ValidationError, "cursor")
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/maps/"+m.ID, "", apitest.Nobody("")), problem.InvalidAPIKey, "")

	theirs := wantAnswer(t, a.Send(http.MethodPost, "/x402/v1/maps", body, a.payment()), "10000")
	if len(theirs.URLs) != 2500 || theirs.Credits != 0 {
		t.Errorf("a wallet got %d URLs for %d, want all", len(theirs.URLs), theirs.Credits)
	}
	apitest.WantRefused(t, a.Send(http.MethodPost, "/x402/v1/maps", following(m), a.payment()), problem.ValidationError, "cursor")
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/maps/"+theirs.ID, "", a.key(0)), problem.MapNotFound, "")
	nobody := &principal.Caller{Kind: edgewire.PayerAnonymous}
	if again, err := a.service.Map(t.Context(), nobody, theirs.ID, ""); err != nil || len(again.URLs) != 2500 {
		t.Errorf("got %v, %v by the id of what a wallet paid for, want it", again, err)
	}
	if _, err := a.service.Map(t.Context(), nobody, m.ID, ""); err == nil {
		t.Error("a team's map can be read by its id alone")
	}
}
