package notifications_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
)

// askIn lets team_a name addresses in a transaction.
func askIn(ctx context.Context, tx pgx.Tx, now time.Time, addresses ...string) error {
	var channels []outbox.Channel
	for _, a := range addresses {
		channels = append(channels, emailTo(a))
	}
	return notifications.Targets{}.Ask(ctx, tx, team, monitor, channels, now)
}

func (p *place) ask(now time.Time, addresses ...string) {
	p.T.Helper()
	must(p.T, pgx.BeginFunc(p.T.Context(), p.Pool, func(tx pgx.Tx) error { return askIn(p.T.Context(), tx, now, addresses...) }))
	p.Outbox.Wake()
}

func (p *place) wantConsent(address, want string) {
	p.T.Helper()
	got, err := notifications.Targets{}.Consents(p.T.Context(), p.Pool, team, []outbox.Channel{emailTo(address)})
	if err != nil || len(got) != 1 || got[0].Status != want || got[0].Address != address || (got[0].AskedAt == nil) != (want == "unasked") {
		p.T.Errorf("%s: got %+v, %v, want %s", address, got, err, want)
	}
}

// linkOf is the confirmation link of a mail.
func linkOf(t testing.TB, l letter) string {
	t.Helper()
	link := regexp.MustCompile(`https://\S+/confirm/\S+`).FindString(l.text)
	if link == "" || !strings.Contains(l.html, `<a href="`+link+`">`) {
		t.Fatalf("got %s\n%s, want one link to confirm in both", l.text, l.html)
	}
	return link
}

// An unconfirmed address gets no notifications, and the team can read why.
func TestStrangersGetNoMail(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, strange: true})
	p.tell("changed", 18)
	p.ended()
	for _, mail := range box.got() {
		if strings.Contains(string(mail.raw), "18.49") {
			t.Errorf("got the change in a mail to %s, who has not confirmed, want none", mail.to)
		}
	}
	got := p.list("status=unconfirmed")
	if len(got) != 1 || said(got[0]) != "the address has not confirmed that it wants email" || got[0].Ended == nil || got[0].NextAttempt != nil {
		t.Errorf("got %+v, want it ended, and why", got)
	}
}

// A new address gets one mail that asks for consent. Opening its link changes nothing; pressing its button, once or
// twice, confirms the address for later notifications.
func TestConfirm(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo("Ann@Example.com")}, strange: true})
	p.Exec(`update team set name = 'Kettles' || chr(10) || '<b>' where id = $1`, team)
	p.wantConsent("Ann@Example.com", "unasked")
	p.ask(time.Now(), "Ann@Example.com", "ann@example.com")
	mail := box.until(t, 1)[0]
	p.ended()
	l := read(t, mail)
	if mail.to[0] != "Ann@Example.com" || l.subject != "Confirm that “Kettles <b>” may send you email" || strings.Contains(l.html, "<b>") ||
		!strings.Contains(l.text, "“Kettles <b>” wants to send email to Ann@Example.com") || !strings.Contains(l.text, "api.example.com") {
		t.Errorf("got %q to %s: %s, want who asks", l.subject, mail.to, l.text)
	}
	if got := l.header.Get("List-Unsubscribe"); got != "<"+p.service.Unsubscribe(team, "Ann@Example.com")+">" {
		t.Errorf("got %s, want a way to refuse", got)
	}
	if d := p.only(); d.Channel != "confirmation" || d.Status != "delivered" || d.Event != "event.consent.requested" || d.MonitorID != monitor {
		t.Errorf("got %+v, want the team to see that it was asked", d)
	}
	link := linkOf(t, l)
	p.tell("changed", 1)
	p.ended()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		shown := p.follow(method, link, "", http.StatusOK)
		if method == http.MethodGet && (!strings.Contains(shown, "Nothing has been confirmed yet") || !strings.Contains(shown, "Kettles &lt;b&gt;")) {
			t.Errorf("got %s, want who asks, and that nothing is confirmed", shown)
		}
	}
	for _, body := range []string{"", "action=unsubscribe", "List-Unsubscribe=One-Click"} {
		p.follow(http.MethodPost, link, body, http.StatusBadRequest)
	}
	p.wantConsent("Ann@Example.com", "pending")
	for range 2 {
		if shown := p.follow(http.MethodPost, link, "action=confirm", http.StatusOK); !strings.Contains(shown, "<h1>Confirmed</h1>") {
			t.Errorf("got %s, want that it is done", shown)
		}
	}
	p.wantConsent("Ann@Example.com", "confirmed")
	p.tell("changed", 2)
	p.ended()
	mails := box.got()
	if len(mails) != 2 || !strings.Contains(read(t, mails[1]).text, "to 2.49") {
		t.Errorf("got %d mails, want the question, and the change after it was answered", len(mails))
	}
}

// Concurrent confirmations count once, with the time of the first.
func TestConfirmationsAtOnce(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	p.ask(time.Now(), ann)
	link := p.confirmation(ann)
	p.Exec(`create table noted_answer as select answered_at from mail_consent limit 0;
		create function noted() returns trigger language plpgsql as 'begin insert into noted_answer values (new.answered_at); return null; end';
		create trigger noted after update on mail_consent for each row execute function noted()`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			response := p.answer(http.MethodPost, strings.TrimPrefix(link, publicURL), "application/x-www-form-urlencoded", "action=confirm")
			if response.Code != http.StatusOK {
				t.Errorf("got %d %s, want that it is confirmed", response.Code, response.Body)
			}
		})
	}
	wg.Wait()
	p.wantConsent(ann, "confirmed")
	if got := p.Count(`select count(distinct answered_at) from noted_answer`); got != 1 {
		t.Errorf("got %d times at which it was confirmed, want one", got)
	}
}

// An unconfirmed address is asked at most once a day per team, and a team can ask at most 20 a day, also concurrently.
func TestFewStrangersAreAsked(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	now := time.Now()
	asked := func() int {
		return p.Count(`select coalesce(sum(jsonb_array_length(data::jsonb)), 0) from event where type = 'consent.requested'`)
	}
	p.ask(now, ann, "Ann@example.com")
	p.ask(now.Add(23*time.Hour), ann)
	if got := asked(); got != 1 {
		t.Errorf("one address: got %d mails within a day, want 1", got)
	}
	now = now.Add(25 * time.Hour)
	p.ask(now, ann)
	if got := asked(); got != 2 {
		t.Errorf("one address: got %d mails after a day, want 2", got)
	}
	var wg sync.WaitGroup
	for n := range 10 {
		wg.Go(func() {
			err := pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error {
				return askIn(t.Context(), tx, now, fmt.Sprintf("a%d@example.com", n), fmt.Sprintf("b%d@example.com", n), fmt.Sprintf("c%d@example.com", n))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := asked(); got != 21 {
		t.Errorf("31 addresses: got %d mails in a day and one before, want 20 and one", got)
	}
	// A confirmed address no longer counts, which makes room for another.
	p.confirm(ann)
	p.ask(now, "last@example.com", "one.more@example.com")
	p.wantConsent("last@example.com", "pending")
	p.wantConsent("one.more@example.com", "unasked")
}

// A link is valid for seven days. After that, its page says how to get a new one.
func TestConfirmationExpires(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	p := setup(t, options{idle: true, config: func(c *notifications.Config) { c.Now = clock.Now }})
	p.ask(clock.Now(), ann)
	link := p.confirmation(ann)
	clock.Advance(7*24*time.Hour - time.Second)
	p.follow(http.MethodGet, link, "", http.StatusOK)
	clock.Advance(2 * time.Second)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		shown := p.follow(method, link, "action=confirm", http.StatusGone)
		if !strings.Contains(shown, "for 7 days") || !strings.Contains(shown, "add ann@example.com again") {
			t.Errorf("got %s, want how there is another", shown)
		}
	}
	p.wantConsent(ann, "pending")
	p.ask(clock.Now(), ann)
	p.follow(http.MethodPost, link, "action=confirm", http.StatusGone)
	p.follow(http.MethodPost, p.confirmation(ann), "action=confirm", http.StatusOK)
	p.wantConsent(ann, "confirmed")
}

// An address from before consents existed is asked by the first notification, once.
func TestAddressesOfOldMonitorsAreAsked(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, strange: true})
	p.tell("changed", 1)
	l := read(t, box.until(t, 1)[0])
	p.ended()
	p.tell("changed", 2)
	p.ended()
	if got := len(box.got()); got != 1 || len(p.list("status=unconfirmed")) != 2 {
		t.Errorf("got %d mails, want one, that asks", got)
	}
	p.follow(http.MethodPost, linkOf(t, l), "action=confirm", http.StatusOK)
	p.wantConsent(ann, "confirmed")
}

// If an address unsubscribes first, the mail that asks for consent is not sent.
func TestUnsubscribedWhileItIsAsked(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), idle: true})
	p.ask(time.Now(), ann)
	p.follow(http.MethodPost, p.service.Unsubscribe(team, ann), "action=unsubscribe", http.StatusOK)
	p.Start()
	p.ended()
	if got := len(box.got()); got != 0 || p.only().Status != "unsubscribed" {
		t.Errorf("got %d mails, %s, want none", got, p.only().Status)
	}
}

// Without a mail server the link is in the log only.
func TestConfirmationIsLoggedWithoutAServer(t *testing.T) {
	t.Parallel()
	var log logged
	p := setup(t, options{strange: true, config: func(c *notifications.Config) { c.Mailer = logTo(&log) }})
	p.ask(time.Now(), ann)
	p.ended()
	if want := "confirm=" + p.confirmation(ann); !strings.Contains(log.String(), want) || p.only().Status != "logged" {
		t.Errorf("got %s, want %s in it", log.String(), want)
	}
}

// An event that joins a message while it is being closed is withheld with it.
func TestLateEventsAreWithheld(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, strange: true, idle: true})
	take := func(tx pgx.Tx, id string) {
		e := outbox.Event{TeamID: team, Type: "monitor.changed", Subject: monitor, Data: change(1), OwnID: id}
		must(t, outbox.Add(t.Context(), tx, e))
		_, err := p.service.Take(t.Context(), tx, []outbox.Taken{{ID: id, Event: e}})
		must(t, err)
	}
	must(t, pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error {
		take(tx, "event_first")
		return nil
	}))
	late, err := p.Pool.Begin(t.Context())
	must(t, err)
	take(late, "event_late")
	var id string
	must(t, late.QueryRow(t.Context(), `select id from notification_message`).Scan(&id))
	tried := make(chan error, 1)
	go func() {
		_, err := p.service.Try(t.Context(), jobs.Task{Group: id, Lane: "lane", TeamID: team})
		tried <- err
	}()
	p.Until("the close waits", `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`)
	must(t, late.Commit(t.Context()))
	must(t, <-tried)
	if got := p.Count(`select count(*) from notification_delivery where withheld = 'unconfirmed'`); got != 2 || len(box.got()) != 0 {
		t.Errorf("got %d of 2 events withheld, and %d mails, want all, and none", got, len(box.got()))
	}
}
