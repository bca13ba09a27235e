package monitors

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	eventObject = "monitor.event"
	utc         = "UTC"
)

// monitor is the resource, without the parts that other rows hold.
func (s *Service) monitor(m *db.Monitor) (*Monitor, error) {
	out := &Monitor{
		ID: m.ID, Object: idPrefix, Query: m.Query, OutputSchema: m.OutputSchema, Status: Status(m.Status), ErrorMessage: m.ErrorMessage,
		Schedule: Schedule{Frequency: m.Frequency, Text: m.ScheduleText, Cron: m.Cron, Timezone: utc},
		Agent:    Agent{ID: m.AgentID}, Metadata: map[string]string{}, Created: m.CreatedAt.Unix(), Updated: m.UpdatedAt.Unix(),
	}
	if m.Webhook != nil {
		out.Webhook.URL = *m.Webhook
	}
	n, err := notificationOf(m)
	if err != nil {
		return nil, err
	}
	out.Notification = *n
	err = errors.Join(json.Unmarshal(m.SourcePolicy, &out.SourcePolicy), json.Unmarshal(m.Metadata, &out.Metadata))
	if err != nil {
		return nil, fmt.Errorf("reading monitor %s: %w", m.ID, err)
	}
	cron, err := frequency.Cached(m.Cron)
	if err != nil {
		return nil, fmt.Errorf("reading the cron of %s: %w", m.ID, err)
	}
	if Status(m.Status) == StatusActive {
		offset := time.Duration(m.OffsetSeconds) * time.Second
		next := stamp(cron.Next(s.config.Now().Add(-offset), time.UTC).Add(offset))
		out.Schedule.NextRunAt = &next
	}
	out.CreditsPerMonth = perMonth(m.CreditsRun, cron, s.config.Now())
	if p, err := planOf(m); err != nil {
		return nil, err
	} else if m.Planned {
		out.Tracked = &p.Tracked
	}
	return out, nil
}

// planOf is a monitor's plan; the zero plan if it has none.
func planOf(m *db.Monitor) (plan.Plan, error) {
	var p plan.Plan
	if len(m.Plan) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(m.Plan, &p); err != nil {
		return p, fmt.Errorf("reading the plan of %s: %w", m.ID, err)
	}
	return p, nil
}

// whole is a monitor with its last run.
func (s *Service) whole(ctx context.Context, row *db.Monitor) (*Monitor, error) {
	m, err := s.monitor(row)
	if err == nil {
		err = s.addConsents(ctx, s.config.Pool, row.TeamID, m)
	}
	if err != nil {
		return nil, problem.Internal(err)
	}
	last, err := s.queries.LastMonitorRun(ctx, row.ID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return m, nil
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading the last run of %s: %w", row.ID, err))
	}
	m.LastRun = &LastRun{ID: last.ID, Status: RunStatus(last.Status), ChangeDetected: last.Changed, RanAt: stamp(*last.EndedAt)}
	return m, nil
}

// Wanted says which optional parts of a monitor are requested.
type Wanted struct {
	TotalCount, Diagram bool
}

// Monitor returns a monitor of c's team, even a deleted one.
func (s *Service) Monitor(ctx context.Context, c *principal.Caller, id string, w Wanted) (*Monitor, error) {
	row, err := s.row(ctx, c, id)
	if err != nil {
		return nil, err
	}
	m, err := s.whole(ctx, row)
	if err != nil {
		return nil, err
	}
	if w.TotalCount {
		m.TotalCount = &row.Events
	}
	if w.Diagram && row.Planned {
		p, err := planOf(row)
		if err != nil {
			return nil, problem.Internal(err)
		}
		diagram := p.Mermaid()
		m.Diagram = &diagram
	}
	return m, nil
}

// Selection says which monitors are requested.
type Selection struct {
	Status         string // "": all but deleted
	IncludeDeleted bool
	Cursor         string
	Limit          int32
}

// listBytesMax ends a page of monitors, whose policies, schemas and plans may be long. A response has each monitor twice, under
// monitors and data.
const listBytesMax = 2 << 20

// List returns monitors of c's team, the latest first.
func (s *Service) List(ctx context.Context, c *principal.Caller, sel Selection) (*List, error) {
	before, err := paging.Parse(sel.Cursor, idPrefix)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.ListMonitors(ctx, db.ListMonitorsParams{
		TeamID: c.TeamID, Status: orNone(sel.Status), IncludeDeleted: sel.IncludeDeleted || sel.Status == string(StatusDeleted),
		BeforeCreatedAt: before.Created, BeforeID: before.ID, RowsMax: sel.Limit + 1, BytesMax: listBytesMax,
	})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing monitors: %w", err))
	}
	list := &List{Monitors: []*Monitor{}}
	var next *string
	asked := len(rows)
	if asked > 0 {
		asked = int(rows[0].Asked)
	}
	rows = rows[:min(len(rows), int(sel.Limit))]
	if len(rows) < asked {
		last := &rows[len(rows)-1].Monitor
		next = paging.Position{Created: last.CreatedAt, ID: last.ID}.Cursor()
	}
	for i := range rows {
		m, err := s.monitor(&rows[i].Monitor)
		if err != nil {
			return nil, problem.Internal(err)
		}
		list.Monitors = append(list.Monitors, m)
	}
	if err := s.addConsents(ctx, s.config.Pool, c.TeamID, list.Monitors...); err != nil {
		return nil, problem.Internal(err)
	}
	list.Count, list.Page = len(list.Monitors), paging.NewPage(list.Monitors, next != nil, next)
	return list, nil
}

// Planning returns how a monitor was planned, or the state of the planning.
func (s *Service) Planning(ctx context.Context, c *principal.Caller, id string) (*Planning, error) {
	row, err := s.row(ctx, c, id)
	if err != nil {
		return nil, err
	}
	p, err := planOf(row)
	if err != nil {
		return nil, problem.Internal(err)
	}
	if len(row.Plan) == 0 {
		request, err := requestOf(row)
		if err != nil {
			return nil, problem.Internal(err)
		}
		p = plan.Unplanned(request, plan.Status(row.Status), row.UpdatedAt)
	}
	return &Planning{Spec: p.Spec, DAG: p.DAG}, nil
}

// place is a cursor in one monitor's list: the list continues before the entry with this number.
type place int64

const placePrefix = "n."

func (p place) cursor() *string {
	return new(base64.RawURLEncoding.EncodeToString([]byte(placePrefix + strconv.FormatInt(int64(p), 10))))
}

// parsePlace reads a cursor; "" is the first page.
func parsePlace(cursor string) (place, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	refused := problem.Validation(problem.Fault{
		Loc: []any{"query", "cursor"}, Msg: "must be a cursor returned by this list; omit it for the first page", Type: problem.FaultInvalid,
	})
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return 0, refused
	}
	digits, ok := strings.CutPrefix(string(text), placePrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 1 || digits[0] == '+' {
		return 0, refused
	}
	return place(n), nil
}

// Events returns a page of a monitor's events, latest first.
func (s *Service) Events(ctx context.Context, c *principal.Caller, id, cursor string, limit int32) (*EventList, error) {
	before, err := parsePlace(cursor)
	if err != nil {
		return nil, err
	}
	row, err := s.row(ctx, c, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.ListMonitorEvents(ctx, db.ListMonitorEventsParams{MonitorID: id, BeforeSeq: int64(before), RowsMax: limit + 1})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing events of %s: %w", id, err))
	}
	list := &EventList{List: paging.Whole[*Event](nil), TotalCount: row.Events}
	if list.HasMore = len(rows) > int(limit); list.HasMore {
		rows = rows[:limit]
		list.NextCursor = place(rows[limit-1].Seq).cursor()
	}
	for i := range rows {
		e, err := s.event(&rows[i])
		if err != nil {
			return nil, problem.Internal(err)
		}
		list.Data = append(list.Data, e)
	}
	return list, nil
}

// EventCount returns how many events a monitor has ever had.
func (s *Service) EventCount(ctx context.Context, c *principal.Caller, id string) (int64, error) {
	row, err := s.row(ctx, c, id)
	if err != nil {
		return 0, err
	}
	return row.Events, nil
}

func (s *Service) event(e *db.MonitorEvent) (*Event, error) {
	snapshot, err := s.sign(e.SnapshotKey, e.CreatedAt)
	if err != nil {
		return nil, err
	}
	return &Event{
		ID: e.ID, Object: eventObject, RunID: e.RunID, Created: e.CreatedAt.Unix(), Status: RunStatus(e.Status), Changed: e.Changed,
		Summary: e.Summary, SnapshotURL: snapshot,
	}, nil
}

// sign returns a signed URL of content that was stored at made; nil if there is none or it is no longer kept.
func (s *Service) sign(key *string, made time.Time) (*string, error) {
	if key == nil {
		return nil, nil //nolint:nilnil // documented
	}
	ttl := min(s.config.URLTime, made.Add(s.config.Retention).Sub(s.config.Now()))
	if ttl <= 0 {
		return nil, nil //nolint:nilnil // documented
	}
	signed, err := s.config.Signer.URL(*key, snapshotName, "", ttl)
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", *key, err)
	}
	return &signed, nil
}

// EventDiff returns the change that an event reports.
func (s *Service) EventDiff(ctx context.Context, c *principal.Caller, id, eventID string) (*EventDiff, error) {
	missing := problem.New(problem.NotFound, "There is no event with this id, or it is no longer stored.")
	if _, err := s.row(ctx, c, id); err != nil {
		return nil, err
	}
	if !token.Is(eventID, eventIDPrefix) {
		return nil, missing
	}
	row, err := s.queries.MonitorEventDiff(ctx, db.MonitorEventDiffParams{ID: eventID, MonitorID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, missing
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading the diff of %s: %w", eventID, err))
	}
	out := &EventDiff{EventID: row.ID, Object: "monitor.diff", MonitorID: id, RunID: row.RunID}
	diff, err := diffOf(row.Diff)
	switch {
	case err != nil:
		return nil, problem.Internal(err)
	case diff == nil: // a baseline, or a run that failed or was skipped
		out.Summary, out.Changes = row.Summary, []compare.Change{}
	default:
		out.Diff = *diff
	}
	return out, nil
}

// ListRuns returns a page of a monitor's runs without their steps, latest first.
func (s *Service) ListRuns(ctx context.Context, c *principal.Caller, id, cursor string, limit int32) (*RunList, error) {
	before, err := parsePlace(cursor)
	if err != nil {
		return nil, err
	}
	if _, err := s.row(ctx, c, id); err != nil {
		return nil, err
	}
	rows, err := s.queries.ListMonitorRuns(ctx, db.ListMonitorRunsParams{MonitorID: id, BeforeN: int64(before), RowsMax: limit + 1})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing runs of %s: %w", id, err))
	}
	var data []*Run
	var next *string
	if len(rows) > int(limit) {
		rows = rows[:limit]
		next = place(rows[limit-1].N).cursor()
	}
	for i := range rows {
		r := &rows[i]
		shown, err := s.runShort(&db.MonitorRun{
			ID: r.ID, MonitorID: id, N: r.N, Status: r.Status, Changed: r.Changed, Baseline: r.Baseline, Error: r.Error, Summary: r.Summary,
			Credits: r.Credits, SnapshotKey: r.SnapshotKey, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		})
		if err != nil {
			return nil, problem.Internal(err)
		}
		data = append(data, shown)
	}
	return &RunList{paging.NewPage(data, next != nil, next)}, nil
}

// Run returns a run of a monitor.
func (s *Service) Run(ctx context.Context, c *principal.Caller, id, runID string) (*Run, error) {
	missing := problem.New(problem.NotFound, "There is no run with this id, or it is no longer stored.")
	if _, err := s.row(ctx, c, id); err != nil {
		return nil, err
	}
	if !token.Is(runID, runIDPrefix) {
		return nil, missing
	}
	row, err := s.queries.MonitorRun(ctx, db.MonitorRunParams{ID: runID, MonitorID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, missing
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading run %s: %w", runID, err))
	}
	shown, err := s.runOf(&row)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return shown, nil
}

// runShort is a run without its steps and diff.
func (s *Service) runShort(r *db.MonitorRun) (*Run, error) {
	snapshot, err := s.sign(r.SnapshotKey, r.StartedAt)
	if err != nil {
		return nil, err
	}
	out := &Run{
		ID: r.ID, Object: "monitor.run", MonitorID: r.MonitorID, Number: r.N, Status: RunStatus(r.Status), Changed: r.Changed, Baseline: r.Baseline,
		Error: r.Error, Summary: r.Summary, CreditsConsumed: r.Credits, StartedAt: stamp(r.StartedAt), SnapshotURL: snapshot,
	}
	if r.EndedAt != nil {
		out.EndedAt, out.DurationMs = new(stamp(*r.EndedAt)), new(r.EndedAt.Sub(r.StartedAt).Milliseconds())
	}
	return out, nil
}

// runOf is a run with its steps and diff.
func (s *Service) runOf(r *db.MonitorRun) (*Run, error) {
	out, err := s.runShort(r)
	if err != nil {
		return nil, err
	}
	out.Steps = []run.Step{}
	if err := json.Unmarshal(r.Steps, &out.Steps); err != nil {
		return nil, fmt.Errorf("reading the steps of run %s: %w", r.ID, err)
	}
	out.Diff, err = diffOf(r.Diff)
	return out, err
}
