package caddymodule_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	turnpike "github.com/turnpike-edge/turnpike"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const separator = "----------\n"

// TestAdapt compares each Caddyfile in testdata/adapt with the JSON, or the error, below it.
func TestAdapt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/adapt/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d golden files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(golden), separator)
			got, isError := adapt(t, input)
			if isError != strings.HasPrefix(filepath.Base(file), "error_") {
				t.Fatalf("got %s", got)
			}
			if *update && got != want { // other tests read these files
				if err := os.WriteFile(file, []byte(input+separator+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func adapt(t *testing.T, input string) (output string, isError bool) {
	t.Helper()
	raw, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(input), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return err.Error() + "\n", true
	}
	for _, w := range warnings {
		t.Errorf("warning: %s", w.String())
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return out.String() + "\n", false
}

// The shipped Caddyfile adapts without a warning, so it is formatted too.
func TestShippedCaddyfile(t *testing.T) {
	t.Parallel()
	if out, isError := adapt(t, string(turnpike.Caddyfile)); isError {
		t.Error(out)
	}
}
