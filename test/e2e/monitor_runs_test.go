package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const lampPage = `<!doctype html><html lang="en"><head><title>Lamp</title></head><body>
<header><a href="/">Lamps of Elm Street</a><nav><ul><li><a href="/shades">Shades</a></li><li><a href="/bulbs">Bulbs</a></li></ul></nav></header>
<main><h1>Lamp</h1><p class="price">Price: €%d.00</p><p>In stock</p>
<p>A lamp for the table, of brass and glass, as it has been made here for a hundred years and will be for another.</p>
<h2>Technical data</h2><table><tr><td>Height</td><td>48 cm</td></tr><tr><td>Weight</td><td>1.9 kg</td></tr><tr><td>Power</td><td>12 W</td></tr></table>
<h2>In the box</h2><ul><li>Lamp with its arm</li><li>Clamp for tables</li><li>Manual in four languages</li></ul></main>
<footer><p>Lamps of Elm Street, 12 Elm Street, Leeds LS1 4AB</p><p>Visitors today: %d</p><p>Call us: 0113 496 0112</p></footer></body></html>`

// watched holds the fields of a monitor that tests check.
type watched struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Tracked struct {
		Type string   `json:"type"`
		URLs []string `json:"urls"`
	} `json:"tracked"`
	LastRun *struct {
		ID, Status     string
		ChangeDetected bool `json:"change_detected"`
	} `json:"last_run"`
	PerMonth int64  `json:"estimated_credits_per_month"`
	Diagram  string `json:"mermaid_diagram"`
	Error    string `json:"error_message"`
}

// TestMonitorTellsOfAChange watches a page by a sentence. The monitor is planned and makes its baseline run; each further
// run is charged; and a change of the price becomes an event with the difference, whatever else changes on the page.
func TestMonitorTellsOfAChange(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner := s.purse(t, 50)
	page := s.pages.fresh()
	s.pages.say(page, fmt.Sprintf(lampPage, 49, 1))
	get := func(path string, into any) {
		t.Helper()
		got := call{method: http.MethodGet, url: s.edge + path}.with(owner.bearer()...).do(t)
		got.wantStatus(t, http.StatusOK)
		got.json(t, into)
	}
	var m watched
	got := call{url: s.edge + "/v1/monitors", body: fmt.Sprintf(`{"query": "Tell me when the price on %s changes", "frequency": "every day"}`, page)}.with(owner.bearer()...).do(t)
	got.wantStatus(t, http.StatusAccepted)
	got.json(t, &m)
	if m.Status != "provisioning" {
		t.Errorf("got %s", got.body)
	}
	path, runs := "/v1/monitors/"+m.ID, 0
	ran := func() {
		t.Helper()
		runs++
		eventually(t, "a run", func() error {
			var count struct {
				Total int `json:"total_count"`
			}
			get(path+"/events?count_only=true", &count)
			if get(path+"?include-diagram=true", &m); m.Status == "failed" || count.Total < runs {
				return fmt.Errorf("%d events of %d, %s %s", count.Total, runs, m.Status, m.Error)
			}
			return nil
		})
		if m.LastRun == nil || m.LastRun.Status != "completed" {
			t.Fatalf("got %+v", m)
		}
	}
	again := func() {
		t.Helper()
		call{url: s.edge + path + "/run"}.with(owner.bearer()...).do(t)
		ran()
	}
	ran()
	if m.Status != "active" || m.Tracked.Type != "urls" || len(m.Tracked.URLs) != 1 || m.Tracked.URLs[0] != page || m.PerMonth != 30 || m.LastRun.ChangeDetected {
		t.Errorf("got %+v", m)
	}
	if !strings.HasPrefix(m.Diagram, "flowchart TD\n") {
		t.Errorf("got %q", m.Diagram)
	}
	again() // nothing has changed
	s.pages.say(page, fmt.Sprintf(lampPage, 49, 2))
	again() // only noise has changed
	if m.LastRun.ChangeDetected {
		t.Error("a counter of visitors was taken for a change")
	}
	s.pages.say(page, fmt.Sprintf(lampPage, 39, 3))
	again()
	var events struct {
		Data []struct {
			ID, Summary string
			Changed     bool
			SnapshotURL string `json:"snapshot_url"`
		} `json:"data"`
	}
	get(path+"/events", &events)
	if len(events.Data) != 4 || !events.Data[0].Changed || events.Data[1].Changed || !strings.Contains(events.Data[0].Summary, "39") || events.Data[0].SnapshotURL == "" {
		t.Fatalf("got %+v", events)
	}
	var diff json.RawMessage
	get(path+"/events/"+events.Data[0].ID+"/diff", &diff)
	changes, other, _ := strings.Cut(string(diff), `"other"`)
	if !strings.Contains(changes, "39") || strings.Contains(changes, "Visitors") || !strings.Contains(other, "Visitors") || !strings.Contains(other, `"reason"`) {
		t.Errorf("got %s, want the price told, and the counter ignored with a reason", diff)
	}
	var run struct {
		Steps []struct{ Type, Status string } `json:"steps"`
	}
	if get(path+"/runs/"+m.LastRun.ID, &run); len(run.Steps) != 5 {
		t.Errorf("got %+v", run)
	}
	s.pages.wantFetched(t, page, 4+2*4) // four runs, plus four free fetches at the first run and four at the change
	owner.wantSpent(t, 4)
}
