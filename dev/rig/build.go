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
	commands  = "github.com/turnpike-edge/turnpike/cmd/"
	buildTags = "nobadger,nomysql,nopgx"
)

// The programs that Build builds.
const (
	Turnpike = "turnpike"
	Dev      = "turnpike-dev"
)

// Build builds a program in dir, from the module of the working directory, and returns its path. It is built as xcaddy
// would build it: without cgo, and without Caddy's databases, which are not used here.
func Build(ctx context.Context, dir, program string) (string, error) {
	binary := filepath.Join(dir, program)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", buildTags, "-o", binary, commands+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, strings.TrimSpace(string(out)))
	}
	return binary, lookAtSources(ctx, program)
}

// lookAtSources reads the sources of the program, so that go test counts them as inputs of a test: otherwise it would use
// cached results after they have changed, since it does not see what another process builds.
func lookAtSources(ctx context.Context, program string) error {
	if !testing.Testing() {
		return nil
	}
	const files = `{{with .Module}}{{if .Main}}{{$dir := $.Dir}}{{range $.GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range $.EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{.GoMod}}{{"\n"}}{{end}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", buildTags, "-f", files, commands+program)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the sources of %s: %w", program, err)
	}
	for name := range strings.Lines(string(out)) {
		if _, err := os.Stat(strings.TrimSpace(name)); err != nil {
			return fmt.Errorf("checking the sources of %s: %w", program, err)
		}
	}
	return nil
}
