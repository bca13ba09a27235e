package notifications_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// noHome refuses URLs of localhost.
type noHome struct{}

func (noHome) Check(rawURL string) error {
	if strings.Contains(rawURL, "localhost") {
		return errors.New("must be publicly reachable")
	}
	return nil
}

func TestCheck(t *testing.T) {
	t.Parallel()
	targets := notifications.Targets{Webhooks: noHome{}, SlackHosts: []string{"chat.example.com:8443"}}
	none := []string{}
	for _, tt := range []struct {
		name     string
		in, want outbox.Channel
	}{
		{"an address", outbox.Channel{Target: " ann@example.com "}, outbox.Channel{Type: "email", Target: "ann@example.com", Events: none}},
		{"a tagged address", outbox.Channel{Type: "email", Target: "ann+x.y@mail.example.com"}, outbox.Channel{Type: "email", Target: "ann+x.y@mail.example.com", Events: none}},
		{"an international domain", outbox.Channel{Target: "a@xn--bcher-kva.example"}, outbox.Channel{Type: "email", Target: "a@xn--bcher-kva.example", Events: none}},
		{"events", outbox.Channel{Target: "a@b.example", Events: []string{"failed", "changed", "failed"}}, outbox.Channel{Type: "email", Target: "a@b.example", Events: []string{"failed", "changed"}}},
		{"Slack", outbox.Channel{Type: "slack", Target: "https://hooks.slack.com/services/T0/B0/x"}, outbox.Channel{Type: "slack", Target: "https://hooks.slack.com/services/T0/B0/x", Events: none}},
		{"Slack's like", outbox.Channel{Type: "slack", Target: "https://chat.example.com:8443/hooks/x"}, outbox.Channel{Type: "slack", Target: "https://chat.example.com:8443/hooks/x", Events: none}},
		{"a webhook", outbox.Channel{Type: "webhook", Target: "https://a@example.com/"}, outbox.Channel{Type: "webhook", Target: "https://a@example.com/", Events: none}},
	} {
		if got, err := targets.Check(tt.in); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	targets := notifications.Targets{Webhooks: noHome{}}
	long := strings.Repeat("a", 65) + "@example.com"
	for _, tt := range []struct{ kind, target, event, field, says string }{
		{"", "", "", "target", "must not be empty"},
		{"", "https://example.com/", "", "type", "is required unless"},
		{"", "ann", "", "type", "is required unless"},
		{"sms", "+4912345", "", "type", "must be email, slack or webhook"},
		{"email", "ann@example.com", "gone", "events", `contains "gone"`},
		{"email", "Ann <ann@example.com>", "", "target", "must be an email address"},
		{"email", "a@example.com, b@example.com", "", "target", "must be an email address"},
		{"email", "a@example.com\r\nBcc: b@example.com", "", "target", "must be an email address"},
		{"email", "a@localhost", "", "target", "must be an email address"},
		{"email", "a@[192.0.2.1]", "", "target", "must be an email address"},
		{"email", `"a b"@example.com`, "", "target", "must be an email address"},
		{"email", "ä@example.com", "", "target", "in ASCII"},
		{"email", "a@bücher.example", "", "target", "xn--"},
		{"email", long, "", "target", "at most 64 of them"},
		{"slack", "http://hooks.slack.com/services/T0/B0/x", "", "target", "Slack webhook"},
		{"slack", "https://hooks.slack.com/", "", "target", "Slack webhook"},
		{"slack", "https://hooks.slack.com.example.com/services/x", "", "target", "Slack webhook"},
		{"slack", "https://hooks.slack.com:444/services/x", "", "target", "Slack webhook"},
		{"slack", "https://u:p@hooks.slack.com/services/x", "", "target", "Slack webhook"},
		{"slack", "https://chat.example.com:8443/hooks/x", "", "target", "Slack webhook"},
		{"slack", "https://hooks.slack.com/services/T0/B0/x\x00", "", "target", "control characters"},
		{"webhook", "http://localhost/", "", "target", "must be publicly reachable"},
	} {
		c := outbox.Channel{Type: tt.kind, Target: tt.target}
		if tt.event != "" {
			c.Events = []string{tt.event}
		}
		_, err := targets.Check(c)
		var fault *notifications.Fault
		if !errors.As(err, &fault) || fault.Field != tt.field || !strings.Contains(fault.Msg, tt.says) {
			t.Errorf("%s %q: got %v, want a fault of %s that says %q", tt.kind, tt.target, err, tt.field, tt.says)
		}
	}
	if _, err := (notifications.Targets{}).Check(outbox.Channel{Type: "webhook", Target: "https://example.com/"}); err == nil {
		t.Error("a webhook where there are none: got no error, want one")
	}
}

// A checked channel passes the check unchanged, and holds exactly one address.
func FuzzCheck(f *testing.F) {
	f.Add("", "ann@example.com")
	f.Add("email", "a@b.c\r\nTo: x@y.z")
	f.Add("slack", "https://hooks.slack.com/services/T0/B0/x")
	f.Add("webhook", "https://example.com/")
	targets := notifications.Targets{Webhooks: noHome{}}
	f.Fuzz(func(t *testing.T, kind, target string) {
		first, err := targets.Check(outbox.Channel{Type: kind, Target: target})
		if err != nil {
			return
		}
		if second, err := targets.Check(first); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("got %+v, %v, want %+v", second, err, first)
		}
		if first.Type == outbox.ChannelEmail && strings.ContainsAny(first.Target, "\r\n\x00 <>,;") {
			t.Errorf("got the address %q", first.Target)
		}
	})
}
