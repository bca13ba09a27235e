package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDevConsole signs in to the console of `turnpike dev` in a real browser, creates a monitor, and sees its plan and the
// page's first change. Nothing is faked; the tests of backend/console run the same steps against a fake API.
func TestDevConsole(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	dev := c.startDev(t, "--data", filepath.Join(c.Dir, "data"), "--port", "0", "--allow-loopback")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-v", "-run", "^TestRunningServiceInABrowser$", "../../backend/console")
	cmd.Env = append(os.Environ(), "TURNPIKE_URL="+dev.edge, "TURNPIKE_KEY="+dev.key)
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("not shown:\n%s", out)
	case !strings.Contains(string(out), "--- PASS: TestRunningServiceInABrowser"):
		t.Fatalf("got\n%s\nwant the test to have run", out)
	}
}
