package notifications_test

import (
	"crypto/x509"
	"io"
	"log/slog"
	"maps"
	netmail "net/mail"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

func emailTo(target string, events ...string) outbox.Channel {
	return outbox.Channel{Type: outbox.ChannelEmail, Target: target, Events: events}
}

// A change is one mail over TLS, from the operator's address, with a text and an HTML part, and all headers that
// readers and mail programs need.
func TestMail(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann), emailTo("bob@example.com", "failed")}})
	p.tell("changed", 18)
	p.tell("completed", 18)
	p.ended()
	mails := box.got()
	if len(mails) != 1 || mails[0].from != "monitors@example.org" || !slices.Equal(mails[0].to, []string{ann}) || !mails[0].tls {
		t.Fatalf("got %d mails, %+v, want one to ann, over TLS", len(mails), mails)
	}
	l, d := read(t, mails[0]), p.only()
	if want := "Price <b>fell</b> & more: 19.99 to 18.49"; l.subject != want {
		t.Errorf("subject: got %q, want %q", l.subject, want)
	}
	for name, want := range map[string]string{
		"From": `"Turnpike" <monitors@example.org>`, "To": "<" + ann + ">", "Auto-Submitted": "auto-generated",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "List-Unsubscribe": "<" + p.service.Unsubscribe(team, ann) + ">",
	} {
		if got := l.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if id := l.header.Get("Message-ID"); !strings.HasPrefix(id, "<"+d.EventID+".") || !strings.HasSuffix(id, "@example.org>") {
		t.Errorf("Message-ID: got %s, want one of event %s", id, d.EventID)
	}
	for _, want := range []string{
		`Changed: price of the "Blue" <kettle>`, "Kettles › Price", "- €19.99 <s>", "+ €18.49 & <!channel>", d.EventID,
		p.service.Unsubscribe(team, ann),
	} {
		if !strings.Contains(l.text, want) {
			t.Errorf("text: got %s, want %q in it", l.text, want)
		}
	}
	for _, want := range []string{
		"price of the &#34;Blue&#34; &lt;kettle&gt;", "€19.99 &lt;s&gt;", "&amp; &lt;!channel&gt;",
		`<a href="https://shop.example.com/kettle?a=1&amp;b=2">`, `<a href="` + p.service.Unsubscribe(team, ann) + `">`,
	} {
		if !strings.Contains(l.html, want) {
			t.Errorf("HTML: got %s, want %q in it", l.html, want)
		}
	}
	for _, not := range []string{"<b>", "<s>", "<kettle>", "<img", "url(", "<script", "ZgotmplZ"} {
		if strings.Contains(l.html, not) {
			t.Errorf("HTML: got %q in it", not)
		}
	}
	if d.Status != "delivered" || d.Attempts != 1 || *d.StatusCode != 250 || d.Error != nil || d.Ended == nil || d.NextAttempt != nil {
		t.Errorf("got %+v, want it delivered by one try", d)
	}
	if d.Event != "event.monitor.changed" || d.MonitorID != monitor || d.Channel != "email" || d.Target != ann {
		t.Errorf("got %+v, want the change, by mail", d)
	}
}

// The server's reply decides whether there is another try. All tries have the same Message-ID.
func TestMailServersAnswers(t *testing.T) {
	t.Parallel()
	greylisting := func(n int) error {
		if n < 2 {
			return refusal(450)
		}
		return nil
	}
	unknown := func(int) error { return refusal(550) }
	full := func(int) error { return refusal(452) }
	for _, tt := range []struct {
		name   string
		box    *mailbox
		config func(*notifications.Config)
		status string
		code   int32 // 0: none
		tries  int32
		mails  int
		says   string
	}{
		{"greylisting", &mailbox{rcpt: greylisting}, nil, "delivered", 250, 3, 1, ""},
		{"no such mailbox", &mailbox{rcpt: unknown}, nil, "failed", 550, 1, 0, "550"},
		{"a mailbox that stays full", &mailbox{rcpt: full}, nil, "failed", 452, 3, 0, "452"},
		{"refused at the end", &mailbox{data: func(_ int, _ *smtp.Conn, r io.Reader) error {
			_, _ = io.Copy(io.Discard, r)
			return refusal(554)
		}}, nil, "failed", 554, 1, 0, "554"},
		{"the connection breaks in the midst of the mail", &mailbox{data: func(n int, c *smtp.Conn, r io.Reader) error {
			if n > 0 {
				return nil
			}
			_, _ = r.Read(make([]byte, 100))
			return hangUp(c)
		}}, nil, "delivered", 250, 2, 1, ""},
		{"the connection breaks after the mail", &mailbox{data: func(n int, c *smtp.Conn, r io.Reader) error {
			if n > 0 {
				return nil
			}
			_, _ = io.Copy(io.Discard, r)
			return hangUp(c)
		}}, nil, "delivered", 250, 2, 1, ""},
		{"a server that hangs", &mailbox{data: func(_ int, c *smtp.Conn, _ io.Reader) error {
			_, err := c.Conn().Read(make([]byte, 1<<20)) // until the client hangs up
			for err == nil {
				_, err = c.Conn().Read(make([]byte, 1<<20))
			}
			return err
		}}, func(c *notifications.Config) { c.TryTimeout = soon }, "failed", 0, 3, 0, "sending email: the mail server did not respond"},
		{"too large", &mailbox{server: small()}, nil, "failed", 552, 1, 0, "552"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := setup(t, options{mailer: tt.box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, config: tt.config})
			p.tell("changed", 18)
			p.ended()
			d := p.only()
			code := int32(0)
			if d.StatusCode != nil {
				code = *d.StatusCode
			}
			if d.Status != tt.status || d.Attempts != tt.tries || code != tt.code || (d.Error == nil) != (tt.says == "") {
				t.Fatalf("got %s by %d tries, %d, %v, want %s by %d, %d", d.Status, d.Attempts, code, said(d), tt.status, tt.tries, tt.code)
			}
			if tt.says != "" && !strings.Contains(*d.Error, tt.says) {
				t.Errorf("got %s, want %s in it", *d.Error, tt.says)
			}
			if got := len(tt.box.got()); got != tt.mails {
				t.Errorf("got %d mails, want %d", got, tt.mails)
			}
		})
	}
}

func hangUp(c *smtp.Conn) error {
	_ = c.Close()
	return io.ErrClosedPipe
}

// If the end of a mail was not acknowledged, it may have arrived: it is sent again as the same mail.
func TestMessageIDStays(t *testing.T) {
	t.Parallel()
	var first []byte
	box := &mailbox{data: func(n int, c *smtp.Conn, r io.Reader) (err error) {
		if n > 0 {
			return nil
		}
		first, err = io.ReadAll(r)
		must(t, err)
		return hangUp(c)
	}}
	other := "monitor_1q2k5t8c4n6d0f2h7w3v1m9x"
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}, idle: true, config: func(c *notifications.Config) {
		c.Schedule = []time.Duration{time.Hour}
	}})
	p.tell("changed", 1)
	p.tell("changed", 2, other)
	p.Start()
	p.Until("the first try", `select exists (select from notification_message where tries = 1) and exists (select from task where not_before is not null)`)
	p.Exec(`update task set not_before = clock_timestamp() where not_before is not null`)
	p.ended()
	before, after := read(t, envelope{raw: first}), read(t, box.got()[0])
	if a, b := before.header.Get("Message-ID"), after.header.Get("Message-ID"); a != b || a == "" {
		t.Errorf("got %s and %s, want one id", a, b)
	}
	if !strings.Contains(before.subject, "2 notifications") || before.text != after.text {
		t.Errorf("got %q and then %s, want the same two notifications", before.subject, after.text)
	}
}

// Text of a page cannot add header fields or break out of its place in the mail.
func TestNoHeaderInjection(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	p := setup(t, options{mailer: box.mailer(t), channels: []outbox.Channel{emailTo(ann)}})
	nasty := "Sale\r\nBcc: eve@example.com\n\nHi \x00\u202eevil\u2028 =?utf-8?q?=0d=0aBcc:_eve?= " + strings.Repeat("é", 500)
	data := map[string]any{"summary": nasty, "query": nasty, "diff": map[string]any{"changes": []any{map[string]any{"page": "javascript:alert(1)", "after": nasty}}}}
	must(t, pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error {
		return outbox.Add(t.Context(), tx, outbox.Event{TeamID: team, Type: "monitor.changed", Subject: monitor, Data: data})
	}))
	l := read(t, box.until(t, 1)[0])
	p.ended()
	names := slices.Sorted(maps.Keys(l.header))
	want := []string{
		"Auto-Submitted", "Content-Type", "Date", "From", "List-Unsubscribe", "List-Unsubscribe-Post", "Message-Id", "Mime-Version", "Subject", "To",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got the fields %v, want %v", names, want)
	}
	if strings.ContainsAny(l.subject, "\r\n\x00\u202e\u2028") || !strings.HasPrefix(l.subject, "Sale Bcc: eve@example.com Hi evil =?utf-8?") || utf8.RuneCountInString(l.subject) > 120 {
		t.Errorf("subject: got %q, want one line that is cut", l.subject)
	}
	if strings.Contains(l.html, "javascript:") || strings.ContainsAny(l.text+l.html, "\x00\u202e\u2028") {
		t.Errorf("got %s\n%s, want no script, and no characters that are no text", l.html, l.text)
	}
}

// Without encryption there is no connection, unless the operator allows it. Credentials are used if configured.
func TestTLSAndAuthentication(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		implicit   bool
		bare       bool // the server does not support STARTTLS
		mechanisms []string
		config     func(*notifications.SMTPConfig)
		user       string
		encrypted  bool
		says       string // "": it is sent
	}{
		{"STARTTLS", false, false, nil, nil, "", true, ""},
		{"implicit TLS", true, false, nil, nil, "", true, ""},
		{"a server without it", false, true, nil, nil, "", false, "STARTTLS"},
		{"where it may be missing", false, true, nil, func(c *notifications.SMTPConfig) { c.STARTTLS = notifications.STARTTLSOptional }, "", false, ""},
		{"where it is off", false, false, nil, func(c *notifications.SMTPConfig) { c.STARTTLS = notifications.STARTTLSOff }, "", false, ""},
		{"a certificate of nobody known", false, false, nil, func(c *notifications.SMTPConfig) { c.RootCAs = x509.NewCertPool() }, "", false, "certificate"},
		{"a certificate of nobody known, implicit", true, false, nil, func(c *notifications.SMTPConfig) { c.RootCAs = x509.NewCertPool() }, "", false, "certificate"},
		{"PLAIN", false, false, []string{"PLAIN"}, as(mailUser, mailPassword), mailUser + " by PLAIN", true, ""},
		{"LOGIN", true, false, []string{"LOGIN"}, as(mailUser, mailPassword), mailUser + " by LOGIN", true, ""},
		{"a wrong password", false, false, []string{"PLAIN"}, as(mailUser, "wrong"), "", false, "535"},
		{"no name where one is wanted", false, false, []string{"PLAIN"}, nil, "", false, "502"},
		{"a name where none is taken", false, false, nil, as(mailUser, mailPassword), "", false, "AUTH"},
		{"a password over a connection that is not encrypted", false, true, []string{"PLAIN"}, func(c *notifications.SMTPConfig) {
			as(mailUser, mailPassword)(c)
			c.STARTTLS = notifications.STARTTLSOptional
		}, "", false, "AUTH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			box := &mailbox{mechanisms: tt.mechanisms}
			config := box.serve(t, tt.implicit)
			if tt.bare {
				box.server.TLSConfig = nil
			}
			if tt.config != nil {
				tt.config(&config)
			}
			mailer, err := notifications.NewSMTPMailer(config)
			must(t, err)
			var log logged
			p := setup(t, options{mailer: mailer, channels: []outbox.Channel{emailTo(ann)}, config: func(c *notifications.Config) {
				c.Logger = slog.New(slog.NewTextHandler(&log, nil))
			}})
			p.tell("changed", 1)
			p.ended()
			mails, d := box.got(), p.only()
			if tt.says != "" {
				if len(mails) != 0 || d.Status != "failed" || d.Attempts != 3 || !strings.Contains(log.String(), tt.says) || strings.Contains(log.String(), mailPassword) {
					t.Errorf("got %d mails, %s by %d tries, and %s logged, want none, and %s", len(mails), d.Status, d.Attempts, log.String(), tt.says)
				}
				if said(d) != "the mail server cannot be used" && said(d) != "sending email: the mail server rejected the sender" {
					t.Errorf("the team is told %q, which is for the operator", said(d))
				}
				return
			}
			if len(mails) != 1 || mails[0].user != tt.user || mails[0].tls != tt.encrypted {
				t.Errorf("got %+v, %s, want one mail of %q, encrypted %v", mails, said(d), tt.user, tt.encrypted)
			}
		})
	}
}

// logged collects a log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func as(user, password string) func(*notifications.SMTPConfig) {
	return func(c *notifications.SMTPConfig) { c.Username, c.Password = user, password }
}

// Without a server, mail is written to the log, and does not count as delivered.
func TestMailIsLoggedWithoutAServer(t *testing.T) {
	t.Parallel()
	p := setup(t, options{channels: []outbox.Channel{emailTo(ann)}})
	p.tell("changed", 1)
	p.ended()
	if d := p.only(); d.Status != "logged" || d.Attempts != 1 || d.StatusCode != nil || d.Ended == nil {
		t.Errorf("got %+v, want it logged", d)
	}
}

func TestParseSMTP(t *testing.T) {
	t.Parallel()
	const from = "Turnpike <monitors@example.com>"
	address := netmail.Address{Name: "Turnpike", Address: "monitors@example.com"}
	for raw, want := range map[string]notifications.SMTPConfig{
		"smtp://mail.example.com":                       {Host: "mail.example.com", Port: 587, STARTTLS: "required", From: address},
		"smtps://u:p%40ss%2F@mail.example.com":          {Host: "mail.example.com", Port: 465, STARTTLS: "required", Implicit: true, Username: "u", Password: "p@ss/", From: address},
		"smtp://a%40b.c:p@[::1]:2525?starttls=optional": {Host: "::1", Port: 2525, STARTTLS: "optional", Username: "a@b.c", Password: "p", From: address},
		"smtp://localhost:25/?starttls=off":             {Host: "localhost", Port: 25, STARTTLS: "off", From: address},
	} {
		if got, err := notifications.ParseSMTP(raw, from); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", raw, got, err, want)
		}
	}
	for raw, says := range map[string]string{
		"mail.example.com:25":                    "want smtp://",
		"http://mail.example.com":                "want smtp://",
		"smtp://u:secret@":                       "want smtp://",
		"smtp://u:sec/ret@mail.example.com":      "want smtp://",
		"smtp://mail.example.com:99999":          "want a port",
		"smtp://secret@mail.example.com":         "both a user and a password",
		"smtp://mail.example.com?starttls=maybe": "no parameters except",
		"smtp://mail.example.com?tls=off":        "no parameters except",
		"smtps://mail.example.com?starttls=off":  "no parameters except",
	} {
		if _, err := notifications.ParseSMTP(raw, from); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: got %v, want %q and no secret", raw, err, says)
		}
	}
	for _, from := range []string{"", "monitors", "a@b.example, c@d.example", "Turnpike <monitors@localhost>"} {
		if _, err := notifications.ParseSMTP("smtp://mail.example.com", from); err == nil || !strings.Contains(err.Error(), "TURNPIKE_MAIL_FROM") {
			t.Errorf("from %q: got %v, want TURNPIKE_MAIL_FROM named", from, err)
		}
	}
	if _, err := notifications.NewSMTPMailer(notifications.SMTPConfig{}); err == nil {
		t.Error("a mailer of nothing: got no error, want one")
	}
}

func said(d *notifications.Delivery) string {
	if d.Error == nil {
		return "no error"
	}
	return *d.Error
}

func small() *smtp.Server {
	s := smtp.NewServer(nil)
	s.MaxMessageBytes = 1000
	return s
}

func logTo(log *logged) notifications.Mailer {
	return notifications.LogMailer{Logger: slog.New(slog.NewTextHandler(log, nil))}
}
