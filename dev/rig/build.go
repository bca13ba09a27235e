package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const binaryPackage = "github.com/turnpike-edge/turnpike/cmd/turnpike"

// Build makes the binary in dir, from the module that the working directory is in, and returns its path. It is built
// as xcaddy would build it: without cgo, and without Caddy's databases that nothing here uses.
func Build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "turnpike")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "nobadger,nomysql,nopgx", "-o", binary, binaryPackage)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the edge: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return binary, nil
}
