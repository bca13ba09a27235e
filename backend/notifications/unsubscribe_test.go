package notifications_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/outbox"
)

// follow asks for a link, with a form's body, and returns the page.
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
	request := httptest.NewRequestWithContext(p.T.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", kind)
	response := httptest.NewRecorder()
	p.service.UnsubscribeHandler().ServeHTTP(response, request)
	if response.Code != wantStatus {
		p.T.Fatalf("%s %s: got %d %s, want %d", method, path, response.Code, response.Body, wantStatus)
	}
	h := response.Header()
	if h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		p.T.Errorf("%s: got the header %v", path, h)
	}
	return response.Body.String()
}

// Looking at a link changes nothing; a POST does, of the page's button or of a mail program's, and can be undone.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo("Ann@Example.com"), emailTo("bob@example.com")}})
	p.tell("changed", 1)
	box.until(t, 2)
	p.ended()
	link := p.service.Unsubscribe(team, monitor, "Ann@Example.com")
	refusals := func() int { return p.Count(`select count(*) from notification_refusal`) }

	for _, method := range []string{http.MethodGet, http.MethodHead} {
		shown := p.follow(method, link, "", http.StatusOK)
		if want := "Ann@Example.com gets mail about “price of the &#34;Blue&#34; &lt;kettle&gt;”."; method == http.MethodGet && !strings.Contains(shown, want) {
			t.Errorf("got %s, want %s in it", shown, want)
		}
	}
	if refusals() != 0 {
		t.Error("looking at the link changed something")
	}
	for range 2 {
		if shown := p.follow(http.MethodPost, link, "List-Unsubscribe=One-Click", http.StatusOK); !strings.Contains(shown, "no more mail") || !strings.Contains(shown, "Undo") {
			t.Errorf("got %s, want that it is done, and how to undo it", shown)
		}
	}
	if got := refusals(); got != 1 {
		t.Errorf("got %d refusals, want 1", got)
	}
	p.tell("changed", 2)
	p.tell("changed", 3, "monitor_other")
	p.ended()
	to := map[string]int{}
	for _, mail := range box.got() {
		to[mail.to[0]] += 1 + strings.Count(string(mail.raw), "never")
	}
	if len(p.list("status=unsubscribed")) != 1 || len(p.list("status=delivered")) != 5 {
		t.Errorf("got %d of %d unsubscribed, want one: of this address and monitor only", len(p.list("status=unsubscribed")), len(p.list()))
	}
	if shown := p.follow(http.MethodGet, link, "", http.StatusOK); !strings.Contains(shown, "gets no more mail") {
		t.Errorf("got %s, want what holds", shown)
	}
	if shown := p.follow(http.MethodPost, link, "action=resubscribe", http.StatusOK); !strings.Contains(shown, "mail is sent again") || refusals() != 0 {
		t.Errorf("got %s, want it undone", shown)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	must(t, w.WriteField("List-Unsubscribe", "One-Click"))
	must(t, w.Close())
	p.followAs(http.MethodPost, link, w.FormDataContentType(), form.String(), http.StatusOK)
	if refusals() != 1 {
		t.Error("a form in parts: got no refusal, want one")
	}
}

// One click on a digest is for all that it tells of.
func TestUnsubscribeFromADigest(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, idle: true})
	p.tell("changed", 1)
	p.tell("changed", 2, "monitor_other")
	p.Start()
	l := read(t, box.until(t, 1)[0])
	p.ended()
	link := strings.Trim(l.header.Get("List-Unsubscribe"), "<>")
	if shown := p.follow(http.MethodGet, link, "", http.StatusOK); !strings.Contains(shown, "2 monitors") {
		t.Errorf("got %s, want that it is about two monitors", shown)
	}
	p.follow(http.MethodPost, link, "List-Unsubscribe=One-Click", http.StatusOK)
	if got := p.Count(`select count(*) from notification_refusal where address = $1 and subject in ($2, 'monitor_other')`, ann, monitor); got != 2 {
		t.Errorf("got %d refusals, want one for each monitor", got)
	}
	p.follow(http.MethodPost, link, "action=resubscribe", http.StatusOK)
	if got := p.Count(`select count(*) from notification_refusal`); got != 0 {
		t.Errorf("undone: got %d refusals, want none", got)
	}
	p.Exec(`delete from notification_message`)
	if shown := p.follow(http.MethodPost, link, "action=unsubscribe", http.StatusGone); !strings.Contains(shown, "too old") {
		t.Errorf("got %s, want that the mail is too old", shown)
	}
}

func TestLinksThatAreNotOurs(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	link := p.service.Unsubscribe(team, monitor, ann)
	other := setup(t, options{idle: true, url: p.URL, config: otherSecret})
	for name, bad := range map[string]string{
		"cut":            link[:len(link)-3],
		"changed":        strings.Replace(link, "/unsubscribe/d", "/unsubscribe/e", 1),
		"nothing":        publicURL + "/unsubscribe/",
		"another secret": other.service.Unsubscribe(team, monitor, ann),
		"long":           link + strings.Repeat("a", 5000),
	} {
		if shown := p.follow(http.MethodPost, bad, "action=unsubscribe", http.StatusNotFound); bad == link || !strings.Contains(shown, "not one of ours") {
			t.Errorf("%s: got %s, want that it is none of ours", name, shown)
		}
	}
	for _, body := range []string{"", "action=delete", "List-Unsubscribe=Twice", strings.Repeat("a", 100_000)} {
		p.follow(http.MethodPost, link, body, http.StatusBadRequest)
	}
	p.follow(http.MethodDelete, link, "", http.StatusMethodNotAllowed)
	p.follow(http.MethodPost, p.service.Unsubscribe("team_gone", monitor, ann), "action=unsubscribe", http.StatusOK)
	if got := p.Count(`select count(*) from notification_refusal`); got != 0 {
		t.Errorf("got %d refusals, want none", got)
	}
}

// While the database is away the page says so.
func TestUnsubscribeWithoutADatabase(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	p.Exec(`alter table notification_refusal rename to gone`)
	p.follow(http.MethodGet, p.service.Unsubscribe(team, monitor, ann), "", http.StatusServiceUnavailable)
}
