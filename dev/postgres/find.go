package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Search says where Find looks for server binaries.
type Search struct {
	// PGBin, if set, is the directory that must be used ($PGBIN).
	PGBin string
	// Path is a list of directories like $PATH.
	Path string
	// Root is prefixed to the well-known places (/usr/lib/postgresql and so on). Empty: the root of the file system.
	Root string
	// Cache is where Start keeps installed binaries for later runs. Empty: nothing is installed.
	Cache string
	// Major, unless 0, is the only accepted major version: that of an existing cluster.
	Major int
}

// SystemSearch searches this machine: $PGBIN, $PATH, the places where packages install the binaries, and last what an
// earlier Start has installed.
func SystemSearch() Search {
	return Search{PGBin: os.Getenv("PGBIN"), Path: os.Getenv("PATH"), Cache: cacheDir()}
}

// Installation is a set of server binaries.
type Installation struct {
	// Dir holds postgres and initdb.
	Dir string
	// Version is as the binary reports it, such as "15.8" or "18beta1".
	Version string
	// Major is the first number of Version.
	Major int
	// Origin says where it was found: "$PGBIN", "PATH", "npm" or a pattern.
	Origin string
}

// wellKnown are the places of Debian and Ubuntu (off PATH on purpose), Fedora's and PGDG's RPMs, Alpine, Homebrew on both
// architectures, and Postgres.app. Within a place the newest version wins.
var wellKnown = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// Find returns the first suitable set of binaries, in this order: s.PGBin, s.Path, the well-known places, s.Cache. It
// fails with a *NotFoundError that says what was found and which command installs PostgreSQL. An unsuitable PGBin is an
// error of its own, since a fallback would run something else than was requested.
func Find(ctx context.Context, s Search) (Installation, error) {
	if s.PGBin != "" {
		inst, err := inspect(ctx, s.PGBin, "$PGBIN")
		if err != nil {
			return Installation{}, fmt.Errorf("using $PGBIN: %w; set it to a directory with postgres and initdb, or unset it", err)
		}
		if fault := s.unfit(inst); fault != "" {
			return Installation{}, fmt.Errorf("using $PGBIN: %s; set it to another directory, or unset it", fault)
		}
		return inst, nil
	}
	missing := &NotFoundError{Major: s.Major, Command: installCommand(s.Root, s.Major)}
	for _, place := range s.places() {
		best, found := Installation{}, false
		for _, dir := range place.dirs {
			inst, err := inspect(ctx, dir, place.origin)
			if err != nil {
				if !os.IsNotExist(err) {
					missing.Rejected = append(missing.Rejected, err.Error())
				}
				continue
			}
			if fault := s.unfit(inst); fault != "" {
				missing.Rejected = append(missing.Rejected, fault)
				continue
			}
			if !found || (place.newest && newer(inst.Version, best.Version)) {
				best, found = inst, true
			}
		}
		if found {
			return best, nil
		}
	}
	if inst, ok := (npm{search: s, platform: npmPlatform()}).installed(ctx); ok {
		return inst, nil
	}
	return Installation{}, missing
}

type place struct {
	origin string
	dirs   []string
	newest bool
}

func (s Search) places() []place {
	places := []place{{origin: "PATH", dirs: absolute(filepath.SplitList(s.Path))}}
	for _, pattern := range wellKnown {
		// Glob only fails for malformed patterns, and these constants are well formed. But Root may contain characters
		// that are special in patterns, so only what follows Root is matched.
		dirs := globBelow(s.Root, pattern)
		places = append(places, place{origin: pattern, dirs: dirs, newest: true})
	}
	return places
}

func globBelow(root, pattern string) []string {
	if root == "" {
		root = "/"
	}
	names, err := fsGlob(root, strings.TrimPrefix(pattern, "/"))
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = filepath.Join(root, name)
	}
	return names
}

// absolute drops relative entries: their meaning depends on the working directory.
func absolute(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// unfit says why inst is not suitable; "" if it is.
func (s Search) unfit(inst Installation) string {
	switch {
	case inst.Major < MinimumMajor:
		return fmt.Sprintf("%s is PostgreSQL %s, older than %d", inst.Dir, inst.Version, MinimumMajor)
	case s.Major != 0 && inst.Major != s.Major:
		return fmt.Sprintf("%s is PostgreSQL %s, and the existing cluster needs %d", inst.Dir, inst.Version, s.Major)
	}
	return ""
}

const versionTimeout = 10 * time.Second

// inspect checks one directory. The error wraps os.ErrNotExist if there are no binaries in it.
func inspect(ctx context.Context, dir, origin string) (Installation, error) {
	server, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return Installation{}, err
	}
	// A link on PATH may name only the server; initdb is in the directory of the link's target.
	home := filepath.Dir(server)
	for _, name := range []string{"postgres", "initdb"} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil {
			return Installation{}, err
		}
		if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			return Installation{}, fmt.Errorf("%s is not an executable file", filepath.Join(home, name))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, server, "--version")
	cmd.Env = serverEnv()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return Installation{}, fmt.Errorf("getting the version of %s: %w", server, err)
	}
	version, major, err := parseVersion(string(out))
	if err != nil {
		return Installation{}, fmt.Errorf("getting the version of %s: %w", server, err)
	}
	return Installation{Dir: home, Version: version, Major: major, Origin: origin}, nil
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) (([0-9]{1,4})[.0-9a-z]*)`)

// parseVersion reads the output of `postgres --version`, such as "postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)".
func parseVersion(out string) (version string, major int, err error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		if len(out) > 80 {
			out = out[:80]
		}
		return "", 0, fmt.Errorf("want %q, got %q", "postgres (PostgreSQL) <version>", out)
	}
	major, err = strconv.Atoi(m[2])
	if err != nil {
		return "", 0, err
	}
	return m[1], major, nil
}

// newer compares versions number by number; "15.10" is newer than "15.9".
func newer(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0
}

var digits = regexp.MustCompile(`[0-9]+`)

func numbers(version string) []int {
	var ns []int
	for _, d := range digits.FindAllString(version, -1) {
		n, err := strconv.Atoi(d)
		if err != nil {
			break
		}
		ns = append(ns, n)
	}
	return ns
}
