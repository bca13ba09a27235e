//go:build interop

package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// TestStockSDK shows that a similar service's client from PyPI works unchanged, with only another base URL.
func TestStockSDK(t *testing.T) {
	t.Parallel()
	binary, err := rig.Build(t.Context(), t.TempDir(), rig.Dev)
	if err != nil {
		t.Fatal(err)
	}
	// Registered first, so that a failure prints the client's output last, after the long log of `turnpike dev`.
	var said []byte
	t.Cleanup(func() { t.Logf("%s", said) })
	dir := t.TempDir()
	log := filepath.Join(dir, "dev.log")
	dev := exec.Command(binary, "--port", "0", "--data", filepath.Join(dir, "data"))
	dev.Env = append(os.Environ(), "DATABASE_URL="+pgtest.New(t, migrate))
	process, err := rig.Start(dev, log)
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, "turnpike dev", process, log)
	greeting := untilGreeted(t, process, log)
	found := func(pattern string) string {
		m := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(greeting)
		if m == nil {
			t.Fatalf("the greeting has nothing like %s:\n%s", pattern, greeting)
		}
		return m[1]
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	use := exec.CommandContext(ctx, filepath.Join("sdk", ".venv", "bin", "python"), "-W", "ignore", "sdk/use.py") // ignore its warnings about unknown fields
	use.Env = append(os.Environ(), "OLOSTEP_BASE_API_URL="+found(`^  edge +(http://\S+)`)+"/v1", "KEY="+found(`^  key +(tp_\S+)$`),
		"SITE="+found(`"url_to_scrape": "(http://[^"]+)"`), "TITLE=How a toll road works", "NO_PROXY=localhost", "no_proxy=localhost")
	said, err = use.CombinedOutput()
	if err != nil {
		t.Errorf("the client: %v", err)
	}
}

// untilGreeted waits for the whole greeting of `turnpike dev` and returns it.
func untilGreeted(t *testing.T, process *rig.Process, log string) string {
	t.Helper()
	deadline := time.After(startTimeout)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-process.Done():
			t.Fatal("turnpike dev ended")
		case <-deadline:
			t.Fatal("turnpike dev did not start in time")
		}
		if text, err := os.ReadFile(log); err == nil && strings.Contains(string(text), "Ctrl-C stops everything") {
			return string(text)
		}
	}
}
