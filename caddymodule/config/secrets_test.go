package config

import (
	"strings"
	"testing"
)

func TestSecretsArePlaceholders(t *testing.T) {
	t.Parallel()
	password := func(address string) error { return CheckNoPassword("it", address) }
	secret := func(value string) error { return CheckSecret("it", value) }
	header := func(line string) error {
		name, value, _ := strings.Cut(line, ": ")
		return CheckHeader(name, value)
	}
	tests := []struct {
		name, value string
		check       func(string) error
		isRefused   bool
	}{
		{"a placeholder", "{env.SECRET}", secret, false},
		{"a file", "{file./run/secrets/a-b}", secret, false},
		{"nothing", "", secret, false},
		{"text", "hunter2", secret, true},
		{"text and a placeholder", "a{env.SECRET}", secret, true},
		{"two placeholders", "{env.A}{env.B}", secret, true},
		{"braces alone", "{}", secret, true},
		{"text in braces", "{hunter 2}{}", secret, true},
		{"database: a placeholder", "{env.DATABASE_URL}", password, false},
		{"database: no password", "postgres://turnpike@localhost/turnpike", password, false},
		{"database: a socket", "postgres:///turnpike?host=/run/postgresql", password, false},
		{"database: its password a placeholder", "postgres://a:{env.PW}@localhost/b", password, false},
		{"database: a password", "postgres://a:hunter2@localhost/b", password, true},
		{"database: a password with an at sign", "postgres://a:hunter@2@localhost/b", password, true},
		{"database: a password beside a placeholder", "postgres://a:x{env.PW}@localhost/b", password, true},
		{"database: in the query", "postgres://a@localhost/b?password=hunter2", password, true},
		{"database: in words", "host=localhost Password = hunter2", password, true},
		{"database: a key's", "host=localhost sslpassword=hunter2", password, true},
		{"database: words without", "host=localhost passfile=/run/secrets/pgpass", password, false},
		{"header: plain", "X-Region: eu", header, false},
		{"header: a token", "Authorization: Bearer {env.TOKEN}", header, false},
		{"header: a token as text", "authorization: Bearer abc", header, true},
		{"header: a key as text", "X-Api-Key: abc", header, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.check(tt.value)
			if (err != nil) != tt.isRefused {
				t.Errorf("got %v, want refused: %v", err, tt.isRefused)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "abc") || !strings.Contains(err.Error(), "{env.NAME}")) {
				t.Errorf("shows the secret, or does not say what would be right: %v", err)
			}
		})
	}
}
