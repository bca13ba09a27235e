package caddymodule

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

func TestSecretsArePlaceholders(t *testing.T) {
	t.Parallel()
	password := func(address string) error { return config.CheckNoPassword("it", address) }
	secret := func(value string) error { return config.CheckSecret("it", value) }
	node := func(address string) error { return checkNodes("it", address) }
	header := func(line string) error {
		name, value, _ := strings.Cut(line, ": ")
		return config.CheckHeader(name, value)
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
		{"node: open", "https://mainnet.base.org", node, false},
		{"node: open with a slash", "http://127.0.0.1:8545/", node, false},
		{"node: rented", "https://base.example.com/v2/0123abcd", node, true},
		{"node: query", "https://base.example.com?key=0123abcd", node, true},
		{"node: user", "https://a:b@base.example.com", node, true},
		{"node: a key by placeholder", "https://base.example.com/{env.KEY}", node, false},
		{"nodes: open", "https://mainnet.base.org, http://127.0.0.1:8545 {env.OWN_NODE}", node, false},
		{"nodes: the second rented", "https://mainnet.base.org https://base.example.com/v2/0123abcd", node, true},
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

// Configurations in JSON go past the Caddyfile's parsers.
func TestSecretsInJSON(t *testing.T) { //nolint:paralleltest // Caddy runs one configuration per process
	for name, text := range map[string]string{
		"identity_secret": `{"apps": {"turnpike": {"identity_secret": "0123456789abcdef0123456789abcdef"}}}`,
		"ledger postgres": `{"apps": {"turnpike": {"ledger": {"type": "postgres", "url": "postgres://a:hunter2@127.0.0.1:1/b"}}}}`,
		"ledger memory":   `{"apps": {"turnpike": {"ledger": {"type": "memory", "keys": [{"key": "hunter2", "team": "a"}]}}}}`,
		"signer": `{"apps": {"turnpike": {"ledger": {"type": "memory"}, "x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
			"facilitator": {"type": "local", "rpc": "http://127.0.0.1:1", "signers": ["hunter2"]}}}}}`,
		"rpc": `{"apps": {"turnpike": {"ledger": {"type": "memory"}, "x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
			"facilitator": {"type": "local", "rpc": "http://127.0.0.1:1/hunter2", "signers": ["{env.A}"]}}}}}`,
		"header Authorization": `{"apps": {"turnpike": {"ledger": {"type": "memory"}, "x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
			"facilitator": {"type": "http", "url": "http://127.0.0.1:1", "headers": {"Authorization": "hunter2"}}}}}}`,
		"key_secret": `{"apps": {"turnpike": {"ledger": {"type": "memory"}, "x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
			"facilitator": {"type": "http", "url": "http://127.0.0.1:1", "auth": {"type": "cdp", "key_id": "a", "key_secret": "hunter2"}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			err := caddy.Validate(mustConfig(t, []byte(text)))
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), config.HowToGiveSecret) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("got %v, want %s and what to do about it", err, name)
			}
		})
	}
}
