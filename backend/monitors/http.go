package monitors

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	tag  = "Monitors"
	path = "/v1/monitors"
	one  = path + "/{monitor_id}"

	listLimitMax       = 1000
	eventsLimitMax     = 100
	eventsLimitDefault = 25

	eventStreamType = "text/event-stream"
	lastEventID     = "Last-Event-ID"
)

// isTrue and isFalse are the accepted spellings of true and false in a query.
var (
	isTrue  = []string{"true", "1"}
	isFalse = []string{"false", "0"}
)

type createInput struct {
	Body decode.Body[Request]

	stream bool
}

// Resolve reads the query parameters.
func (in *createInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	in.stream = q.Word("stream", isTrue...) != ""
	return q.Errors()
}

type monitorInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`
}

type getInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	wanted Wanted
}

// Resolve reads the query parameters.
func (in *getInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	count := q.Word("include_total_count", append(isTrue, isFalse...)...)
	in.wanted = Wanted{TotalCount: count != isFalse[0] && count != isFalse[1], Diagram: q.Word("include-diagram", isTrue...) != ""}
	return q.Errors()
}

type listInput struct{ selection Selection }

// Resolve reads the query parameters.
func (in *listInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	deleted := q.Word("include_deleted", append(isTrue, isFalse...)...)
	in.selection = Selection{
		Status: q.Word("status", statuses...), IncludeDeleted: deleted == isTrue[0] || deleted == isTrue[1],
		Cursor: q.Opaque("cursor"), Limit: q.Number("limit", 1, listLimitMax, listLimitMax),
	}
	return q.Errors()
}

type pageInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	cursor    string
	limit     int32
	countOnly bool
}

// Resolve reads the query parameters.
func (in *pageInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	in.cursor = q.Opaque("cursor")
	in.limit = q.Number("limit", 1, eventsLimitMax, eventsLimitDefault)
	in.countOnly = q.Word("count_only", isTrue...) != ""
	return q.Errors()
}

type updateInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	Body decode.Body[UpdateRequest]
}

type runInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	RunID string `path:"run_id" maxLength:"100" doc:"The run's id."`
}

type eventInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	EventID string `path:"event_id" maxLength:"100" doc:"The event's id."`
}

type streamInput struct {
	ID string `path:"monitor_id" maxLength:"100" doc:"The monitor's id."`

	after int64
}

// Resolve reads which event of the stream the client received last.
func (in *streamInput) Resolve(ctx huma.Context) []error {
	text := ctx.Header(lastEventID)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return []error{&huma.ErrorDetail{Location: "header." + lastEventID, Message: "must be the id of an event of this stream"}}
	}
	in.after = n
	return nil
}

// deleted has the fields of this API and those that clients of similar APIs expect.
type deleted struct {
	Monitor

	MonitorID string `json:"monitor_id" doc:"The same as id."`
	Message   string `json:"message"`
}

type (
	monitorOutput  struct{ Body *Monitor }
	deletedOutput  struct{ Body deleted }
	listOutput     struct{ Body *List }
	planningOutput struct{ Body *Planning }
	eventsOutput   struct{ Body eventsAnswer }
	diffOutput     struct{ Body *EventDiff }
	runsOutput     struct{ Body *RunList }
	runOutput      struct{ Body *Run }
)

// eventsAnswer is a page of events, or just their number.
type eventsAnswer struct {
	list  *EventList
	count int64
}

// countAnswer is the response to count_only.
type countAnswer struct {
	TotalCount int64 `json:"total_count" doc:"The number of events the monitor has ever had, including those that are no longer stored."`
}

// MarshalJSON writes the page or the number.
func (a eventsAnswer) MarshalJSON() ([]byte, error) {
	if a.list != nil {
		return json.Marshal(a.list)
	}
	return json.Marshal(countAnswer{a.count})
}

// Schema documents both.
func (eventsAnswer) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[EventList](), true, "EventList"),
		r.Schema(reflect.TypeFor[countAnswer](), true, "EventCount"),
	}}
}

// operation builds an operation with the parts that all routes share.
func operation(id, method, path, summary, description string, codes ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, Description: description,
		Metadata: principal.Keyed.Metadata(principal.MonitorErrors), Errors: append([]int{400, 401}, codes...),
	}
}

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	s.registerCreate(api)
	list := operation("listMonitors", http.MethodGet, path, "List monitors", "Deleted monitors are omitted unless requested.")
	list.Parameters = []*huma.Param{
		paging.WordParam("status", "Only return monitors with this status.", toAny(statuses)...),
		paging.WordParam("include_deleted", "Whether to include deleted monitors that are still stored.", "true", "1", "false", "0"),
		paging.NumberParam("limit", "The maximum number of monitors to return.", 1, listLimitMax, listLimitMax),
		paging.TextParam("cursor", "The cursor from the previous response. Omit it for the first page."),
	}
	huma.Register(api, list, s.list)
	get := operation("getMonitor", http.MethodGet, one, "Read a monitor", "", 404)
	get.Parameters = []*huma.Param{
		paging.WordParam("include_total_count", "Whether to include total_count. Default: true.", "true", "1", "false", "0"),
		paging.WordParam("include-diagram", "Whether to include the plan as a Mermaid flowchart.", "true", "1"),
	}
	huma.Register(api, get, s.get)
	huma.Register(api, operation("updateMonitor", http.MethodPost, one, "Update a monitor",
		"Updates the given fields. \"\" clears the webhook's url, a channel's target or a metadata key, and resets frequency to its default. "+
			"While the monitor is being provisioned, the request fails with a 409 and changes nothing.", 404, 409, 413), s.update)
	huma.Register(api, operation("pauseMonitor", http.MethodPost, one+"/pause", "Pause a monitor",
		"The monitor does not run until it is resumed. Pausing a paused monitor has no effect.", 404, 409), s.pause)
	huma.Register(api, operation("resumeMonitor", http.MethodPost, one+"/resume", "Resume a monitor",
		"Only a paused monitor can be resumed. A monitor without a plan is planned again.", 404, 409), s.resume)
	huma.Register(api, operation("deleteMonitor", http.MethodDelete, one, "Delete a monitor",
		"The monitor stops running. Its results can be read for as long as they are stored.", 404), s.deleteOne)
	huma.Register(api, operation("runMonitor", http.MethodPost, one+"/run", "Run a monitor now",
		"Returns the run, which continues in the background. If a run is already in progress, returns that run.", 404, 409), s.runNow)
	huma.Register(api, operation("getMonitorPlanning", http.MethodGet, one+"/planning", "Read a monitor's plan",
		"spec.status and dag.validation show the progress of planning.", 404), s.planning)
	s.registerLists(api)
}

func (s *Service) registerCreate(api huma.API) {
	create := operation("createMonitor", http.MethodPost, path, "Create a monitor",
		"Returns at once, while the monitor is provisioned: it is planned, scheduled and run for the first time. With stream=1, the response is "+
			"a stream of server-sent events instead: phase, reasoning_token, error, and finally complete, with the monitor. Provisioning continues "+
			"if the client disconnects. Each run is charged the cost of its operations.", 409, 413)
	create.DefaultStatus = http.StatusAccepted
	create.Parameters = []*huma.Param{paging.WordParam("stream", "Whether to return a stream of server-sent events.", "1", "true")}
	create.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Example: map[string]any{
		"query": "Tell me when the price of https://shop.example/kettle changes", "frequency": "every 2 hours",
		"notification": map[string]any{"channels": []any{map[string]any{"type": "email", "target": "ann@example.com"}}},
	}}}}
	monitor := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Monitor](), true, "Monitor")
	event := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[streamEvent](), true, "StreamEvent")
	create.Responses = map[string]*huma.Response{
		"202": {Description: "The monitor, which is being provisioned", Content: map[string]*huma.MediaType{"application/json": {Schema: monitor}}},
		"200": {Description: "The stream: events, each as the schema says", Content: map[string]*huma.MediaType{eventStreamType: {Schema: event}}},
	}
	huma.Register(api, create, s.create)
	follow := operation("streamMonitor", http.MethodGet, one+"/stream", "Stream a monitor's provisioning",
		"Returns the stream of creation with stream=1, from the start or after the event in "+lastEventID+". It is available for a day.", 404)
	follow.Responses = map[string]*huma.Response{
		"200": {Description: "The stream: events, each as the schema says", Content: map[string]*huma.MediaType{eventStreamType: {Schema: event}}},
	}
	huma.Register(api, follow, s.stream)
}

func (s *Service) registerLists(api huma.API) {
	pages := []*huma.Param{
		paging.NumberParam("limit", "The maximum number of items to return.", 1, eventsLimitMax, eventsLimitDefault),
		paging.TextParam("cursor", "The cursor from the previous response. Omit it for the first page."),
	}
	events := operation("listMonitorEvents", http.MethodGet, one+"/events", "List a monitor's events",
		"There is one event for each finished run. The latest is first. New events do not shift the pages.", 404)
	events.Parameters = append([]*huma.Param{paging.WordParam("count_only", "Whether to return only total_count.", "true", "1")}, pages...)
	huma.Register(api, events, s.events)
	huma.Register(api, operation("getMonitorEventDiff", http.MethodGet, one+"/events/{event_id}/diff", "Read an event's diff",
		"Returns the individual changes, and all of them as a unified diff.", 404), s.diff)
	runs := operation("listMonitorRuns", http.MethodGet, one+"/runs", "List a monitor's runs", "The latest run is first.", 404)
	runs.Parameters = pages
	huma.Register(api, runs, s.runs)
	huma.Register(api, operation("getMonitorRun", http.MethodGet, one+"/runs/{run_id}", "Read a run",
		"Includes the steps with their duration and cost, a link to the snapshot of what was read, and the changes.", 404), s.run)
}

func toAny(words []string) []any {
	out := make([]any, len(words))
	for i, word := range words {
		out[i] = word
	}
	return out
}

func (s *Service) create(ctx context.Context, in *createInput) (*huma.StreamResponse, error) {
	c := principal.From(ctx)
	m, err := s.Create(ctx, c, in.Body.Value, in.stream)
	if err != nil {
		return nil, err
	}
	if in.stream {
		return s.streamed(c, m.ID, 0), nil
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		hc.SetStatus(http.StatusAccepted)
		_ = huma.DefaultJSONFormat.Marshal(hc.BodyWriter(), m) // a client that misses the response can read the monitor later
	}}, nil
}

func (s *Service) stream(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
	c := principal.From(ctx)
	if _, err := s.row(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.streamed(c, in.ID, in.after), nil
}

// streamed is a response that streams progress.
func (s *Service) streamed(c *principal.Caller, id string, after int64) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", eventStreamType)
		hc.SetHeader("Cache-Control", "no-store")
		hc.SetHeader("X-Accel-Buffering", "no")
		hc.SetStatus(http.StatusOK)
		out, ctx := newStream(hc.BodyWriter()), hc.Context()
		err := s.follow(ctx, c, out, id, after)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.config.Logger.WarnContext(ctx, "a stream was interrupted", "monitor", id, "error", err)
		e := problem.From(err)
		if data, err := json.Marshal(refusal{Error: e.Detail, MonitorID: id}); err == nil {
			_ = out.send("", kindError, data)
		}
	}}
}

func answer(m *Monitor, err error) (*monitorOutput, error) {
	if err != nil {
		return nil, err
	}
	return &monitorOutput{m}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*monitorOutput, error) {
	return answer(s.Monitor(ctx, principal.From(ctx), in.ID, in.wanted))
}

func (s *Service) update(ctx context.Context, in *updateInput) (*monitorOutput, error) {
	return answer(s.Update(ctx, principal.From(ctx), in.ID, in.Body.Value))
}

func (s *Service) pause(ctx context.Context, in *monitorInput) (*monitorOutput, error) {
	return answer(s.Pause(ctx, principal.From(ctx), in.ID))
}

func (s *Service) resume(ctx context.Context, in *monitorInput) (*monitorOutput, error) {
	return answer(s.Resume(ctx, principal.From(ctx), in.ID))
}

func (s *Service) deleteOne(ctx context.Context, in *monitorInput) (*deletedOutput, error) {
	m, err := s.Delete(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &deletedOutput{deleted{Monitor: *m, MonitorID: m.ID, Message: "The monitor was deleted."}}, nil
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	list, err := s.List(ctx, principal.From(ctx), in.selection)
	if err != nil {
		return nil, err
	}
	return &listOutput{list}, nil
}

func (s *Service) planning(ctx context.Context, in *monitorInput) (*planningOutput, error) {
	p, err := s.Planning(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &planningOutput{p}, nil
}

func (s *Service) events(ctx context.Context, in *pageInput) (*eventsOutput, error) {
	if in.countOnly {
		n, err := s.EventCount(ctx, principal.From(ctx), in.ID)
		return &eventsOutput{eventsAnswer{count: n}}, err
	}
	list, err := s.Events(ctx, principal.From(ctx), in.ID, in.cursor, in.limit)
	if err != nil {
		return nil, err
	}
	return &eventsOutput{eventsAnswer{list: list}}, nil
}

func (s *Service) diff(ctx context.Context, in *eventInput) (*diffOutput, error) {
	d, err := s.EventDiff(ctx, principal.From(ctx), in.ID, in.EventID)
	if err != nil {
		return nil, err
	}
	return &diffOutput{d}, nil
}

func (s *Service) runs(ctx context.Context, in *pageInput) (*runsOutput, error) {
	list, err := s.ListRuns(ctx, principal.From(ctx), in.ID, in.cursor, in.limit)
	if err != nil {
		return nil, err
	}
	return &runsOutput{list}, nil
}

func (s *Service) run(ctx context.Context, in *runInput) (*runOutput, error) {
	r, err := s.Run(ctx, principal.From(ctx), in.ID, in.RunID)
	if err != nil {
		return nil, err
	}
	return &runOutput{r}, nil
}

func (s *Service) runNow(ctx context.Context, in *monitorInput) (*runOutput, error) {
	r, err := s.RunNow(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &runOutput{r}, nil
}
