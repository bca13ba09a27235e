package notifications_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
)

// Events that occur together become one mail that lists them in order. Each has its own delivery.
func TestDigest(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, idle: true})
	for n := range 25 {
		p.tell("changed", n, fmt.Sprintf("monitor_%d", n))
	}
	p.Start()
	p.ended()
	mails, list := box.got(), p.list("status=delivered")
	if len(mails) != 1 || len(list) != 25 {
		t.Fatalf("got %d mails of %d deliveries, want one of 25", len(mails), len(list))
	}
	l := read(t, mails[0])
	if !strings.HasPrefix(l.subject, "25 notifications: Changed: price") || !strings.Contains(l.text, "20 notifications, and 5 more") || !strings.Contains(l.html, "5 more notifications") {
		t.Errorf("got %q: %s, want 20 of 25", l.subject, l.text)
	}
	place := -1
	for n := range 20 {
		next := strings.Index(l.text, fmt.Sprintf("Monitor monitor_%d,", n))
		if next <= place {
			t.Errorf("notice %d is at %d, behind the one before it at %d: want them in order", n, next, place)
		}
		place = next
	}
	for _, d := range list {
		if d.MessageID != list[0].MessageID {
			t.Errorf("got the messages %s and %s, want one", d.MessageID, list[0].MessageID)
		}
	}
}

// A runaway monitor: the first event is sent within seconds, later ones are spread out, with at most twelve mails an
// hour and none lost. The test moves the clock to the time of each mail.
func TestRunawayMonitor(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now().Truncate(time.Second))
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, config: func(c *notifications.Config) {
		c.Now, c.Gather, c.Spacing = clock.Now, 0, 0
	}})
	began := clock.Now()
	var sent []time.Duration
	for n := range 30 {
		p.tell("changed", n)
		p.tell("changed", n)
		p.Until("the message waits", `select exists (select from task where not_before is not null)`)
		var due time.Time
		must(t, p.Pool.QueryRow(t.Context(), `select due_at from notification_message where closed_at is null`).Scan(&due))
		clock.Advance(due.Sub(clock.Now()))
		sent = append(sent, due.Sub(began))
		p.Exec(`update task set not_before = clock_timestamp() where not_before is not null`)
		p.ended()
	}
	if got := len(box.got()); got != 30 || len(p.list("status=delivered")) != 60 {
		t.Fatalf("got %d mails of %d deliveries, want 30 of 60", got, len(p.list("status=delivered")))
	}
	if sent[0] != 5*time.Second || sent[1] != sent[0]+time.Minute {
		t.Errorf("got the first after %s and %s, want 5 s, and a minute later", sent[0], sent[1])
	}
	for i := 12; i < len(sent); i++ {
		if got := sent[i] - sent[i-12]; got < time.Hour {
			t.Errorf("mails %d to %d: got 13 within %s, want 12 an hour", i-12, i, got)
		}
	}
	if got := sent[29]; got > 2*time.Hour+20*time.Minute {
		t.Errorf("got the 30th after %s, want them as soon as may be", got)
	}
}

// While a message is being retried, further events gather behind it, for an hour.
func TestEventsGatherBehindWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	box := &mailbox{rcpt: func(n int) error {
		if n == 0 {
			return refusal(451)
		}
		return nil
	}}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, config: func(c *notifications.Config) {
		c.Now, c.Schedule = clock.Now, []time.Duration{8 * time.Hour, time.Hour}
	}})
	p.tell("changed", 1)
	clock.Advance(time.Second)
	p.Until("the first try", `select exists (select from notification_message where tries = 1)`)
	p.tell("changed", 2)
	clock.Advance(time.Second)
	p.Until("the second waits", `select count(*) = 2 from task where not_before > clock_timestamp() + interval '10 seconds'`)
	p.tell("changed", 3)
	p.Until("the third is with it", `select count(*) = 3 from notification_delivery`)
	clock.Advance(time.Hour)
	p.Exec(`update task set not_before = clock_timestamp() where not_before is not null and group_id in (select id from notification_message where closed_at is null)`)
	if l := read(t, box.until(t, 1)[0]); !strings.Contains(l.subject, "2 notifications") {
		t.Errorf("got %q, want the two that have waited for an hour", l.subject)
	}
	p.Exec(`update task set not_before = clock_timestamp() where not_before is not null`)
	p.ended()
	if got := len(box.got()); got != 2 {
		t.Errorf("got %d mails, want 2", got)
	}
}

// Several processes create one delivery for each event and channel, and send each message once.
func TestReplicas(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	mailer := box.mailer(t)
	o := options{mailer: mailer, channels: []outbox.Channel{emailTo(ann), emailTo("bob@example.com")}}
	p := setup(t, o)
	o.url = p.URL
	for range 2 {
		setup(t, o)
	}
	const events = 60
	var wg sync.WaitGroup
	for n := range events {
		wg.Go(func() {
			e := outbox.Event{TeamID: team, Type: "monitor.changed", Subject: fmt.Sprintf("monitor_%d", n), Data: change(n)}
			if err := pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error { return outbox.Add(t.Context(), tx, e) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	p.ended()
	if got := p.Count(`select count(*) from notification_delivery`); got != 2*events {
		t.Errorf("got %d deliveries, want %d", got, 2*events)
	}
	told := map[string]int{}
	ids := map[string]bool{}
	for _, mail := range box.got() {
		l := read(t, mail)
		if id := l.header.Get("Message-ID"); ids[id] {
			t.Errorf("got two mails with the id %s", id)
		} else {
			ids[id] = true
		}
		for line := range strings.Lines(l.text) {
			if _, event, ok := strings.Cut(line, ", event "); ok {
				told[mail.to[0]+event]++
			}
		}
	}
	messages := p.Count(`select count(*) from notification_message where status = 'delivered'`)
	if len(ids) != messages {
		t.Errorf("got %d mails, want one for each of %d messages", len(ids), messages)
	}
	for event, n := range told {
		if n != 1 {
			t.Errorf("%s: told %d times, want once", event, n)
		}
	}
}

// stuck is a worker that has sent a message but cannot store the result.
type stuck struct {
	jobs.Handler

	sent, goOn chan struct{}
}

func (s *stuck) Run(ctx context.Context, t jobs.Task) (any, error) {
	result, err := s.Handler.Run(ctx, t)
	close(s.sent)
	<-s.goOn
	return result, err
}

// If a worker is lost between sending and commit, another sends the same mail again.
func TestWorkerLostBetweenMailAndCommit(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	mailer := box.mailer(t)
	lost := &stuck{sent: make(chan struct{}), goOn: make(chan struct{})}
	o := options{mailer: mailer, channels: []outbox.Channel{emailTo(ann)}, config: func(c *notifications.Config) { c.Slots = 1 }}
	o.queue = func(q *jobs.Queue) { lost.Handler, q.Handler = q.Handler, lost }
	a := setup(t, o)
	a.tell("changed", 1)
	<-lost.sent
	a.Exec(`update task set lease_until = clock_timestamp() - interval '1 second'`)
	o.url, o.queue = a.URL, func(q *jobs.Queue) { q.Lease = 400 * time.Millisecond }
	setup(t, o)
	a.ended()
	close(lost.goOn)
	stop, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, a.Tasks.Stop(stop))
	mails, d := box.got(), a.only()
	if len(mails) != 2 || d.Status != "delivered" || d.Attempts != 1 {
		t.Fatalf("got %d mails, %s by %d tries, want two, of one try that was made twice", len(mails), d.Status, d.Attempts)
	}
	if a, b := read(t, mails[0]).header.Get("Message-ID"), read(t, mails[1]).header.Get("Message-ID"); a != b {
		t.Errorf("got the ids %s and %s, want one", a, b)
	}
}

// A dead channel (a server that hangs) blocks nothing: runs end, and other notifications arrive once, signed and with
// the diff. The dead one is retried, then given up, and its owner is notified.
func TestADeadChannelBlocksNothing(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	var once sync.Once
	dead := &mailbox{data: func(_ int, c *smtp.Conn, _ io.Reader) error {
		once.Do(func() { close(hung) })
		var err error
		for err == nil {
			_, err = c.Conn().Read(make([]byte, 1<<20)) // until the client hangs up
		}
		return err
	}}
	slack := newReceiver(t, status(200))
	hook := newReceiver(t, status(200))
	hook.Start()
	p := setup(t, options{
		mailer: dead.mailer(t), slack: slack, config: func(c *notifications.Config) { c.TryTimeout = 2 * time.Second },
		channels: []outbox.Channel{
			emailTo(ann), slackTo(slack), {Type: outbox.ChannelWebhook, Target: hook.URL + "/hook", Events: []string{"changed", "failed"}},
		},
	})
	p.tell("changed", 0)
	<-hung
	const runs = 10
	for n := 1; n < runs; n++ { // tell is the transaction that ends a run
		began := time.Now()
		p.tell("changed", n)
		if got := time.Since(began); got > time.Second {
			t.Errorf("run %d: got its end after %s", n, got)
		}
	}
	p.Until("the webhooks of all runs", `select count(*) = $1 from webhook_delivery where status = 'delivered'`, runs)
	if got := p.Count(`select count(*) from notification_message where channel = 'email' and status <> 'pending'`); got != 0 {
		t.Error("the mail has ended, want it still tried while all else has arrived")
	}
	p.ended()
	secret, err := p.webhooks.Secret(t.Context(), team)
	must(t, err)
	verifier, err := standardwebhooks.NewWebhook(secret)
	must(t, err)
	seen := map[string]int{}
	for _, post := range hook.got() {
		must(t, verifier.Verify(post.raw, post.header))
		var body webhookBody
		must(t, json.Unmarshal(post.raw, &body))
		seen[body.Object]++
		if body.Object == "event.monitor.changed" && body.Data.Diff["unified"] == nil || post.header.Get("Webhook-Id") != body.ID {
			t.Errorf("got %s, want it with the diff, by the event's id", post.raw)
		}
		if body.Object != "event.notification.failed" {
			continue
		}
		if d := body.Data; d.Channel != "email" || d.Target != ann || d.MonitorID != monitor || d.Attempts != 3 || d.Error == "" || len(d.EventIDs) == 0 {
			t.Errorf("got %s, want what was given up, and why", post.raw)
		}
	}
	failed := p.list("status=failed", "monitor_id="+monitor)
	messages := p.Count(`select count(*) from notification_message where status = 'failed'`)
	if seen["event.monitor.changed"] != runs || seen["event.notification.failed"] != messages || len(failed) != runs {
		t.Errorf("got %v and %d failed deliveries, want %d changes, one report for each of %d messages, and all mail failed", seen, len(failed), runs, messages)
	}
	told := 0
	for _, post := range slack.got() {
		told += strings.Count(string(post.raw), " · event_")
	}
	if told != runs {
		t.Errorf("Slack: told of %d events, want %d", told, runs)
	}
}

type webhookBody struct {
	ID     string `json:"id"`
	Object string `json:"object"`
	Data   struct {
		Diff      map[string]any `json:"diff"`
		MonitorID string         `json:"monitor_id"`
		Channel   string         `json:"channel"`
		Target    string         `json:"target"`
		EventIDs  []string       `json:"event_ids"`
		Attempts  int            `json:"attempts"`
		Error     string         `json:"error"`
	} `json:"data"`
}

func TestListing(t *testing.T) {
	t.Parallel()
	p := setup(t, options{channels: []outbox.Channel{emailTo(ann)}})
	for n := range 5 {
		p.tell("changed", n, fmt.Sprintf("monitor_%d", n%2))
	}
	p.tellAs("team_b", "changed", 1)
	p.ended()
	var ids []string
	cursor := ""
	for range 3 {
		var got page
		p.call(team, "/v1/notifications/deliveries?limit=2"+cursor, http.StatusOK, &got)
		for _, d := range got.Data {
			ids = append(ids, d.ID)
		}
		cursor = "&cursor=" + got.Cursor
	}
	all := p.list()
	if len(ids) != 5 || len(all) != 5 || !slices.IsSortedFunc(all, func(a, b *notifications.Delivery) int { return int(b.Created - a.Created) }) {
		t.Fatalf("got %v of %d, want five, latest first", ids, len(all))
	}
	for i, d := range all {
		if d.ID != ids[i] {
			t.Errorf("place %d: got %s by pages, want %s", i, ids[i], d.ID)
		}
	}
	if got := p.list("monitor_id=monitor_1"); len(got) != 2 {
		t.Errorf("of one monitor: got %d, want 2", len(got))
	}
	if got := p.list("status=failed"); len(got) != 0 {
		t.Errorf("failed: got %d, want none", len(got))
	}
	var got page
	if p.call("team_b", "/v1/notifications/deliveries", http.StatusOK, &got); len(got.Data) != 0 || got.Object != "list" {
		t.Errorf("another team: got %+v, want nothing", got)
	}
	p.call(team, "/v1/notifications/deliveries?cursor=x", http.StatusBadRequest, nil)
	p.call(team, "/v1/notifications/deliveries?monitor_id=%00", http.StatusBadRequest, nil)
	p.call(team, "/v1/notifications/deliveries?monitor_id=%ff", http.StatusBadRequest, nil)
	p.call(team, "/v1/notifications/deliveries?status=gone", http.StatusUnprocessableEntity, nil)
}

func TestPurge(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	p := setup(t, options{channels: []outbox.Channel{emailTo(ann)}, config: func(c *notifications.Config) { c.Now = clock.Now }})
	p.tell("changed", 1)
	p.Until("it waits or has gone", `select exists (select from notification_message)`)
	clock.Advance(time.Second)
	p.ended()
	for _, want := range []int{0, 1} {
		if got, err := p.service.Purge(t.Context()); err != nil || got != want {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
		clock.Advance(outbox.Retention)
	}
	if got := p.Count(`select count(*) from notification_delivery`); got != 0 {
		t.Errorf("got %d deliveries, want none", got)
	}
}

func TestNewNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := notifications.New(notifications.Config{MasterSecret: []byte("short"), PublicURL: "example.com", Hourly: -1})
	if err == nil {
		t.Fatal("got no error, want one")
	}
	for _, want := range []string{"Pool", "Tasks", "Mailer and Client", "Logger", "Now", "PublicURL", "at least 32 bytes, has 5", "must not be negative"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}

var errAudience = errors.New("the channels cannot be read")

type broken struct{}

func (broken) Channels(context.Context, pgx.Tx, string, string, string) ([]outbox.Channel, error) {
	return nil, errAudience
}

// An event whose channels cannot be read is processed later.
func TestChannelsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true, config: func(c *notifications.Config) { c.Audiences = outbox.Audiences{"monitor": broken{}} }})
	e := outbox.Taken{ID: "event_1", Event: outbox.Event{TeamID: team, Type: "monitor.changed", Subject: monitor}}
	if _, err := p.service.Take(t.Context(), nil, []outbox.Taken{e}); !errors.Is(err, errAudience) {
		t.Errorf("got %v, want the audience's error", err)
	}
}
