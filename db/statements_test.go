package db_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// readsAll are the statements that read whole tables, however large: those that compare the books, count everything, or
// delete rows of a table without a suitable index.
var readsAll = []string{
	"CountStrandedClaims", "DeleteIdleHosts", "DeleteStaleRobots", "EndLostInstances", "ForgetSearchKeys", "ListAccountsOutOfBalance",
	"ListClaimsOutOfLedger", "ListHoldsOutOfLine", "ListIdempotencyPayers", "ListOverdrawn", "ListSurplusMonitorRuns", "ListUnmatched",
	"SilentInstances", "TakeReconcileTurn", "TeamTotals", "TrialBalance", "Unsettled",
}

// sqlc reads the migrations with its own parser. Here the real server plans every generated statement on the migrated,
// empty schema: a prepared statement keeps its plan, and a table may be empty when the plan is made. With our session
// settings, even such a plan reads no whole table.
func TestEveryStatementPlans(t *testing.T) {
	t.Parallel()
	conn, err := db.Connect(t.Context(), pgtest.New(t, migrate), "turnpike-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, statement := range []string{`vacuum`, `set plan_cache_mode = force_generic_plan`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("*.sql.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("generated files: got %v and error %v, want some", files, err)
	}
	var reading []string
	for _, file := range files {
		for _, text := range statements(t, file) {
			name := strings.Fields(text)[2]
			described, err := conn.Prepare(t.Context(), name, text)
			if err != nil {
				t.Errorf("%s: %s: %v", file, name, err)
				continue
			}
			explain := `explain (costs off) execute ` + pgx.Identifier{name}.Sanitize()
			if n := len(described.ParamOIDs); n > 0 {
				explain += `(null` + strings.Repeat(`, null`, n-1) + `)`
			}
			rows, err := conn.Query(t.Context(), explain, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// meter_usage has only the usage of some minutes; statements for one account read it whole.
			if strings.Contains(strings.ReplaceAll(strings.Join(plan, "\n"), "Seq Scan on meter_usage ", ""), "Seq Scan on ") {
				reading = append(reading, name)
			}
		}
	}
	slices.Sort(reading)
	if !slices.Equal(reading, readsAll) {
		t.Errorf("statements that read whole tables:\n%s\nwant\n%s", strings.Join(reading, "\n"), strings.Join(readsAll, "\n"))
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
