package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// eventPage holds the fields of a page of events that tests check.
type eventPage struct {
	Data []struct {
		ID          string
		RunID       string `json:"run_id"`
		Status      string
		Changed     bool
		Summary     string
		SnapshotURL string `json:"snapshot_url"`
	}
	HasMore bool   `json:"has_more"`
	Next    string `json:"next_cursor"`
	Total   int    `json:"total_count"`
}

var eventForm = form{
	"id": idOf("event"), "object": oneOf("monitor.event"), "run_id": idOf("run"), "created": unixNow, "status": oneOf("completed"),
	"changed": aTruth, "summary": saying, "snapshot_url": saying,
}

// TestMonitorEvents shows that each run is an event that says whether it found a change. Pages list the latest first.
func TestMonitorEvents(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k, page := s.keeper(t), s.pages.fresh()
	s.pages.say(page, fmt.Sprintf(lampPage, 49, 1))
	path := k.until(k.makes(fmt.Sprintf(`{"query": "Tell me when the price on %s changes"}`, page)), 1)
	k.runs(path, 2)
	s.pages.say(page, fmt.Sprintf(lampPage, 39, 1))
	k.runs(path, 3)

	eventsForm := listForm(eventForm).with(form{"total_count": aWhole})
	var all eventPage
	got := k.get(path + "/events")
	got.is(t, eventsForm.check)
	if got.json(t, &all); len(all.Data) != 3 || all.HasMore || all.Total != 3 {
		t.Fatalf("got %s, want one of each run", got.body)
	}
	for i, changed := range []bool{true, false, false} {
		var run struct {
			Number  int
			Changed bool
		}
		k.get(path+"/runs/"+all.Data[i].RunID).json(t, &run)
		if run.Number != 3-i || all.Data[i].Changed != changed || run.Changed != changed {
			t.Errorf("event %d: got %+v of %+v, want the latest first, and changed %t", i, all.Data[i], run, changed)
		}
	}
	if !strings.Contains(all.Data[0].Summary, "39") {
		t.Errorf("got the summary %q, want what changed", all.Data[0].Summary)
	}
	snapshot := all.Data[0].SnapshotURL
	if _, signed, ok := strings.Cut(snapshot, "http://edge.example.test"); !ok {
		t.Errorf("got %s, want an address of this service", snapshot)
	} else if got := (call{method: http.MethodGet, url: s.edge + signed}).do(t); got.status != http.StatusOK || !strings.Contains(string(got.body), "39") {
		t.Errorf("%s: got %d %s, want what was read, without a key", snapshot, got.status, got.body)
	} else if got := (call{method: http.MethodGet, url: s.edge + strings.Split(signed, "?")[0]}).do(t); got.status == http.StatusOK {
		t.Errorf("%s: got it without its signature", snapshot)
	}

	var ids []string
	for next := "limit=2"; next != ""; {
		var part eventPage
		got := k.get(path + "/events?" + next)
		got.json(t, &part)
		for _, e := range part.Data {
			ids = append(ids, e.ID)
		}
		if next = ""; part.HasMore {
			got.is(t, eventsForm.with(form{"next_cursor": saying}).check)
			next = "limit=2&cursor=" + part.Next
		}
		if part.HasMore != (len(ids) == 2) || part.Total != 3 || (part.Next != "") != part.HasMore {
			t.Errorf("got %s, want more after the first page alone", got.body)
		}
	}
	if want := []string{all.Data[0].ID, all.Data[1].ID, all.Data[2].ID}; fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("got %v by pages, want %v", ids, want)
	}
	for query, want := range map[string]int{"limit=1": 1, "limit=100": 3} {
		var part eventPage
		if k.get(path+"/events?"+query).json(t, &part); len(part.Data) != want {
			t.Errorf("%s: got %d events, want %d", query, len(part.Data), want)
		}
	}
	for _, query := range []string{"count_only=1", "count_only=true"} {
		k.get(path+"/events?"+query).is(t, form{"total_count": aWhole}.check)
		k.same(k.get(path+"/events?"+query), "total_count", "3")
	}
	var m watched
	k.get(path).json(t, &m)
	if m.LastRun == nil || m.LastRun.ID != all.Data[0].RunID || !m.LastRun.ChangeDetected {
		t.Errorf("got the last run %+v, want that of the latest event", m.LastRun)
	}
}

// streamed is one event of a stream.
type streamed struct {
	kind string
	data answer
}

// streams creates a monitor and reads its whole stream.
func (k *keeper) streams(word, body string) (events []streamed) {
	k.t.Helper()
	got := k.ask(http.MethodPost, "?stream="+word, body)
	got.wantStatus(k.t, http.StatusOK)
	if kind := got.header.Get("Content-Type"); kind != "text/event-stream" {
		k.t.Errorf("stream=%s: got %s, want a stream", word, kind)
	}
	for block := range strings.SplitSeq(string(got.body), "\n\n") {
		var e streamed
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch name {
			case "event":
				e.kind = value
			case "data":
				e.data = answer{url: e.kind, body: []byte(value)}
			}
		}
		if e.kind != "" {
			events = append(events, e)
		}
	}
	if len(events) == 0 || events[len(events)-1].kind != "complete" {
		k.t.Fatalf("got %s, want it to end with complete", got.body)
	}
	return events
}

// TestMonitorStreamEvents shows the form of each stream event. A stream ends with the monitor, also after an error.
func TestMonitorStreamEvents(t *testing.T) {
	t.Parallel()
	s := setup(t)
	k := s.keeper(t)
	forms := map[string]form{
		"phase":           {"phase": oneOf("provisioning", "spec", "planning", "validating", "scheduling"), "message": saying, "at": aTime},
		"reasoning_token": {"token": saying},
		"error":           {"error": saying, "monitor_id": idOf("monitor")},
		"complete":        monitorForm.with(form{"output_schema": aNull, "last_run?": anObject}),
	}
	for _, tc := range []struct {
		name, word, query, phases string
		fails                     bool
	}{
		{"a plan", "1", "the price on " + s.pages.fresh(), "provisioning spec planning validating scheduling", false},
		{"no plan", "true", "watch http://127.0.0.1/admin", "provisioning spec planning", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := &keeper{k.purse, t}
			events := k.streams(tc.word, fmt.Sprintf(`{"query": %q}`, tc.query))
			var phases, reasoning []string
			errors := 0
			for i, e := range events {
				want, known := forms[e.kind]
				if !known {
					t.Fatalf("got an event %s, which nobody knows", e.kind)
				}
				if e.kind == "complete" && tc.fails {
					want = want.with(form{
						"status": oneOf("failed"), "error_message": saying, "schedule": anObject, "tracked": aNull, "estimated_credits_per_month": aNull,
					})
				}
				e.data.is(t, want.check)
				var said struct{ Phase, Token, Error string }
				e.data.json(t, &said)
				switch e.kind {
				case "phase":
					phases = append(phases, said.Phase)
				case "reasoning_token":
					reasoning = append(reasoning, said.Token)
				case "error":
					errors++
					k.same(events[len(events)-1].data, "error_message", fmt.Sprintf("%q", said.Error))
				case "complete":
					if i != len(events)-1 {
						t.Error("the stream goes on after complete")
					}
				}
			}
			if fmt.Sprint(phases) != "["+tc.phases+"]" || (len(reasoning) > 0) == tc.fails || (errors == 1) != tc.fails {
				t.Errorf("got phases %v, reasoning %q and %d errors, want %s and an error: %t", phases, reasoning, errors, tc.phases, tc.fails)
			}
			if !tc.fails {
				var m monitorObject
				events[len(events)-1].data.json(t, &m)
				var plan struct{ Spec struct{ Reasoning string } }
				if k.get("/"+m.ID+"/planning").json(t, &plan); strings.Join(reasoning, "") != plan.Spec.Reasoning {
					t.Errorf("got the reasoning %q, want that of the plan: %q", strings.Join(reasoning, ""), plan.Spec.Reasoning)
				}
			}
		})
	}
	refused := k.ask(http.MethodPost, "?stream=0", `{"query": "x"}`)
	refused.wantStatus(t, http.StatusBadRequest)
	var list struct{ Monitors []json.RawMessage }
	if k.get("?include_deleted=1").json(t, &list); len(list.Monitors) != 2 {
		t.Errorf("got %d monitors, want none of the stream that was refused", len(list.Monitors))
	}
}
