package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const (
	monitorsMax = 25
	changesMax  = 5
	// diffCharsMax is how much of a diff is shown.
	diffCharsMax = 3000
)

type monitorInput struct {
	Action    string  `json:"action"`
	Query     string  `json:"query"`
	Frequency *string `json:"frequency"`
	Email     string  `json:"email"`
	Webhook   string  `json:"webhook"`
	ID        string  `json:"id"`
	Cursor    string  `json:"cursor"`
}

func (s *Service) monitor(ctx context.Context, c *principal.Caller, in *monitorInput) (*result, error) {
	if c.Kind != edgewire.PayerTeam {
		return nil, problem.NeedsKey(nil)
	}
	switch in.Action {
	case "create":
		return s.watch(ctx, c, in)
	case "list":
		return s.listMonitors(ctx, c, in.Cursor)
	case "changes":
		return s.changes(ctx, c, in)
	}
	m, err := s.config.Monitors.Pause(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	return &result{text: monitorLine(m), id: m.ID, status: string(m.Status)}, nil
}

func (s *Service) watch(ctx context.Context, c *principal.Caller, in *monitorInput) (*result, error) {
	request := &monitors.Request{Query: in.Query, Frequency: in.Frequency}
	if in.Query == "" {
		return nil, fault("query", "is required: what to watch, with URLs")
	}
	if in.Email != "" {
		request.Notification = &monitors.NotificationInput{Channels: []monitors.ChannelInput{{Type: "email", Target: in.Email}}}
	}
	if in.Webhook != "" {
		request.Webhook = &monitors.WebhookInput{URL: in.Webhook}
	}
	m, err := s.config.Monitors.Create(ctx, c, request, false)
	if err != nil {
		return nil, err
	}
	return &result{text: monitorLine(m) + "It is being planned and then runs for the first time. Read changes with its id.", id: m.ID, status: string(m.Status)}, nil
}

func (s *Service) listMonitors(ctx context.Context, c *principal.Caller, cursor string) (*result, error) {
	found, err := s.config.Monitors.List(ctx, c, monitors.Selection{Cursor: cursor, Limit: monitorsMax})
	if err != nil {
		return nil, err
	}
	var l list
	if len(found.Monitors) == 0 {
		l.linef("There are no monitors.")
	}
	for _, m := range found.Monitors {
		l.WriteString(monitorLine(m))
	}
	if found.Cursor != nil {
		l.linef("More: list with cursor %q.", *found.Cursor)
	}
	return &result{text: l.String()}, nil
}

func monitorLine(m *monitors.Monitor) string {
	var l list
	l.linef("%s (%s, %s): %s", m.ID, m.Status, m.Schedule.Text, oneLine(m.Query, 300))
	if m.CreditsPerMonth != nil {
		l.linef("  about %d credits a month", *m.CreditsPerMonth)
	}
	if m.ErrorMessage != nil {
		l.linef("  %s", oneLine(*m.ErrorMessage, 300))
	}
	return l.String()
}

// changes lists the runs of a monitor, the latest first, with what changed.
func (s *Service) changes(ctx context.Context, c *principal.Caller, in *monitorInput) (*result, error) {
	found, err := s.config.Monitors.Events(ctx, c, in.ID, in.Cursor, changesMax)
	if err != nil {
		return nil, err
	}
	var l list
	if len(found.Data) == 0 {
		l.linef("No run has ended yet.")
	}
	for _, e := range found.Data {
		l.linef("%s %s: %s", time.Unix(e.Created, 0).UTC().Format(time.RFC3339), e.Status, oneLine(e.Summary, 500))
		if !e.Changed {
			continue
		}
		d, err := s.config.Monitors.EventDiff(ctx, c, in.ID, e.ID)
		if err != nil {
			return nil, err
		}
		unified := (&room{chars: diffCharsMax}).take(d.Unified)
		if l.linef("%s", strings.TrimRight(unified, "\n")); len(unified) < len(d.Unified) {
			l.linef("(the rest of this diff is left out)")
		}
	}
	if found.NextCursor != nil {
		l.linef("Older: changes with cursor %q.", *found.NextCursor)
	}
	return &result{text: l.String(), id: in.ID}, nil
}
