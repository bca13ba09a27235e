package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNotifyingFromEnv(t *testing.T) {
	for _, tt := range []struct {
		name                string
		server, from, hosts string
		says                string // expected from doctor
		fault               string // "": none
	}{
		{"nothing", "", "", "", "written to the log", ""},
		{
			"a server", "smtp://u:p@mail.example.com", "Turnpike <a@example.com>", "chat.example.com:443, CHAT.example.org:8443",
			"by mail.example.com, port 587, STARTTLS required, from a@example.com", "",
		},
		{"a server by TLS", "smtps://mail.example.com", "a@example.com", "", "by mail.example.com, port 465, TLS, from a@example.com", ""},
		{"nobody that it is from", "smtp://mail.example.com", "", "", "", "TURNPIKE_MAIL_FROM is not set"},
		{"no server", "", "a@example.com", "", "", "TURNPIKE_SMTP_URL is not"},
		{"no URL", "mail.example.com:secret@", "a@example.com", "", "", "want smtp://user:password@host:587"},
		{"an address for a host", "", "", "https://chat.example.com/", "", "TURNPIKE_SLACK_HOSTS is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(smtpURLName, tt.server)
			t.Setenv(mailFromName, tt.from)
			t.Setenv(slackHostsName, tt.hosts)
			cfg, err := notifyingFromEnv()
			found := examineNotifying()
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || strings.Contains(err.Error(), "secret") || found.ok || found.text != err.Error() {
					t.Errorf("got %v and %+v, want %q", err, found, tt.fault)
				}
				return
			}
			if err != nil || (cfg.smtp == nil) != (tt.server == "") || !found.ok || !strings.Contains(found.text, tt.says) {
				t.Errorf("got %+v, %v and %+v, want %q", cfg, err, found, tt.says)
			}
			if want := []string{"chat.example.com", "chat.example.org:8443"}; tt.hosts != "" && !slices.Equal(cfg.slackHosts, want) {
				t.Errorf("hosts: got %v, want %v", cfg.slackHosts, want)
			}
		})
	}
}

// Without --verbose, a development server still logs the recipient of a mail that it does not send. Otherwise nothing would
// show that there was a mail.
func TestMailLogOfDev(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := mailLog(&out)
	log.Info("mail is not sent", "to", "ann@example.com")
	if !strings.Contains(out.String(), "to=ann@example.com") {
		t.Errorf("got %q, want the address", out.String())
	}
}
