//go:build interop

package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestStockSDK shows that a similar service's client from PyPI works unchanged, with only another base URL.
func TestStockSDK(t *testing.T) {
	t.Parallel()
	// Registered first, so that a failure prints the client's output last, after the long log of `turnpike dev`.
	var said []byte
	t.Cleanup(func() { t.Logf("%s", said) })
	dev := startDev(t)
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	use := exec.CommandContext(ctx, filepath.Join("sdk", ".venv", "bin", "python"), "-W", "ignore", "sdk/use.py") // ignore its warnings about unknown fields
	use.Env = append(os.Environ(), "OLOSTEP_BASE_API_URL="+dev.URL+"/v1", "KEY="+dev.Key,
		"SITE="+dev.Site, "TITLE=How a toll road works", "NO_PROXY=localhost", "no_proxy=localhost")
	var err error
	said, err = use.CombinedOutput()
	if err != nil {
		t.Errorf("the client: %v", err)
	}
}
