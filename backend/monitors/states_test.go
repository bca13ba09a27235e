package monitors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/monitors"
)

// in creates a monitor in a state.
func (p *place) in(status monitors.Status) monitors.Monitor {
	p.t.Helper()
	switch status {
	case monitors.StatusProvisioning:
		return p.create(`{"query":"hold"}`)
	case monitors.StatusFailed:
		m := p.create(`{"query":"impossible"}`)
		p.untilStatus(m.ID, status)
		return p.get(m.ID)
	case monitors.StatusActive, monitors.StatusPaused, monitors.StatusDeleted:
	}
	m := p.active(`{"query":"the price of https://example.com/"}`)
	switch status {
	case monitors.StatusPaused:
		p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/pause", "")
	case monitors.StatusDeleted:
		p.send(http.MethodDelete, "/v1/monitors/"+m.ID, "")
	case monitors.StatusActive, monitors.StatusProvisioning, monitors.StatusFailed:
	}
	return p.get(m.ID)
}

// action is a request that changes a monitor.
type action struct{ name, method, path, body string }

var (
	update = action{"update", http.MethodPost, "", `{"metadata":{"k":"v"}}`}
	pause  = action{"pause", http.MethodPost, "/pause", ""}
	resume = action{"resume", http.MethodPost, "/resume", ""}
	remove = action{"delete", http.MethodDelete, "", ""}
	runNow = action{"run", http.MethodPost, "/run", ""}
)

// Every transition, valid or not: its status code and its effect on the schedule.
func TestTransitions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	t.Cleanup(p.planner.release)
	const (
		provisioning = monitors.StatusProvisioning
		active       = monitors.StatusActive
		paused       = monitors.StatusPaused
		failed       = monitors.StatusFailed
		deleted      = monitors.StatusDeleted

		none, on, off = "", "on", "off"
	)
	for _, tt := range []struct {
		from     monitors.Status
		do       action
		code     int
		to       monitors.Status
		schedule string
	}{
		{provisioning, update, 409, provisioning, none},
		{provisioning, pause, 409, provisioning, none},
		{provisioning, resume, 409, provisioning, none},
		{provisioning, runNow, 409, provisioning, none},
		{provisioning, remove, 200, deleted, none},

		{active, update, 200, active, on},
		{active, pause, 200, paused, off},
		{active, resume, 400, active, on},
		{active, runNow, 200, active, on},
		{active, remove, 200, deleted, none},

		{paused, update, 200, paused, off},
		{paused, pause, 200, paused, off},
		{paused, resume, 200, active, on},
		{paused, runNow, 400, paused, off},
		{paused, remove, 200, deleted, none},

		{failed, update, 200, failed, none},
		{failed, pause, 200, paused, none},
		{failed, resume, 400, failed, none},
		{failed, runNow, 400, failed, none},
		{failed, remove, 200, deleted, none},

		{deleted, update, 404, deleted, none},
		{deleted, pause, 404, deleted, none},
		{deleted, resume, 404, deleted, none},
		{deleted, runNow, 404, deleted, none},
		{deleted, remove, 404, deleted, none},
	} {
		t.Run(string(tt.from)+" "+tt.do.name, func(t *testing.T) {
			m := p.in(tt.from)
			w := p.send(tt.do.method, "/v1/monitors/"+m.ID+tt.do.path, tt.do.body)
			if w.Code != tt.code {
				t.Fatalf("got %d %s, want %d", w.Code, w.Body, tt.code)
			}
			after := p.get(m.ID)
			if after.Status != tt.to {
				t.Errorf("got %s, want %s", after.Status, tt.to)
			}
			if got, _, _ := strings.Cut(p.scheduler.of(m.ID), " "); got != tt.schedule {
				t.Errorf("got its schedule %q, want %q", got, tt.schedule)
			}
			if (after.ErrorMessage != nil) != (tt.to == failed) || (after.Schedule.NextRunAt != nil) != (tt.to == active) {
				t.Errorf("got message %v and next run %v of one that is %s", after.ErrorMessage, after.Schedule.NextRunAt, tt.to)
			}
			if tt.do.name == remove.name && tt.code == http.StatusOK {
				for _, field := range []string{`"id":"` + m.ID, `"status":"deleted"`, `"monitor_id":"` + m.ID, `"message":"The monitor was deleted."`} {
					if !strings.Contains(w.Body.String(), field) {
						t.Errorf("got %s, want %s in it", w.Body, field)
					}
				}
			}
			if tt.code >= http.StatusBadRequest {
				wantRefusal(t, w.Body.Bytes(), m.ID)
				if after.Metadata["k"] != "" {
					t.Error("what was refused has changed something")
				}
			}
		})
	}
}

// wantRefusal checks the form of a monitor's error: two fields of its own, and those of the standard error.
func wantRefusal(t *testing.T, body []byte, id string) {
	t.Helper()
	var got map[string]any
	must(t, json.Unmarshal(body, &got))
	if said, _ := got["error"].(string); len(got) != 11 || said == "" || got["detail"] != said || got["object"] != "error" || got["monitor_id"] != id {
		t.Errorf("got %s, want error and monitor_id %q beside the fields of an error", body, id)
	}
}

// A paused monitor without a plan is planned again when it is resumed.
func TestResumeWithoutAPlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.in(monitors.StatusFailed)
	if *m.ErrorMessage != "It cannot be done." {
		t.Errorf("got %q, want what the planner said", *m.ErrorMessage)
	}
	p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/pause", "")
	w := p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/resume", "")
	if got := decode[monitors.Monitor](t, w); w.Code != http.StatusOK || got.Status != monitors.StatusProvisioning {
		t.Fatalf("got %d %s, want it provisioning", w.Code, w.Body)
	}
	p.untilStatus(m.ID, monitors.StatusFailed) // planning fails as before
	if n := p.count(`select count(*) from event where type = 'monitor.failed'`); n != 0 {
		t.Errorf("got %d events for nobody, want none", n)
	}
}

// Updates during provisioning are either done completely or refused; none is lost.
func TestUpdatesRaceProvisioning(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.create(`{"query":"hold"}`)
	const updates = 50
	codes := make([]int, updates)
	var all sync.WaitGroup
	for i := range updates {
		if i == updates/2 {
			all.Go(p.planner.release)
		}
		all.Go(func() {
			body := fmt.Sprintf(`{"metadata":{"a%d":"1","b%d":"1"},"webhook":{"url":"https://example.com/%d"}}`, i%20, i%20, i)
			for codes[i] == 0 || codes[i] == http.StatusConflict && i%2 == 1 { // half of them retry until accepted
				w := p.send(http.MethodPost, "/v1/monitors/"+m.ID, body)
				if codes[i] = w.Code; w.Code == http.StatusConflict {
					wantRefusal(t, w.Body.Bytes(), m.ID)
				}
			}
		})
	}
	all.Wait()
	p.planner.release()
	p.untilStatus(m.ID, monitors.StatusActive)
	if w := p.send(http.MethodPost, "/v1/monitors/"+m.ID, `{"metadata":{"last":"1"}}`); w.Code != http.StatusOK {
		t.Errorf("afterwards: got %d %s, want it taken", w.Code, w.Body)
	}
	got := p.get(m.ID)
	want, taken := map[string]bool{"last": true}, map[string]bool{}
	for i, code := range codes {
		switch code {
		case http.StatusOK:
			want[fmt.Sprintf("a%d", i%20)], want[fmt.Sprintf("b%d", i%20)] = true, true
			taken[fmt.Sprintf("https://example.com/%d", i)] = true
		case http.StatusConflict:
		default:
			t.Errorf("update %d: got %d, want 200 or 409", i, code)
		}
	}
	t.Logf("%d of %d updates were taken", len(taken), updates)
	for key := range want {
		if got.Metadata[key] != "1" {
			t.Errorf("the update of %s was taken and is lost", key)
		}
	}
	if len(got.Metadata) != len(want) || (got.Webhook.URL != "") != (len(taken) > 0) || got.Webhook.URL != "" && !taken[got.Webhook.URL] {
		t.Errorf("got %v and webhook %q, want what was taken and nothing else", got.Metadata, got.Webhook.URL)
	}
}
