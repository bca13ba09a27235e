package notifications_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/turnpike-edge/turnpike/backend/notifications"
)

// certified is a certificate for 127.0.0.1 and a pool that trusts it.
var certified = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s.TLS.Certificates[0], roots
})

func (r *receiver) roots() *x509.CertPool {
	r.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(r.Certificate())
	return roots
}

// envelope is a mail as the server received it.
type envelope struct {
	from string
	to   []string
	user string // the authenticated user
	tls  bool
	raw  []byte
}

// mailbox is a mail server.
type mailbox struct {
	// rcpt and data handle the n-th command of their kind, from 0. Nil: success.
	rcpt func(n int) error
	data func(n int, c *smtp.Conn, r io.Reader) error
	// mechanisms, if set, are the authentication mechanisms, and authentication is required.
	mechanisms []string
	server     *smtp.Server

	listener     net.Listener
	mu           sync.Mutex
	rcpts, datas int
	mails        []envelope
	news         chan struct{}
}

const (
	mailUser     = "turnpike"
	mailPassword = "p@ss:w/rd"
)

// serve runs the server until the test ends, and returns the client's configuration.
func (m *mailbox) serve(t testing.TB, implicit bool) notifications.SMTPConfig {
	t.Helper()
	certificate, roots := certified()
	m.news = make(chan struct{}, 1)
	if m.server == nil {
		m.server = smtp.NewServer(m)
	}
	m.server.Backend, m.server.Domain = m, "mail.example.com"
	m.server.ErrorLog = silent{}
	m.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	var err error
	m.listener, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address, _ := m.listener.Addr().(*net.TCPAddr)
	if implicit {
		m.listener = tls.NewListener(m.listener, m.server.TLSConfig)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.server.Serve(m.listener)
	}()
	t.Cleanup(func() {
		_ = m.server.Close()
		<-done
	})
	return notifications.SMTPConfig{
		Host: "127.0.0.1", Port: address.Port, Implicit: implicit, RootCAs: roots,
		From: netmail.Address{Name: "Turnpike", Address: "monitors@example.org"},
	}
}

func (m *mailbox) mailer(t testing.TB) notifications.Mailer {
	t.Helper()
	mailer, err := notifications.NewSMTPMailer(m.serve(t, false))
	must(t, err)
	return mailer
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// NewSession implements smtp.Backend.
func (m *mailbox) NewSession(c *smtp.Conn) (smtp.Session, error) { return &session{m: m, c: c}, nil }

func (m *mailbox) got() []envelope {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]envelope(nil), m.mails...)
}

func (m *mailbox) until(t testing.TB, n int) []envelope {
	t.Helper()
	return await(t, m.news, m.got, n)
}

type session struct {
	m *mailbox
	c *smtp.Conn
	e envelope
}

func (s *session) AuthMechanisms() []string {
	if _, secure := s.c.TLSConnectionState(); !secure {
		return nil
	}
	return s.m.mechanisms
}

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	check := func(user, password string) error {
		if user != mailUser || password != mailPassword {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no"}
		}
		s.e.user = user + " by " + mechanism
		return nil
	}
	if mechanism == sasl.Login {
		return &login{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
}

// login is the server side of AUTH LOGIN: it asks for a name and a password.
type login struct {
	step  int
	user  string
	check func(user, password string) error
}

func (l *login) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	default:
		return nil, true, l.check(l.user, string(response))
	}
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if len(s.m.mechanisms) > 0 && s.e.user == "" {
		return smtp.ErrAuthRequired
	}
	s.e.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.m.mu.Lock()
	n := s.m.rcpts
	s.m.rcpts++
	s.m.mu.Unlock()
	s.e.to = append(s.e.to, to)
	if s.m.rcpt != nil {
		return s.m.rcpt(n)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	s.m.mu.Lock()
	n := s.m.datas
	s.m.datas++
	s.m.mu.Unlock()
	if s.m.data != nil {
		if err := s.m.data(n, s.c, r); err != nil {
			return err
		}
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	e := s.e
	_, e.tls = s.c.TLSConnectionState()
	e.raw = raw
	s.m.mu.Lock()
	s.m.mails = append(s.m.mails, e)
	s.m.mu.Unlock()
	signal(s.m.news)
	return nil
}

func (s *session) Reset()        { s.e = envelope{user: s.e.user} }
func (s *session) Logout() error { return nil }

// letter is a mail as its reader sees it.
type letter struct {
	header     netmail.Header
	subject    string
	text, html string
}

func read(t testing.TB, e envelope) letter {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(e.raw))
	must(t, err)
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	must(t, err)
	if kind != "multipart/alternative" {
		t.Fatalf("got a mail of type %s, want multipart/alternative", kind)
	}
	out := letter{header: m.Header}
	out.subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	must(t, err)
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return out
		}
		must(t, err)
		if got := part.Header.Get("Content-Transfer-Encoding"); got != "quoted-printable" {
			t.Fatalf("got a part in %s, want quoted-printable", got)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		must(t, err)
		switch text := strings.ReplaceAll(string(body), "\r\n", "\n"); part.Header.Get("Content-Type") {
		case "text/plain; charset=UTF-8":
			out.text = text
		case "text/html; charset=UTF-8":
			out.html = text
		default:
			t.Fatalf("got a part of type %s", part.Header.Get("Content-Type"))
		}
	}
}

// refusal is an error reply.
func refusal(code int) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "not now"}
}

const soon = 300 * time.Millisecond
