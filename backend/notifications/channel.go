package notifications

import (
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

const (
	// slackHost is the host of Slack's incoming webhooks.
	slackHost = "hooks.slack.com"
	// addressBytesMax is RFC 5321's limit of a path, less its brackets. localBytesMax is its limit of the part before the @.
	addressBytesMax = 254
	localBytesMax   = 64
)

// Fault is what is wrong with a channel.
type Fault struct {
	Field string // of the channel: type, target or events
	Msg   string // in words for the client: "must be …"
}

// Error implements error.
func (f *Fault) Error() string { return f.Field + ": " + f.Msg }

// Targets checks which targets can be reached.
type Targets struct {
	// Webhooks checks the targets of webhooks: a *webhooks.Service. Nil: no webhooks.
	Webhooks outbox.Checker
	// SlackHosts are hosts besides hooks.slack.com that accept Slack's webhooks, with their port unless it is 443.
	SlackHosts []string
}

// Check returns a channel in its stored form: with its type, which defaults to email for an email address, and without
// duplicate events. The error is a *Fault.
func (t Targets) Check(c outbox.Channel) (outbox.Channel, error) {
	c.Target = strings.TrimSpace(c.Target)
	switch {
	case c.Target == "":
		return c, &Fault{"target", "must not be empty"}
	case c.Type == "" && !strings.Contains(c.Target, "://") && strings.Contains(c.Target, "@"):
		c.Type = outbox.ChannelEmail
	case c.Type == "":
		return c, &Fault{"type", "is required unless target is an email address: must be email, slack or webhook"}
	}
	var err error
	switch c.Type {
	case outbox.ChannelEmail:
		err = checkAddress(c.Target)
	case outbox.ChannelSlack:
		_, err = t.slackURL(c.Target)
	case outbox.ChannelWebhook:
		err = t.checkWebhook(c.Target)
	default:
		return c, &Fault{"type", "must be email, slack or webhook"}
	}
	if err != nil {
		return c, &Fault{"target", err.Error()}
	}
	events := []string{}
	for _, e := range c.Events {
		if !slices.Contains(outbox.ChannelEvents, e) {
			return c, &Fault{"events", fmt.Sprintf("must contain only changed, completed and failed, but contains %q", e)}
		}
		if !slices.Contains(events, e) {
			events = append(events, e)
		}
	}
	c.Events = events
	return c, nil
}

// checkAddress accepts only plain email addresses: no names, comments or lists, no quoted or non-ASCII local parts, which
// few servers accept, and no IP addresses in brackets.
func checkAddress(target string) error {
	malformed := errors.New("must be an email address, such as ann@example.com")
	parsed, err := mail.ParseAddress(target)
	if err != nil || parsed.Address != target || parsed.Name != "" {
		return malformed
	}
	at := strings.LastIndexByte(target, '@')
	local, domain := target[:at], target[at+1:]
	if len(target) > addressBytesMax || len(local) > localBytesMax {
		return fmt.Errorf("must be an email address of at most %d characters, at most %d of them before the @", addressBytesMax, localBytesMax)
	}
	if strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("must be an email address in ASCII: write an international domain in its xn-- form")
	}
	if strings.ContainsAny(local, `"\`) || !strings.Contains(domain, ".") || strings.ContainsAny(domain, "[]_") || strings.HasSuffix(domain, ".") {
		return malformed
	}
	return nil
}

// slackURL parses the URL of an incoming webhook.
func (t Targets) slackURL(target string) (fetch.URL, error) {
	if strings.ContainsFunc(target, unicode.IsControl) {
		return fetch.URL{}, errors.New("must not have control characters")
	}
	u, err := fetch.ParseURL(target)
	if err != nil || u.Scheme() != "https" || !t.isSlack(u) {
		return fetch.URL{}, errors.New("must be the URL of a Slack webhook, such as https://hooks.slack.com/services/…")
	}
	return u, nil
}

func (t Targets) isSlack(u fetch.URL) bool {
	if u.Host() != slackHost {
		return slices.Contains(t.SlackHosts, u.Host())
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(u.PathAndQuery(), "/"), "/")
	return rest != "" && slices.Contains([]string{"services", "workflows", "triggers"}, kind)
}

func (t Targets) checkWebhook(target string) error {
	if t.Webhooks == nil {
		return errors.New("cannot be a webhook: this installation does not deliver webhooks")
	}
	return t.Webhooks.Check(target)
}
