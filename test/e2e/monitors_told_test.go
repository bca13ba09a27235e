//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// toldTries is how often a notification is attempted.
const toldTries = 8

// correspondent is a team whose monitors send notifications: a crew with a worker that sends email to a post.
type correspondent struct {
	*crew
	*keeper

	post  *post
	price atomic.Int64
	page  string
}

func newCorrespondent(t *testing.T) *correspondent {
	t.Helper()
	o := &correspondent{post: newPost(t)}
	shelf := newShelf(t, nil)
	o.price.Store(49)
	shelf.html = func(string) string { return fmt.Sprintf(lampPage, o.price.Load(), 1) }
	o.crew = newCrew(t, setup(t).withDatabase(t), shelf, 1, o.post.settings()...)
	o.stack.edge = o.edge.URL("")
	o.keeper = &keeper{o.crew.purse(t, 100), t}
	o.page = shelf.pages("lamps", 1)[0]
	return o
}

// at returns the URL of a webhook.
func (o *correspondent) at(name string) string { return o.shelf.url + "/told/" + name }

// watches creates a monitor of the page, waits for its baseline, and returns its path.
func (o *correspondent) watches(members string) string {
	o.t.Helper()
	return o.until(o.makes(fmt.Sprintf(`{"query": "Tell me when the price on %s changes", "frequency": "every day", %s}`, o.page, members)), 1)
}

// lastEvent returns the id of a monitor's latest event, which must be a change.
func (o *correspondent) lastEvent(path string) string {
	o.t.Helper()
	var all eventPage
	if o.get(path+"/events").json(o.t, &all); len(all.Data) == 0 || !all.Data[0].Changed {
		o.t.Fatalf("got %+v, want that the latest has found a change", all)
	}
	return all.Data[0].ID
}

// hook is a webhook with a valid signature.
type hook struct {
	name, id, object, attempt string
	data                      json.RawMessage
}

// hears waits for the next webhook.
func (o *correspondent) hears(ctx context.Context, secret string) hook {
	o.t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		o.t.Fatal(err)
	}
	select {
	case n := <-o.shelf.notices:
		var body struct {
			ID, Object string
			Attempt    string `json:"delivery_attempt"`
			Data       json.RawMessage
		}
		if err := verifier.Verify(n.body, n.header); err != nil {
			o.t.Errorf("webhook: %v: %s", err, n.body)
		}
		if err := json.Unmarshal(n.body, &body); err != nil || body.ID != n.header.Get("Webhook-Id") {
			o.t.Fatalf("webhook %s: %v, by %s", n.body, err, n.header.Get("Webhook-Id"))
		}
		return hook{strings.TrimPrefix(n.path, "/told/"), body.ID, body.Object, body.Attempt, body.Data}
	case <-ctx.Done():
		o.t.Fatal("the webhook has not come")
		return hook{}
	}
}

// wantDiff checks that a webhook's data contains the price before and after the change.
func (h hook) wantDiff(t *testing.T, monitor string, before, after int) {
	t.Helper()
	var told struct {
		Changed   bool
		MonitorID string `json:"monitor_id"`
		Query     string
		Diff      struct {
			Unified string
			Changes []struct{ Before, After string }
		}
	}
	if err := json.Unmarshal(h.data, &told); err != nil {
		t.Fatalf("webhook %s: %v", h.data, err)
	}
	was, is := fmt.Sprintf("€%d.00", before), fmt.Sprintf("€%d.00", after)
	if c := told.Diff.Changes; len(c) != 1 || !strings.Contains(c[0].Before, was) || !strings.Contains(c[0].After, is) ||
		!strings.Contains(told.Diff.Unified, was) || !strings.Contains(told.Diff.Unified, is) {
		t.Errorf("got the difference %+v, want %s for %s", told.Diff, is, was)
	}
	if !told.Changed || "/"+told.MonitorID != monitor || told.Query == "" {
		t.Errorf("got %s, want a change of %s", h.data, monitor)
	}
}

// wantChange checks that an email is about one event, and that its text and HTML contain the price before and after.
func (l *letter) wantChange(t *testing.T, to, event string, before, after int) {
	t.Helper()
	if got := l.header.Get("Message-Id"); l.to != to || !strings.HasPrefix(got, "<"+event) {
		t.Errorf("got a mail to %s by the id %s, want it to %s by %s", l.to, got, to, event)
	}
	for form, text := range map[string]string{"text": l.text, "HTML": l.html} {
		for _, want := range []string{fmt.Sprintf("€%d.00", before), fmt.Sprintf("€%d.00", after), event} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want %s in it", form, text, want)
			}
		}
	}
	if l.subject == "" || !strings.Contains(l.header.Get("List-Unsubscribe"), "/unsubscribe/") {
		t.Errorf("got the subject %q and %v, want a way out of it", l.subject, l.header)
	}
}

// sent holds the fields that the logs of emails and webhooks share.
type sent struct {
	EventID  string `json:"event_id"`
	Target   string
	URL      string
	Status   string
	Attempts json.RawMessage
	Next     json.RawMessage `json:"next_attempt_at"`
	Error    *string
}

// tries returns the number of attempts: emails have a number, webhooks a list.
func (s *sent) tries() (n int) {
	var log []json.RawMessage
	if json.Unmarshal(s.Attempts, &n) == nil {
		return n
	}
	_ = json.Unmarshal(s.Attempts, &log)
	return len(log)
}

// The delivery logs.
const (
	mailLog = "/v1/notifications/deliveries"
	hookLog = "/v1/webhooks/deliveries"
)

// wasSent reads an event's entries in a log until done reports true.
func (o *correspondent) wasSent(log, event string, done func([]sent) bool) []sent {
	o.t.Helper()
	return awaits(o.t, time.Minute, func(ctx context.Context) (of []sent, err error) {
		var list struct{ Data []sent }
		if err := o.read(ctx, o.purse, log, &list); err != nil {
			return nil, err
		}
		for _, s := range list.Data {
			if s.EventID == event {
				of = append(of, s)
			}
		}
		return of, nil
	}, done)
}

// forwards makes everything that is scheduled for later due now.
func (o *correspondent) forwards() {
	o.t.Helper()
	for _, statement := range []string{
		`update notification_message set due_at = now() where status = 'pending' and closed_at is null and due_at > now()`,
		`update task set not_before = now() where queue in ('notification', 'delivery') and not_before > now()`,
	} {
		if _, err := o.pool.Exec(o.t.Context(), statement); err != nil {
			o.t.Fatal(err)
		}
	}
}

// mail returns the next email, without waiting for its scheduled time.
func (o *correspondent) mail(ctx context.Context) letter {
	o.t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		o.forwards()
		select {
		case l := <-o.post.mails:
			if l.err != nil || !l.encrypted {
				o.t.Errorf("got a mail that is encrypted: %t, %v", l.encrypted, l.err)
			}
			return l
		case <-tick.C:
		case <-ctx.Done():
			o.t.Fatal("the mail has not come")
		}
	}
}

// confirmation finds the link in an email that asks an address to confirm.
var confirmation = regexp.MustCompile(`http://edge\.example\.test(/confirm/\S+)`)

// confirms reads the next email, which asks an address to confirm that it wants email, and confirms.
func (o *correspondent) confirms(ctx context.Context, address string) {
	o.t.Helper()
	asks := o.mail(ctx)
	link := confirmation.FindStringSubmatch(asks.text)
	if asks.to != address || link == nil {
		o.t.Fatalf("got a mail to %s: %s, want one that asks %s", asks.to, asks.text, address)
	}
	url := o.edge.URL(link[1])
	for _, step := range []struct {
		call
		says string
	}{
		{call{method: http.MethodGet, url: url}, "Nothing has been confirmed yet"},
		{call{url: url, body: "action=confirm", headers: []string{"Content-Type", "application/x-www-form-urlencoded"}}, "<h1>Confirmed</h1>"},
	} {
		if got := step.do(o.t); got.status != http.StatusOK || !strings.Contains(string(got.body), step.says) {
			o.t.Fatalf("%s: got %d %s, want %s", step.method, got.status, got.body, step.says)
		}
	}
}

// TestMonitorTellsPeople shows that a change is sent by email and by webhooks, once each with the event's id and the
// difference: webhooks with a valid signature, email encrypted and with an unsubscribe link.
func TestMonitorTellsPeople(t *testing.T) {
	t.Parallel()
	o := newCorrespondent(t)
	o.post.open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	path := o.watches(fmt.Sprintf(`"webhook": {"url": %q}, "notification": {"channels": [{"target": "ann@example.com"}, {"type": "webhook", "target": %q}]}`,
		o.at("hook"), o.at("channel")))
	o.confirms(ctx, "ann@example.com")
	secret := o.webhookSecret(t, o.purse)
	for n, change := range [][2]int{{49, 39}, {39, 45}} {
		o.price.Store(int64(change[1]))
		o.runs(path, n+2)
		event := o.lastEvent(path)
		var names []string
		for range 2 {
			h := o.hears(ctx, secret)
			if names = append(names, h.name); h.id != event || h.object != "event.monitor.changed" || h.attempt != "1/8" {
				t.Errorf("got %s by %s, at %s, want %s at once", h.object, h.id, h.attempt, event)
			}
			h.wantDiff(t, path, change[0], change[1])
		}
		if slices.Sort(names); !slices.Equal(names, []string{"channel", "hook"}) {
			t.Errorf("got webhooks at %v, want one at each", names)
		}
		o.wasSent(mailLog, event, func(all []sent) bool { return len(all) == 1 })
		mail := o.mail(ctx)
		mail.wantChange(t, "ann@example.com", event, change[0], change[1])
		for log, want := range map[string]int{mailLog: 1, hookLog: 2} {
			all := o.wasSent(log, event, func(all []sent) bool {
				return len(all) == want && !slices.ContainsFunc(all, func(s sent) bool { return s.Status != "delivered" })
			})
			for _, s := range all {
				if s.tries() != 1 {
					t.Errorf("got %d tries of %s%s, want one", s.tries(), s.Target, s.URL)
				}
			}
		}
	}
	// According to the logs, nothing remains to be sent.
	if mails, hooks := len(o.post.mails), len(o.shelf.notices); mails != 0 || hooks != 0 {
		t.Errorf("got %d mails and %d webhooks more, want each once", mails, hooks)
	}
	o.wantSpent(t, 3)
}

// TestMonitorTellsTheDead shows that runs go on while a webhook hangs and the mail server is down. A failed notification
// is retried, then reported to the webhooks that work. Later ones arrive once when the receivers are back.
func TestMonitorTellsTheDead(t *testing.T) {
	t.Parallel()
	o := newCorrespondent(t)
	o.post.open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var dead atomic.Bool
	dead.Store(true)
	held, release := make(chan struct{}, noticesMost), make(chan struct{})
	o.shelf.answers = func(r *http.Request) int {
		if r.URL.Path != "/told/dead" || !dead.Load() {
			return http.StatusOK
		}
		held <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return http.StatusServiceUnavailable
	}
	path := o.watches(fmt.Sprintf(`"webhook": {"url": %q}, "notification": {"channels": [
		{"target": "ann@example.com"}, {"type": "webhook", "target": %q, "events": ["changed", "failed"]}
	]}`, o.at("dead"), o.at("alive")))
	o.confirms(ctx, "ann@example.com")
	o.post.close()
	secret := o.webhookSecret(t, o.purse)
	changes := func(n int, price int64) (event string) {
		o.price.Store(price)
		o.runs(path, n)
		event = o.lastEvent(path)
		if h := o.hears(ctx, secret); h.name != "alive" || h.id != event || h.object != "event.monitor.changed" {
			t.Errorf("got %s of %s at %s, want the change at who is alive", h.object, h.id, h.name)
		}
		return event
	}
	tried := func(status string, tries int) func([]sent) bool {
		return func(all []sent) bool {
			return slices.ContainsFunc(all, func(s sent) bool {
				return s.URL != o.at("alive") && s.Status == status && s.tries() >= tries
			})
		}
	}
	first := changes(2, 39)
	<-held // its first attempt runs until it is released
	o.forwards()
	o.wasSent(mailLog, first, tried("pending", 1))
	second := changes(3, 45)
	o.wasSent(hookLog, first, tried("pending", 0))
	close(release)

	for tries := 1; tries <= toldTries; tries++ {
		status := map[bool]string{false: "pending", true: "failed"}[tries == toldTries]
		for _, log := range []string{hookLog, mailLog} {
			for _, s := range o.wasSent(log, first, tried(status, tries)) {
				if s.URL != o.at("alive") && (string(s.Next) == "null") != (status == "failed") {
					t.Errorf("%s: got %+v after %d tries, want when the next one is", log, s, tries)
				}
			}
		}
		o.forwards()
	}
	h := o.hears(ctx, secret)
	var report struct {
		Channel, Target string
		Events          []string `json:"event_ids"`
		Attempts        int
		Error           string
	}
	if err := json.Unmarshal(h.data, &report); err != nil {
		t.Fatal(err)
	}
	if h.object != "event.notification.failed" || h.name != "alive" || report.Channel != "email" || report.Target != "ann@example.com" ||
		!slices.Equal(report.Events, []string{first}) || report.Attempts != toldTries || report.Error == "" {
		t.Errorf("got %s with %s, want a report of the mail of %s", h.object, h.data, first)
	}

	dead.Store(false)
	o.post.open(t)
	mail := o.mail(ctx)
	mail.wantChange(t, "ann@example.com", second, 39, 45)
	o.wasSent(mailLog, second, func(all []sent) bool { return len(all) == 1 && all[0].Status == "delivered" })
	o.wasSent(mailLog, first, tried("failed", toldTries))
	o.runs(path, 4) // nothing has changed
	o.wantSpent(t, 4)
}
