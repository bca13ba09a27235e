package notifications

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
)

// Mailer sends email: an [SMTPMailer] or a [LogMailer].
type Mailer interface {
	mail(ctx context.Context, l *letter) (said, error)
}

// letter is an email.
type letter struct {
	to, subject, text, html string
	id                      string // of Message-ID, before the @
	unsubscribe             string // a POST here ends the team's mail
	confirm                 string // the confirmation link, if it requests consent
	at                      time.Time
}

// LogMailer logs recipients and subjects instead of sending email.
type LogMailer struct{ Logger *slog.Logger }

//nolint:unparam // it is a Mailer
func (m LogMailer) mail(ctx context.Context, l *letter) (said, error) {
	args := []any{"to", l.to, "subject", l.subject, "id", l.id}
	if l.confirm != "" {
		args = append(args, "confirm", l.confirm) // otherwise the link could not be used
	}
	m.Logger.InfoContext(ctx, "emails are not sent: TURNPIKE_SMTP_URL is not set", args...)
	return said{logged: true}, nil
}

// Submission ports (RFC 6409, RFC 8314).
const (
	portSubmission  = 587
	portSubmissions = 465
)

// SMTPConfig is a mail server and how to use it.
type SMTPConfig struct {
	Host string
	Port int
	// Implicit uses TLS from the first byte on. Otherwise STARTTLS decides.
	Implicit           bool
	STARTTLS           STARTTLS
	Username, Password string // no authentication without a name
	From               netmail.Address
	// RootCAs verifies the server's certificate. Default: the system's.
	RootCAs *x509.CertPool
}

// STARTTLS says whether a connection without implicit TLS is encrypted.
type STARTTLS string

// The values of STARTTLS.
const (
	STARTTLSRequired STARTTLS = "required" // otherwise nothing is sent
	STARTTLSOptional STARTTLS = "optional" // if the server supports it
	STARTTLSOff      STARTTLS = "off"
)

// ParseSMTP parses TURNPIKE_SMTP_URL, smtp://user:password@host:587 or smtps://user:password@host:465, and
// TURNPIKE_MAIL_FROM, Name <name@example.com>. The error does not contain the password.
func ParseSMTP(rawURL, from string) (SMTPConfig, error) {
	config := SMTPConfig{STARTTLS: STARTTLSRequired}
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return config, errors.New("TURNPIKE_SMTP_URL: want smtp://user:password@host:587 or smtps://user:password@host:465, " +
			"with special characters percent-encoded (%40 for @)")
	}
	config.Host, config.Implicit, config.Port = u.Hostname(), u.Scheme == "smtps", portSubmission
	if config.Implicit {
		config.Port = portSubmissions
	}
	if text := u.Port(); text != "" {
		if config.Port, err = strconv.Atoi(text); err != nil || config.Port < 1 || config.Port > 65535 {
			return config, errors.New("TURNPIKE_SMTP_URL: want a port from 1 to 65535")
		}
	}
	if u.User != nil {
		config.Username = u.User.Username()
		config.Password, _ = u.User.Password()
		if config.Username == "" || config.Password == "" {
			return config, errors.New("TURNPIKE_SMTP_URL: want both a user and a password, or neither")
		}
	}
	for name, values := range u.Query() {
		value := STARTTLS(strings.Join(values, ","))
		if name != "starttls" || config.Implicit || value != STARTTLSRequired && value != STARTTLSOptional && value != STARTTLSOff {
			return config, errors.New("TURNPIKE_SMTP_URL: want no parameters except, for smtp://, starttls=required, optional or off")
		}
		config.STARTTLS = value
	}
	if from == "" {
		return config, errors.New("TURNPIKE_MAIL_FROM is not set: want the sender of emails, such as Turnpike <monitors@example.com>")
	}
	parsed, err := netmail.ParseAddress(from)
	if err != nil || checkAddress(parsed.Address) != nil {
		return config, fmt.Errorf("TURNPIKE_MAIL_FROM is %q: want an address such as Turnpike <monitors@example.com>", from)
	}
	config.From = *parsed
	return config, nil
}

// SMTPMailer sends email through a server.
type SMTPMailer struct {
	config SMTPConfig
	domain string // of its From address
}

// NewSMTPMailer returns an SMTPMailer. It does not connect.
func NewSMTPMailer(config SMTPConfig) (*SMTPMailer, error) {
	_, domain, ok := strings.Cut(config.From.Address, "@")
	if config.Host == "" || config.Port == 0 || !ok {
		return nil, errors.New("mail: Host, Port and From are required")
	}
	return &SMTPMailer{config: config, domain: domain}, nil
}

// options are the client options for a server.
func (m *SMTPMailer) options(ctx context.Context, conn *net.Conn) []mail.Option {
	c := &m.config
	tlsConfig := &tls.Config{ServerName: c.Host, RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12}
	policy := map[STARTTLS]mail.TLSPolicy{STARTTLSOptional: mail.TLSOpportunistic, STARTTLSOff: mail.NoTLS}
	options := []mail.Option{
		mail.WithPort(c.Port), mail.WithHELO(m.domain), mail.WithTLSConfig(tlsConfig), mail.WithTimeout(delivery.TryTimeoutDefault),
		mail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			dialed, err := new(net.Dialer).DialContext(dialing, network, address)
			if err != nil {
				return nil, err
			}
			// The library's time limit applies only to each of its steps.
			context.AfterFunc(ctx, func() { _ = dialed.Close() })
			if c.Implicit {
				dialed = tls.Client(dialed, tlsConfig)
			}
			*conn = dialed
			return dialed, nil
		}),
	}
	if c.Implicit {
		options = append(options, mail.WithSSL())
	} else if p, ok := policy[c.STARTTLS]; ok {
		options = append(options, mail.WithTLSPolicy(p))
	} else {
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if c.Username != "" {
		auth := mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover) // sends no password over an unencrypted connection
		if c.Implicit {
			// The library cannot tell that a connection is encrypted if it has not dialled it.
			auth = mail.WithOpportunisticSMTPAuth(
				mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthCramMD5, mail.SMTPAuthPlain, mail.SMTPAuthLogin)
		}
		options = append(options, auth, mail.WithUsername(c.Username), mail.WithPassword(c.Password))
	}
	return options
}

// mail sends an email. It counts as sent once the server accepts its end, whatever happens to the connection afterwards.
func (m *SMTPMailer) mail(ctx context.Context, l *letter) (said, error) {
	message, err := m.compose(l)
	if err != nil {
		return said{refused: true}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // and close the connection in any state
	var conn net.Conn
	client, err := mail.NewClient(m.config.Host, m.options(ctx, &conn)...)
	if err != nil {
		return said{}, &operatorError{"the mail server cannot be used", err}
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return said{code: codeOf(err)}, &operatorError{"the mail server cannot be used", err}
	}
	if err = client.SendWithSMTPClient(session, message); !message.IsDelivered() {
		return judgeSMTP(cmp.Or(message.SendError(), err))
	}
	_ = client.CloseWithSMTPClient(session)
	return said{code: 250}, nil
}

func (m *SMTPMailer) compose(l *letter) (*mail.Msg, error) {
	message := mail.NewMsg(mail.WithCharset(mail.CharsetUTF8), mail.WithEncoding(mail.EncodingQP), mail.WithNoDefaultUserAgent())
	message.FromMailAddress(&m.config.From)
	if err := message.To(l.to); err != nil {
		return nil, fmt.Errorf("addressing an email: %w", err)
	}
	message.Subject(l.subject)
	message.SetDateWithValue(l.at)
	message.SetMessageIDWithValue(l.id + "@" + m.domain)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: suppresses automatic replies
	message.SetGenHeaderPreformatted(mail.HeaderListUnsubscribe, "<"+l.unsubscribe+">")
	if strings.HasPrefix(l.unsubscribe, "https://") { // RFC 8058 allows no other
		message.SetGenHeader(mail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	message.SetBodyString(mail.TypeTextPlain, l.text)
	message.AddAlternativeString(mail.TypeTextHTML, l.html)
	return message, nil
}

// codeOf is the status of an error response, 0 if there was none.
func codeOf(err error) int {
	var answer *textproto.Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// operatorError is a fault for the operator to fix. Its inner text names hosts, addresses and users, and is only for the
// operator; the team sees only public.
type operatorError struct {
	public string
	inner  error
}

func (e *operatorError) Error() string { return e.public }

func (e *operatorError) Unwrap() error { return e.inner }

// judgeSMTP interprets an error. 5xx about the recipient or the mail is final (RFC 5321 section 4.2.1), and the team sees
// the server's text. Faults of the sender or the connection are for the operator to fix, and are retried.
func judgeSMTP(err error) (said, error) {
	if err == nil {
		err = errors.New("the mail server did not accept the email")
	}
	s := said{code: codeOf(err)}
	ofMail := false
	var failed *mail.SendError
	if errors.As(err, &failed) {
		s.code = cmp.Or(failed.ErrorCode(), s.code)
		switch failed.Reason {
		case mail.ErrSMTPRcptTo, mail.ErrSMTPData, mail.ErrSMTPDataClose:
			ofMail = s.code != 0
			s.refused = s.code/100 == 5
		default:
			s.refused = s.code == 552 // too large
			ofMail = s.refused
		}
	}
	switch {
	case ofMail:
		return s, fmt.Errorf("sending email: %w", err)
	case s.code != 0:
		return s, &operatorError{"sending email: the mail server rejected the sender", err}
	default:
		return s, &operatorError{"sending email: the mail server did not respond", err}
	}
}
