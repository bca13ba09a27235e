package app

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
			t.Setenv(SMTPURLName, tt.server)
			t.Setenv(mailFromName, tt.from)
			t.Setenv(slackHostsName, tt.hosts)
			cfg, err := NotifyingFromEnv()
			found := examineNotifying()
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || strings.Contains(err.Error(), "secret") || found.OK || found.Text != err.Error() {
					t.Errorf("got %v and %+v, want %q", err, found, tt.fault)
				}
				return
			}
			if err != nil || (cfg.SMTP == nil) != (tt.server == "") || !found.OK || !strings.Contains(found.Text, tt.says) {
				t.Errorf("got %+v, %v and %+v, want %q", cfg, err, found, tt.says)
			}
			if want := []string{"chat.example.com", "chat.example.org:8443"}; tt.hosts != "" && !slices.Equal(cfg.SlackHosts, want) {
				t.Errorf("hosts: got %v, want %v", cfg.SlackHosts, want)
			}
		})
	}
}
