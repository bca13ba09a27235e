package schedules_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/schedules"
)

type many struct {
	Schedules []schedules.Schedule `json:"schedules"`
	Count     int                  `json:"count"`
}

// A schedule is created, read, listed and deleted by its team. Other teams do not see it.
func TestSchedulesOverHTTP(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.makes(`{"method":"GET","endpoint":"/v1/files?limit=5","text":"each morning at 7","expression_timezone":"Europe/Berlin","schedule_name":"n","schedule_group":"g"}`)
	berlin, err := time.LoadLocation("Europe/Berlin")
	must(t, err)
	if made.Endpoint != "v1/files?limit=5" || made.Text != "every day at 07:00" || *made.CronExpression != "0 7 * * *" || string(made.Payload) != "{}" ||
		made.NextRunAt.In(berlin).Hour() != 7 || made.ScheduleName != "n" || made.ScheduleGroup != "g" || made.Method != "GET" || made.ExpressionTimezone != "Europe/Berlin" {
		t.Errorf("got %+v", made)
	}
	list := func(query, team string) many {
		return apitest.Decode[many](t, p.Send(http.MethodGet, "/v1/schedules"+query, "", p.as(team)))
	}
	other := p.newTeam(0)
	if got := list("", p.team); got.Count != 1 || got.Schedules[0].ScheduleID != made.ScheduleID {
		t.Errorf("got %+v", got)
	}
	if got := list("", other); got.Count != 0 || got.Schedules == nil {
		t.Errorf("another team got %+v", got)
	}
	path, nobodys := "/v1/schedules/"+made.ScheduleID, "/v1/schedules/schedule_"+strings.Repeat("0", len(made.ScheduleID)-len("schedule_"))
	if got := p.Send(http.MethodGet, path, "", p.as(p.team)).Body.String(); !strings.Contains(got, `"execute_at":null`) {
		t.Errorf("got %s, want an execute_at of null", got)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		apitest.WantRefused(t, p.Send(method, path, "", p.as(other)), problem.ScheduleNotFound)
		apitest.WantRefused(t, p.Send(method, nobodys, "", p.as(p.team)), problem.ScheduleNotFound)
	}
	for range 2 {
		gone := apitest.Decode[one](t, p.Send(http.MethodDelete, path, "", p.as(p.team))).Schedule
		if gone.State != schedules.StateDeleted || gone.NextRunAt != nil {
			t.Errorf("got %+v", gone)
		}
	}
	if got := list("", p.team); got.Count != 0 {
		t.Errorf("a deleted one is listed: %+v", got)
	}
	if got := list("?include_deleted=true", p.team); got.Count != 1 || got.Schedules[0].State != schedules.StateDeleted {
		t.Errorf("got %+v", got)
	}
	apitest.WantRefused(t, p.Send(http.MethodGet, "/v1/schedules?include_deleted=1", "", p.as(p.team)), problem.ValidationError, "include_deleted")
}

// The error names what is wrong with a request, and nothing is created.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *schedules.Config) { c.TeamMax = 1 })
	const scrape = `"method":"POST","endpoint":"v1/scrapes","payload":{"url_to_scrape":"https://example.com/"}`
	for body, part := range map[string]string{
		`{}`: "method",
		`{"method":"PUT","endpoint":"v1/scrapes","text":"hourly"}`:                                           "method",
		`{"method":"POST","endpoint":"","text":"hourly"}`:                                                    "endpoint",
		`{"method":"POST","endpoint":"v1/files","text":"hourly"}`:                                            "must be one of v1/scrapes",
		`{"method":"POST","endpoint":"v1/schedules","text":"hourly"}`:                                        "must be one of v1/scrapes",
		`{"method":"POST","endpoint":"v1/monitors/run","text":"hourly"}`:                                     "must be one of v1/scrapes",
		`{"method":"POST","endpoint":"x402/v1/scrapes","text":"hourly"}`:                                     "endpoint",
		`{"method":"POST","endpoint":"https://example.com/v1/scrapes","text":"hourly"}`:                      "endpoint",
		`{"method":"POST","endpoint":"v1/../user/keys","text":"hourly"}`:                                     "endpoint",
		`{"method":"POST","endpoint":"v1/scrapes?dry_run=true","text":"hourly"}`:                             "endpoint",
		`{"method":"GET","endpoint":"user/keys","text":"hourly"}`:                                            "endpoint",
		`{"method":"GET","endpoint":"v1/schedules","text":"hourly"}`:                                         "endpoint",
		`{"method":"GET","endpoint":"v1/nothing","text":"hourly"}`:                                           "endpoint",
		`{"method":"GET","endpoint":"v1/files","payload":{"a":1},"text":"hourly"}`:                           "payload",
		`{"method":"POST","endpoint":"v1/scrapes","payload":[],"text":"hourly"}`:                             "payload",
		`{"method":"POST","endpoint":"v1/scrapes","payload":{"url":"https://example.com/"},"text":"hourly"}`: "payload",
		`{"method":"POST","endpoint":"v1/scrapes","text":"hourly"}`:                                          "payload",
		`{` + scrape + `}`: "cron_expression",
		`{` + scrape + `,"text":"hourly","cron_expression":"0 * * * *"}`:                      "text",
		`{` + scrape + `,"text":"every 5 minutes"}`:                                           "text",
		`{` + scrape + `,"text":"when it rains"}`:                                             "text",
		`{` + scrape + `,"cron_expression":"0 25 * * *"}`:                                     "cron_expression",
		`{` + scrape + `,"cron_expression":"*/30 * * * * *"}`:                                 "cron_expression",
		`{` + scrape + `,"execute_at":"2020-01-01T00:00:00Z"}`:                                "execute_at",
		`{` + scrape + `,"execute_at":"tomorrow"}`:                                            "execute_at",
		`{` + scrape + `,"text":"hourly","expression_timezone":"Mars/Olympus"}`:               "expression_timezone",
		`{` + scrape + `,"text":"hourly","expression_timezone":"Local"}`:                      "expression_timezone",
		`{` + scrape + `,"text":"hourly","frequency":"hourly"}`:                               "frequency",
		`{` + scrape + `,"text":"hourly","schedule_name":"` + strings.Repeat("x", 201) + `"}`: "schedule_name",
	} {
		apitest.WantRefused(t, p.Send(http.MethodPost, "/v1/schedules", body, p.as(p.team)), problem.ValidationError, part)
	}
	for body, detail := range map[string]string{
		`{"method":"POST","endpoint":"v1/scrapes","payload":{},"text":"hourly"}`: "body.payload: the call would be refused: body.url_to_scrape: is required.",
		`{` + scrape + `,"execute_at":"tomorrow"}`:                               "body.execute_at: must be a time with its UTC offset, such as 2026-12-24T09:00:00Z.",
		`{"method":"GET","endpoint":"v1/nothing","text":"hourly"}`:               "must be a readable path below v1/, such as v1/crawls/{id}.",
	} {
		w := p.Send(http.MethodPost, "/v1/schedules", body, p.as(p.team))
		apitest.WantRefused(t, w, problem.ValidationError, detail)
		if strings.Contains(w.Body.String(), detail+".") {
			t.Errorf("%s: got %s, want one full stop", body, w.Body)
		}
	}
	p.hourly()
	apitest.WantRefused(t, p.Send(http.MethodPost, "/v1/schedules", `{`+scrape+`,"text":"hourly"}`, p.as(p.team)), problem.InvalidState, "Delete one first")
	var rows int
	must(t, p.pool.QueryRow(t.Context(), `select count(*) from schedule`).Scan(&rows))
	if rows != 1 {
		t.Errorf("%d schedules were made, want 1", rows)
	}
}

// The total size of a team's payloads is limited, which bounds lists. Payloads are deleted with their schedules.
func TestPayloadsTogether(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.answers(200)
	body := fmt.Sprintf(`{"method":"POST","endpoint":"v1/scrapes","payload":{"x":"%s"},"cron_expression":"0 * * * *"}`, strings.Repeat("a", 500<<10))
	var ids []string
	for range 32 {
		ids = append(ids, p.makes("%s", body).ScheduleID)
	}
	apitest.WantRefused(t, p.Send(http.MethodPost, "/v1/schedules", body, p.as(p.team)), problem.InvalidState, "16 MiB")
	p.until(p.reads(ids[0]).NextRunAt)
	p.claims(32, 32)
	rows, err := p.service.Take(t.Context())
	must(t, err)
	for _, id := range ids {
		if got := p.Send(http.MethodDelete, "/v1/schedules/"+id, "", p.as(p.team)); got.Code != http.StatusOK {
			t.Fatalf("got %d %s", got.Code, got.Body)
		}
	}
	must(t, p.service.Make(t.Context(), rows)) // its call had started, with its payload
	var left int
	must(t, p.pool.QueryRow(t.Context(), `select count(payload) from schedule`).Scan(&left))
	if left != 0 || len(rows) != 1 {
		t.Errorf("got %d payloads of deleted schedules after %d calls, want none after one", left, len(rows))
	}
	p.makes("%s", body)
}

// One request creates one schedule, however often it is sent.
func TestCreationIsOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const body = `{"method":"GET","endpoint":"v1/files","text":"hourly"}`
	id := p.as(p.team)
	first := apitest.Decode[one](t, p.Send(http.MethodPost, "/v1/schedules", body, id)).Schedule
	second := apitest.Decode[one](t, p.Send(http.MethodPost, "/v1/schedules", body, id)).Schedule
	if first.ScheduleID != second.ScheduleID {
		t.Errorf("got %s and %s", first.ScheduleID, second.ScheduleID)
	}
}

// A feature manages its own schedules in its own transactions. The API cannot delete them.
func TestManaged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var scheduler schedules.Scheduler = p.service
	hourly, err := frequency.Parse("every hour")
	must(t, err)
	daily, err := frequency.Parse("daily at noon")
	must(t, err)
	in := func(do func(tx pgx.Tx) error) {
		t.Helper()
		must(t, pgx.BeginFunc(t.Context(), p.pool, do))
	}
	var id string
	var due time.Time
	in(func(tx pgx.Tx) error {
		id, due, err = scheduler.Put(t.Context(), tx, p.team, "v1/monitors/monitor_1/run", "a name", "monitors", hourly)
		return err
	})
	if made := p.reads(id); !made.NextRunAt.Equal(due) || made.Endpoint != "v1/monitors/monitor_1/run" || made.Text != "every hour" || due.Sub(p.clock.Now()) > time.Hour {
		t.Errorf("got %+v, due at %s", made, due)
	}
	apitest.WantRefused(t, p.Send(http.MethodDelete, "/v1/schedules/"+id, "", p.as(p.team)), problem.InvalidState, "monitor")
	p.until(&due)
	p.claims(1, 1)
	in(func(tx pgx.Tx) error { return scheduler.Pause(t.Context(), tx, p.team, id) })
	p.works(0) // the waiting run is dropped
	in(func(tx pgx.Tx) error {
		due, err = scheduler.Replace(t.Context(), tx, p.team, id, daily)
		return err
	})
	if got := p.reads(id); !due.IsZero() || got.State != schedules.StateDisabled || got.NextRunAt != nil {
		t.Errorf("got %+v, due at %s", got, due)
	}
	in(func(tx pgx.Tx) error {
		due, err = scheduler.Resume(t.Context(), tx, p.team, id)
		return err
	})
	if due.Hour() != 12 || due.Minute() != 0 {
		t.Errorf("resumed for %s, want noon", due)
	}
	for range 2 {
		in(func(tx pgx.Tx) error { return scheduler.Remove(t.Context(), tx, p.team, id) })
	}
	if got := p.reads(id); got.State != schedules.StateDeleted {
		t.Errorf("got %+v", got)
	}
	p.clock.Advance(31 * 24 * time.Hour)
	if n, err := p.service.Purge(t.Context(), 10); err != nil || n != 1 {
		t.Errorf("%d were forgotten, %v", n, err)
	}
}

// No team waits behind another team's thousand runs: teams take turns.
func TestTurns(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *schedules.Config) { c.Slots = 2 })
	p.answers(200)
	var due *time.Time
	owns := func(team string, n int) {
		p.team = team
		for range n {
			due = p.makes(`{"method":"GET","endpoint":"v1/files","cron_expression":"0 * * * *"}`).NextRunAt
		}
	}
	greedy, modest := p.team, p.newTeam(0)
	owns(greedy, 9)
	owns(modest, 1)
	p.until(due)
	p.claims(10, 10)
	rows, err := p.service.Take(t.Context())
	must(t, err)
	if len(rows) != 2 || rows[0].TeamID == rows[1].TeamID {
		t.Errorf("got %s, want one of each team", fmt.Sprint(rows))
	}
}

// Only the top-level fields of a response are read, however it continues.
func FuzzReadFields(f *testing.F) {
	for _, seed := range []string{`{"id":"scrape_1","result":{"id":"x"}}`, `{"id":7,"code":"a"}`, `{"detail":"d","error":"e"`, `[]`, ``, `{"id":"a","id":"b"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, body []byte) { schedules.ReadFields(body) })
}
