package turnpike

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/turnpike-edge/turnpike"

// floors gives the floor of each folder. A package takes the floor of its nearest folder here. A folder that is not listed
// fails the test, so a new folder gets its place on purpose.
var floors = map[string]int{
	"clip":                   0,
	"admission":              1,
	"payments/money":         1,
	"payments/edgewire":      1,
	"payments/token":         1,
	"payments/follow":        1,
	"payments/openapi":       1,
	"payments/mcp":           1,
	"payments/x402/calldata": 1,
	"backend/api/problem":    1,
	"docs":                   1,
	"db/outage":              1,
	"backend/jsonschema":     1,
	"backend/pattern":        1,
	"backend/required":       1,
	"backend/confine":        1,
	"backend/frequency":      1,
	"backend/api/graceful":   1,

	"backend/page/pdf":        1,
	"backend/page/pdf/font":   1,
	"backend/page/pdf/object": 1,

	"transport":               2,
	"db":                      2,
	"payments/credits":        2,
	"payments/instance":       2,
	"payments/apikey":         2,
	"payments/price":          2,
	"payments/ratelimit":      2,
	"backend/queue/jobs":      2,
	"backend/page/fetch":      2,
	"backend/page/render":     2,
	"backend/page/extract":    2,
	"backend/websearch":       2,
	"backend/llm":             2,
	"backend/blob":            2,
	"backend/api/decode":      2,
	"backend/api/principal":   2,
	"backend/api/metadata":    2,
	"backend/page/membudget":  2,
	"backend/page":            2,
	"backend/queue/outbox":    2,
	"backend/queue/delivery":  2,
	"backend/api/idempotency": 2,
	"backend/api/paging":      2,
	"backend/page/glob":       2,
	"backend/queue/billing":   2,
	"backend/page/urlfilter":  2,
	"backend/page/sitemap":    2,
	"backend/page/warc":       2,
	"backend/compare":         2,

	"payments/x402":                    3,
	"payments/x402/outbox":             3,
	"payments/x402/claims":             3,
	"payments/x402/gate":               3,
	"payments/x402/toolcall":           3,
	"payments/x402/evm":                3,
	"payments/x402/refunds":            3,
	"payments/x402/preflight":          3,
	"payments/x402/facilitator/local":  3,
	"payments/x402/signer":             3,
	"payments/x402/siwx":               3,
	"payments/x402/client":             3,
	"payments/x402/facilitator":        3,
	"payments/x402/facilitator/remote": 3,
	"payments/x402/facilitator/server": 3,
	"payments/stripe":                  3,
	"payments/reconcile":               3,
	"backend/scrapes":                  3,
	"backend/parsers":                  3,
	"backend/maps":                     3,
	"backend/crawls":                   3,
	"backend/batches":                  3,
	"backend/files":                    3,
	"backend/searches":                 3,
	"backend/answers":                  3,
	"backend/monitors":                 3,
	"backend/schedules":                3,
	"backend/webhooks":                 3,
	"backend/notifications":            3,
	"backend/accounts":                 3,
	"backend/console":                  3,

	"caddymodule":               4,
	"backend/api":               4,
	"backend/pricebook":         4,
	"backend/mcp":               4,
	"backend/firecrawl":         4,
	"payments/reconcile/checks": 4,
	"dev":                       4,
	"dev/workshop":              4, // tests of jobs, which run their own queries
	"dev/claimstest":            4,

	"":                    5, // the root package: a blank import of caddymodule
	"backend/app":         5,
	"backend/api/apitest": 5, // for tests
	"cmd":                 5,
	"bench":               5,
	"test/chaos":          5,
	"test/interop":        5,
	"test/contract":       5,
	"test/e2e":            5, // tests only
	"scripts":             5,
}

// steps divide the floor of payments/x402, and that of backend/page/pdf: their folders also import those of lower steps.
var steps = map[string]int{
	"payments/x402":                    1,
	"payments/x402/evm":                2,
	"payments/x402/outbox":             2,
	"payments/x402/siwx":               2,
	"payments/x402/toolcall":           2,
	"payments/x402/facilitator":        2,
	"payments/x402/facilitator/remote": 2,
	"payments/x402/facilitator/server": 2,
	"payments/x402/claims":             3,
	"payments/x402/signer":             3,
	"payments/x402/client":             4,
	"payments/x402/facilitator/local":  4,
	"payments/x402/gate":               5,
	"payments/x402/refunds":            5,
	"payments/x402/preflight":          5,

	"backend/page/pdf/object": 1,
	"backend/page/pdf/font":   2,
	"backend/page/pdf":        3,
}

// sideways are the allowed imports within one floor, with the reasons.
var sideways = map[[2]string]string{
	{"dev/claimstest", "dev"}:                          "a separate database for each test",
	{"payments/edgewire", "payments/money"}:            "an identity says how much it covers",
	{"payments/mcp", "payments/edgewire"}:              "messages are split and their costs are told as for any request",
	{"backend/api/problem", "db/outage"}:               "an unavailable database is not an internal error",
	{"backend/jsonschema", "backend/pattern"}:          "patterns in schemas have the same limits as others",
	{"payments/credits", "db"}:                         "its store",
	{"payments/apikey", "db"}:                          "its store",
	{"payments/instance", "db"}:                        "its store",
	{"backend/queue/jobs", "db"}:                       "its store",
	{"backend/queue/outbox", "db"}:                     "its store",
	{"backend/queue/delivery", "backend/queue/jobs"}:   "a delivery is a task",
	{"backend/api/idempotency", "db"}:                  "its store",
	{"backend/page/fetch", "db"}:                       "politeness per host is shared through the database",
	{"backend/websearch", "db"}:                        "the default provider searches fetched pages",
	{"backend/page/render", "backend/page/fetch"}:      "the browser's traffic passes the same guard",
	{"backend/page/glob", "backend/page/fetch"}:        "globs are matched against URLs in the fetcher's form",
	{"backend/page/sitemap", "backend/page/fetch"}:     "sitemaps list URLs in the fetcher's form",
	{"backend/page/urlfilter", "backend/page/fetch"}:   "found URLs are in the fetcher's form",
	{"backend/page/warc", "backend/page/fetch"}:        "it records and replays fetches",
	{"backend/compare", "backend/page/extract"}:        "it compares what was extracted from pages",
	{"backend/page/urlfilter", "backend/page/glob"}:    "globs select which URLs are found",
	{"backend/page/urlfilter", "backend/page"}:         "URLs are found in the links of pages",
	{"backend/queue/billing", "backend/api/principal"}: "a principal's hold or claim pays",
	{"backend/queue/billing", "payments/credits"}:      "holds are adopted, captured and closed",
	{"backend/pricebook", "backend/firecrawl"}:         "its prices are in the book",
	{"dev/workshop", "dev"}:                            "a separate database for each test",
	{"cmd", "backend/app"}:                             "the binary runs it",
	{"cmd", ""}:                                        "the binary includes the plugin",
}

// never are imports between trees that are forbidden whatever their floors.
var never = []struct{ from, to, why string }{
	{"caddymodule", "backend", "they communicate only by HTTP and payments/edgewire"},
	{"backend", "caddymodule", "they communicate only by HTTP and payments/edgewire"},
	{"caddymodule", "dev", "the embedded defaults are for the binary and the tests"},
	{"payments", "backend", "payment code does not depend on the services that it charges for"},
	{"backend/api", "db", "stores use the database, HTTP code never does"},
	{"backend/console", "backend", "it uses the API only over HTTP"},
	{"backend", "dev", "development tools are not part of the service"},
}

// unlinked are trees that a program does not contain, even indirectly.
var unlinked = []struct{ program, tree, why string }{
	{"cmd/turnpike", module + "/dev", "the development chain and the private Postgres are in cmd/turnpike-dev; what one deploys has neither"},
	{"cmd/turnpike", "github.com/ethereum/go-ethereum/eth", "it makes the binary a fifth larger; only the development chain runs a node"},
}

type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
	Doc        string
}

func (p goPackage) path() string { return ownPath(p.ImportPath) }

// ownPath returns an import path below the module, "" for the root package.
func ownPath(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func isOwn(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// within reports whether path is tree or below it.
func within(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, tree+"/")
}

// folder returns the nearest folder of path that has a floor.
func folder(path string) (string, bool) {
	for {
		if _, ok := floors[path]; ok && path != "" {
			return path, true
		}
		at := strings.LastIndexByte(path, '/')
		if at < 0 {
			return "", path == ""
		}
		path = path[:at]
	}
}

func ownPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-tags", "nobadger,nomysql,nopgx",
		"-json=ImportPath,Dir,Imports,Deps,GoFiles,Doc", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []goPackage
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func TestImportsPointDownTheFloors(t *testing.T) {
	t.Parallel()
	for _, p := range ownPackages(t) {
		from, ok := folder(p.path())
		if !ok {
			t.Errorf("%s has no floor: add its folder to the table of floors", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if isOwn(imported) {
				checkImport(t, p.path(), from, ownPath(imported))
			}
		}
	}
}

func checkImport(t *testing.T, path, from, imported string) {
	t.Helper()
	to, ok := folder(imported)
	switch {
	case !ok, from == to: // !ok is reported for the imported package itself; a folder may import its own inner packages
	case floors[to] < floors[from]:
	case floors[to] == floors[from] && steps[to] != 0 && steps[to] < steps[from]:
	case sideways[[2]string{from, to}] != "":
	default:
		t.Errorf("%s (floor %d) imports %s (floor %d): imports point down only", path, floors[from], imported, floors[to])
	}
	for _, n := range never {
		if within(path, n.from) && within(imported, n.to) && sideways[[2]string{from, to}] == "" {
			t.Errorf("%s imports %s: %s", path, imported, n.why)
		}
	}
}

func TestProgramsLinkOnlyWhatTheyNeed(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, p := range ownPackages(t) {
		for _, u := range unlinked {
			if p.path() != u.program {
				continue
			}
			checked++
			for _, dep := range p.Deps {
				if within(dep, u.tree) {
					t.Errorf("%s contains %s: %s", u.program, dep, u.why)
				}
			}
		}
	}
	if checked != len(unlinked) {
		t.Errorf("got %d programs checked, want %d: does one have another path now?", checked, len(unlinked))
	}
}

// Only the listed trees depend on Caddy, even indirectly: everything below floor 4 must be usable without Caddy.
func TestCoreKnowsNoCaddy(t *testing.T) {
	t.Parallel()
	const caddy = "github.com/caddyserver/caddy/"
	skins := []string{"caddymodule", "cmd", "bench", "test/interop"}
	for _, p := range ownPackages(t) {
		if p.path() == "" || slices.ContainsFunc(skins, func(tree string) bool { return within(p.path(), tree) }) {
			continue
		}
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, caddy) {
				t.Errorf("%s depends on %s: only caddymodule and cmd may depend on Caddy", p.ImportPath, dep)
				break
			}
		}
	}
}

func TestPackagesAreNamedForWhatTheyAre(t *testing.T) {
	t.Parallel()
	dumps := []string{
		"utils", "util", "common", "helpers", "helper", "models", "model", "types", "pkg", "src",
		"misc", "shared", "base", "lib", "core", "interfaces", "constants", "errors",
	}
	for _, p := range ownPackages(t) {
		for name := range strings.SplitSeq(p.path(), "/") {
			if slices.Contains(dumps, name) {
				t.Errorf("%s: name a package after what it contains; %q is too general", p.ImportPath, name)
			}
		}
	}
}

// statement matches text that begins like an SQL statement, after comments.
var statement = regexp.MustCompile(`(?is)^\s*(--[^\n]*\n\s*)*(` +
	`select\s+.+\sfrom\s+[a-z_"]|insert\s+into\s|update\s+[a-z_."]+\s+set\s|delete\s+from\s|with\s+[a-z_]+\s+as\s|` +
	`(create|alter|drop)\s+(table|index|unique|schema|database|function|type|view|trigger)\s|truncate\s+table\s)`)

// filesMax is how many Go files a folder has at most, tests and generated code aside. A fuller one has subjects that are
// packages of their own.
const filesMax = 20

func TestFoldersHaveFewFiles(t *testing.T) {
	t.Parallel()
	for _, p := range ownPackages(t) {
		if n := len(p.GoFiles); n > filesMax && p.path() != "db" { // sqlc writes db
			t.Errorf("%s: got %d files, want at most %d", p.ImportPath, n, filesMax)
		}
	}
}

func TestSQLStaysInQueries(t *testing.T) {
	t.Parallel()
	// sqlc writes db. The others create and drop databases by name; such statements take no parameters, so sqlc cannot
	// generate them.
	exempt := []string{"db", "dev/postgres", "dev/pgtest"}
	fset := token.NewFileSet()
	for _, p := range ownPackages(t) {
		if slices.ContainsFunc(exempt, func(tree string) bool { return within(p.path(), tree) }) {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("parsing: %v", err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err == nil && statement.MatchString(text) {
					t.Errorf("%s: an SQL statement in Go: write it in queries/ and generate it with sqlc", fset.Position(lit.Pos()))
				}
				return true
			})
		}
	}
}

func TestStatementMatchesSQLOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"select", "select id from team where id = $1", true},
		{"after a comment", "-- why\n  SELECT 1 AS one FROM hold", true},
		{"insert", "INSERT INTO hold (id) VALUES ($1)", true},
		{"common table", "with a as (select 1) select * from a", true},
		{"update", "update ledger_account set owed = 0", true},
		{"a sentence", "select one from the list", true}, // it reads like SQL, so it has to be reworded
		{"a verb alone", "update the balance", false},
		{"a message", "deleting the key: %w", false},
		{"a path", "/v1/scrapes", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := statement.MatchString(tc.text); got != tc.want {
				t.Errorf("statement matches %q: got %t, want %t", tc.text, got, tc.want)
			}
		})
	}
}

// The SQL statements of a folder are in the query file with the folder's name.
func TestQueriesAreNamedAfterFolders(t *testing.T) {
	t.Parallel()
	folders := map[string]bool{}
	for path := range floors {
		folders[filepath.Base(path)] = true
	}
	err := filepath.WalkDir("queries", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if name := strings.TrimSuffix(d.Name(), ".sql"); !folders[name] {
			t.Errorf("%s: no folder named %s uses it", path, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
