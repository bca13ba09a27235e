//go:build linux

package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

const (
	mailUser     = "turnpike"
	mailPassword = "p@ss:w/rd"
)

// post is a mail server that accepts mail from authenticated senders over STARTTLS. It is unreachable until it is opened.
type post struct {
	address     string
	certificate tls.Certificate
	trust       string // a file with its certificate
	mails       chan letter
	server      *smtp.Server // nil: unreachable
}

// letter is an email as its recipient gets it.
type letter struct {
	to, subject, text, html string
	header                  netmail.Header
	encrypted               bool
	err                     error // from parsing it
}

func newPost(t *testing.T) *post {
	t.Helper()
	address, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	https := httptest.NewTLSServer(nil)
	defer https.Close()
	p := &post{
		address: address, certificate: https.TLS.Certificates[0], trust: filepath.Join(t.TempDir(), "mail.pem"), mails: make(chan letter, noticesMost),
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: https.Certificate().Raw})
	if err := os.WriteFile(p.trust, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// settings returns the environment variables of a backend that sends email through this server.
func (p *post) settings() []string {
	return []string{
		"TURNPIKE_SMTP_URL=smtp://" + mailUser + ":p%40ss%3Aw%2Frd@" + p.address, "TURNPIKE_MAIL_FROM=Turnpike <monitors@example.org>",
		"SSL_CERT_FILE=" + p.trust,
	}
}

func (p *post) open(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &postman{p: p, c: c}, nil }))
	p.server.Domain, p.server.ErrorLog = "mail.example.com", quiet{}
	p.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{p.certificate}, MinVersion: tls.VersionTLS12}
	go func() { _ = p.server.Serve(listener) }() // until it is closed
}

func (p *post) close() {
	if p.server != nil {
		_ = p.server.Close()
		p.server = nil
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// postman receives the emails of a connection.
type postman struct {
	p     *post
	c     *smtp.Conn
	known bool
	to    []string
}

func (s *postman) AuthMechanisms() []string {
	if _, encrypted := s.c.TLSConnectionState(); !encrypted {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *postman) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != mailUser || password != mailPassword {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

func (s *postman) Mail(string, *smtp.MailOptions) error {
	if !s.known {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *postman) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

func (s *postman) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l := readLetter(raw)
	l.to = strings.Join(s.to, ",")
	_, l.encrypted = s.c.TLSConnectionState()
	s.p.mails <- l
	return nil
}

func (s *postman) Reset()        { s.to = nil }
func (s *postman) Logout() error { return nil }

// readLetter parses an email with a text part and an HTML part.
func readLetter(raw []byte) (l letter) {
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return letter{err: err}
	}
	l.header = m.Header
	l.subject, l.err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	l.err = errors.Join(l.err, err)
	for parts := multipart.NewReader(m.Body, parameters["boundary"]); l.err == nil; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			l.err = err
			break
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		l.err = err
		if text := strings.ReplaceAll(string(body), "\r\n", "\n"); strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			l.html = text
		} else {
			l.text = text
		}
	}
	return l
}
