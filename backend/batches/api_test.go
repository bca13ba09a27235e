package batches_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// apiTest is the service over HTTP.
type apiTest struct {
	*place
	*apitest.API

	team *workshop.Team
}

func newAPI(t testing.TB, change ...func(*batches.Config)) *apiTest {
	t.Helper()
	p := newPlace(t, change...)
	return &apiTest{place: p, team: p.NewTeam(100_000), API: apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.Pool), apikey.NewIssuer(p.Pool), time.Now),
		Idempotency: idempotency.New(db.New(p.Pool), 0),
		Features:    []api.Feature{p.service},
	})}
}

func (a *apiTest) subscriber(tm *workshop.Team) edgewire.Identity {
	return apitest.Team(tm.ID, tm.KeyID)
}

// free sends a request that costs nothing.
func (a *apiTest) free(method, uri, body string) *httptest.ResponseRecorder {
	a.T.Helper()
	return a.Send(method, uri, body, a.subscriber(a.team))
}

// pay sends a paid request as the edge does: quote, hold, response, settlement. If the quote is refused, nothing is sent.
func (a *apiTest) pay(uri, body string, headers ...string) *httptest.ResponseRecorder {
	a.T.Helper()
	id := a.subscriber(a.team)
	amount, w := a.Quote(uri, body, id)
	if w.Code != http.StatusOK {
		return w
	}
	c, end := a.request(a.team, money.Credits(amount))
	id.ID, id.Max = c.HoldID, amount
	w = a.Send(http.MethodPost, uri, body, id, headers...)
	if w.Header().Get(edgewire.AdoptedHeader) == "true" {
		c.Adopt()
	}
	c.SetCost(0)
	if cost := w.Header().Get(edgewire.CostHeader); cost != "0" {
		a.T.Errorf("POST %s: got cost %q of %d, want 0: it is captured later or never", uri, cost, w.Code)
	}
	end(nil)
	return w
}

func TestBatchIsShown(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	body := `{"items":[{"url":"https://example.com/1","custom_id":"one","metadata":{"n":1}},{"url":"https://example.com/2"}],` +
		`"parser":{"id":"@a/b"},"country":"DE","webhook_url":"https://example.com/hook","metadata":{"k":"v"}}`
	w := a.pay("/v1/batches", body)
	if w.Header().Get(edgewire.AdoptedHeader) != "true" || w.Header().Get(edgewire.CostHeader) != "0" {
		t.Errorf("got headers %v, want the hold adopted and no cost yet", w.Header())
	}
	b := apitest.Decode[batches.Batch](t, w)
	if !strings.HasPrefix(b.ID, "batch_") || b.BatchID != b.ID || b.Object != "batch" || b.Parser != "@a/b" || b.Country == nil || *b.Country != "DE" ||
		b.Webhook == nil || *b.Webhook != "https://example.com/hook" || b.TotalURLs != 2 || b.Metadata["k"] != "v" || b.WebhookSecret != nil ||
		b.StartDate != time.Unix(b.Created, 0).UTC().Format(time.RFC3339) {
		t.Errorf("got %+v", b)
	}
	if read := a.free(http.MethodGet, "/v1/batches/"+b.ID, ""); read.Body.String() != w.Body.String() {
		t.Errorf("read again: got %s, want %s", read.Body, w.Body)
	}
	for _, field := range []string{`"credits_consumed":null`, `"cost_usd":null`, `"outcome":null`, `"completed_at":null`, `"status":"in_progress"`} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("got %s, want %s in it", w.Body, field)
		}
	}
	plain := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`}`))
	if plain.Parser != "none" || plain.Country != nil || plain.Webhook != nil {
		t.Errorf("got %+v, want no parser, country and webhook", plain)
	}
	fromFile := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{"file_id":"[{\"url\":\"https://example.com/1\"},{\"url\":\"https://example.com/2\"}]"}`))
	if fromFile.TotalURLs != 2 || fromFile.FileID == nil {
		t.Errorf("from a file: got %+v, want 2 URLs", fromFile)
	}
	a.work()
	a.untilCompleted(b.ID)
	items := apitest.Decode[itemList](t, a.free(http.MethodGet, "/v1/batches/"+b.ID+"/items", ""))
	slices.SortFunc(items.Items, func(a, b batches.Item) int { return strings.Compare(a.URL, b.URL) })
	want := []batches.Item{
		{CustomID: "one", RetrieveID: items.Items[0].RetrieveID, URL: "https://example.com/1", Status: "completed", Metadata: map[string]string{"n": "1"}},
		{CustomID: "2", RetrieveID: items.Items[1].RetrieveID, URL: "https://example.com/2", Status: "completed"},
	}
	if fmt.Sprint(items.Items) != fmt.Sprint(want) || items.ID != b.ID || items.BatchID != b.ID || items.Object != "list" || items.Status != "completed" || items.ItemsCount != 2 || items.Cursor != nil {
		t.Errorf("got %+v, want %+v", items, want)
	}
	var event struct{ Type, Webhook, Data string }
	workshop.Must(t, a.Pool.QueryRow(t.Context(), `select type, webhook, data::text from event where subject = $1`, b.ID).Scan(&event.Type, &event.Webhook, &event.Data))
	var data map[string]any
	workshop.Must(t, json.Unmarshal([]byte(event.Data), &data))
	if event.Type != "batch.completed" || event.Webhook != *b.Webhook || data["items_completed"] != 2.0 || data["items_failed"] != 0.0 || data["items_total"] != 2.0 ||
		data["status"] != "completed" || data["id"] != b.ID || data["object"] != "batch" || data["created_at"] != b.StartDate || data["completed_at"] == nil ||
		fmt.Sprint(data["metadata"]) != "map[k:v]" {
		t.Errorf("got event %+v", event)
	}
}

type itemList struct {
	ID         string         `json:"id"`
	BatchID    string         `json:"batch_id"`
	Object     string         `json:"object"`
	Status     string         `json:"status"`
	Items      []batches.Item `json:"items"`
	ItemsCount int            `json:"items_count"`
	Cursor     *int64         `json:"cursor"`
}

// Following the cursor yields each item once and in one order, however many items end in between.
func TestItemsAreListedByPlace(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const n = 130
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", list(n, func(i int) string { return fmt.Sprintf(`{"url":"https://example.com/%d"}`, i) })))
	a.work()
	var seen []string
	cursor := int64(0)
	a.Until("all items seen", func() bool {
		for {
			page := apitest.Decode[itemList](t, a.free(http.MethodGet, fmt.Sprintf("/v1/batches/%s/items?limit=7&cursor=%d", b.ID, cursor), ""))
			if len(page.Items) > 7 || page.ItemsCount != len(page.Items) {
				t.Fatalf("got %d items, said to be %d, want 7 at most", len(page.Items), page.ItemsCount)
			}
			for _, item := range page.Items {
				seen = append(seen, item.RetrieveID)
			}
			if page.Cursor == nil {
				if page.Status != "completed" {
					t.Fatalf("got no cursor of a batch %s, want one", page.Status)
				}
				return true
			}
			if *page.Cursor != cursor+int64(len(page.Items)) {
				t.Fatalf("got cursor %d after %d and %d items", *page.Cursor, cursor, len(page.Items))
			}
			cursor = *page.Cursor
			if len(page.Items) == 0 {
				return false
			}
		}
	})
	if len(seen) != n || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != n {
		t.Errorf("got %d items, want %d, each once", len(seen), n)
	}
	var again []string
	for cursor := int64(0); ; {
		page := apitest.Decode[itemList](t, a.free(http.MethodGet, fmt.Sprintf("/v1/batches/%s/items?limit=50&cursor=%d", b.ID, cursor), ""))
		for _, item := range page.Items {
			again = append(again, item.RetrieveID)
		}
		if page.Cursor == nil {
			break
		}
		cursor = *page.Cursor
	}
	if !slices.Equal(again, seen) {
		t.Error("got another order when it was listed again")
	}
	a.settled()
}

func TestBatchesAreListed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	var made []string
	for range 5 {
		made = append(made, apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`}`)).ID)
	}
	other := a.NewTeam(10)
	theirs, err := a.create(other, ofURLs(1), 1)
	workshop.Must(t, err)
	apitest.Decode[batches.Batch](t, a.free(http.MethodDelete, "/v1/batches/"+made[1], ""))
	slices.Reverse(made)
	type answer struct {
		Object string
		Data   []batches.Batch
		Cursor *string
	}
	read := func(query string) (ids []string) {
		t.Helper()
		for next := ""; ; {
			page := apitest.Decode[answer](t, a.free(http.MethodGet, "/v1/batches?limit=2"+query+next, ""))
			if page.Object != "list" || len(page.Data) > 2 {
				t.Fatalf("got %+v", page)
			}
			for _, b := range page.Data {
				ids = append(ids, b.ID)
			}
			if page.Cursor == nil {
				return ids
			}
			next = "&cursor=" + *page.Cursor
		}
	}
	if got := read(""); !slices.Equal(got, made) || slices.Contains(got, theirs.ID) {
		t.Errorf("got %v, want %v", got, made)
	}
	if got, want := read("&status=completed"), made[3:4]; !slices.Equal(got, want) {
		t.Errorf("completed: got %v, want %v", got, want)
	}
	if got := read("&status=in_progress"); len(got) != 4 {
		t.Errorf("in progress: got %v, want four", got)
	}
}
