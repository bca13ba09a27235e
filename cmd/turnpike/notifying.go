package main

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
	smtpURLName    = "TURNPIKE_SMTP_URL"
	mailFromName   = "TURNPIKE_MAIL_FROM"
	slackHostsName = "TURNPIKE_SLACK_HOSTS"
)

// notifyingConfig is how notifications are sent.
type notifyingConfig struct {
	smtp       *notifications.SMTPConfig // nil: email is written to the log
	slackHosts []string
	mailLog    *slog.Logger // the log for emails that are not sent; nil: the normal log
}

func notifyingFromEnv() (cfg notifyingConfig, err error) {
	if text := os.Getenv(slackHostsName); text != "" {
		for host := range strings.SplitSeq(text, ",") {
			host = strings.ToLower(strings.TrimSpace(host))
			if host == "" || strings.ContainsAny(host, "/@ ") {
				return cfg, fmt.Errorf("%s is %q: want hosts such as chat.example.com,chat.example.org:8443", slackHostsName, text)
			}
			cfg.slackHosts = append(cfg.slackHosts, strings.TrimSuffix(host, ":443"))
		}
	}
	server, from := os.Getenv(smtpURLName), os.Getenv(mailFromName)
	switch {
	case server == "" && from != "":
		return cfg, errors.New(mailFromName + " is set, " + smtpURLName + " is not: mail needs both")
	case server == "":
		return cfg, nil
	}
	smtp, err := notifications.ParseSMTP(server, from)
	if err != nil {
		return cfg, err
	}
	cfg.smtp = &smtp
	return cfg, nil
}

// openNotifications creates the notifications. It needs webhooks first.
func (b *backend) openNotifications(cfg backendConfig) (err error) {
	var mailer notifications.Mailer = notifications.LogMailer{Logger: cmp.Or(cfg.notifying.mailLog, cfg.logger)}
	if cfg.notifying.smtp != nil {
		if mailer, err = notifications.NewSMTPMailer(*cfg.notifying.smtp); err != nil {
			return err
		}
	} else if cfg.role.works() {
		cfg.logger.Info("mail is not sent: email notifications are only written to this log; to send them, set " + smtpURLName + " and " + mailFromName)
	}
	b.notifications, err = notifications.New(notifications.Config{
		Pool: b.pool, Tasks: jobsOf{b}, Audiences: b.notified, Mailer: mailer, Client: b.poster, PublicURL: cfg.publicURL,
		Targets: notifications.Targets{Webhooks: b.webhooks, SlackHosts: cfg.notifying.slackHosts}, MasterSecret: cfg.webhookSecret,
		Registerer: b.registry, Logger: cfg.logger, Now: time.Now,
	})
	return err
}

// hasChannels registers where the channels for a kind of event are found. Call it before the work begins. Webhook
// channels also receive events about messages to other channels that were given up; other channels do not.
func (b *backend) hasChannels(kind string, audience outbox.Audience) {
	failures, _, _ := strings.Cut(notifications.FailedType, ".")
	b.notified[kind], b.hooked[kind], b.hooked[failures] = audience, audience, audience
}

// pages returns the pages for people: the console, and the targets of links in emails.
func (b *backend) pages() map[string]http.Handler {
	return map[string]http.Handler{
		console.Path: b.console, console.Path + "/": b.console,
		notifications.UnsubscribePath: b.notifications.UnsubscribeHandler(), notifications.ConfirmPath: b.notifications.ConfirmHandler(),
	}
}

// examineNotifying reports whether email is sent.
func examineNotifying() finding {
	const name = "Mail (notifications of monitors)"
	cfg, err := notifyingFromEnv()
	switch {
	case err != nil:
		return finding{name, false, err.Error()}
	case cfg.smtp == nil:
		return finding{name, true, "off: mail is only written to the log; to send it, set " + smtpURLName + " and " + mailFromName}
	case cfg.smtp.Implicit:
		return finding{name, true, fmt.Sprintf("by %s, port %d, TLS, from %s", cfg.smtp.Host, cfg.smtp.Port, cfg.smtp.From.Address)}
	default:
		return finding{name, true, fmt.Sprintf("by %s, port %d, STARTTLS %s, from %s", cfg.smtp.Host, cfg.smtp.Port, cfg.smtp.STARTTLS, cfg.smtp.From.Address)}
	}
}
