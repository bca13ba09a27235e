//go:build interop

package interop

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// goTimeout is enough for a crawl of 2,000 pages whose client is killed.
const goTimeout = 15 * time.Minute

// TestSDKGo uses the service with the SDK for Go and the command-line client, by key and by wallet. Each is a module of its
// own.
func TestSDKGo(t *testing.T) {
	// The site of the tests is on this machine, and they crawl it fast.
	t.Setenv("TURNPIKE_HOST_RATE", "off")
	t.Setenv("TURNPIKE_HOST_CONNECTIONS", "16")
	dev := startDev(t, "--allow-loopback")
	for _, module := range []string{"../../sdk/go", "../../cli"} {
		ctx, cancel := context.WithTimeout(t.Context(), goTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-v", "-timeout", goTimeout.String(), "-run", "TestLive", ".")
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "TURNPIKE_URL="+dev.URL, "TURNPIKE_KEY="+dev.Key, "TURNPIKE_WALLET_KEY="+dev.WalletKey, "SITE="+dev.Site)
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("%s: %v", module, err)
		}
	}
}
