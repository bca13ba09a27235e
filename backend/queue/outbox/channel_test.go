package outbox_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

func TestWants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		events []string
		event  string
		want   bool
	}{
		{nil, "changed", true},
		{nil, "completed", false},
		{[]string{"failed", "completed"}, "failed", true},
		{[]string{"failed"}, "changed", false},
		{[]string{"failed"}, "", false},
	} {
		if got := (outbox.Channel{Events: tt.events}).Wants(tt.event); got != tt.want {
			t.Errorf("%v of %q: got %v, want %v", tt.events, tt.event, got, tt.want)
		}
	}
}

// audience knows the channels of one subject.
type audience []outbox.Channel

func (a audience) Channels(_ context.Context, _ pgx.Tx, teamID, subject, _ string) ([]outbox.Channel, error) {
	if teamID != "team_a" || subject != "monitor_1" {
		return nil, errFault
	}
	return a, nil
}

func TestAudiences(t *testing.T) {
	t.Parallel()
	mail := outbox.Channel{Type: "email", Target: "a@example.com"}
	failures := outbox.Channel{Type: "email", Target: "b@example.com", Events: []string{"failed"}}
	hook := outbox.Channel{Type: "webhook", Target: "https://example.com/", Events: []string{"changed", "failed"}}
	audiences := outbox.Audiences{"monitor": audience{mail, failures, hook, mail}}
	for _, tt := range []struct {
		event string
		types []string
		want  []outbox.Channel
	}{
		{"monitor.changed", []string{"email", "slack"}, []outbox.Channel{mail}},
		{"monitor.failed", []string{"email", "webhook"}, []outbox.Channel{failures, hook}},
		{"monitor.completed", outbox.ChannelTypes, nil},
		{"batch.completed", outbox.ChannelTypes, nil},
	} {
		e := &outbox.Taken{Event: outbox.Event{TeamID: "team_a", Type: tt.event, Subject: "monitor_1"}}
		got, err := audiences.Channels(t.Context(), nil, e, tt.types...)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s to %v: got %v, %v, want %v", tt.event, tt.types, got, err, tt.want)
		}
	}
	other := &outbox.Taken{Event: outbox.Event{TeamID: "team_b", Type: "monitor.changed", Subject: "monitor_1"}}
	if _, err := audiences.Channels(t.Context(), nil, other, "email"); !errors.Is(err, errFault) {
		t.Errorf("got %v, want the audience's error", err)
	}
}
