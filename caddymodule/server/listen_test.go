//go:build unix && !solaris

package server

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestKeptAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		":443":                   "kept-tcp/:443",
		"127.0.0.1:80":           "kept-tcp/127.0.0.1:80",
		"tcp4/0.0.0.0:8080":      "kept-tcp4/0.0.0.0:8080",
		"tcp6/[::1]:8080":        "kept-tcp6/[::1]:8080",
		"localhost:9000-9002":    "kept-tcp/localhost:9000-9002",
		"kept-tcp/:443":          "kept-tcp/:443",
		"127.0.0.1:0":            "127.0.0.1:0",
		"unix//run/edge.sock":    "unix//run/edge.sock",
		"unix//run/a.sock|0222":  "unix//run/a.sock|0222",
		"fd/3":                   "fd/3",
		"udp/:53":                "udp/:53",
		"another-plugin/a:1":     "another-plugin/a:1",
		"no address: at all:":    "no address: at all:",
		"unixpacket//run/a.sock": "unixpacket//run/a.sock",
	} {
		if got := keptAddress(address); got != want {
			t.Errorf("keptAddress(%q): got %q, want %q", address, got, want)
		}
		if strings.HasPrefix(want, keptPrefix) {
			if _, err := caddy.ParseNetworkAddress(want); err != nil {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}
