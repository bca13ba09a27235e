package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func repositoryFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func submatch(t *testing.T, what, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s: nothing matches %s", what, pattern)
	}
	return m[1]
}

// A build with xcaddy and one with go build must give the same server.
func TestFileAgreesWithTheModule(t *testing.T) {
	t.Parallel()
	b, err := read(filepath.Join(root, "xcaddy.json"))
	if err != nil {
		t.Fatal(err)
	}
	goMod := repositoryFile(t, "go.mod")
	if want := submatch(t, "go.mod", `(?m)^\tgithub\.com/caddyserver/caddy/v2 (v\S+)`, goMod); b.CaddyVersion != want {
		t.Errorf("caddy_version: got %s, want go.mod's %s", b.CaddyVersion, want)
	}
	module := submatch(t, "go.mod", `(?m)^module (\S+)$`, goMod)
	if want := []dependency{{ModulePath: module}}; !slices.Equal(b.Plugins, want) {
		t.Errorf("plugins: got %v, want %v", b.Plugins, want)
	}
	if want := []replacement{{Old: module, New: "."}}; !slices.Equal(b.Replacements, want) {
		t.Errorf("replacements: got %v, want %v", b.Replacements, want)
	}
	tags := submatch(t, "Makefile", `(?m)^TAGS \?= (\S+)$`, repositoryFile(t, "Makefile"))
	for _, want := range []string{"-trimpath", "-tags " + tags} {
		if !strings.Contains(b.BuildFlags, want) {
			t.Errorf("build_flags: got %q, want %q in it", b.BuildFlags, want)
		}
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		builder builder
		want    []string
		wantEnv []string
	}{
		{
			"a plugin from here",
			builder{
				CaddyVersion: "v2.0.0", Plugins: []dependency{{ModulePath: "a.example/p"}},
				Replacements: []replacement{{Old: "a.example/p", New: "."}}, BuildFlags: "-trimpath",
			},
			[]string{"build", "v2.0.0", "--output", "out", "--with", "a.example/p=" + here},
			[]string{"XCADDY_GO_BUILD_FLAGS=-trimpath"},
		},
		{
			"versions and a replaced dependency",
			builder{
				CaddyVersion: "v2.0.0", Plugins: []dependency{{"a.example/p", "v1.2.3"}},
				Replacements: []replacement{{Old: "b.example/q v1.0.0", New: "c.example/q v1.0.1"}},
				ModFlags:     "-modcacherw", Debug: true, RaceDetector: true, SkipBuild: true, SkipCleanup: true,
			},
			[]string{"build", "v2.0.0", "--output", "out", "--with", "a.example/p@v1.2.3", "--replace", "b.example/q@v1.0.0=c.example/q@v1.0.1"},
			[]string{"XCADDY_GO_MOD_FLAGS=-modcacherw", "XCADDY_RACE_DETECTOR=1", "XCADDY_DEBUG=1", "XCADDY_SKIP_BUILD=1", "XCADDY_SKIP_CLEANUP=1"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.builder.args("out")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("arguments: got %q, want %q", got, tc.want)
			}
			if got := tc.builder.env(); !slices.Equal(got, tc.wantEnv) {
				t.Errorf("environment: got %q, want %q", got, tc.wantEnv)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"an unknown field", `{"caddy_version":"v2.0.0","caddyversion":"v2"}`, "caddyversion"},
		{"a field that has no argument", `{"caddy_version":"v2.0.0","timeout_get":5}`, "timeout_get"},
		{"no version", `{}`, "caddy_version is missing"},
		{"a plugin without a path", `{"caddy_version":"v2.0.0","plugins":[{"version":"v1"}]}`, "plugins[0].module_path"},
		{"half a replacement", `{"caddy_version":"v2.0.0","replacements":[{"old":"a"}]}`, "replacements[0]"},
		{"not JSON", `caddy`, "invalid character"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "xcaddy.json")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := read(file)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want it to name %q", err, tc.want)
			}
		})
	}
}
