//go:build unix

package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// install writes programs that print answer into a directory.
func install(t *testing.T, dir, answer string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		names = []string{"postgres", "initdb"}
	}
	for _, name := range names {
		writeProgram(t, filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+answer+"'\n"))
	}
}

func banner(version string) string { return "postgres (PostgreSQL) " + version }

func TestFind(t *testing.T) {
	t.Parallel()
	const debian = "usr/lib/postgresql/"
	tests := []struct {
		name   string
		bins   map[string]string // version by directory below the root
		path   []string
		pgbin  string
		major  int
		want   string
		origin string
	}{
		{
			"PGBIN comes first",
			map[string]string{"mine": "14.1", "bin": "17.2"},
			[]string{"bin"},
			"mine", 0, "mine", "$PGBIN",
		},
		{
			"PATH comes before packages",
			map[string]string{"bin": "15.1", debian + "17/bin": "17.2"},
			[]string{"none", "bin"},
			"", 0, "bin", "PATH",
		},
		{
			"the first of PATH, not the newest",
			map[string]string{"a": "15.1", "b": "17.1"},
			[]string{"a", "b"},
			"", 0, "a", "PATH",
		},
		{
			"the newest package, by number",
			map[string]string{debian + "9.6/bin": "9.6.24", debian + "15/bin": "15.9", debian + "16/bin": "16.10"},
			nil, "", 0, debian + "16/bin", "/usr/lib/postgresql/*/bin",
		},
		{
			"the version of the cluster",
			map[string]string{"bin": "17.1", debian + "15/bin": "15.9", debian + "16/bin": "16.2"},
			[]string{"bin"},
			"", 15, debian + "15/bin", "/usr/lib/postgresql/*/bin",
		},
		{
			"what is too old is passed over",
			map[string]string{"bin": "13.4", "opt/homebrew/opt/postgresql@16/bin": "16.2"},
			[]string{"bin"},
			"", 0, "opt/homebrew/opt/postgresql@16/bin", "/opt/homebrew/opt/postgresql@*/bin",
		},
		{
			"Homebrew on Intel",
			map[string]string{"usr/local/opt/postgresql@17/bin": "17.0 (Homebrew)"},
			nil, "", 0, "usr/local/opt/postgresql@17/bin", "/usr/local/opt/postgresql@*/bin",
		},
		{
			"Postgres.app",
			map[string]string{"Applications/Postgres.app/Contents/Versions/18/bin": "18beta1"},
			nil, "", 0, "Applications/Postgres.app/Contents/Versions/18/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "r[o]ot") // a root may contain glob characters
			for dir, version := range tt.bins {
				install(t, filepath.Join(root, dir), banner(version))
			}
			search := Search{Root: root, Major: tt.major}
			if tt.pgbin != "" {
				search.PGBin = filepath.Join(root, tt.pgbin)
			}
			var path []string
			for _, dir := range tt.path {
				path = append(path, filepath.Join(root, dir))
			}
			search.Path = strings.Join(path, ":")
			got, err := Find(t.Context(), search)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(root, tt.want); got.Dir != want || got.Origin != tt.origin {
				t.Errorf("got %s from %s, want %s from %s", got.Dir, got.Origin, want, tt.origin)
			}
		})
	}
}

func TestFindFollowsLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	install(t, filepath.Join(root, "cellar"), banner("16.3"))
	bin := filepath.Join(root, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../cellar/postgres", filepath.Join(bin, "postgres")); err != nil {
		t.Fatal(err)
	}
	got, err := Find(t.Context(), Search{Root: root, Path: bin})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(root, "cellar"); got.Dir != want || got.Major != 16 || got.Version != "16.3" {
		t.Errorf("got %+v, want 16.3 in %s", got, want)
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	install(t, filepath.Join(root, "old"), banner("12.20"))
	install(t, filepath.Join(root, "client"), banner("17.1"), "postgres") // no initdb
	install(t, filepath.Join(root, "odd"), "hello")
	var path []string
	for _, dir := range []string{"old", "client", "odd"} {
		path = append(path, filepath.Join(root, dir))
	}
	path = append(path, "relative")

	_, err := Find(t.Context(), Search{Root: root, Path: strings.Join(path, ":")})
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a *NotFoundError", err)
	}
	for _, want := range []string{"PostgreSQL 12.20, older than 14", `got "hello`, "install them with: " + missing.Command} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to contain %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "client") {
		t.Errorf("got %q, want no word of a directory without a server", err)
	}

	_, err = Find(t.Context(), Search{Root: root, PGBin: filepath.Join(root, "old"), Path: os.Getenv("PATH")})
	if err == nil || !strings.Contains(err.Error(), "using $PGBIN") {
		t.Errorf("a PGBIN that will not do: got %v, want an error and no fallback", err)
	}
}

func TestInstallCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("os-release is Linux's")
	}
	tests := []struct {
		name, release string
		major         int
		want          string
	}{
		{"Debian", "PRETTY_NAME=\"Debian\"\nID=debian\n", 0, "apt-get install -y postgresql"},
		{"Debian, a version", "ID=debian\n", 15, "apt-get install -y postgresql-15"},
		{"like Ubuntu", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", 0, "apt-get install -y postgresql"},
		{"like RHEL", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", 0, "dnf install -y postgresql-server"},
		{"Alpine", "ID=alpine\n", 16, "apk add postgresql16"},
		{"Arch", "ID=arch\n", 0, "pacman -S --noconfirm postgresql"},
		{"unknown", "", 0, "apt-get install -y postgresql"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, "etc"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, "etc/os-release"), []byte(tt.release), 0o644); err != nil {
				t.Fatal(err)
			}
			got := installCommand(root, tt.major)
			if strings.TrimPrefix(got, "sudo ") != tt.want || strings.HasPrefix(got, "sudo ") == (os.Geteuid() == 0) {
				t.Errorf("got %q, want %q, with sudo unless root", got, tt.want)
			}
		})
	}
}

func TestNewer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"15.10", "15.9", true}, {"15.9", "15.10", false}, {"16.0", "15.99", true}, {"15.1", "15.1", false}, {"15.1", "", true},
	} {
		if got := newer(tt.a, tt.b); got != tt.want {
			t.Errorf("newer(%q, %q): got %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, seed := range []string{
		"postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)\n", "postgres (PostgreSQL) 18beta1", "postgres (PostgreSQL) ",
		"postgres (PostgreSQL) 99999.1", "psql (PostgreSQL) 15.8", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, out string) {
		version, major, err := parseVersion(out)
		if err == nil && (version == "" || major < 0 || major > 9999 || !strings.Contains(out, version)) {
			t.Errorf("%q: got %q and %d without an error", out, version, major)
		}
		newer(version, out)
	})
}
