package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// policyForm is the form of a source policy. Lists that were not given are left out.
var policyForm = form{
	"include_urls?": listOf(saying), "exclude_urls?": listOf(saying), "include_domains?": listOf(saying), "exclude_domains?": listOf(saying),
}

// monitorForm is the form of a planned monitor in a list, without errors.
var monitorForm = form{
	"id": idOf("monitor"), "object": oneOf("monitor"), "query": saying, "source_policy": policyForm.check,
	"tracked": form{"type": oneOf("urls", "site", "web_query"), "urls": listOf(saying), "web_query": aText}.check,
	"schedule": form{
		"frequency": saying, "text": saying, "cron": saying, "timezone": oneOf("UTC"), "next_run_at": aTime,
	}.check,
	"notification": form{
		"events":   listOf(saying),
		"channels": listOf(form{"type": oneOf("email", "slack", "webhook"), "target": saying, "events": listOf(saying)}.check),
	}.check,
	"mail_consent?": listOf(form{"address": saying, "status": oneOf("pending"), "asked_at": aTime}.check),
	"webhook":       form{"url": aText}.check, "output_schema": anObject, "status": oneOf("active"), "error_message": aNull,
	"agent": form{"id": idOf("agent")}.check, "metadata": anObject, "estimated_credits_per_month": aWhole, "created": unixNow, "updated": unixNow,
}

var lastRunForm = form{"id": idOf("run"), "status": oneOf("completed"), "change_detected": aTruth, "ran_at": aTime}

// wholeForm is the form of a single monitor that is read.
var wholeForm = monitorForm.with(form{"last_run": lastRunForm.check, "total_count": aWhole})

// keeper is a team with monitors.
type keeper struct {
	*purse

	t *testing.T
}

func (s *stack) keeper(t *testing.T) *keeper {
	t.Helper()
	return &keeper{s.purse(t, 100), t}
}

// ask sends a request to the edge. The path is below /v1/monitors.
func (k *keeper) ask(method, path, body string) answer {
	k.t.Helper()
	return call{method: method, url: k.s.edge + "/v1/monitors" + path, body: body}.with(k.bearer()...).do(k.t)
}

// get requires success.
func (k *keeper) get(path string) answer {
	k.t.Helper()
	got := k.ask(http.MethodGet, path, "")
	got.wantStatus(k.t, http.StatusOK)
	return got
}

// makes creates a monitor.
func (k *keeper) makes(body string) answer {
	k.t.Helper()
	got := k.ask(http.MethodPost, "", body)
	got.wantStatus(k.t, http.StatusAccepted)
	return got
}

// until waits until a monitor has that many events or has failed. It returns its path.
func (k *keeper) until(made answer, events int) string {
	k.t.Helper()
	var m monitorObject
	made.json(k.t, &m)
	path := "/" + m.ID
	awaits(k.t, time.Minute, func(context.Context) (got monitorObject, err error) {
		k.get(path).json(k.t, &got)
		return got, nil
	}, func(m monitorObject) bool { return m.Status == "failed" || *m.Total >= events })
	return path
}

// runs starts a monitor, and waits until it has that many events.
func (k *keeper) runs(path string, events int) {
	k.t.Helper()
	k.ask(http.MethodPost, path+"/run", "").wantStatus(k.t, http.StatusOK)
	k.until(k.get(path), events)
}

// same checks a member of a response against JSON.
func (k *keeper) same(got answer, member, want string) {
	k.t.Helper()
	var object map[string]any
	got.json(k.t, &object)
	var value any
	if err := json.Unmarshal([]byte(want), &value); err != nil {
		k.t.Fatal(err)
	}
	if !reflect.DeepEqual(object[member], value) {
		k.t.Errorf("%s: got %v, want %s", member, object[member], want)
	}
}

// TestMonitorResource shows that all fields of a monitor come back as they were sent and with their types: in the
// response to its creation, in lists, and when it is read.
func TestMonitorResource(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k, page := s.keeper(t), s.pages.fresh()
	sent := map[string]string{
		"query":         fmt.Sprintf(`"the price on %s"`, page),
		"source_policy": `{"include_urls": ["/page/**"], "exclude_urls": ["/private/**"], "include_domains": ["127.0.0.77"], "exclude_domains": ["elsewhere.example"]}`,
		"notification":  `{"events": ["failed"], "channels": [{"target": "ann@example.com", "events": ["changed", "failed"]}, {"target": "bob@example.com"}]}`,
		"webhook":       `{"url": "https://hooks.example.com/monitors"}`,
		"metadata":      `{"shop": "lamps", "row": "seven"}`,
		"output_schema": `{"type": "object", "properties": {"title": {"type": "string"}}}`,
	}
	body := []string{`"frequency": "every day at 9am"`}
	for name, value := range sent {
		body = append(body, fmt.Sprintf("%q: %s", name, value))
	}
	sent["notification"] = `{"events": ["failed"], "channels": [
		{"type": "email", "target": "ann@example.com", "events": ["changed", "failed"]}, {"type": "email", "target": "bob@example.com", "events": []}]}`
	made := k.makes("{" + strings.Join(body, ", ") + "}")
	unplanned := monitorForm.with(form{
		"status": oneOf("provisioning"), "tracked": aNull, "estimated_credits_per_month": aNull,
		"schedule": form{"frequency": saying, "text": saying, "cron": saying, "timezone": oneOf("UTC"), "next_run_at": aNull}.check,
	})
	made.is(t, unplanned.check)
	path := k.until(made, 1)
	read, list := k.get(path), k.get("")
	read.is(t, wholeForm.check)
	list.is(t, listForm(monitorForm).with(form{"monitors": listOf(monitorForm.check), "count": aWhole}).check)
	for name, value := range sent {
		k.same(made, name, value)
		k.same(read, name, value)
	}
	k.same(read, "tracked", fmt.Sprintf(`{"type": "urls", "urls": [%q], "web_query": ""}`, page))
	var m struct {
		Schedule struct{ Frequency, Cron string }
		Created  int64
		Updated  int64
		Total    int `json:"total_count"`
	}
	if read.json(t, &m); m.Schedule.Frequency != "every day at 9am" || m.Schedule.Cron != "0 9 * * *" || m.Updated < m.Created || m.Total != 1 {
		t.Errorf("got %s", read.body)
	}
	k.get(path+"?include-diagram=1").is(t, wholeForm.with(form{"mermaid_diagram": saying}).check)
	var diagram struct {
		Text string `json:"mermaid_diagram"`
	}
	if k.get(path+"?include-diagram=true").json(t, &diagram); !strings.HasPrefix(diagram.Text, "flowchart TD\n") {
		t.Errorf("got the diagram %q, want a flowchart", diagram.Text)
	}

	failed := k.get(k.until(k.makes(`{"query": "watch http://127.0.0.1/admin"}`), 1))
	failed.is(t, unplanned.with(form{"status": oneOf("failed"), "error_message": saying, "total_count": aWhole, "output_schema": aNull}).check)
}

// TestMonitorSchedule shows that a monitor's schedule is created with it, is listed among the team's schedules, and is
// replaced when the frequency changes.
func TestMonitorSchedule(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k := s.keeper(t)
	path := k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s", "frequency": "every day at 9am"}`, s.pages.fresh())), 1)
	type schedule struct {
		Schedules []struct {
			ID       string `json:"schedule_id"`
			Endpoint string
			Cron     string `json:"cron_expression"`
			State    string
			Updated  string `json:"updated_at"`
		}
	}
	look := func() (got schedule) {
		answer := call{method: http.MethodGet, url: s.edge + "/v1/schedules"}.with(k.bearer()...).do(t)
		answer.wantStatus(t, http.StatusOK)
		scheduleForm := form{
			"team_id": idOf("team"), "schedule_id": idOf("schedule"), "type": oneOf("recurring"), "method": oneOf("POST"), "endpoint": saying,
			"payload": anObject, "cron_expression": saying, "execute_at": anything, "expression_timezone": oneOf("UTC"), "text": saying, "schedule_name": aText, "schedule_group": aText,
			"created_at": aTime, "updated_at": aTime, "state": oneOf("ENABLED", "DISABLED"), "next_run_at": anything, "last_run": anything,
		}
		answer.is(t, listForm(scheduleForm).with(form{"count": aWhole, "schedules": listOf(scheduleForm.check)}).check)
		if answer.json(t, &got); len(got.Schedules) != 1 {
			t.Fatalf("got %s, want the monitor's", answer.body)
		}
		return got
	}
	before := look().Schedules[0]
	if before.Endpoint != "v1/monitors"+path+"/run" || before.Cron != "0 9 * * *" || before.State != "ENABLED" {
		t.Errorf("got %+v, want the monitor's runs", before)
	}
	k.ask(http.MethodPost, path, `{"frequency": "every 2 hours"}`).wantStatus(t, http.StatusOK)
	if after := look().Schedules[0]; after.Cron != "0 */2 * * *" || after.State != "ENABLED" || after.Updated == before.Updated {
		t.Errorf("got %+v after %+v, want it anew", after, before)
	}
	k.ask(http.MethodPost, path+"/pause", "").wantStatus(t, http.StatusOK)
	if paused := look().Schedules[0]; paused.State != "DISABLED" {
		t.Errorf("got %+v, want it paused with its monitor", paused)
	}
}

// specForm and dagForm are the forms of a plan in any state.
var (
	specForm = form{
		"saved_at": aTime, "status": saying, "goal": aText, "reasoning": aText, "constraints": aText, "assumptions": aText,
		"input": anObject, "output": anObject, "chat_history": listOf(anObject),
	}
	dagForm = form{
		"user_query": saying, "query_intent_mode": aText, "query_intent_stream_change_type": aText, "scrape_strategy": aText,
		"subtasks": listOf(anObject), "graph": form{"nodes": listOf(anObject), "edges": listOf(anObject)}.check,
		"has_unresolved": aTruth, "unresolved": listOf(anObject),
		"validation": form{"is_valid": aTruth, "attempts": aWhole, "history": listOf(anObject)}.check,
	}
)

// TestMonitorPlanning shows that the planning of a monitor can be read, also if no plan is possible.
func TestMonitorPlanning(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k, page := s.keeper(t), s.pages.fresh()
	planning := form{"spec": specForm.check, "dag": dagForm.check}
	path := k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s"}`, page)), 1)
	got := k.get(path + "/planning")
	got.is(t, planning.with(form{
		"spec": specForm.with(form{"goal": saying, "reasoning": saying, "constraints": saying, "assumptions": saying}).check,
		"dag":  dagForm.with(form{"query_intent_mode": saying, "scrape_strategy": saying}).check,
	}).check)
	var p struct {
		Spec struct {
			Status string
			Input  struct{ Query string }
		}
		DAG struct {
			Query      string `json:"user_query"`
			Subtasks   []json.RawMessage
			Unresolved bool `json:"has_unresolved"`
			Validation struct {
				IsValid  bool `json:"is_valid"`
				Attempts int
				History  []json.RawMessage
			}
		}
	}
	got.json(t, &p)
	if v := p.DAG.Validation; p.Spec.Status != "ready" || p.Spec.Input.Query != "the price on "+page || p.DAG.Query != p.Spec.Input.Query ||
		len(p.DAG.Subtasks) == 0 || p.DAG.Unresolved || !v.IsValid || v.Attempts != len(v.History) || v.Attempts == 0 {
		t.Errorf("got %s", got.body)
	}
	got = k.get(k.until(k.makes(`{"query": "watch http://127.0.0.1/admin"}`), 1) + "/planning")
	got.is(t, planning.check)
	if got.json(t, &p); p.Spec.Status != "failed" || p.DAG.Validation.IsValid || !p.DAG.Unresolved {
		t.Errorf("got %s of what cannot be planned", got.body)
	}
}

// TestMonitorSourcePolicy shows that a source policy applies to planning and to runs, including targets of redirects.
func TestMonitorSourcePolicy(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, tc := range []struct{ name, policy, to string }{
		{"include_urls", `{"include_urls": ["/page/SERIAL"]}`, "/elsewhere"},
		{"exclude_urls", `{"exclude_urls": ["/elsewhere"]}`, "/elsewhere"},
		{"include_domains", `{"include_domains": ["127.0.0.77"]}`, "http://elsewhere.example/elsewhere"},
		{"exclude_domains", `{"exclude_domains": ["elsewhere.example"]}`, "http://elsewhere.example/elsewhere"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k, page := s.keeper(t), s.pages.fresh()
			host, serial, _ := strings.Cut(page, "/page/")
			policy := strings.ReplaceAll(tc.policy, "SERIAL", serial)
			watch := func(target string) string {
				return k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s", "source_policy": %s}`, target, policy)), 1)
			}
			plain := watch(page)
			var events eventPage
			if k.get(plain+"/events").json(t, &events); len(events.Data) != 1 || events.Data[0].Status != "completed" {
				t.Errorf("got %+v of what it allows", events)
			}
			outside := tc.to
			if strings.HasPrefix(outside, "/") {
				outside = host + tc.to
			}
			// There is no plan: nothing else is watched instead.
			var kept watched
			if k.get(watch(outside)).json(t, &kept); kept.Status != "failed" || len(kept.Tracked.URLs) > 0 || !strings.Contains(kept.Error, outside) {
				t.Errorf("got %+v of what it keeps out, want that it is not watched", kept)
			}
			var led eventPage
			if k.get(watch(page+"?to="+tc.to)+"/events").json(t, &led); len(led.Data) != 1 || led.Data[0].Status != "failed" ||
				!strings.Contains(led.Data[0].Summary, "source_policy") {
				t.Errorf("got %+v of what leads there, want that it is kept out", led)
			}
		})
	}
}
