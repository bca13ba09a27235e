package s3

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Version is the version of versitygw that is used.
const Version = "v1.8.0"

const (
	program    = "versitygw"
	importPath = "github.com/versity/versitygw/cmd/versitygw"
	command    = "go run ./dev/s3/getserver"
)

// ErrNotInstalled is returned if the server is not on this machine.
var ErrNotInstalled = errors.New("the S3 server " + program + " " + Version + " is not installed: run " + command)

// binaryDir is where the server is kept; each version has its own directory.
func binaryDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache for the S3 server: %w", err)
	}
	return filepath.Join(cache, "turnpike", program, Version), nil
}

func binary() (string, error) {
	dir, err := binaryDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, program)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	return path, nil
}

// Installed reports whether the server is on this machine.
func Installed() bool {
	path, err := binary()
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// Install builds the server into the user's cache, unless it is there. The first time takes minutes.
func Install(ctx context.Context) error {
	if Installed() {
		return nil
	}
	dir, err := binaryDir()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "install", importPath+"@"+Version)
	// These flags are for this module's builds and must not affect another's.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GOFLAGS=") || strings.HasPrefix(entry, "GOBIN=")
	}), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", program, err, out)
	}
	return nil
}
