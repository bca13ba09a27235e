package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	binaryPackage = "github.com/turnpike-edge/turnpike/cmd/turnpike"
	buildTags     = "nobadger,nomysql,nopgx"
)

// Build builds the binary in dir, from the module of the working directory, and returns its path. It is built as xcaddy
// would build it: without cgo, and without Caddy's databases, which are not used here.
func Build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "turnpike")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", buildTags, "-o", binary, binaryPackage)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the edge: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return binary, lookAtSources(ctx)
}

// lookAtSources reads the sources of the binary, so that go test counts them as inputs of a test: otherwise it would use
// cached results after they have changed, since it does not see what another process builds.
func lookAtSources(ctx context.Context) error {
	if !testing.Testing() {
		return nil
	}
	const files = `{{with .Module}}{{if .Main}}{{$dir := $.Dir}}{{range $.GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range $.EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{.GoMod}}{{"\n"}}{{end}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", buildTags, "-f", files, binaryPackage)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the sources of the edge: %w", err)
	}
	for name := range strings.Lines(string(out)) {
		if _, err := os.Stat(strings.TrimSpace(name)); err != nil {
			return fmt.Errorf("checking the sources of the edge: %w", err)
		}
	}
	return nil
}
