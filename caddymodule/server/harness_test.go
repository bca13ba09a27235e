package server

import (
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

const testTimeout = 20 * time.Second

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func adaptConfig(t *testing.T, config string) []byte {
	t.Helper()
	raw, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
