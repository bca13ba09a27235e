package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	answerPrice                 = 20
	searchPrice                 = 5
	answerUnits money.MicroUSDC = 50_000
)

// answered holds the fields of an answer that tests check.
type answered struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Task    string `json:"task"`
	Credits int    `json:"credits_consumed"`
	Result  struct {
		JSON      string   `json:"json_content"`
		HostedURL string   `json:"json_hosted_url"`
		Sources   []string `json:"sources"`
		Citations []struct{ Field, URL, Quote string }
	} `json:"result"`
}

// askAbout returns a request body whose task names the page to read.
func askAbout(page string) string {
	return fmt.Sprintf(`{"task": "Who paints the ferry? Read %s and say.", "json_format": {"painter": "", "mascot": ""}}`, page)
}

// paysAnswer returns the headers of a payment for an answer.
func (w *wallet) paysAnswer(t *testing.T) []string {
	t.Helper()
	return w.payment(t, 1).altered(func(a *x402.Authorization) { a.Value = answerUnits }).headers(t)
}

const unanswered = `{"painter":"NOT_FOUND","mascot":"NOT_FOUND"}`

// TestAnswers buys answers with a key and with x402 through the edge: they have their price, are charged once, and
// reading them again is free.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, w := s.purse(t, 100), s.wallet(t)
	page := s.pages.fresh()
	body := askAbout(page)

	made := call{url: s.edge + "/v1/answers", body: body}.with(append(p.bearer(), "Idempotency-Key", "a1")...).do(t)
	made.wantStatus(t, http.StatusOK)
	var a answered
	made.json(t, &a)
	if a.Object != "answer" || a.Credits != answerPrice || made.header.Get("X-Credits-Used") != fmt.Sprint(answerPrice) || a.Result.JSON != unanswered {
		t.Errorf("got %s at %s, want an answer at %d", made.body, made.header.Get("X-Credits-Used"), answerPrice)
	}
	if n := s.pages.fetched(page); n != 1 {
		t.Errorf("the page that the task names was fetched %d times, want once", n)
	}
	_, path, _ := strings.Cut(a.Result.HostedURL, "//edge.example.test")
	hosted := call{method: http.MethodGet, url: s.edge + path}.do(t)
	if hosted.wantStatus(t, http.StatusOK); string(hosted.body) != a.Result.JSON {
		t.Errorf("hosted: got %s, want %s", hosted.body, a.Result.JSON)
	}
	again := call{url: s.edge + "/v1/answers", body: body}.with(append(p.bearer(), "Idempotency-Key", "a1")...).do(t)
	var same answered
	again.json(t, &same)
	if same.ID != a.ID || again.header.Get("X-Credits-Used") != "0" {
		t.Errorf("again: got %s at %s, want %s at 0", same.ID, again.header.Get("X-Credits-Used"), a.ID)
	}
	dry := call{url: s.edge + "/v1/answers?dry_run=true", body: body}.with(p.bearer()...).do(t)
	if dry.wantStatus(t, http.StatusOK); strings.TrimSpace(string(dry.body)) != `{"object":"quote","credits":20,"usd":0.02}` {
		t.Errorf("a dry run: got %s", dry.body)
	}
	// A page that cannot be read costs nothing.
	gone := call{url: s.edge + "/v1/answers", body: askAbout(s.pages.fresh() + "?hang")}.with(p.bearer()...).do(t)
	gone.refused(t, http.StatusBadGateway, "fetch_failed")
	p.wantSpent(t, answerPrice)

	challenge := call{url: s.edge + "/x402/v1/answers", body: body}.do(t)
	challenge.wantStatus(t, http.StatusPaymentRequired)
	var offer struct {
		Accepts []struct{ MaxAmountRequired string }
	}
	if challenge.json(t, &offer); len(offer.Accepts) == 0 || offer.Accepts[0].MaxAmountRequired != "50000" {
		t.Errorf("got the challenge %s, want 0.05 USD", challenge.body)
	}
	call{url: s.edge + "/x402/v1/answers", body: body}.with(w.good(t, 1)...).do(t).wantStatus(t, http.StatusPaymentRequired)
	payment := w.paysAnswer(t)
	paid := call{url: s.edge + "/x402/v1/answers", body: body}.with(payment...).do(t)
	paid.wantStatus(t, http.StatusOK)
	var bought answered
	if paid.json(t, &bought); bought.Credits != 0 || bought.Result.JSON != unanswered {
		t.Errorf("a wallet got %s, want an answer without credits", paid.body)
	}
	replay := call{url: s.edge + "/x402/v1/answers", body: body}.with(payment...).do(t)
	var replayed answered
	if replay.json(t, &replayed); replayed.ID != bought.ID {
		t.Errorf("the same payment got %s, want %s", replay.body, bought.ID)
	}
	free := call{method: http.MethodGet, url: s.edge + "/v1/answers/" + bought.ID}.do(t)
	var read answered
	if free.json(t, &read); free.status != http.StatusOK || read.Result.JSON != bought.Result.JSON {
		t.Errorf("without a key: got %d %s, want what was bought", free.status, free.body)
	}
	w.wantSpent(t, uint64(answerUnits))
}

// TestAnswersFromFiles shows that values from context files cite the file, and that other teams' files do not exist.
func TestAnswersFromFiles(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, other := s.purse(t, 100), s.purse(t, 100)
	values := creates(t, p, "/v1/files", `{"filename": "harbour.json", "purpose": "context"}`, "id", "upload_url")
	id := values[0]
	ask := func(who *purse) answer {
		body, err := json.Marshal(map[string]any{
			"task": "How many berths has Elmsworth harbour?", "json_format": map[string]any{"berths": 0}, "file_ids": []string{id},
		})
		if err != nil {
			t.Fatal(err)
		}
		return call{url: s.edge + "/v1/answers", body: string(body)}.with(who.bearer()...).do(t)
	}
	ask(p).refused(t, http.StatusBadRequest, "validation_error", "file_ids.0")
	target := s.edge + strings.TrimPrefix(values[1], "http://edge.example.test")
	call{method: http.MethodPut, url: target, body: `{"name": "Elmsworth harbour", "berths": 24}`}.do(t).wantStatus(t, http.StatusOK)
	creates(t, p, "/v1/files/"+id+"/complete", "", "id")
	got := ask(p)
	got.wantStatus(t, http.StatusOK)
	var a answered
	got.json(t, &a)
	if a.Result.JSON != `{"berths":24}` || len(a.Result.Citations) == 0 || a.Result.Citations[0].URL != "file:"+id || a.Result.Citations[0].Field != "/berths" {
		t.Errorf("got %s, want the value of the file", got.body)
	}
	ask(other).refused(t, http.StatusNotFound, "file_not_found", id)
	p.wantSpent(t, answerPrice)
	other.wantUntouched(t)
}
