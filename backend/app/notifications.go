package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/console"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// Variables with settings of notifications.
const (
	SMTPURLName    = "TURNPIKE_SMTP_URL"
	mailFromName   = "TURNPIKE_MAIL_FROM"
	slackHostsName = "TURNPIKE_SLACK_HOSTS"
)

// NotifyingConfig is how notifications are sent.
type NotifyingConfig struct {
	SMTP       *notifications.SMTPConfig // nil: email is written to the log
	SlackHosts []string
	MailLog    *slog.Logger // the log for emails that are not sent; nil: the normal log
}

func NotifyingFromEnv() (cfg NotifyingConfig, err error) {
	if text := os.Getenv(slackHostsName); text != "" {
		for host := range strings.SplitSeq(text, ",") {
			host = strings.ToLower(strings.TrimSpace(host))
			if host == "" || strings.ContainsAny(host, "/@ ") {
				return cfg, fmt.Errorf("%s is %q: want hosts such as chat.example.com,chat.example.org:8443", slackHostsName, text)
			}
			cfg.SlackHosts = append(cfg.SlackHosts, strings.TrimSuffix(host, ":443"))
		}
	}
	server, from := os.Getenv(SMTPURLName), os.Getenv(mailFromName)
	switch {
	case server == "" && from != "":
		return cfg, errors.New(mailFromName + " is set, " + SMTPURLName + " is not: mail needs both")
	case server == "":
		return cfg, nil
	}
	smtp, err := notifications.ParseSMTP(server, from)
	if err != nil {
		return cfg, err
	}
	cfg.SMTP = &smtp
	return cfg, nil
}

// openNotifications creates the notifications. It needs webhooks first.
func (b *Backend) openNotifications(cfg Config) (err error) {
	var mailer notifications.Mailer = notifications.LogMailer{Logger: cmp.Or(cfg.Notifying.MailLog, cfg.Logger)}
	if cfg.Notifying.SMTP != nil {
		if mailer, err = notifications.NewSMTPMailer(*cfg.Notifying.SMTP); err != nil {
			return err
		}
	} else if cfg.Role.works() {
		cfg.Logger.Info("mail is not sent: email notifications are only written to this log; to send them, set " + SMTPURLName + " and " + mailFromName)
	}
	b.notifications, err = notifications.New(notifications.Config{
		Pool: b.pool, Tasks: jobsOf{b}, Audiences: b.notified, Mailer: mailer, Client: b.poster, PublicURL: cfg.PublicURL,
		Targets: notifications.Targets{Webhooks: b.webhooks, SlackHosts: cfg.Notifying.SlackHosts}, MasterSecret: cfg.WebhookSecret,
		Registerer: b.registry, Logger: cfg.Logger, Now: time.Now,
	})
	return err
}

// hasChannels registers where the channels for a kind of event are found. Call it before the work begins. Webhook
// channels also receive events about messages to other channels that were given up; other channels do not.
func (b *Backend) hasChannels(kind string, audience outbox.Audience) {
	failures, _, _ := strings.Cut(notifications.FailedType, ".")
	b.notified[kind], b.hooked[kind], b.hooked[failures] = audience, audience, audience
}

// pages returns the pages for people: the console, and the targets of links in emails.
func (b *Backend) pages() map[string]http.Handler {
	return map[string]http.Handler{
		console.Path: b.console, console.Path + "/": b.console,
		notifications.UnsubscribePath: b.notifications.UnsubscribeHandler(), notifications.ConfirmPath: b.notifications.ConfirmHandler(),
	}
}

// examineNotifying reports whether email is sent.
func examineNotifying() Finding {
	const name = "Mail (notifications of monitors)"
	cfg, err := NotifyingFromEnv()
	switch {
	case err != nil:
		return Finding{name, false, err.Error()}
	case cfg.SMTP == nil:
		return Finding{name, true, "off: mail is only written to the log; to send it, set " + SMTPURLName + " and " + mailFromName}
	case cfg.SMTP.Implicit:
		return Finding{name, true, fmt.Sprintf("by %s, port %d, TLS, from %s", cfg.SMTP.Host, cfg.SMTP.Port, cfg.SMTP.From.Address)}
	default:
		return Finding{name, true, fmt.Sprintf("by %s, port %d, STARTTLS %s, from %s", cfg.SMTP.Host, cfg.SMTP.Port, cfg.SMTP.STARTTLS, cfg.SMTP.From.Address)}
	}
}
