package firecrawl

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/monitors"
)

// monitorRequest is the body of POST and PATCH /v2/monitor.
type monitorRequest struct {
	Name          *string       `json:"name,omitempty"`
	Status        string        `json:"status,omitempty"`
	Schedule      *schedule     `json:"schedule,omitempty"`
	Targets       []target      `json:"targets,omitempty"`
	Goal          string        `json:"goal,omitempty"`
	Webhook       *webhook      `json:"webhook,omitempty"`
	Notification  *notification `json:"notification,omitempty"`
	RetentionDays int           `json:"retentionDays,omitempty"`
	JudgeEnabled  *bool         `json:"judgeEnabled,omitempty"`
}

type schedule struct {
	Cron     string `json:"cron,omitempty"`
	Text     string `json:"text,omitempty"`
	Timezone string `json:"timezone,omitempty"`
}

// target is what to watch: pages.
type target struct {
	Type string   `json:"type,omitempty"`
	URLs []string `json:"urls,omitempty"`
	URL  string   `json:"url,omitempty"`
}

type notification struct {
	Email *email `json:"email,omitempty"`
}

type email struct {
	Enabled    bool     `json:"enabled,omitempty"`
	Recipients []string `json:"recipients,omitempty"`
}

const (
	// retentionDays is how long the runs of a monitor are kept.
	retentionDays = int(monitors.RetentionDefault / (24 * time.Hour))
	// nameKey and goalKey are the keys of a monitor's metadata that keep what it has no fields for.
	nameKey, goalKey = "firecrawl_name", "firecrawl_goal"
	// checkEvent is the event of a run's end, which is the only one that a webhook gets.
	checkEvent = "monitor.check.completed"
	targetID   = "pages"
)

// change returns what r sets of a monitor, in the form of an update.
func (r *monitorRequest) change() (*monitors.UpdateRequest, []problem.Fault) {
	out := &monitors.UpdateRequest{Metadata: metadata.Input{}}
	var faults []problem.Fault
	for key, text := range map[string]*string{nameKey: r.Name, goalKey: &r.Goal} {
		if text != nil && *text != "" {
			out.Metadata[key], _ = json.Marshal(*text) // a string cannot fail
		}
	}
	if r.Schedule != nil {
		out.Frequency = &r.Schedule.Cron
		if r.Schedule.Cron == "" {
			out.Frequency = &r.Schedule.Text
		}
		if tz := r.Schedule.Timezone; tz != "" && tz != "UTC" {
			faults = append(faults, fault("schedule.timezone", "must be UTC"))
		}
	}
	url, more := r.Webhook.address(checkEvent)
	faults = append(faults, more...)
	if r.Webhook != nil {
		out.Webhook = &monitors.WebhookInput{URL: url}
	}
	if r.Webhook != nil || r.Notification != nil {
		out.Notification = &monitors.NotificationInput{Events: []string{"changed"}}
	}
	if url != "" {
		out.Notification.Events = []string{"completed", "failed"}
	}
	if r.Notification != nil && r.Notification.Email != nil {
		out.Notification.Channels = []monitors.ChannelInput{}
		for _, address := range r.Notification.Email.Recipients {
			if r.Notification.Email.Enabled {
				out.Notification.Channels = append(out.Notification.Channels, monitors.ChannelInput{Type: "email", Target: address, Events: []string{"changed"}})
			}
		}
	}
	if r.RetentionDays != 0 && r.RetentionDays != retentionDays {
		faults = append(faults, fault("retentionDays", fmt.Sprintf("must be %d", retentionDays)))
	}
	if r.JudgeEnabled != nil && !*r.JudgeEnabled && r.Goal != "" {
		faults = append(faults, fault("judgeEnabled", "must be true with a goal: what does not concern the goal is not reported"))
	}
	return out, faults
}

// monitor returns r as monitors takes a new one.
func (r *monitorRequest) monitor() (*monitors.Request, error) {
	change, faults := r.change()
	var urls []string
	for i, t := range r.Targets {
		if t.Type != "scrape" {
			faults = append(faults, problem.Fault{Loc: []any{"body", "targets", i, "type"}, Msg: "must be scrape: only pages can be watched", Type: problem.FaultInvalid})
		}
		if urls = append(urls, t.URLs...); t.URL != "" {
			urls = append(urls, t.URL)
		}
	}
	if len(urls) == 0 {
		faults = append(faults, fault("targets", "must name the urls of pages"))
	}
	if r.Name == nil {
		faults = append(faults, problem.Fault{Loc: []any{"body", "name"}, Msg: "is required", Type: problem.FaultMissing})
	}
	if r.Status == "paused" {
		faults = append(faults, fault("status", "must be active: pause the monitor when it is made"))
	}
	if len(faults) > 0 {
		return nil, refuse(faults...)
	}
	query := "Tell me when " + strings.Join(urls, " or ") + " changes"
	if r.Goal != "" {
		query = strings.TrimRight(r.Goal, " .") + ": " + strings.Join(urls, " , ")
	}
	return checked(&monitors.Request{
		Query: query, Frequency: change.Frequency, Notification: change.Notification, Webhook: change.Webhook, Metadata: change.Metadata,
	})
}

// monitor is a monitor as clients read it.
type monitor struct {
	ID                       string         `json:"id"`
	Name                     string         `json:"name"`
	Status                   string         `json:"status"`
	Error                    *string        `json:"error,omitempty"`
	Schedule                 schedule       `json:"schedule"`
	NextRunAt                *string        `json:"nextRunAt"`
	LastRunAt                *string        `json:"lastRunAt"`
	Targets                  []watched      `json:"targets"`
	Webhook                  map[string]any `json:"webhook"`
	Notification             map[string]any `json:"notification"`
	RetentionDays            int            `json:"retentionDays"`
	EstimatedCreditsPerMonth any            `json:"estimatedCreditsPerMonth"`
	Goal                     *string        `json:"goal"`
	CreatedAt                string         `json:"createdAt"`
	UpdatedAt                string         `json:"updatedAt"`
}

type watched struct {
	ID   string   `json:"id"`
	Type string   `json:"type"`
	URLs []string `json:"urls"`
}

func isoTime(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

func monitorOf(m *monitors.Monitor) *monitor {
	out := &monitor{
		ID: m.ID, Name: m.Metadata[nameKey], Status: "active", Error: m.ErrorMessage, Schedule: schedule{Cron: m.Schedule.Cron, Text: m.Schedule.Text, Timezone: "UTC"},
		NextRunAt: m.Schedule.NextRunAt, Targets: []watched{{targetID, "scrape", urlsIn(m)}}, RetentionDays: retentionDays,
		EstimatedCreditsPerMonth: m.CreditsPerMonth, CreatedAt: isoTime(m.Created), UpdatedAt: isoTime(m.Updated),
	}
	if out.Name == "" {
		out.Name = m.Query
	}
	switch m.Status {
	case monitors.StatusPaused, monitors.StatusFailed: // a failed one does not run either; error says why
		out.Status = "paused"
	case monitors.StatusDeleted:
		out.Status = "deleted"
	case monitors.StatusActive, monitors.StatusProvisioning:
	}
	if goal, ok := m.Metadata[goalKey]; ok {
		out.Goal = &goal
	}
	if m.LastRun != nil {
		out.LastRunAt = &m.LastRun.RanAt
	}
	if m.Webhook.URL != "" {
		out.Webhook = map[string]any{"url": m.Webhook.URL, "events": []string{checkEvent}}
	}
	var recipients []string
	for _, channel := range m.Notification.Channels {
		if channel.Type == "email" {
			recipients = append(recipients, channel.Target)
		}
	}
	if len(recipients) > 0 {
		out.Notification = map[string]any{"email": map[string]any{"enabled": true, "recipients": recipients, "includeDiffs": true}}
	}
	return out
}

// urlsIn returns the pages that a monitor watches: those of its plan, or before there is one, those that its query names.
func urlsIn(m *monitors.Monitor) []string {
	if m.Tracked != nil && len(m.Tracked.URLs) > 0 {
		return m.Tracked.URLs
	}
	urls := []string{}
	for word := range strings.FieldsSeq(m.Query) {
		if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
			urls = append(urls, word)
		}
	}
	return urls
}

// item is a response with one thing or a list.
type item struct {
	done

	Data any     `json:"data"`
	Next *string `json:"next,omitempty"`
}

func itemOf(m *monitors.Monitor, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return &item{done: ok(), Data: monitorOf(m)}, nil
}

func (s *Service) createMonitor(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[monitorRequest](ctx)
	if err != nil {
		return nil, err
	}
	asked, err := r.monitor()
	if err != nil {
		return nil, err
	}
	c.RecordAs(func(made any) any {
		m, _ := made.(*monitors.Monitor)
		return &item{done: ok(), Data: monitorOf(m)}
	})
	return itemOf(s.config.Monitors.Create(ctx, c, asked, false))
}

func (s *Service) getMonitor(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	return itemOf(s.config.Monitors.Monitor(ctx, c, r.id(), monitors.Wanted{}))
}

const (
	// pageMax is how many monitors or checks a response has at most, pageDefault without a limit.
	pageMax, pageDefault = 100, 25
	// offsetMax bounds how far a list is read for an offset.
	offsetMax = 800
)

// part returns the limit and offset of a list.
func (r *request) part() (limit, offset int32, err error) {
	if limit, err = r.number("limit", pageDefault, pageMax); err == nil {
		offset, err = r.number("offset", 0, offsetMax)
	}
	return max(limit, 1), offset, err
}

func (s *Service) listMonitors(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	limit, offset, err := r.part()
	if err != nil {
		return nil, err
	}
	list, err := s.config.Monitors.List(ctx, c, monitors.Selection{Limit: limit + offset})
	if err != nil {
		return nil, err
	}
	out := []*monitor{}
	for _, m := range list.Monitors[min(len(list.Monitors), int(offset)):] {
		out = append(out, monitorOf(m))
	}
	return &item{done: ok(), Data: out}, nil
}

func (s *Service) updateMonitor(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	asked, err := body[monitorRequest](ctx)
	if err != nil {
		return nil, err
	}
	change, faults := asked.change()
	if len(asked.Targets) > 0 {
		faults = append(faults, fault("targets", "cannot be changed: make another monitor"))
	}
	if asked.Goal != "" {
		faults = append(faults, fault("goal", "cannot be changed: make another monitor"))
	}
	if len(faults) > 0 {
		return nil, refuse(faults...)
	}
	m, err := s.config.Monitors.Update(ctx, c, r.id(), change)
	switch {
	case err != nil:
	case asked.Status == "paused" && m.Status == monitors.StatusActive:
		m, err = s.config.Monitors.Pause(ctx, c, r.id())
	case asked.Status == "active" && m.Status == monitors.StatusPaused:
		m, err = s.config.Monitors.Resume(ctx, c, r.id())
	}
	return itemOf(m, err)
}

func (s *Service) deleteMonitor(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	if _, err := s.config.Monitors.Delete(ctx, c, r.id()); err != nil {
		return nil, err
	}
	return ok(), nil
}

// check is a run of a monitor as clients read it.
type check struct {
	ID            string         `json:"id"`
	MonitorID     string         `json:"monitorId"`
	Status        string         `json:"status"`
	Trigger       string         `json:"trigger"`
	StartedAt     string         `json:"startedAt"`
	FinishedAt    *string        `json:"finishedAt"`
	ActualCredits any            `json:"actualCredits"`
	BillingStatus string         `json:"billingStatus"`
	Summary       map[string]int `json:"summary"`
	Error         *string        `json:"error"`
	CreatedAt     string         `json:"createdAt"`
	UpdatedAt     string         `json:"updatedAt"`
	Pages         []checkPage    `json:"pages,omitzero"`
	Next          *string        `json:"next,omitempty"`
}

type checkPage struct {
	ID        string         `json:"id"`
	TargetID  string         `json:"targetId"`
	URL       string         `json:"url"`
	Status    string         `json:"status"`
	Error     string         `json:"error,omitempty"`
	Diff      map[string]any `json:"diff,omitempty"`
	CreatedAt string         `json:"createdAt"`
}

// checkOf returns a run as a check. All are said to be scheduled: a run does not keep who began it.
func checkOf(r *monitors.Run) *check {
	out := &check{
		ID: r.ID, MonitorID: r.MonitorID, Status: "completed", Trigger: "scheduled", StartedAt: r.StartedAt, FinishedAt: r.EndedAt,
		ActualCredits: r.CreditsConsumed, BillingStatus: "confirmed", Error: r.Error, CreatedAt: r.StartedAt, UpdatedAt: r.StartedAt,
		Summary: map[string]int{"totalPages": 0, "same": 0, "changed": 0, "new": 0, "removed": 0, "error": 0},
	}
	if r.EndedAt != nil {
		out.UpdatedAt = *r.EndedAt
	}
	switch r.Status {
	case monitors.RunInProgress:
		out.Status, out.BillingStatus = "running", "reserved"
	case monitors.RunFailed:
		out.Status, out.BillingStatus = "failed", "released"
	case monitors.RunSkipped:
		out.Status, out.BillingStatus = "skipped_no_credits", "not_applicable"
	case monitors.RunCompleted:
	}
	if r.Changed {
		out.Summary["changed"] = 1
	}
	return out
}

func (s *Service) runMonitor(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	manual := func(run *monitors.Run) *item {
		out := checkOf(run)
		out.Trigger = "manual"
		return &item{done: ok(), Data: out}
	}
	c.RecordAs(func(made any) any {
		run, _ := made.(*monitors.Run)
		return manual(run)
	})
	run, err := s.config.Monitors.RunNow(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	return manual(run), nil
}

func (s *Service) listChecks(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	limit, offset, err := r.part()
	if err != nil {
		return nil, err
	}
	out, cursor := []*check{}, ""
	for int32(len(out)) < limit+offset { //nolint:gosec // a few hundred
		list, err := s.config.Monitors.ListRuns(ctx, c, r.id(), cursor, min(limit+offset-int32(len(out)), pageMax)) //nolint:gosec // likewise
		if err != nil {
			return nil, err
		}
		for _, run := range list.Data {
			out = append(out, checkOf(run))
		}
		if list.Cursor == nil {
			break
		}
		cursor = *list.Cursor
	}
	return &item{done: ok(), Data: out[min(len(out), int(offset)):]}, nil
}

func (s *Service) getCheck(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	run, err := s.config.Monitors.Run(ctx, c, r.id(), r.huma.Param("check"))
	if err != nil {
		return nil, err
	}
	m, err := s.config.Monitors.Monitor(ctx, c, r.id(), monitors.Wanted{})
	if err != nil {
		return nil, err
	}
	out := checkOf(run)
	out.Pages = pagesOf(run, urlsIn(m))
	for name := range out.Summary {
		out.Summary[name] = 0
	}
	for _, p := range out.Pages {
		out.Summary["totalPages"]++
		out.Summary[p.Status]++
	}
	if status := r.huma.Query("status"); status != "" {
		out.Pages = slices.DeleteFunc(out.Pages, func(p checkPage) bool { return p.Status != status })
	}
	return &item{done: ok(), Data: out}, nil
}

// pagesOf returns what a run found of each page: those of the monitor, and those that its diff names.
func pagesOf(run *monitors.Run, urls []string) []checkPage {
	pages := []checkPage{}
	if run.Status != monitors.RunCompleted {
		return pages
	}
	at := func(url string) *checkPage {
		for i := range pages {
			if pages[i].URL == url {
				return &pages[i]
			}
		}
		pages = append(pages, checkPage{
			ID: fmt.Sprintf("%s-%d", run.ID, len(pages)+1), TargetID: targetID, URL: url, Status: "same", CreatedAt: run.StartedAt,
		})
		return &pages[len(pages)-1]
	}
	for _, url := range urls {
		at(url)
	}
	if run.Baseline {
		for i := range pages {
			pages[i].Status = "new"
		}
	}
	if run.Diff == nil {
		return pages
	}
	for _, change := range run.Diff.Changes {
		p := at(change.Page)
		p.Status = "changed"
		if p.Diff == nil {
			p.Diff = map[string]any{"text": run.Diff.Unified}
		}
		list, _ := p.Diff["json"].([]any)
		p.Diff["json"] = append(list, change)
	}
	for _, failure := range run.Diff.Failed {
		p := at(failure.Page)
		p.Status, p.Error = "error", failure.Reason
	}
	return pages
}
