//go:build interop

package interop

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestSDKPython shows that the wheel of sdk/python works as its users install it: in this machine's Python, and in the oldest
// and the newest that are installed, from 3.9 on.
func TestSDKPython(t *testing.T) {
	t.Parallel()
	sdk, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(sdk, ".venv", "bin", "python")
	wheels := t.TempDir()
	// Each at its place, because the types are checked against the document that this repository has now.
	for _, args := range [][]string{
		{"generate.py", "--check"},
		{"-m", "mypy", "--cache-dir", t.TempDir()},
		{"-m", "build", "--wheel", "--no-isolation", "--outdir", wheels, "."},
	} {
		inApp(t, sdk, nil, tools, args...)
	}
	found, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got wheels %q (%v), want one", found, err)
	}
	tests := t.TempDir() // a copy, so that the package is the installed one
	if err := os.CopyFS(tests, os.DirFS(filepath.Join(sdk, "tests"))); err != nil {
		t.Fatal(err)
	}
	dev := startDev(t)
	live := []string{
		"TURNPIKE_URL=" + dev.URL, "TURNPIKE_KEY=" + dev.Key, "WALLET_KEY=" + dev.WalletKey, "SITE=" + dev.Site, "TITLE=How a toll road works",
		"README=" + filepath.Join(sdk, "README.md"), "PYTHONDONTWRITEBYTECODE=1",
	}
	// One after the other, as each makes 50 payments at once.
	t.Run("in use", func(t *testing.T) {
		for _, python := range pythons(t) {
			t.Run(python.name, func(t *testing.T) {
				venv := filepath.Join(t.TempDir(), "venv")
				inApp(t, tests, nil, python.path, "-m", "venv", venv)
				installed := filepath.Join(venv, "bin", "python")
				pip := []string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary", ":all:"}
				inApp(t, tests, nil, installed, append(pip, "--requirement", "requirements.txt", found[0])...)
				inApp(t, tests, live, installed, "-m", "unittest", "discover", "--verbose")
			})
		}
	})
}

// python is an installed Python.
type python struct {
	name, path string
	minor      int // 9 of Python 3.9
}

const pythonMinorMin = 9

// pythons returns this machine's Python, and the oldest and the newest of the others on the PATH and of pyenv.
func pythons(t *testing.T) []python {
	t.Helper()
	var all []python
	version := regexp.MustCompile(`^Python (3\.(\d+)\.\S+)`)
	add := func(path string) {
		said, err := exec.CommandContext(t.Context(), path, "--version").CombinedOutput()
		if m := version.FindSubmatch(said); err == nil && m != nil {
			if minor, err := strconv.Atoi(string(m[2])); err == nil && minor >= pythonMinorMin {
				all = append(all, python{name: string(m[1]), path: path, minor: minor})
			}
		}
	}
	usual, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	add(usual)
	if len(all) == 0 {
		t.Fatalf("%s is older than Python 3.%d", usual, pythonMinorMin)
	}
	for minor := pythonMinorMin; minor < 30; minor++ {
		if path, err := exec.LookPath("python3." + strconv.Itoa(minor)); err == nil {
			add(path)
		}
	}
	if root := cmp.Or(os.Getenv("PYENV_ROOT"), filepath.Join(os.Getenv("HOME"), ".pyenv")); root != "" {
		others, _ := filepath.Glob(filepath.Join(root, "versions", "3.*", "bin", "python3")) // none without pyenv
		for _, path := range others {
			add(path)
		}
	}
	byMinor := func(a, b python) int { return cmp.Compare(a.minor, b.minor) }
	chosen := []python{all[0], slices.MinFunc(all, byMinor), slices.MaxFunc(all, byMinor)}
	slices.SortStableFunc(chosen, byMinor)
	return slices.CompactFunc(chosen, func(a, b python) bool { return a.minor == b.minor })
}
