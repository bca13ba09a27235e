package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// monitorRefusal checks that a response has the form of a monitor error, and that it names something.
func (a answer) monitorRefusal(t *testing.T, status int, id string, says string) {
	t.Helper()
	a.wantStatus(t, status)
	a.is(t, form{
		"error": saying, "monitor_id": oneOf(id), "id": idOf("error"), "object": oneOf("error"), "code": saying, "type": saying, "status": aWhole,
		"title": saying, "detail": saying, "created": aWhole, "metadata": anObject,
	}.check)
	if !strings.Contains(string(a.body), says) {
		t.Errorf("%s: got %s, want it to name %s", a.url, a.body, says)
	}
	a.wantPlainHeaders(t)
}

// wrongFields are invalid values of request fields. The refusal must name the field, which is before the colon.
var wrongFields = []string{
	`frequency: 7`, `frequency: "every 9 minutes"`, `frequency: "whenever it rains"`, `frequency: "` + strings.Repeat("daily ", 8) + `now"`,
	`notification: "changed"`, `notification.events: "changed"`, `notification.events: [7]`, `notification.events: ["gone"]`,
	`notification.channels: {}`, `notification.channels: ["ann@example.com"]`, `notification.channels[0].target: 7`,
	`notification.channels[0].target: "ann"`, `notification.channels[0].events: "changed"`, `notification.channels[0].events: ["gone"]`,
	`webhook: "https://hooks.example.com/"`, `webhook.url: 7`, `webhook.url: "ftp://hooks.example.com/"`, `webhook.url: "http://127.0.0.1/"`,
	`metadata: []`, `metadata: "x"`, `metadata.k: {}`, `nobody: 1`,
}

// wrongToMake are invalid values of fields that only creation has.
var wrongToMake = []string{
	`query: 7`, `query: ""`, `query: null`, `source_policy: "all"`, `source_policy.include_urls: "/a"`, `source_policy.include_urls: [7]`,
	`source_policy.exclude_urls: "/a"`, `source_policy.exclude_urls: [7]`, `source_policy.include_domains: "a.example"`,
	`source_policy.include_domains: ["https://a.example/"]`, `source_policy.exclude_domains: "a.example"`, `source_policy.exclude_domains: [7]`,
	`output_schema: "title"`, `output_schema: []`, `output_schema: {"type": "array"}`,
}

// bodyOf returns a body with one such field, and the others that the request needs.
func bodyOf(wrong, others string) (name, body string) {
	path, value, _ := strings.Cut(wrong, ": ")
	parts := strings.Split(path, ".")
	for _, part := range slices.Backward(parts) {
		if bare, isList := strings.CutSuffix(part, "[0]"); isList {
			target := ""
			if !strings.Contains(value, `"target"`) {
				target = `"target": "ann@example.com", `
			}
			value = fmt.Sprintf(`{%q: [{%s%s]}`, bare, target, strings.TrimPrefix(value, "{"))
			continue
		}
		value = fmt.Sprintf(`{%q: %s}`, part, value)
	}
	if others != "" && !strings.HasPrefix(path, "query") {
		value = `{` + others + `, ` + strings.TrimPrefix(value, "{")
	}
	return strings.TrimSuffix(parts[len(parts)-1], "[0]"), value
}

// TestMonitorFieldsAreRefused shows that a wrong type or value is refused by the field's name, and changes nothing.
func TestMonitorFieldsAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k := s.keeper(t)
	for _, wrong := range slices.Concat(wrongToMake, wrongFields) {
		name, body := bodyOf(wrong, `"query": "the price on http://a.example/"`)
		k.ask(http.MethodPost, "", body).monitorRefusal(t, http.StatusBadRequest, "", name)
	}
	k.same(k.get("?include_deleted=true"), "count", "0")

	path := k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s", "frequency": "every day", "metadata": {"k": "v"}}`, s.pages.fresh())), 1)
	before := k.get(path)
	for _, wrong := range append(slices.Clone(wrongFields), `query: "another"`) {
		name, body := bodyOf(wrong, `"metadata": {"other": "w"}`)
		if strings.HasPrefix(wrong, "metadata") {
			_, body = bodyOf(wrong, `"frequency": "every day"`)
		}
		k.ask(http.MethodPost, path, body).monitorRefusal(t, http.StatusBadRequest, path[1:], name)
	}
	if after := k.get(path); string(after.body) != string(before.body) {
		t.Errorf("got %s after what was refused, want %s", after.body, before.body)
	}
}

// TestMonitorFrequency checks the limits: ten minutes at least, fifty characters at most. Times are UTC.
func TestMonitorFrequency(t *testing.T) {
	t.Parallel()
	k := setup(t).keeper(t)
	for _, tc := range []struct{ frequency, cron string }{
		{"every 10 minutes", "*/10 * * * *"},
		{"every 9 minutes", ""},
		{"every 5 minutes", ""},
		{"every minute", ""},
		{"twice a day", "0 */12 * * *"},
		{"every weekday at 9am", "0 9 * * 1-5"},
		{"every day at 9am" + strings.Repeat(" ", 34), "0 9 * * *"},
		{"every day at 9am" + strings.Repeat(" ", 35), ""},
	} {
		body := fmt.Sprintf(`{"query": "x", "frequency": %q}`, tc.frequency)
		if tc.cron == "" {
			k.ask(http.MethodPost, "", body).monitorRefusal(t, http.StatusBadRequest, "", "frequency")
			continue
		}
		var m struct {
			Schedule struct{ Frequency, Cron, Timezone string }
		}
		if k.makes(body).json(t, &m); m.Schedule.Cron != tc.cron || m.Schedule.Frequency != tc.frequency || m.Schedule.Timezone != "UTC" {
			t.Errorf("%s: got %+v, want cron %s", tc.frequency, m.Schedule, tc.cron)
		}
	}
}

// TestMonitorUpdate shows that each field can be changed alone, that omitted fields stay, and that "" clears.
func TestMonitorUpdate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k := s.keeper(t)
	path := k.until(k.makes(fmt.Sprintf(`{
		"query": "the price on %s", "frequency": "every day at 9am", "webhook": {"url": "https://hooks.example.com/1"}, "metadata": {"a": "1", "b": "2"},
		"notification": {"channels": [{"target": "ann@example.com"}, {"target": "bob@example.com"}]}
	}`, s.pages.fresh())), 1)
	const ann = `{"type": "email", "target": "ann@example.com", "events": []}`
	all := map[string]string{
		"metadata": `{"a": "1", "b": "2"}`, "webhook": `{"url": "https://hooks.example.com/1"}`,
		"notification": `{"events": ["changed"], "channels": [` + ann + `, {"type": "email", "target": "bob@example.com", "events": []}]}`,
	}
	cron := "0 9 * * *"
	for _, tc := range []struct{ body, member, want string }{
		{`{}`, "", ""},
		{`{"frequency": "every 2 hours"}`, "frequency", "0 */2 * * *"},
		{`{"frequency": ""}`, "frequency", "0 * * * *"},
		{`{"metadata": {"c": "3", "a": "4"}}`, "metadata", `{"a": "4", "b": "2", "c": "3"}`},
		{`{"metadata": {"b": ""}}`, "metadata", `{"a": "4", "c": "3"}`},
		{`{"notification": {"events": ["completed", "failed"]}}`, "notification", `{"events": ["completed", "failed"], "channels": [` +
			ann + `, {"type": "email", "target": "bob@example.com", "events": []}]}`},
		{
			`{"notification": {"channels": [{"target": "ann@example.com"}, {"target": "eve@example.com", "events": ["failed"]}]}}`, "notification",
			`{"events": ["completed", "failed"], "channels": [` + ann + `, {"type": "email", "target": "eve@example.com", "events": ["failed"]}]}`,
		},
		{
			`{"notification": {"channels": [{"target": "ann@example.com"}, {"target": ""}]}}`, "notification",
			`{"events": ["completed", "failed"], "channels": [` + ann + `]}`,
		},
		{`{"webhook": {"url": "https://hooks.example.com/2"}}`, "webhook", `{"url": "https://hooks.example.com/2"}`},
		{`{"webhook": {"url": ""}}`, "webhook", `{"url": ""}`},
	} {
		if tc.member == "frequency" {
			cron = tc.want
		} else if tc.member != "" {
			all[tc.member] = tc.want
		}
		got := k.ask(http.MethodPost, path, tc.body)
		got.wantStatus(t, http.StatusOK)
		got.is(t, monitorForm.with(form{"output_schema": aNull, "last_run": lastRunForm.check, "total_count?": aWhole}).check)
		for _, answer := range []answer{got, k.get(path)} {
			for member, want := range all {
				k.same(answer, member, want)
			}
			var m struct{ Schedule struct{ Cron string } }
			if answer.json(t, &m); m.Schedule.Cron != cron {
				t.Errorf("%s: got cron %s, want %s", tc.body, m.Schedule.Cron, cron)
			}
		}
	}
	paused := k.ask(http.MethodPost, path+"/pause", "")
	paused.wantStatus(t, http.StatusOK)
	k.same(paused, "status", `"paused"`)
	k.same(k.get(path), "status", `"paused"`)
}

// TestMonitorQueries shows that query parameters accept both spellings of a boolean, and refuse other values.
func TestMonitorQueries(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k := s.keeper(t)
	first := k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s"}`, s.pages.fresh())), 1)
	gone := k.until(k.makes(fmt.Sprintf(`{"query": "the price on %s"}`, s.pages.fresh())), 1)
	k.ask(http.MethodDelete, gone, "").wantStatus(t, http.StatusOK)
	for query, want := range map[string][]string{
		"": {first}, "?include_deleted=false": {first}, "?include_deleted=true": {gone, first}, "?include_deleted=1": {gone, first},
	} {
		var list struct {
			Monitors []struct{ ID, Status string }
			Count    int
		}
		k.get(query).json(t, &list)
		var got []string
		for _, m := range list.Monitors {
			got = append(got, "/"+m.ID)
			if (m.Status == "deleted") != ("/"+m.ID == gone) {
				t.Errorf("list%s: got %+v", query, m)
			}
		}
		if !slices.Equal(got, want) || list.Count != len(want) {
			t.Errorf("list%s: got %d: %v, want %v", query, list.Count, got, want)
		}
	}
	for query, want := range map[string]string{
		"": "count", "?include_total_count=true": "count", "?include_total_count=1": "count", "?include_total_count=false": "", "?include_total_count=0": "",
		"?include-diagram=true": "count diagram", "?include-diagram=1": "count diagram", "?include-diagram=1&include_total_count=0": "diagram",
	} {
		var m map[string]json.RawMessage
		k.get(first+query).json(t, &m)
		var got []string
		if _, ok := m["total_count"]; ok {
			got = append(got, "count")
		}
		if _, ok := m["mermaid_diagram"]; ok {
			got = append(got, "diagram")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("get%s: got %q, want %q", query, got, want)
		}
	}
	for query, id := range map[string]string{
		"?include_deleted=yes": "", "?status=gone": "", first + "?include_total_count=2": first, first + "?include_total_count=no": first,
		first + "?include-diagram=false": first, first + "?include-diagram=0": first, first + "/events?limit=0": first, first + "/events?limit=101": first,
		first + "/events?limit=-1": first, first + "/events?limit=x": first, first + "/events?cursor=x": first, first + "/events?count_only=0": first,
		first + "/events?count_only=false": first,
	} {
		_, name, _ := strings.Cut(query, "?")
		name, _, _ = strings.Cut(name, "=")
		k.ask(http.MethodGet, query, "").monitorRefusal(t, http.StatusBadRequest, strings.TrimPrefix(id, "/"), name)
	}
}

// TestMonitorErrorForm shows that errors on every route have the monitor error form, with whatever id was requested.
func TestMonitorErrorForm(t *testing.T) {
	t.Parallel()
	k := setup(t).keeper(t)
	for _, id := range []string{"monitor_" + strings.Repeat("0", 24), "schedule_" + strings.Repeat("0", 24), strings.Repeat("0", 24)} {
		for _, route := range []string{
			"GET ", "POST ", "DELETE ", "POST /pause", "POST /resume", "POST /run", "GET /planning", "GET /events", "GET /events?count_only=1", "GET /stream",
			"GET /runs", "GET /runs/run_" + strings.Repeat("0", 24), "GET /events/event_" + strings.Repeat("0", 24) + "/diff",
		} {
			method, rest, _ := strings.Cut(route, " ")
			body := ""
			if route == "POST " {
				body = `{"metadata": {"k": "v"}}`
			}
			k.ask(method, "/"+id+rest, body).monitorRefusal(t, http.StatusNotFound, id, "")
		}
	}
	k.ask(http.MethodPost, "", `{}`).monitorRefusal(t, http.StatusBadRequest, "", "query")
	k.ask(http.MethodPost, "", `{`).monitorRefusal(t, http.StatusBadRequest, "", "")
	k.ask(http.MethodGet, "?limit=0", "").monitorRefusal(t, http.StatusBadRequest, "", "limit")
}
