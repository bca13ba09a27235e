package caddymodule_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The syntax is written in four places: the parsers, their comments, the page for users, and the golden files. These
// tests compare them, so that a subdirective cannot be added to only one of them.

const caddyfilePage = "../docs/caddyfile.md"

// syntaxBlock is a parser's syntax from its comment.
type syntaxBlock struct {
	function string
	text     string
}

// wrappers are the files whose syntax is that of a module of Caddy.
var wrappers = []string{"logencoder.go", "server/transport.go"}

// parserSources returns the syntax in the comments of all parsers, and the words that each function switches over.
func parserSources(t *testing.T) (blocks []syntaxBlock, words map[string][]string) {
	t.Helper()
	words = map[string][]string{}
	comments := map[string]string{}
	see := map[string]string{}
	seeOther := regexp.MustCompile(`[sS]ee ([\w.]+) for the\s+syntax`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains(wrappers, path) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(strings.ToLower(f.Name.Name), "parse") && !strings.HasPrefix(strings.ToLower(f.Name.Name), "unmarshal") {
				continue
			}
			function := file.Name.Name + "." + functionName(f)
			comments[function] = f.Doc.Text()
			for _, block := range indented(f.Doc.Text()) {
				blocks = append(blocks, syntaxBlock{function, block})
			}
			if m := seeOther.FindStringSubmatch(f.Doc.Text()); m != nil {
				see[function] = m[1]
				if !strings.Contains(m[1], ".") {
					see[function] = file.Name.Name + "." + m[1]
				}
			}
			if found := caseWords(f); len(found) > 0 {
				words[function] = found
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for function, list := range words {
		text := comments[function] + comments[see[function]]
		for _, word := range list {
			if !regexp.MustCompile(`(?m)^\t+` + word + `\b`).MatchString(text) {
				t.Errorf("%s takes %q, which its comment (or the one that it says to see) does not have", function, word)
			}
		}
	}
	if len(blocks) < 17 || len(words) < 17 {
		t.Fatalf("got %d syntax blocks and %d parsers: this test reads the sources wrongly", len(blocks), len(words))
	}
	return blocks, words
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	return fmt.Sprint(receiver) + "." + f.Name.Name
}

// indented returns the indented parts of a comment without their first tab.
func indented(comment string) []string {
	var found []string
	inside := false
	for line := range strings.Lines(comment) {
		text, isCode := strings.CutPrefix(line, "\t")
		switch {
		case isCode && !inside:
			found = append(found, text)
		case isCode:
			found[len(found)-1] += text
		}
		inside = isCode
	}
	return found
}

// caseWords returns the words of a function's switches over d.Val().
func caseWords(f *ast.FuncDecl) []string {
	var words []string
	ast.Inspect(f, func(n ast.Node) bool {
		sw, ok := n.(*ast.SwitchStmt)
		if !ok {
			return true
		}
		call, ok := sw.Tag.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Val" {
			return true
		}
		for _, clause := range sw.Body.List {
			for _, expr := range clause.(*ast.CaseClause).List {
				if lit, ok := expr.(*ast.BasicLit); ok {
					word, _ := strconv.Unquote(lit.Value)
					words = append(words, word)
				}
			}
		}
		return true
	})
	return words
}

// guests are the words whose first argument names a module with its own syntax.
var guests = []string{"ledger", "facilitator", "topup"}

// statement is one line of a Caddyfile or syntax, with its path: the words that open the blocks around it, and its own.
type statement struct {
	path     string
	line     int
	args     []string
	hasBlock bool
}

func statements(text string) []statement {
	var found []statement
	var open []string
	for i, line := range strings.Split(text, "\n") {
		tokens := strings.Fields(line)
		if len(tokens) == 0 {
			continue
		}
		if tokens[0] == "}" {
			open = open[:len(open)-1]
			continue
		}
		s := statement{line: i, args: tokens[1:]}
		if s.hasBlock = tokens[len(tokens)-1] == "{"; s.hasBlock {
			tokens = tokens[:len(tokens)-1]
			s.args = s.args[:max(0, len(s.args)-1)]
		}
		word := "{"
		if len(tokens) > 0 {
			word = tokens[0]
		}
		if len(tokens) > 1 && (slices.Contains(guests, word) && !strings.ContainsAny(tokens[1], "<[/") || word == "price" && (tokens[1] == "upstream" || tokens[1] == "mcp")) {
			word, s.args = word+" "+tokens[1], s.args[1:]
		}
		s.path = strings.Join(append(slices.Clone(open), word), "/")
		if s.hasBlock {
			open = append(open, word)
		}
		found = append(found, s)
	}
	return found
}

// goldenInputs returns the Caddyfiles of the golden files that adapt.
func goldenInputs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/adapt/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "error_") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		input, _, _ := strings.Cut(string(text), separator)
		inputs[filepath.Base(file)] = input
	}
	return inputs
}

func TestEverySubdirectiveHasItsGoldenFileAndItsDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(caddyfilePage)
	if err != nil {
		t.Fatal(err)
	}
	var golden []string
	for _, input := range goldenInputs(t) {
		for _, s := range statements(input) {
			golden = append(golden, "/"+s.path)
		}
	}
	blocks, words := parserSources(t)
	for _, block := range blocks {
		if !bytes.Contains(page, []byte("```\n"+block.text+"```\n")) {
			t.Errorf("%s does not have the syntax in the comment of %s as it stands:\n%s", caddyfilePage, block.function, block.text)
		}
		for _, s := range statements(block.text) {
			isThere := slices.ContainsFunc(golden, func(path string) bool {
				return strings.HasSuffix(path, "/"+s.path) || strings.Contains(path, "/"+s.path+" ")
			})
			if !isThere {
				t.Errorf("no golden file has %s (syntax of %s)", s.path, block.function)
			}
		}
	}
	for function, list := range words {
		for _, word := range list {
			if !regexp.MustCompile("(?m)^\\| `" + word + "\\b").Match(page) {
				t.Errorf("%s: no line of a table explains `%s` (%s)", caddyfilePage, word, function)
			}
		}
	}
}

// mayRepeat matches the statements that may appear more than once.
var mayRepeat = regexp.MustCompile(`/(mcp(/tool)?|api_key(/anonymous|/public|/scope)?|team_limit|meter|x402|x402_discovery|x402_facilitator|topup|price|price upstream|price mcp|price mcp/tool|key|header|pack|signer|turnpike_error|turnpike_key)$`)

// inCaddyfile matches the position of a fault, which changes with every line of a golden file.
var inCaddyfile = regexp.MustCompile(`, at Caddyfile:\d+`)

// TestFaults breaks every statement of the golden files in every possible way and compares the messages with
// testdata/faults: no word, argument or repetition is silently ignored.
func TestFaults(t *testing.T) {
	t.Parallel()
	got := map[string]string{} // by path and fault
	for _, name := range slices.Sorted(maps.Keys(goldenInputs(t))) {
		input := goldenInputs(t)[name]
		lines := strings.Split(input, "\n")
		for _, s := range statements(input) {
			path, isOurs := ourPath(s.path)
			if !isOurs {
				continue
			}
			for fault, broken := range breakStatement(lines, s) {
				key := path + ": " + fault
				if _, isThere := got[key]; isThere {
					continue
				}
				out, isError := adapt(t, broken)
				if !isError {
					if !isAcceptable(path, fault) {
						t.Errorf("%s: %s is accepted:\n%s", name, key, broken)
					}
					continue
				}
				got[key] = inCaddyfile.ReplaceAllString(out, "")
			}
		}
	}
	const file = "testdata/faults.txt"
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(got)) {
		fmt.Fprintf(&text, "%s\n\t%s\n", key, strings.ReplaceAll(strings.TrimSpace(got[key]), "\n", "\n\t"))
	}
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("faults are reported otherwise than %s has them; got\n%s", file, text.String())
	}
}

// ourPath removes the blocks around our directives from a path.
func ourPath(path string) (string, bool) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		switch part {
		case "turnpike", "mcp", "api_key", "team_limit", "meter", "x402", "x402_discovery", "x402_facilitator", "topup", "turnpike_error", "turnpike_key":
			return strings.Join(parts[i:], "/"), true
		}
	}
	return "", false
}

// breakStatement returns copies of a Caddyfile in which one statement is wrong.
func breakStatement(lines []string, s statement) map[string]string {
	with := func(replace ...string) string {
		end := s.line + 1
		return strings.Join(slices.Concat(lines[:s.line], replace, lines[end:]), "\n")
	}
	line := lines[s.line]
	head, brace := strings.TrimRight(strings.TrimSuffix(line, "{"), " "), ""
	if s.hasBlock {
		brace = " {"
	}
	faults := map[string]string{"surplus argument": with(head + " surplus" + brace)}
	if len(s.args) > 0 {
		faults["missing argument"] = with(strings.TrimSuffix(head, " "+strings.Join(s.args, " ")) + brace)
	}
	if s.hasBlock {
		faults["unknown word"] = with(line, "unknown_word 1")
		depth, end := 0, s.line
		for ; ; end++ {
			if strings.HasSuffix(lines[end], "{") {
				depth++
			} else if strings.TrimSpace(lines[end]) == "}" {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		whole := lines[s.line : end+1]
		faults["twice"] = strings.Join(slices.Concat(lines[:s.line], whole, lines[s.line:]), "\n")
	} else {
		faults["twice"] = with(line, line)
	}
	return faults
}

var mayLackAddress = regexp.MustCompile(`/(price upstream|price mcp|openapi)$`)

// isAcceptable reports which faults are allowed: a list takes more arguments, and some statements may repeat.
func isAcceptable(path, fault string) bool {
	isList := regexp.MustCompile(`^(api_key/(anonymous|public)|x402_discovery/ownership_proofs)$`).MatchString(path)
	switch fault {
	case "twice":
		return mayRepeat.MatchString("/" + path)
	case "surplus argument":
		return isList || mayLackAddress.MatchString(path) // where the address is left out
	case "missing argument":
		return path == "turnpike_key" || path == "topup" || path == "mcp" || mayLackAddress.MatchString(path) // matcher and address may be left out
	default:
		return false
	}
}
