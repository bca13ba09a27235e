package turnpike

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ourModules are the modules that a Caddy built with this package must have.
var ourModules = []string{
	"admin.api.turnpike",
	"http.authentication.providers.turnpike_key",
	"http.handlers.api_key",
	"http.handlers.meter",
	"http.handlers.x402",
	"http.reverse_proxy.transport.direct",
	"turnpike",
	"turnpike.facilitators.http",
	"turnpike.facilitators.local",
	"turnpike.ledgers.memory",
	"turnpike.ledgers.postgres",
	"turnpike.prices.expression",
	"turnpike.prices.fixed",
	"turnpike.prices.upstream",
}

// The package builds as xcaddy builds it, but without xcaddy and a network: xcaddy's main package, in a module of its own
// that requires this one, with the same flags.
func TestXcaddyBuild(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds all of Caddy")
	}
	binary := buildAsXcaddyDoes(t)
	t.Run("lists our modules", func(t *testing.T) {
		t.Parallel()
		out, err := exec.CommandContext(t.Context(), binary, "list-modules").CombinedOutput()
		if err != nil {
			t.Fatalf("list-modules: %v\n%s", err, out)
		}
		listed := strings.Fields(string(out))
		for _, want := range ourModules {
			if !slices.Contains(listed, want) {
				t.Errorf("list-modules: %s is missing", want)
			}
		}
	})
	t.Run("serves a metered and a paid request", func(t *testing.T) {
		t.Parallel()
		serveBothWays(t, binary)
	})
}

const xcaddyMain = `package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"
	_ "github.com/turnpike-edge/turnpike"
)

func main() {
	caddycmd.Main()
}
`

func buildAsXcaddyDoes(t *testing.T) string {
	t.Helper()
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// The requirements are copied from our go.mod, so nothing has to be looked up.
	goMod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(readFile(t, "go.mod"), "module caddy")
	goMod += "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + checkout + "\n"
	for name, text := range map[string]string{"main.go": xcaddyMain, "go.mod": goMod, "go.sum": readFile(t, "go.sum")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "caddy")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-trimpath", "-ldflags", "-w -s",
		"-tags", "nobadger,nomysql,nopgx", "-o", binary)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("building: %v\n%s", err, out.Bytes())
	}
	return binary
}
