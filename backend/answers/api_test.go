package answers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
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

func (a *apiTest) key() edgewire.Identity {
	id := apitest.Team(a.team, "key_1")
	id.Max = price
	return id
}

func payment() edgewire.Identity { return apitest.Payment(uuid.NewString(), 50000) }

func wantAnswer(t testing.TB, w *httptest.ResponseRecorder, cost string) *answers.Answer {
	t.Helper()
	a := new(answers.Answer)
	if err := json.Unmarshal(w.Body.Bytes(), a); err != nil || w.Code != http.StatusOK || w.Header().Get(edgewire.CostHeader) != cost {
		t.Fatalf("got %d at %q, %.300s (%v), want an answer at %s", w.Code, w.Header().Get(edgewire.CostHeader), w.Body, err, cost)
	}
	return a
}

const asked = `{"task": "How many berths?", "json_format": {"berths": "", "operator": ""}, "metadata": {"order": 7}}`

// By key: the shape of an answer and its price. No edge charges for it here, so that a retry reports its price too.
func TestAnswersByKey(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.web.pages[pageURL(1)] = page("berths: 24 &amp; more")
	first := a.Send(http.MethodPost, "/v1/answers", asked, a.key(), "Idempotency-Key", "k1")
	made := wantAnswer(t, first, "20")
	if got, want := jsonOf(t, made), `{"berths":"24 & more","operator":"NOT_FOUND"}`; got != want || made.Result.Citations[0].Field != "/berths" {
		t.Errorf("got %s, want %s", got, want)
	}
	var shape map[string]any
	must(t, json.Unmarshal(first.Body.Bytes(), &shape))
	result, _ := shape["result"].(map[string]any)
	for _, field := range []string{"id", "object", "created", "metadata", "task", "result", "credits_consumed"} {
		if _, ok := shape[field]; !ok {
			t.Errorf("got %s, want %s in it", first.Body, field)
		}
	}
	hosted, _ := result["json_hosted_url"].(string)
	text, _ := result["json_content"].(string)
	var value any
	if json.Unmarshal([]byte(text), &value) != nil || value == nil || !reflect.DeepEqual(result["json"], value) {
		t.Errorf("got %v, want the object of json_content in json", result)
	}
	if !strings.HasPrefix(hosted, "https://api.example.com/content/") {
		t.Errorf("got %v, want content and its URL", result)
	}
	again := a.Send(http.MethodPost, "/v1/answers", asked, a.key(), "Idempotency-Key", "k1")
	if got := wantAnswer(t, again, "20"); got.ID != made.ID || again.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repetition got %s (%v), want %s", got.ID, again.Header(), made.ID)
	}
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", `{"task": "Another"}`, a.key(), "Idempotency-Key", "k1"), problem.IdempotencyKeyReuse)
	read := wantAnswer(t, a.Send(http.MethodGet, "/v1/answers/"+made.ID, "", apitest.Team(a.team, "key_2")), "0")
	if read.ID != made.ID || len(read.Result.Sources) != 1 || read.Result.Sources[0] != pageURL(1) {
		t.Errorf("got %+v, want it with its sources", read)
	}
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/answers/"+made.ID, "", apitest.Team(a.newTeam(), "key_3")), problem.AnswerNotFound)
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/answers/"+made.ID, "", apitest.Nobody("")), problem.InvalidAPIKey)
	short := a.key()
	short.Max = price - 1
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", asked, short), problem.CreditsExhausted)
	if queries, fetches := a.web.asked(); queries != 1 || fetches != 1 {
		t.Errorf("got %d queries and %d fetches, want 1 and 1", queries, fetches)
	}
}

// By x402: 0.05 USD. Anyone with the id can read the answer, and it belongs to no team.
func TestAnswersByWallet(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.web.pages[pageURL(1)] = page("berths: 24")
	paid := payment()
	made := wantAnswer(t, a.Send(http.MethodPost, "/x402/v1/answers", asked, paid), "50000")
	if made.CreditsConsumed != 0 || !strings.Contains(jsonOf(t, made), `"24"`) {
		t.Errorf("got %+v, want it without credits", made)
	}
	if again := wantAnswer(t, a.Send(http.MethodPost, "/x402/v1/answers", asked, paid), "50000"); again.ID != made.ID {
		t.Errorf("the same payment got %s, want %s", again.ID, made.ID)
	}
	apitest.WantRefused(t, a.Send(http.MethodPost, "/x402/v1/answers", `{"task": "Another"}`, paid), problem.InvalidState, "different request")
	if read := wantAnswer(t, a.Send(http.MethodGet, "/v1/answers/"+made.ID, "", apitest.Nobody("")), "0"); read.ID != made.ID || jsonOf(t, read) != jsonOf(t, made) {
		t.Errorf("nobody got %+v, want what the wallet made", read)
	}
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/answers/"+made.ID, "", a.key()), problem.AnswerNotFound)
	cheap := apitest.Payment(uuid.NewString(), 49999)
	apitest.WantRefused(t, a.Send(http.MethodPost, "/x402/v1/answers", asked, cheap), problem.CreditsExhausted)
}

func TestDryRuns(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for uri, want := range map[string]string{
		"/v1/answers?dry_run=true":      `{"object":"quote","credits":20,"usd":0.02}`,
		"/x402/v1/answers?dry_run=true": `{"object":"quote","credits":20,"usd":0.05}`,
	} {
		id := a.key()
		if strings.HasPrefix(uri, "/x402") {
			id = payment()
		}
		w := a.Send(http.MethodPost, uri, asked, id)
		if got := strings.TrimSpace(w.Body.String()); got != want || w.Header().Get(edgewire.CostHeader) != "0" {
			t.Errorf("%s: got %d %s, want %s", uri, w.Code, got, want)
		}
		apitest.WantRefused(t, a.Send(http.MethodPost, uri, `{"task":"x","json_format":7}`, id), problem.ValidationError, "json_format")
	}
	if queries, fetches := a.web.asked(); queries+fetches > 0 || len(a.states()) > 0 {
		t.Errorf("got %d queries, %d fetches and %v, want nothing done", queries, fetches, a.states())
	}
}

// json_format in its four forms.
func TestFormats(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.web.pages[pageURL(1)] = page("berths: 24", "result: It has 24 berths.", "name: Elmsworth")
	for body, want := range map[string]string{
		`{"task":"x"}`:                                          `{"result":"It has 24 berths."}`,
		`{"task":"x","json_format":null}`:                       `{"result":"It has 24 berths."}`,
		`{"task":"x","json_format":""}`:                         `{"result":"It has 24 berths."}`,
		`{"task":"x","json_format":"words"}`:                    `{"result":"It has 24 berths."}`,
		`{"task":"x","json_format":{"name":"","tides":"when"}}`: `{"name":"Elmsworth","tides":"NOT_FOUND"}`,
		`{"task":"x","json_format":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`: `{"name":"Elmsworth"}`,
	} {
		if got := jsonOf(t, wantAnswer(t, a.Send(http.MethodPost, "/v1/answers", body, a.key()), "20")); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for body, part := range map[string]string{
		``: "body", `[]`: "body", `{}`: "task", `{"task":""}`: "task", `{"task":7}`: "task", `{"task":null}`: "task",
		`{"task":"x","depth":1}`:                                         "depth",
		`{"task":"x","json_format":[]}`:                                  "json_format",
		`{"task":"x","json_format":true}`:                                "json_format",
		`{"task":"x","file_ids":"file_1"}`:                               "file_ids",
		`{"task":"x","file_ids":[7]}`:                                    "file_ids",
		`{"task":"` + strings.Repeat("x", answers.TaskCharsMax+1) + `"}`: "task",
	} {
		apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", body, a.key()), problem.ValidationError, part)
	}
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", `{"task":"x","file_ids":["file_1"]}`, a.key()), problem.FileNotFound, "file_1")
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", `{"task":"x","metadata":{"a":[]}}`, a.key()), problem.InvalidMetadata)
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/answers", `{"task":`, a.key()), problem.InvalidJSON)
}
