package batches_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// On every route, another team's batch looks like one that does not exist. Without a key, both require a key.
func TestBatchesOfOthers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	theirs, err := a.create(a.NewTeam(10), ofURLs(1), 1)
	workshop.Must(t, err)
	for _, id := range []string{theirs.ID, "batch_" + strings.Repeat("0", 24), "batch_x", "x"} {
		at := "/v1/batches/" + id
		for _, w := range []*httptest.ResponseRecorder{
			a.free(http.MethodGet, at, ""), a.free(http.MethodGet, at+"/items", ""), a.free(http.MethodDelete, at, ""),
			a.free(http.MethodPatch, at, `{"metadata":{}}`), a.free(http.MethodPost, at+"/retry", ""), a.pay(at+"/retry", ""),
		} {
			apitest.WantRefused(t, w, problem.BatchNotFound)
		}
		for _, uri := range []string{at, at + "/items"} {
			apitest.WantRefused(t, a.Send(http.MethodGet, uri, "", apitest.Nobody("")), problem.InvalidAPIKey)
		}
	}
}

func TestDryRunsAndQuotes(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.price = 3
	body := list(7, func(i int) string { return fmt.Sprintf(`{"url":"https://example.com/%d"}`, i) })
	for uri, want := range map[string]string{
		"/v1/batches?dry_run=true":      `{"object":"quote","credits":21,"usd":0.021}`,
		"/x402/v1/batches?dry_run=true": `{"object":"quote","credits":21,"usd":0.07}`,
	} {
		id := a.subscriber(a.team)
		if strings.HasPrefix(uri, "/x402") {
			id = apitest.Payment(id.ID, 0)
		}
		w := a.Send(http.MethodPost, uri, body, id)
		if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || got != want || w.Header().Get(edgewire.CostHeader) != "0" {
			t.Errorf("%s: got %d %s, want %s", uri, w.Code, got, want)
		}
	}
	id := a.subscriber(a.team)
	if got, w := a.Quote("/v1/batches", body, id); got != 21 {
		t.Errorf("got a quote of %d (%s), want 21 credits", got, w.Body)
	}
	id.Max = 20
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/batches", body, id), problem.CreditsExhausted)
	if n := a.Count(`select count(*) from batch`); n != 0 {
		t.Errorf("got %d batches, want none", n)
	}
}

// A wallet's batch needs no hold. If no page could be fetched, the wallet is owed a refund.
func TestBatchOfAWallet(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = failing("/bad")
	a.work()
	tests := []struct {
		name, path string
		state      string
		outcome    string
	}{
		{"that gets its pages", "good", "settled", "succeeded"},
		{"that gets none", "bad", "refund_due", "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			claim := apitest.Claim(t, a.Pool, 20_000, "batch")
			id := apitest.Payment(claim, 20_000)
			body := `{"items":[{"url":"https://example.com/` + tt.path + `"},{"url":"https://example.com/a/` + tt.path + `"}],"webhook":"https://example.com/hook"}`
			if amount, w := a.Quote("/x402/v1/batches", body, apitest.Nobody(edgewire.UnitUSDC)); amount != 20_000 {
				t.Errorf("got a quote of %d (%s), want 20000", amount, w.Body)
			}
			w := a.Send(http.MethodPost, "/x402/v1/batches", body, id)
			b := apitest.Decode[batches.Batch](t, w)
			if w.Header().Get(edgewire.AdoptedHeader) != "" || w.Header().Get(edgewire.CostHeader) != "20000" || b.WebhookSecret == nil {
				t.Errorf("got headers %v and %s, want what was paid as cost, nothing adopted, and the webhook's secret", w.Header(), w.Body)
			}
			if again := apitest.Decode[batches.Batch](t, a.Send(http.MethodPost, "/x402/v1/batches", body, id)); again.ID != b.ID {
				t.Errorf("the same claim again: got batch %s, want %s", again.ID, b.ID)
			}
			done := a.untilCompleted(b.ID)
			if *done.Outcome != tt.outcome || *done.CreditsConsumed != 0 || *done.CostUSD != "0.02" {
				t.Errorf("got %+v, want %s for 0.02 USD and no credits", done, tt.outcome)
			}
			// Clients without a key can read the batch by id; they are refused the same routes as others.
			anonymous := apitest.Nobody("")
			if read := apitest.Decode[batches.Batch](t, a.Send(http.MethodGet, "/v1/batches/"+b.ID, "", anonymous)); read.ID != b.ID || read.WebhookSecret != nil {
				t.Errorf("got %+v, want the batch without its secret", read)
			}
			if items := apitest.Decode[itemList](t, a.Send(http.MethodGet, "/v1/batches/"+b.ID+"/items", "", anonymous)); len(items.Items) != 2 {
				t.Errorf("got %+v, want two items", items)
			}
			apitest.WantRefused(t, a.free(http.MethodGet, "/v1/batches/"+b.ID, ""), problem.BatchNotFound)
			var state string
			workshop.Must(t, a.Pool.QueryRow(t.Context(), `select state from x402_claim where id = $1`, claim).Scan(&state))
			if state != tt.state {
				t.Errorf("claim: got %s, want %s", state, tt.state)
			}
		})
	}
	t.Run("has no files", func(t *testing.T) {
		t.Parallel()
		_, w := a.Quote("/x402/v1/batches", `{"file_id":"[]"}`, apitest.Nobody(edgewire.UnitUSDC))
		apitest.WantRefused(t, w, problem.ValidationError, "body.file_id: is only available to subscribers")
	})
}

// If the hold is gone when it is to be adopted, no batch remains.
func TestHoldThatIsGone(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c, _ := a.request(a.team, 1)
	hold, err := credits.ParseHoldID(c.HoldID)
	workshop.Must(t, err)
	workshop.Must(t, credits.Adopt(t.Context(), a.Pool, hold, "another", time.Now().Add(time.Hour)))
	_, err = a.service.Create(t.Context(), c, ofURLs(1))
	if e := wantCode(t, err, problem.Overloaded); e.RetryAfter != time.Second {
		t.Errorf("got Retry-After %s, want 1 s", e.RetryAfter)
	}
	if n := a.Count(`select count(*) from batch`) + a.Count(`select count(*) from task`); n != 0 || c.Adopted() {
		t.Errorf("got %d rows, adopted %t, want nothing left", n, c.Adopted())
	}
}

// The work of one identity is created once.
func TestIdentityIsUsedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c, _ := a.request(a.team, 2)
	first, err := a.service.Create(t.Context(), c, ofURLs(2))
	workshop.Must(t, err)
	repeated := *a.team.Reader()
	again := &repeated
	again.IdentityID, again.HoldID, again.Credits = c.IdentityID, c.HoldID, 2
	b, err := a.service.Create(t.Context(), again, ofURLs(2))
	if err != nil || b.ID != first.ID || !again.Adopted() || again.Cost() != 0 {
		t.Errorf("with the same hold: got %+v and error %v, adopted %t, want the same batch, adopted", b, err, again.Adopted())
	}
	other, end := a.request(a.team, 2)
	other.IdentityID = c.IdentityID
	b, err = a.service.Create(t.Context(), other, ofURLs(2))
	if err != nil || b.ID != first.ID || other.Adopted() || other.Cost() != 0 {
		t.Errorf("with another hold: got %+v and error %v, adopted %t for %d, want the same batch, free", b, err, other.Adopted(), other.Cost())
	}
	end(err)
	_, err = a.service.Create(t.Context(), again, ofURLs(1))
	wantCode(t, err, problem.InvalidState)
	if n := a.Count(`select count(*) from batch`); n != 1 {
		t.Errorf("got %d batches, want one", n)
	}
}

// One Idempotency-Key makes one batch and one retry of it, however often it is sent and whatever each request holds.
func TestKeyIsOneBatch(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = failing("bad")
	a.work()
	const key = "Idempotency-Key"
	body := `{"items":` + string(ofPaths("a", "bad").Items) + `}`
	crowd := func(uri, body, key string) *httptest.ResponseRecorder {
		t.Helper()
		answers := make([]*httptest.ResponseRecorder, 8)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i] = a.pay(uri, body, "Idempotency-Key", key) })
		}
		group.Wait()
		var first *httptest.ResponseRecorder
		for _, w := range slices.Concat(answers, []*httptest.ResponseRecorder{a.pay(uri, body, "Idempotency-Key", key)}) {
			switch {
			case w.Code == http.StatusConflict:
				apitest.WantRefused(t, w, problem.IdempotencyKeyInProgress)
			case w.Code != http.StatusOK:
				t.Fatalf("got %d %s", w.Code, w.Body)
			case w.Header().Get("Idempotent-Replayed") != "":
				if w.Header().Get(edgewire.AdoptedHeader) != "" {
					t.Error("got a replay that says that its hold was adopted")
				}
				if first != nil && w.Body.String() != first.Body.String() {
					t.Errorf("got %s, want %s", w.Body, first.Body)
				}
			case first != nil:
				t.Error("got two first answers")
			default:
				first = w
			}
		}
		if first == nil {
			t.Fatal("got no first answer")
		}
		return first
	}
	b := apitest.Decode[batches.Batch](t, crowd("/v1/batches", body, "one"))
	apitest.WantRefused(t, a.pay("/v1/batches", body+" ", key, "one"), problem.IdempotencyKeyReuse)
	a.untilCompleted(b.ID)
	again := apitest.Decode[batches.Batch](t, crowd("/v1/batches/"+b.ID+"/retry", "", "two"))
	if again.ID != b.ID || again.NumberRetried != 1 {
		t.Errorf("got %+v, want the retry of one item", again)
	}
	if done := a.untilCompleted(b.ID); done.NumberRetried != 1 {
		t.Errorf("got %+v, want one retry", done)
	}
	if n := a.Count(`select count(*) from batch`); n != 1 {
		t.Errorf("got %d batches, want one", n)
	}
	a.settled()
	a.WantBalance(a.team, 99_999, 0)
}
