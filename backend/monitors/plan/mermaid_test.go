package plan_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
)

func TestMermaid(t *testing.T) {
	t.Parallel()
	p, err := planner(nil).Plan(t.Context(), plan.Request{Query: "new posts on example.com/blog"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `flowchart TD
  n0[/"Find pages of example.com/blog"/]
  n1["Read up to 26 pages"]
  n2["Extract the content"]
  n3{"Compare all content"}
  n4["Summarize the changes"]
  n5(["Notify of changes"])
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n4
  n4 --> n5
`
	if got := p.Mermaid(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var (
	drawnNode = regexp.MustCompile(`\A  n\d+(?:\["(.+)"\]|\[/"(.+)"/\]|\{"(.+)"\}|\(\["(.+)"\]\))\z`)
	drawnEdge = regexp.MustCompile(`\A  n\d+ --> n\d+\z`)
	entity    = regexp.MustCompile(`#(\d+);`)
)

// FuzzMermaid: no text breaks out of its label. The diagram has one line for each node and edge, and labels hold no
// special characters of Mermaid.
func FuzzMermaid(f *testing.F) {
	for _, text := range []string{
		`plain`, `"]; click n0 "javascript:alert(1)"`, "a\n  n1 --> n0", "%%{init: {'theme':'dark'}}%%", "#quot;", "`**x**`", "<img src=x onerror=alert(1)>",
		"end", "---\ntitle: x\n---", "\u202e\u0000\xff", "a|b|c", `\"`, "-->", "classDef x fill:#f00", "",
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, label, id string) {
		p := sound()
		p.DAG.Graph.Nodes[0].Label, p.DAG.Graph.Nodes[1].ID, p.DAG.Graph.Nodes[1].Label = label, id, ""
		p.DAG.Graph.Nodes[2].Type = plan.NodeType(label)
		lines := strings.Split(strings.TrimSuffix(p.Mermaid(), "\n"), "\n")
		if lines[0] != "flowchart TD" {
			t.Fatalf("got %q", lines[0])
		}
		nodes := 0
		for _, line := range lines[1:] {
			if drawnEdge.MatchString(line) {
				continue
			}
			found := drawnNode.FindStringSubmatch(line)
			if found == nil {
				t.Fatalf("got the line %q", line)
			}
			nodes++
			text := entity.ReplaceAllString(strings.Join(found[1:], ""), "x")
			if strings.ContainsAny(text, "\"#;<>`%{}[]()|\\&\n\r") || strings.Contains(text, "--") || strings.HasPrefix(text, "-") {
				t.Errorf("got the label %q", text)
			}
			for _, code := range entity.FindAllStringSubmatch(line, -1) {
				if n, err := strconv.Atoi(code[1]); err != nil || n < 0x20 {
					t.Errorf("got the entity %s", code[0])
				}
			}
		}
		if nodes != len(p.DAG.Graph.Nodes) {
			t.Errorf("got %d nodes, want %d", nodes, len(p.DAG.Graph.Nodes))
		}
	})
}

func TestAllQueriesStayInTheirLabels(t *testing.T) {
	t.Parallel()
	for _, query := range []string{`"]; click n0 call x()`, "%%{init:{}}%% lamps", "`lamps` <script>"} {
		p, err := planner(nil).Plan(t.Context(), plan.Request{Query: query + " prices"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(p.Mermaid()) {
			if strings.Contains(line, "%%") || strings.Contains(line, "<") || strings.Count(line, `"`) > 2 {
				t.Error(fmt.Sprint("got ", line))
			}
		}
	}
}
