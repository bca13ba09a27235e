package caddymodule

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

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
