package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sqlc reads the migrations with a parser of its own. Here the real server plans
// every statement that it generated, on the schema that the migrations made.
func TestEveryStatementPlans(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	files, err := filepath.Glob("*.sql.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("generated files: got %v and error %v, want some", files, err)
	}
	for _, name := range files {
		for _, text := range statements(t, name) {
			title, _, _ := strings.Cut(text, "\n")
			if _, err := conn.Prepare(t.Context(), "", text); err != nil {
				t.Errorf("%s: %s: %v", name, title, err)
			}
		}
	}
}

func statements(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parsing: %v", err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && strings.HasPrefix(text, "-- name: ") {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
