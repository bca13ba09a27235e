package turnpike

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

func pages(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
}

var (
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	makeCommand = regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z-]*)")
	makeTarget  = regexp.MustCompile(`(?m)^([a-z][a-z-]*):.* ## `)
)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(readFile(t, page), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: the link %s: %v", page, m[1], err)
				continue
			}
			if anchor != "" && !anchors(string(text))[anchor] {
				t.Errorf("%s: the link %s: no such heading in %s", page, m[1], file)
			}
		}
	}
}

// anchors returns the ids that GitHub gives to a page's headings.
func anchors(page string) map[string]bool {
	notInAnchor := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	found := map[string]bool{}
	for line := range strings.SplitSeq(page, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			id := notInAnchor.ReplaceAllString(strings.ToLower(title), "")
			found[strings.ReplaceAll(id, " ", "-")] = true
		}
	}
	return found
}

var update = flag.Bool("update", false, "write the list of packages in docs/architecture.md")

// docs/architecture.md lists every package with the first sentence of its doc comment.
func TestArchitectureListsEveryPackage(t *testing.T) {
	t.Parallel()
	const page, begin, end = "docs/architecture.md", "<!-- packages: written by go test . -run TestArchitecture -update -->\n", "<!-- end of packages -->"
	var list strings.Builder
	list.WriteString("\n| package | what it does |\n|---|---|\n")
	for _, p := range ownPackages(t) {
		what := regexp.MustCompile(`^(?:Package|Command|Program|The) \S+(?: program)? `).ReplaceAllString(p.Doc, "")
		if what == p.Doc {
			t.Errorf("%s: the doc comment is %q: want one that says what the package does", p.ImportPath, p.Doc)
		}
		fmt.Fprintf(&list, "| `%s` | %s |\n", cmp.Or(p.path(), "."), strings.TrimSuffix(strings.ReplaceAll(what, "|", "\\|"), "."))
	}
	list.WriteString("\n")
	text := readFile(t, page)
	before, rest, _ := strings.Cut(text, begin)
	listed, after, found := strings.Cut(rest, end)
	switch {
	case !found:
		t.Fatalf("%s: there is no list of packages between %q and %q", page, begin, end)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+list.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case listed != list.String():
		t.Errorf("%s: the list of packages is not current: run go test . -run TestArchitecture -update", page)
	}
}

// CONTRIBUTING lists exactly the commands that CI runs, in order.
func TestContributingListsWhatCIRuns(t *testing.T) {
	t.Parallel()
	ci := readFile(t, ".ci/run")
	var run, listed []string
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:scripts/\S+ )?(make .+)$`).FindAllStringSubmatch(ci, -1) {
		run = append(run, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(make [^`]+)` \\|").FindAllStringSubmatch(readFile(t, "CONTRIBUTING.md"), -1) {
		listed = append(listed, m[1])
	}
	if len(run) < 10 || !slices.Equal(run, listed) {
		t.Errorf("CONTRIBUTING lists\n%s\nwant what .ci/run runs, in its order:\n%s", strings.Join(listed, "\n"), strings.Join(run, "\n"))
	}
	for _, command := range run {
		target := strings.Fields(command)[1]
		if said := regexp.MustCompile(`all passed: (.*)"`).FindStringSubmatch(ci); said == nil || !slices.Contains(strings.Split(said[1], ", "), target) {
			t.Errorf(".ci/run does not say at its end that %s passed", target)
		}
	}
}

func TestMakeTargetsInPagesExist(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	for _, page := range append(pages(t), ".ci/run") {
		for _, m := range makeCommand.FindAllStringSubmatch(readFile(t, page), -1) {
			if !targets[m[1]] {
				t.Errorf("%s: make %s: no such target with a help text", page, m[1])
			}
		}
	}
}

// Commands that a reader pastes, and our scripts, must at least parse as shell.
func TestShellParses(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{}
	for _, name := range []string{".ci/run", "scripts/install-needs", "scripts/fuzz", "scripts/lint-words"} {
		scripts[name] = readFile(t, name)
	}
	for _, page := range pages(t) {
		scripts[page] = strings.Join(blocks(readFile(t, page), "sh"), "")
	}
	for name, script := range scripts {
		cmd := exec.CommandContext(t.Context(), "bash", "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// Caddy accepts the Caddyfiles that pages show, and finds them formatted.
func TestCaddyfilesInPagesAdapt(t *testing.T) {
	t.Parallel()
	adapter := caddyconfig.GetAdapter("caddyfile")
	count := 0
	for _, page := range pages(t) {
		for _, block := range blocks(readFile(t, page), "caddyfile") {
			count++
			text := []byte(strings.ReplaceAll(block, "{$DOMAIN}", "api.example.com"))
			_, warnings, err := adapter.Adapt(text, map[string]any{"filename": page})
			if err != nil {
				t.Errorf("%s: %v\n%s", page, err, block)
			}
			for _, w := range warnings {
				t.Errorf("%s: %s", page, w)
			}
		}
	}
	if count == 0 {
		t.Error("no page shows a Caddyfile")
	}
}

// The page lists every Stripe event that the edge handles, so an operator subscribes to all of them.
func TestPageListsStripesEvents(t *testing.T) {
	t.Parallel()
	page := readFile(t, "docs/topups.md")
	kinds := regexp.MustCompile(`"((?:payment_intent|setup_intent|checkout|charge|refund)\.[a-z_.]+)"`).
		FindAllStringSubmatch(readFile(t, "payments/stripe/webhook.go"), -1)
	if len(kinds) < 10 {
		t.Fatalf("got %d kinds of events: this test does not read the source correctly", len(kinds))
	}
	for _, kind := range kinds {
		if !strings.Contains(page, "`"+kind[1]+"`") {
			t.Errorf("docs/topups.md does not name the event %s", kind[1])
		}
	}
}

// The page explains every payment error code that a response can have.
func TestPageListsPaymentCodes(t *testing.T) {
	t.Parallel()
	page := readFile(t, "docs/errors.md")
	codes := regexp.MustCompile(`Code = "([a-z0-9_]+)"`).FindAllStringSubmatch(readFile(t, "payments/x402/code.go"), -1)
	if len(codes) < 20 {
		t.Fatalf("got %d codes: this test does not read the source correctly", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(page, "`"+code[1]+"`") {
			t.Errorf("docs/errors.md does not name the code %s", code[1])
		}
	}
}

// blocks returns the fenced blocks of a language. Their info string may say more.
func blocks(page, language string) []string {
	var found []string
	inside := false
	lines := bufio.NewScanner(strings.NewReader(page))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case !inside && (line == "```"+language || strings.HasPrefix(line, "```"+language+" ")):
			inside = true
			found = append(found, "")
		case inside && line == "```":
			inside = false
		case inside:
			found[len(found)-1] += line + "\n"
		}
	}
	return found
}

func TestPicturesAreWellFormed(t *testing.T) {
	t.Parallel()
	pictures, err := filepath.Glob("docs/*.svg")
	if err != nil || len(pictures) < 2 {
		t.Fatalf("got %v, %v; want the README's two pictures", pictures, err)
	}
	for _, picture := range pictures {
		dec := xml.NewDecoder(strings.NewReader(readFile(t, picture)))
		for err == nil {
			_, err = dec.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", picture, err)
		}
		err = nil
	}
}

// The page shows the same PgBouncer configuration that the tests and `make chaos` run.
func TestPageHasPgBouncersConfiguration(t *testing.T) {
	t.Parallel()
	want := readFile(t, "dev/rig/pgbouncer.ini")
	if got := blocks(readFile(t, "docs/pgbouncer.md"), "ini"); len(got) != 1 || strings.TrimSpace(got[0]) != strings.TrimSpace(want) {
		t.Errorf("docs/pgbouncer.md: got %q, want %q", got, want)
	}
}

// The script and package dev/postgres agree on the oldest supported version.
func TestInstallNeedsAgreesOnPostgres(t *testing.T) {
	t.Parallel()
	version := func(file, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(readFile(t, file))
		if m == nil {
			t.Fatalf("%s: nothing matches %s", file, pattern)
		}
		return m[1]
	}
	got := version("scripts/install-needs", `POSTGRES_MAJOR_MIN=(\d+)`)
	if want := version("dev/postgres/config.go", `MinimumMajor = (\d+)`); got != want {
		t.Errorf("oldest Postgres: got %s, want %s", got, want)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
