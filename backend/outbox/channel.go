package outbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The types of channels.
const (
	ChannelEmail   = "email"
	ChannelSlack   = "slack"
	ChannelWebhook = "webhook"
)

// The events that channels choose among: what a type of event has behind its dot.
const (
	EventChanged   = "changed"
	EventCompleted = "completed"
	EventFailed    = "failed"
)

// ChannelTypes and ChannelEvents are all there are.
var (
	ChannelTypes  = []string{ChannelEmail, ChannelSlack, ChannelWebhook}
	ChannelEvents = []string{EventChanged, EventCompleted, EventFailed}
)

// Channel is a way on which people or programs are told of what happens to a subject, for as long as it exists.
type Channel struct {
	Type   string   `json:"type" enum:"email,slack,webhook"`
	Target string   `json:"target" doc:"A mail address, the address of a Slack webhook, or where to POST."`
	Events []string `json:"events" nullable:"false" doc:"What it is told of. None: changed."`
}

// Consent is how a mail address stands with a team.
type Consent struct {
	Address string     `json:"address"`
	Status  string     `json:"status" enum:"unasked,pending,confirmed,unsubscribed" doc:"Only one that has confirmed gets mail. pending: it was sent a mail that asks it. unasked: it will be, by the next notification."`
	AskedAt *time.Time `json:"asked_at" doc:"When it was asked last; null where it was not."`
}

// Wants reports whether the channel is told of an event: changed, completed or failed. One that names no events is told
// of changes.
func (c Channel) Wants(event string) bool {
	if len(c.Events) == 0 {
		return event == EventChanged
	}
	return slices.Contains(c.Events, event)
}

// Audience knows the channels of subjects: the store of monitors. It is asked when the event is taken, so channels that
// were changed after the event are as they are now.
type Audience interface {
	// Channels returns the channels of a team's subject that are told of event (changed, completed or failed), none where
	// there is no such subject any more. It may return more: what [Channel.Wants] refuses is left out.
	Channels(ctx context.Context, tx pgx.Tx, teamID, subject, event string) ([]Channel, error)
}

// Audiences are who knows the channels, by the kind of thing that events are of: what their type has before its dot.
// Events of other kinds have no channels.
type Audiences map[string]Audience

// Channels returns the channels of an event that are of one of some types, none of them twice.
func (a Audiences) Channels(ctx context.Context, tx pgx.Tx, e *Taken, types ...string) ([]Channel, error) {
	kind, event, _ := strings.Cut(e.Type, ".")
	audience := a[kind]
	if audience == nil {
		return nil, nil
	}
	all, err := audience.Channels(ctx, tx, e.TeamID, e.Subject, event)
	if err != nil {
		return nil, fmt.Errorf("reading the channels of %s: %w", e.Subject, err)
	}
	var channels []Channel
	for _, c := range all {
		same := func(other Channel) bool { return other.Type == c.Type && other.Target == c.Target }
		if slices.Contains(types, c.Type) && c.Wants(event) && !slices.ContainsFunc(channels, same) {
			channels = append(channels, c)
		}
	}
	return channels, nil
}
