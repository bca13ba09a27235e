package monitors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/monitors"
)

// Each refusal of a body names the field.
func TestCreationRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	many := func(n int, entry string) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }
	keys := make([]string, 51)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	for _, tt := range []struct{ name, body, says string }{
		{"no query", `{}`, "query"},
		{"an empty query", `{"query":" "}`, "query"},
		{"a long query", `{"query":"` + strings.Repeat("q", 2001) + `"}`, "query"},
		{"an unknown field", `{"query":"x","often":"yes"}`, "often"},
		{"another case", `{"Query":"x"}`, "query"},
		{"too often", `{"query":"x","frequency":"every 5 minutes"}`, "body.frequency"},
		{"no frequency", `{"query":"x","frequency":"whenever"}`, "body.frequency"},
		{"a long frequency", `{"query":"x","frequency":"every day at 9 and also at 10 and at 11 and at noon, too"}`, "frequency"},
		{"a number", `{"query":"x","frequency":7}`, "frequency"},
		{"an unknown event", `{"query":"x","notification":{"events":["gone"]}}`, "body.notification.events.0"},
		{"a channel", `{"query":"x","notification":{"channels":[{"target":"a@b.c"},{"target":"ann"}]}}`, "body.notification.channels.1.target"},
		{"many channels", `{"query":"x","notification":{"channels":[` + many(21, `{"target":"a@b.c"}`) + `]}}`, "notification.channels"},
		{"a field of a channel", `{"query":"x","notification":{"channels":[{"target":"a@b.c","to":1}]}}`, "to"},
		{"a webhook", `{"query":"x","webhook":{"url":"http://localhost"}}`, "body.webhook.url"},
		{"metadata", `{"query":"x","metadata":{"k":[]}}`, "body.metadata.k"},
		{"much metadata", `{"query":"x","metadata":{` + strings.Join(keys, ",") + `}}`, "body.metadata"},
		{"a schema", `{"query":"x","output_schema":{"type":"array"}}`, "body.output_schema"},
		{"no schema", `{"query":"x","output_schema":[1]}`, "output_schema"},
		{"a large schema", `{"query":"x","output_schema":{"type":"object","description":"` + strings.Repeat("d", 64<<10) + `"}}`, "body.output_schema"},
		{"a domain", `{"query":"x","source_policy":{"include_domains":["example.com","https://example.com/"]}}`, "body.source_policy.include_domains.1"},
		{"an empty entry", `{"query":"x","source_policy":{"exclude_urls":[""]}}`, "body.source_policy.exclude_urls.0"},
		{"an entry that is no text", `{"query":"x","source_policy":{"include_domains":["a.b\u0001"]}}`, "include_domains.0: must not contain control characters"},
		{"a long glob", `{"query":"x","source_policy":{"exclude_urls":["/` + strings.Repeat("a", 3000) + `"]}}`, "exclude_urls.0: must be a glob of 1 to 300 bytes"},
		{"a long domain", `{"query":"x","source_policy":{"exclude_domains":["` + strings.Repeat("a.", 1500) + `b"]}}`, "exclude_domains.0: must be a bare host"},
		{"many entries", `{"query":"x","source_policy":{"include_urls":[` + many(101, `"/a"`) + `]}}`, "source_policy.include_urls"},
		{"no JSON", `{`, "body"},
	} {
		w := p.send(http.MethodPost, "/v1/monitors", tt.body)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s: got %d %s, want 400 that names %s", tt.name, w.Code, w.Body, tt.says)
			continue
		}
		wantRefusal(t, w.Body.Bytes(), "")
	}
	if n := p.count(`select count(*) from monitor`); n != 0 {
		t.Errorf("got %d monitors, want none", n)
	}
}

// Invalid query parameters are refused.
func TestQueriesRefuse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.create(`{"query":"x"}`)
	one := "/v1/monitors/" + m.ID
	for _, uri := range []string{
		"/v1/monitors?status=gone", "/v1/monitors?include_deleted=yes", "/v1/monitors?limit=0", "/v1/monitors?cursor=x",
		one + "?include_total_count=2", one + "?include-diagram=false", one + "/events?limit=0", one + "/events?limit=101", one + "/events?limit=x",
		one + "/events?cursor=x", one + "/events?cursor=bi4w", one + "/events?count_only=false", one + "/runs?limit=101", one + "/runs?cursor=",
	} {
		if w := p.send(http.MethodGet, uri, ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want 400", uri, w.Code, w.Body)
		}
	}
	if w := p.send(http.MethodPost, "/v1/monitors?stream=no", `{"query":"x"}`); w.Code != http.StatusBadRequest {
		t.Errorf("stream=no: got %d, want 400", w.Code)
	}
}

// Creating a monitor or changing its channels asks each new mail address for consent, once. The monitor shows each
// consent, and its notification can be sent back as it was returned.
func TestMailConsent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	want := func(m monitors.Monitor, addresses ...string) {
		t.Helper()
		var got []string
		for _, c := range m.MailConsent {
			if got = append(got, c.Address); c.Status != "pending" || c.AskedAt == nil {
				t.Errorf("got %+v, want it asked", c)
			}
		}
		if !slices.Equal(got, addresses) {
			t.Errorf("got the consents of %v, want %v", got, addresses)
		}
	}
	made := p.create(`{"query":"x","notification":{"channels":[{"target":"A@b.c"}]}}`)
	want(made, "A@b.c")
	p.untilRuns(made.ID, 1)
	uri := "/v1/monitors/" + made.ID
	asked := func(n int) {
		t.Helper()
		if got := p.count(`select count(*) from event where type = 'consent.requested' and subject = $1`, made.ID); got != n {
			t.Errorf("got %d events that ask, want %d", got, n)
		}
	}
	for _, tt := range []struct {
		body      string
		addresses []string
		asked     int
	}{
		{`{"metadata":{"k":"v"}}`, []string{"A@b.c"}, 1},
		{`{"notification":{"channels":[{"target":"d@e.f"},{"target":"a@b.c"}]}}`, []string{"d@e.f", "a@b.c"}, 2},
		{`{"notification":{"channels":[{"target":"d@e.f"},{"target":"a@b.c"}]}}`, []string{"d@e.f", "a@b.c"}, 2},
		{`{"notification":{"channels":[]}}`, nil, 2},
	} {
		want(apitest.Decode[monitors.Monitor](t, p.send(http.MethodPost, uri, tt.body)), tt.addresses...)
		want(p.get(made.ID), tt.addresses...)
		asked(tt.asked)
	}
	other := p.create(`{"query":"y","notification":{"channels":[{"target":"d@e.f"}]}}`)
	list := apitest.Decode[monitors.List](t, p.send(http.MethodGet, "/v1/monitors", ""))
	want(*list.Monitors[0], "d@e.f")
	want(*list.Monitors[1])
	if other.ID != list.Monitors[0].ID {
		t.Errorf("got %s first, want %s", list.Monitors[0].ID, other.ID)
	}
	notification, err := json.Marshal(map[string]any{"notification": list.Monitors[0].Notification})
	if err != nil {
		t.Fatal(err)
	}
	p.untilRuns(other.ID, 1)
	want(apitest.Decode[monitors.Monitor](t, p.send(http.MethodPost, "/v1/monitors/"+other.ID, string(notification))), "d@e.f")
}

// All fields are returned. An update to "" clears a field.
func TestFields(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(`{"query":" the price ","frequency":"twice a day","source_policy":{"include_domains":["Example.com"],"exclude_urls":["/private/**"]},` +
		`"notification":{"events":["changed","failed"],"channels":[{"target":"a@b.c"}]},"webhook":{"url":"https://example.com/h"},` +
		`"metadata":{"a":1,"b":true},"output_schema":{"type":"object","properties":{"price":{"type":"number"}}}}`)
	if m.Query != "the price" || m.Object != "monitor" || m.SourcePolicy.IncludeDomains[0] != "example.com" || m.Schedule.Frequency != "twice a day" ||
		m.Schedule.Text == "" || !strings.HasPrefix(m.Agent.ID, "agent_") || m.Metadata["a"] != "1" || m.Metadata["b"] != "true" ||
		len(m.Notification.Events) != 2 || m.Notification.Channels[0].Type != "email" || !strings.Contains(string(m.OutputSchema), "price") {
		t.Errorf("got %+v", m)
	}
	uri := "/v1/monitors/" + m.ID
	changed := apitest.Decode[monitors.Monitor](t, p.send(http.MethodPost, uri,
		`{"frequency":"every day at 9am","metadata":{"a":"","c":"d"},"webhook":{"url":""},"notification":{"channels":[{"target":""}]}}`))
	if changed.Schedule.Cron != "0 9 * * *" || p.scheduler.of(m.ID) != "on 0 9 * * *" || changed.Webhook.URL != "" || len(changed.Notification.Channels) != 0 ||
		len(changed.Notification.Events) != 2 || len(changed.Metadata) != 2 || changed.Metadata["c"] != "d" {
		t.Errorf("got %+v with schedule %q", changed, p.scheduler.of(m.ID))
	}
	if at, err := time.Parse(time.RFC3339, *changed.Schedule.NextRunAt); err != nil || at.Format("15:04:05") != "09:00:07" || !at.After(time.Now()) {
		t.Errorf("got the next run at %s, want it when the schedule is due", *changed.Schedule.NextRunAt)
	}
	// Absent fields stay unchanged.
	if same := apitest.Decode[monitors.Monitor](t, p.send(http.MethodPost, uri, `{}`)); same.Schedule.Cron != "0 9 * * *" || len(same.Metadata) != 2 {
		t.Errorf("got %+v, want it as before", same)
	}
	for _, body := range []string{`{"query":"another"}`, `{"frequency":"every minute"}`, `{"webhook":{"url":"ftp://x"}}`, `{"metadata":{"[":"x"}}`} {
		if w := p.send(http.MethodPost, uri, body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", body, w.Code)
		}
	}
	bare := p.send(http.MethodGet, uri+"?include_total_count=0", "").Body.String()
	if strings.Contains(bare, "total_count") || strings.Contains(bare, "mermaid_diagram") {
		t.Errorf("got %s, want no count and no diagram", bare)
	}
	if drawn := p.send(http.MethodGet, uri+"?include-diagram=1", "").Body.String(); !strings.Contains(drawn, "mermaid_diagram") {
		t.Errorf("got %s, want a diagram", drawn)
	}
	planning := apitest.Decode[monitors.Planning](t, p.send(http.MethodGet, uri+"/planning", ""))
	if planning.Spec.Goal != "watch" || !planning.DAG.Validation.IsValid {
		t.Errorf("got %+v", planning)
	}
	count := p.send(http.MethodGet, uri+"/events?count_only=1", "").Body.String()
	if strings.TrimSpace(count) != `{"total_count":1}` {
		t.Errorf("got %s, want the count alone", count)
	}
}

// Before the plan exists, its fields have placeholder texts and empty lists: a list is never null.
func TestPlanningBeforeThePlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.create(`{"query":"the price","source_policy":{"exclude_urls":["/a"]},"output_schema":{"type":"object","properties":{"a":{"type":"string"}}}}`)
	w := p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/planning", "")
	got := apitest.Decode[monitors.Planning](t, w)
	if strings.Contains(w.Body.String(), "null") || got.Spec.Input.Query != "the price" || got.DAG.UserQuery != "the price" || got.Spec.Status != "provisioning" ||
		got.Spec.Input.SourcePolicy.ExcludeURLs[0] != "/a" || got.Spec.SavedAt.Unix() != m.Updated || len(got.Spec.Output.Schema) == 0 || got.DAG.Validation.IsValid {
		t.Errorf("got %s", w.Body)
	}
}

// Lists leave out deleted monitors, unless they are requested.
func TestList(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var ids []string
	for range 4 {
		ids = append(ids, p.create(`{"query":"x"}`).ID)
	}
	p.send(http.MethodDelete, "/v1/monitors/"+ids[1], "")
	for query, want := range map[string]int{
		"": 3, "?include_deleted=true": 4, "?include_deleted=0": 3, "?status=deleted": 1, "?status=provisioning": 3, "?status=active": 0, "?limit=2": 2,
	} {
		list := apitest.Decode[monitors.List](t, p.send(http.MethodGet, "/v1/monitors"+query, ""))
		if list.Count != want || len(list.Monitors) != want || (list.Cursor != nil) != (query == "?limit=2") {
			t.Errorf("%s: got %d of %d, cursor %v, want %d", query, list.Count, len(list.Monitors), list.Cursor, want)
		}
	}
	first := apitest.Decode[monitors.List](t, p.send(http.MethodGet, "/v1/monitors?limit=2", ""))
	rest := apitest.Decode[monitors.List](t, p.send(http.MethodGet, "/v1/monitors?limit=2&cursor="+*first.Cursor, ""))
	if first.Monitors[0].ID != ids[3] || rest.Count != 1 || rest.Monitors[0].ID != ids[0] {
		t.Errorf("got %v then %v, want the latest first", first, rest)
	}
}

// To another team, a monitor and everything of it does not exist.
func TestTeamsAreApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	events := apitest.Decode[monitors.EventList](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events", ""))
	other, unknown := p.newTeam(100), "monitor_"+strings.Repeat("0", 24)
	for _, a := range []action{
		{"", http.MethodGet, "", ""},
		{"", http.MethodGet, "/planning", ""},
		{"", http.MethodGet, "/events", ""},
		{"", http.MethodGet, "/events?count_only=1", ""},
		{"", http.MethodGet, "/events/" + events.Data[0].ID + "/diff", ""},
		{"", http.MethodGet, "/runs", ""},
		{"", http.MethodGet, "/runs/" + m.LastRun.ID, ""},
		{"", http.MethodGet, "/stream", ""},
		update, pause, resume, runNow, remove,
	} {
		theirs := p.Send(a.method, "/v1/monitors/"+m.ID+a.path, a.body, other.identity())
		none := p.Send(a.method, "/v1/monitors/"+unknown+a.path, a.body, other.identity())
		if theirs.Code != http.StatusNotFound || none.Code != http.StatusNotFound ||
			saidOf(t, theirs, m.ID) != saidOf(t, none, unknown) {
			t.Errorf("%s %s: got %d %s, and of none %d %s, want the same 404", a.method, a.path, theirs.Code, theirs.Body, none.Code, none.Body)
		}
	}
	if list := apitest.Decode[monitors.List](t, p.Send(http.MethodGet, "/v1/monitors", "", other.identity())); list.Count != 0 {
		t.Errorf("got %d monitors of another team", list.Count)
	}
	if got := p.get(m.ID); got.Status != monitors.StatusActive {
		t.Errorf("got %s, want it untouched", got.Status)
	}
}

// A team's number of monitors is limited, also for concurrent requests.
func TestMonitorsOfATeam(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *monitors.Config) { c.TeamMax = 2 })
	var mu sync.Mutex
	codes := map[int]int{}
	ids := []string{}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			w := p.send(http.MethodPost, "/v1/monitors", `{"query":"hold"}`)
			mu.Lock()
			defer mu.Unlock()
			if codes[w.Code]++; w.Code == http.StatusAccepted {
				ids = append(ids, decode[monitors.Monitor](t, w).ID)
			} else if !strings.Contains(w.Body.String(), "The limit of 2 monitors is reached. Delete one first.") {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if codes[http.StatusAccepted] != 2 || codes[http.StatusConflict] != 4 {
		t.Fatalf("got %v, want 2 made and 4 refused", codes)
	}
	p.send(http.MethodDelete, "/v1/monitors/"+ids[0], "")
	p.create(`{"query":"hold"}`)
}

// saidOf returns an error without what differs between any two errors: their ids, and the monitors that they name.
func saidOf(t *testing.T, w *httptest.ResponseRecorder, monitor string) string {
	t.Helper()
	var said map[string]any
	must(t, json.Unmarshal(w.Body.Bytes(), &said))
	delete(said, "id")
	delete(said, "created")
	text, err := json.Marshal(said)
	must(t, err)
	return strings.ReplaceAll(string(text), monitor, "")
}

// A list page ends when it becomes large. Following its cursor yields each monitor once.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	body := `{"query":"hold","output_schema":{"type":"object","description":"` + strings.Repeat("a", 60<<10) + `","properties":{"a":{"type":"string"}}}}`
	const all = 80
	for range all {
		p.create(body)
	}
	var sizes []int
	seen := map[string]bool{}
	for cursor := ""; ; {
		w := p.send(http.MethodGet, "/v1/monitors?limit=1000"+cursor, "")
		if w.Body.Len() > 6<<20 {
			t.Fatalf("got %d bytes", w.Body.Len())
		}
		list := apitest.Decode[monitors.List](t, w)
		sizes = append(sizes, list.Count)
		for _, m := range list.Monitors {
			seen[m.ID] = true
		}
		if list.Cursor == nil {
			break
		}
		cursor = "&cursor=" + *list.Cursor
	}
	if len(seen) != all || len(sizes) != 3 || sizes[0] < 30 {
		t.Errorf("got %d of %d in pages of %v, want them in three", len(seen), all, sizes)
	}
}
