//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// openAPI is the document that every installation serves. A test of backend/api compares it with the routes.
const openAPI = "../../backend/api/testdata/openapi.json"

// TestStockOpenAPI shows that public tools accept the OpenAPI document of the web data service.
func TestStockOpenAPI(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(openAPI)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Redocly", func(t *testing.T) {
		t.Parallel()
		if got := redocly(t, document); got.Totals.Errors+got.Totals.Warnings > 0 {
			t.Errorf("got %d errors and %d warnings, want none: %v", got.Totals.Errors, got.Totals.Warnings, got.Problems)
		}
		broken := bytes.ReplaceAll(document, []byte(`"BatchItem"`), []byte(`"Batches/item"`))
		if got := redocly(t, broken); got.Totals.Errors == 0 {
			t.Error("got no errors for a document with a wrong name, want some: is it read at all?")
		}
	})
	t.Run("swagger-parser", func(t *testing.T) {
		t.Parallel()
		tool(t, "node", "openapi/parse.mjs", openAPI)
	})
}

// verdict is the report of Redocly's linter.
type verdict struct {
	Totals   struct{ Errors, Warnings int }
	Problems []struct{ RuleID, Severity, Message string }
}

// redocly lints a document by Redocly's recommended rules.
func redocly(t *testing.T, document []byte) verdict {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	// The exit code is not checked: it is not 0 if there are errors, and the output lists them.
	out, said, runErr := run(t, "node_modules/.bin/redocly", "lint", "--extends", "recommended", "--format", "json", file)
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("redocly: %v, %v\n%s\n%s", runErr, err, out, said)
	}
	return v
}

// tool runs a tool that must succeed.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, said, err := run(t, name, args...); err != nil {
		t.Errorf("%s: %v\n%s\n%s", name, err, out, said)
	}
}

func run(t *testing.T, name string, args ...string) (out, said []byte, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	err = cmd.Run()
	return stdout.Bytes(), stderr.Bytes(), err
}
