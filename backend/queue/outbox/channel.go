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

// The events that channels choose from: the part of an event's type after the dot.
const (
	EventChanged   = "changed"
	EventCompleted = "completed"
	EventFailed    = "failed"
)

// ChannelTypes and ChannelEvents are the complete lists.
var (
	ChannelTypes  = []string{ChannelEmail, ChannelSlack, ChannelWebhook}
	ChannelEvents = []string{EventChanged, EventCompleted, EventFailed}
)

// Channel is a way to notify people or programs of a subject's events, for as long as the subject exists.
type Channel struct {
	Type   string   `json:"type" enum:"email,slack,webhook"`
	Target string   `json:"target" doc:"An email address, the URL of a Slack webhook, or the URL to POST to."`
	Events []string `json:"events" nullable:"false" doc:"The events that the channel is notified of. If empty: changed."`
}

// Consent is a team's consent status for an email address.
type Consent struct {
	Address string     `json:"address"`
	Status  string     `json:"status" enum:"unasked,pending,confirmed,unsubscribed" doc:"Only confirmed addresses get email. pending: an email that asks for confirmation was sent. unasked: that email will be sent with the next notification."`
	AskedAt *time.Time `json:"asked_at" doc:"When the address was last asked to confirm. Null if it never was."`
}

// Wants reports whether the channel wants an event: changed, completed or failed. One without events wants changed.
func (c Channel) Wants(event string) bool {
	if len(c.Events) == 0 {
		return event == EventChanged
	}
	return slices.Contains(c.Events, event)
}

// Audience knows the channels of subjects, as the store of monitors does. It is asked when the event is dispatched, so
// the current channels count, not those at the time of the event.
type Audience interface {
	// Channels returns the channels of a team's subject that want event (changed, completed or failed), none if the
	// subject no longer exists. It may return more: the result is filtered with [Channel.Wants].
	Channels(ctx context.Context, tx pgx.Tx, teamID, subject, event string) ([]Channel, error)
}

// Audiences holds the Audience for each kind of subject: the part of an event's type before the dot. Other events have
// no channels.
type Audiences map[string]Audience

// Channels returns the channels of an event that have one of types, without duplicates.
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
