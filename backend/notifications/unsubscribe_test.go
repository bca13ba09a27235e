package notifications_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// follow requests a link with a form body, and returns the page.
func (p *place) follow(method, link, body string, wantStatus int) string {
	p.T.Helper()
	return p.followAs(method, link, "application/x-www-form-urlencoded", body, wantStatus)
}

func (p *place) followAs(method, link, kind, body string, wantStatus int) string {
	p.T.Helper()
	path, ours := strings.CutPrefix(link, publicURL)
	if !ours {
		p.T.Fatalf("got the link %s, want one below %s", link, publicURL)
	}
	response := p.answer(method, path, kind, body)
	if response.Code != wantStatus {
		p.T.Fatalf("%s %s: got %d %s, want %d", method, path, response.Code, response.Body, wantStatus)
	}
	h := response.Header()
	if h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		p.T.Errorf("%s: got the header %v", path, h)
	}
	return response.Body.String()
}

func (p *place) answer(method, path, kind, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(p.T.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", kind)
	response := httptest.NewRecorder()
	mux := http.NewServeMux()
	mux.Handle(notifications.UnsubscribePath, p.service.UnsubscribeHandler())
	mux.Handle(notifications.ConfirmPath, p.service.ConfirmHandler())
	mux.ServeHTTP(response, request)
	return response
}

// Opening the link changes nothing. A POST, from the page's button or a mail program, ends all mail of the team to the
// address, until the team asks again and the address confirms.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo("Ann@Example.com"), emailTo("bob@example.com")}})
	p.tell("changed", 1)
	box.until(t, 2)
	p.ended()
	link, confirmation := p.service.Unsubscribe(team, "Ann@Example.com"), p.confirmation("Ann@Example.com")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		shown := p.follow(method, link, "", http.StatusOK)
		if want := "Ann@Example.com will no longer receive email"; method == http.MethodGet && !strings.Contains(shown, want) {
			t.Errorf("got %s, want %s in it", shown, want)
		}
	}
	p.wantConsent("ann@example.com", "confirmed")
	for range 2 {
		if shown := p.follow(http.MethodPost, link, "List-Unsubscribe=One-Click", http.StatusOK); !strings.Contains(shown, "You are unsubscribed") {
			t.Errorf("got %s, want that it is done", shown)
		}
	}
	p.tell("changed", 2)
	p.tell("changed", 3, "monitor_other")
	p.ended()
	for _, mail := range box.got()[2:] {
		if mail.to[0] != "bob@example.com" {
			t.Errorf("got a mail to %s, want none", mail.to)
		}
	}
	gone := p.list("status=unsubscribed")
	if len(gone) != 2 || len(p.list("status=delivered")) != 4 || said(gone[0]) != "the address has unsubscribed" {
		t.Errorf("got %d of %d unsubscribed, want two: all of this address", len(gone), len(p.list()))
	}
	if shown := p.follow(http.MethodPost, confirmation, "action=confirm", http.StatusGone); !strings.Contains(shown, "no longer works") {
		t.Errorf("the old confirmation: got %s, want that it confirms no more", shown)
	}
	p.wantConsent("ann@example.com", "unsubscribed")

	p.Exec(`update mail_consent set asked_at = asked_at - interval '1 day'`)
	p.ask(time.Now(), "Ann@Example.com")
	p.wantConsent("ann@example.com", "pending")
	p.follow(http.MethodPost, confirmation, "action=confirm", http.StatusGone)
	p.follow(http.MethodPost, p.confirmation("Ann@Example.com"), "action=confirm", http.StatusOK)
	p.wantConsent("ann@example.com", "confirmed")

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	must(t, w.WriteField("List-Unsubscribe", "One-Click"))
	must(t, w.Close())
	p.followAs(http.MethodPost, link, w.FormDataContentType(), form.String(), http.StatusOK)
	p.wantConsent("ann@example.com", "unsubscribed")
}

func TestLinksThatAreNotOurs(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	link := p.service.Unsubscribe(team, ann)
	other := setup(t, options{idle: true, url: p.URL, config: otherSecret})
	for name, bad := range map[string]string{
		"cut":            link[:len(link)-3],
		"changed":        strings.Replace(link, "/unsubscribe/d", "/unsubscribe/e", 1),
		"nothing":        publicURL + "/unsubscribe/",
		"another secret": other.service.Unsubscribe(team, ann),
		"long":           link + strings.Repeat("a", 5000),
	} {
		if shown := p.follow(http.MethodPost, bad, "action=unsubscribe", http.StatusNotFound); bad == link || !strings.Contains(shown, "This link is not valid") {
			t.Errorf("%s: got %s, want that it is none of ours", name, shown)
		}
	}
	for _, body := range []string{"", "action=delete", "List-Unsubscribe=Twice", strings.Repeat("a", 100_000)} {
		p.follow(http.MethodPost, link, body, http.StatusBadRequest)
	}
	p.follow(http.MethodDelete, link, "", http.StatusMethodNotAllowed)
	p.follow(http.MethodPost, p.service.Unsubscribe("team_gone", ann), "action=unsubscribe", http.StatusNotFound)
	for _, bad := range []string{
		strings.Replace(link, "/unsubscribe/", "/confirm/", 1), p.service.Confirmation("team_gone", ann, time.Now()),
	} {
		p.follow(http.MethodPost, bad, "action=confirm", http.StatusNotFound)
	}
	if got := p.Count(`select count(*) from mail_consent`); got != 0 {
		t.Errorf("got %d consents, want none", got)
	}
}

// While the database is away, the page says so.
func TestUnsubscribeWithoutADatabase(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	p.Exec(`alter table mail_consent rename to gone`)
	p.follow(http.MethodGet, p.service.Unsubscribe(team, ann), "", http.StatusServiceUnavailable)
}
