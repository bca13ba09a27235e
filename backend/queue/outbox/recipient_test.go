package outbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// checker refuses URLs with "home".
type checker struct{}

func (checker) Check(rawURL string) error {
	if strings.Contains(rawURL, "home") {
		return errors.New("must be publicly reachable")
	}
	return nil
}

func TestRecipient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		webhook, other string
		checker        Checker
		want           string
		code           problem.Code
		says           string
	}{
		{"", "", checker{}, "", "", ""},
		{"", "", nil, "", "", ""},
		{"https://a.example/", "", checker{}, "https://a.example/", "", ""},
		{"", "https://a.example/", checker{}, "https://a.example/", "", ""},
		{"https://a.example/", "https://a.example/", checker{}, "https://a.example/", "", ""},
		{"https://a.example/", "https://b.example/", checker{}, "", problem.ValidationError, "body.webhook: differs from webhook_url"},
		{"https://home/", "", checker{}, "", problem.ValidationError, "body.webhook: must be publicly reachable"},
		{"", "https://home/", checker{}, "", problem.ValidationError, "body.webhook_url: must be publicly reachable"},
		{"https://a.example/", "", nil, "", problem.ProviderNotConfigured, "does not deliver webhooks"},
	} {
		got, err := Recipient(tt.webhook, tt.other, tt.checker)
		if tt.code == "" {
			if err != nil || got != tt.want {
				t.Errorf("%q and %q: got %q, %v, want %q", tt.webhook, tt.other, got, err, tt.want)
			}
			continue
		}
		if e := problem.From(err); e.Code != tt.code || !strings.Contains(e.Detail, tt.says) {
			t.Errorf("%q and %q: got %v, want %s that says %q", tt.webhook, tt.other, err, tt.code, tt.says)
		}
	}
}
