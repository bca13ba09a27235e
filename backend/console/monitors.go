package console

import (
	"net/http"
	"net/url"
)

type monitorsPage struct {
	List []monitor
	All  bool // including deleted ones
}

func (c *Console) monitors(v *visit) error {
	page := &monitorsPage{All: v.r.URL.Query().Get("deleted") != ""}
	query := url.Values{}
	if page.All {
		query.Set("include_deleted", "true")
	}
	var list monitorList
	if err := v.get("/v1/monitors", query, &list); err != nil {
		return err
	}
	page.List = list.Monitors
	live := false
	for i := range page.List {
		live = live || page.List[i].Provisioning()
	}
	return v.showLive("monitors", "Monitors", live, page)
}

type monitorPage struct {
	*monitor

	Picture  *picture // nil: no plan that can be drawn
	Steps    []planStep
	Planning panel[planning]
	Events   panel[eventList]
	Runs     panel[runList]
	Schema   string
}

func (c *Console) monitor(v *visit) error {
	id, err := idOf(v, "id", "monitor")
	if err != nil {
		return err
	}
	page := &monitorPage{monitor: &monitor{}}
	path := "/v1/monitors/" + id
	if err := v.get(path, url.Values{"include-diagram": {"true"}}, page.monitor); err != nil {
		return err
	}
	p := &panels{v: v}
	// Runs are read before events, so that every run shown as ended also has its event.
	read(p, &page.Runs, path+"/runs", url.Values{"limit": {"10"}})
	if err := p.wait(); err != nil {
		return err
	}
	read(p, &page.Planning, path+"/planning", nil)
	read(p, &page.Events, path+"/events", listQuery(v.r.URL.Query().Get("cursor")))
	if err := p.wait(); err != nil {
		return err
	}
	page.plan(v)
	if len(page.OutputSchema) > 0 && string(page.OutputSchema) != "null" {
		page.Schema = clipped(prettyJSON(string(page.OutputSchema)), contentRunesMax)
	}
	live := page.Provisioning()
	for i := range page.Runs.Value.Data {
		live = live || page.Runs.Value.Data[i].UnderWay()
	}
	return v.showLive("monitor", "Monitor", live, page)
}

// plan draws the plan from its diagram, or from its graph if the diagram cannot be read.
func (p *monitorPage) plan(v *visit) {
	d, err := readDiagram(p.Diagram)
	if err != nil {
		if p.Diagram != "" {
			v.console.config.Logger.WarnContext(v.r.Context(), "a diagram cannot be drawn", "monitor", p.ID, "error", err)
		}
		if d, err = diagramOf(&p.Planning.Value.DAG.Graph); err != nil {
			return
		}
	}
	if p.Picture, err = draw(d); err == nil {
		p.Steps = d.steps()
	}
}

// UnderWay reports whether a run is in progress.
func (r *monitorRun) UnderWay() bool { return r.Status == "in_progress" }

// act performs the action of a button on a monitor.
func (c *Console) act(suffix, word string) func(*visit) error {
	return func(v *visit) error {
		id, err := idOf(v, "id", "monitor")
		if err != nil {
			return err
		}
		form, err := v.form()
		if err != nil {
			return err
		}
		once := form.Get("once")
		if once != "" && !isOnce(once) {
			return errForm
		}
		if _, err := v.call(call{method: http.MethodPost, path: "/v1/monitors/" + id + suffix, once: once}, nil); err != nil {
			return err
		}
		return v.to(Path + "/monitors/" + id + "?done=" + word)
	}
}

// Once makes one click of a button one run.
func (*monitorPage) Once() string { return onceToken() }

func (c *Console) confirmDelete(v *visit) error {
	id, err := idOf(v, "id", "monitor")
	if err != nil {
		return err
	}
	m := &monitor{}
	if err := v.get("/v1/monitors/"+id, url.Values{"include_total_count": {"true"}}, m); err != nil {
		return err
	}
	return v.show("delete", "Delete a monitor", m)
}

func (c *Console) deleteMonitor(v *visit) error {
	id, err := idOf(v, "id", "monitor")
	if err != nil {
		return err
	}
	if _, err := v.form(); err != nil {
		return err
	}
	if _, err := v.call(call{method: http.MethodDelete, path: "/v1/monitors/" + id}, nil); err != nil {
		return err
	}
	return v.to(Path + "/monitors?done=deleted")
}

type eventPage struct {
	Monitor *monitor
	Event   *monitorEvent // nil: not among the latest
	Diff    panel[diffAnswer]

	sides
}

// sides is a diff for display.
type sides struct {
	Rows    []sideBySide
	More    int
	Unified string
	Full    string // a link to the whole diff
}

func sidesOf(d *diffAnswer, full string) sides {
	s := sides{Full: full}
	s.Rows, s.More = rowsOf(d)
	s.Unified, _ = head(d.Unified, unifiedMax)
	return s
}

// monitorEvent shows a change, before and after side by side.
func (c *Console) monitorEvent(v *visit) error {
	id, err := idOf(v, "id", "monitor")
	if err != nil {
		return err
	}
	event, err := idOf(v, "event", "event")
	if err != nil {
		return err
	}
	page := &eventPage{Monitor: &monitor{}}
	path := "/v1/monitors/" + id
	if err := v.get(path, url.Values{"include_total_count": {"false"}}, page.Monitor); err != nil {
		return err
	}
	var events panel[eventList]
	p := &panels{v: v}
	read(p, &page.Diff, path+"/events/"+event+"/diff", nil)
	read(p, &events, path+"/events", url.Values{"limit": {"100"}})
	if err := p.wait(); err != nil {
		return err
	}
	for i := range events.Value.Data {
		if events.Value.Data[i].ID == event {
			page.Event = &events.Value.Data[i]
		}
	}
	page.sides = sidesOf(&page.Diff.Value, path+"/events/"+event+"/diff")
	return v.show("event", "What changed", page)
}

type runPage struct {
	sides

	MonitorID string
	Run       *monitorRun
}

func (c *Console) monitorRun(v *visit) error {
	id, err := idOf(v, "id", "monitor")
	if err != nil {
		return err
	}
	run, err := idOf(v, "run", "run")
	if err != nil {
		return err
	}
	page := &runPage{MonitorID: id, Run: &monitorRun{}}
	if err := v.get("/v1/monitors/"+id+"/runs/"+run, nil, page.Run); err != nil {
		return err
	}
	if page.Run.Diff != nil {
		page.sides = sidesOf(page.Run.Diff, "/v1/monitors/"+id+"/runs/"+run)
	}
	return v.showLive("run", "Run", page.Run.UnderWay(), page)
}

type schedulesPage struct {
	List []schedule
	All  bool
}

func (c *Console) schedules(v *visit) error {
	page := &schedulesPage{All: v.r.URL.Query().Get("deleted") != ""}
	query := url.Values{}
	if page.All {
		query.Set("include_deleted", "true")
	}
	var list scheduleList
	if err := v.get("/v1/schedules", query, &list); err != nil {
		return err
	}
	page.List = list.Schedules
	return v.show("schedules", "Schedules", page)
}
