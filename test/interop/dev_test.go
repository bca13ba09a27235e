//go:build interop

package interop

import (
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

// devServer is a running `turnpike dev`: how programs reach it and pay it.
type devServer struct {
	URL       string `json:"url"`
	Key       string `json:"key"`
	WalletKey string `json:"walletKey"` // in hex, of an account with USDC on the development chain
	Site      string `json:"site"`      // the sample site, which it can fetch

	database string // its address
}

// startDev starts the built `turnpike dev` with these flags, until the test ends.
func startDev(t *testing.T, flags ...string) devServer {
	t.Helper()
	binary, err := rig.Build(t.Context(), t.TempDir(), rig.Dev)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "dev.log")
	dev := exec.Command(binary, append([]string{"--port", "0", "--data", filepath.Join(dir, "data")}, flags...)...)
	database := pgtest.New(t, migrate)
	dev.Env = append(os.Environ(), "DATABASE_URL="+database)
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
	walletKey, err := os.ReadFile(filepath.Join(dir, "data", "wallet.key"))
	if err != nil {
		t.Fatal(err)
	}
	return devServer{
		URL: found(`^  edge +(http://\S+)`), Key: found(`^  key +(tp_\S+)$`),
		WalletKey: strings.TrimSpace(string(walletKey)), Site: found(`"url_to_scrape": "(http://[^"]+)"`), database: database,
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
