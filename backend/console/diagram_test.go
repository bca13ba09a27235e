package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDiagrams(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		nodes string
		edges string
	}{
		"nodes and edges": {"flowchart TD\n  a[\"Read it\"]\n  b[Compare]\n  a --> b\n", "a=Read it b=Compare", "0>1"},
		"in one line":     {"graph LR\na[\"A\"] --> b(\"B\") -->|when changed| c{{\"C\"}}\n", "a=A b=B c=C", "0>1 1>2:when changed"},
		"without labels":  {"flowchart TB\nfetch_1-->fetch-2;\n", "fetch_1=fetch_1 fetch-2=fetch-2", "0>1"},
		"entities":        {"flowchart TD\na[\"say #quot;hi#quot; #38; #60;go#62;<br/>on\"]", "a=say \"hi\" & <go> on", ""},
		"shapes":          {"flowchart TD\na([A])\nb[[B]]\nc[(C)]\nd((D))\ne{E}\nf>F]\ng[/G/]\nh(H)", "a=A b=B c=C d=D e=E f=F g=G h=H", ""},
		"dressed":         {"%% a comment\nflowchart TD\n\nclassDef x fill:#fff\na[A]:::x --> b[B]\nclass a x\nstyle b fill:#000\nlinkStyle 0 stroke:red\n", "a=A b=B", "0>1"},
		"dotted, thick":   {"flowchart TD\na -.-> b\nb ==> c", "a=a b=b c=c", "0>1 1>2"},
		"brackets quoted": {"flowchart TD\na[\"x [1] (2) | --> y\"] --> b", "a=x [1] (2) | --> y b=b", "0>1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readDiagram(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var nodes, edges []string
			for _, n := range d.nodes {
				nodes = append(nodes, n.id+"="+n.label)
			}
			for _, e := range d.edges {
				text := fmt.Sprintf("%d>%d", e.from, e.to)
				if e.label != "" {
					text += ":" + e.label
				}
				edges = append(edges, text)
			}
			if got := strings.Join(nodes, " "); got != tt.nodes {
				t.Errorf("nodes: got %s, want %s", got, tt.nodes)
			}
			if got := strings.Join(edges, " "); got != tt.edges {
				t.Errorf("edges: got %s, want %s", got, tt.edges)
			}
		})
	}
}

func TestDiagramsThatAreRefused(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("flowchart TD\n")
	for i := range diagramNodesMax + 1 {
		fmt.Fprintf(&many, "n%d\n", i)
	}
	for name, text := range map[string]string{
		"nothing": "", "no header": "a --> b", "another kind": "sequenceDiagram\na->>b: x", "a cycle": "flowchart TD\na --> b\nb --> a",
		"itself": "flowchart TD\na --> a", "no end": "flowchart TD\na[\"x", "no arrow's end": "flowchart TD\na -->", "a script": "flowchart TD\nclick a \"javascript:x\"",
		"a subgraph": "flowchart TD\nsubgraph x\na\nend", "quotes in quotes": "flowchart TD\na[\"x\"y\"]", "too many": many.String(), "no text": "flowchart TD\na[\"\xff\"]",
		"too long": "flowchart TD\n" + strings.Repeat("%%\n", diagramBytesMax),
	} {
		if d, err := readDiagram(text); !errors.Is(err, errDiagram) {
			t.Errorf("%s: got %+v %v, want %v", name, d, err, errDiagram)
		}
	}
}

// wantSound checks what holds for every picture.
func wantSound(t *testing.T, d *diagram) {
	t.Helper()
	p, err := draw(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Boxes) != len(d.nodes) || len(p.Lines) != len(d.edges) || len(d.steps()) != len(d.nodes) {
		t.Fatalf("got %d boxes, %d lines, %d steps for %d nodes and %d edges", len(p.Boxes), len(p.Lines), len(d.steps()), len(d.nodes), len(d.edges))
	}
	for i, a := range p.Boxes {
		if a.X < 0 || a.Y < 0 || a.X+a.Width > p.Width || a.Y+a.Height > p.Height || len(a.Text) == 0 || len(a.Text) > boxLines {
			t.Fatalf("box %d: got %+v in %d by %d", i, a, p.Width, p.Height)
		}
		for _, b := range p.Boxes[i+1:] {
			if a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height {
				t.Fatalf("boxes %+v and %+v are on each other", a, b)
			}
		}
	}
	done := map[string]int{}
	for _, s := range d.steps() {
		done[s.Label] = s.Number
	}
	for _, layer := range must(d.layers()) {
		for _, e := range d.edges {
			if slices.Contains(layer, e.from) && slices.Contains(layer, e.to) {
				t.Fatalf("an edge is within a layer: %+v", e)
			}
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestPictures(t *testing.T) {
	t.Parallel()
	var wide strings.Builder
	wide.WriteString("flowchart TD\n")
	for i := range 20 {
		fmt.Fprintf(&wide, "start --> n%d\nn%d --> stop\n", i, i)
	}
	for _, text := range []string{
		"flowchart TD\na[A]", "flowchart TD\na --> b --> c\na --> c", wide.String(),
		"flowchart TD\na[\"" + strings.Repeat("long ", 60) + "\"] --> b[\"" + strings.Repeat("x", 150) + "\"]\nc\nd --> b",
	} {
		wantSound(t, must(readDiagram(text)))
	}
	steps := must(readDiagram("flowchart TD\na[A] --> c[C]\nb[B] --> c\na --> d[D]\nc --> d")).steps()
	if got := fmt.Sprint(steps); got != "[{1 A } {2 B } {3 C steps 1 and 2} {4 D steps 1 and 3}]" {
		t.Errorf("got %s", got)
	}
}

func TestGraphs(t *testing.T) {
	t.Parallel()
	g := &graph{}
	if _, err := diagramOf(g); !errors.Is(err, errDiagram) {
		t.Errorf("nothing: got %v", err)
	}
	for _, n := range [][2]string{{"a", "fetch"}, {"b", "compare"}} {
		g.Nodes = append(g.Nodes, struct {
			ID    string `json:"id"`
			Type  string `json:"type"`
			Label string `json:"label"`
		}{n[0], n[1], ""})
	}
	g.Edges = append(g.Edges, struct {
		From string `json:"from"`
		To   string `json:"to"`
	}{"a", "b"})
	wantSound(t, must(diagramOf(g)))
	g.Edges[0].To = "z"
	if _, err := diagramOf(g); !errors.Is(err, errDiagram) {
		t.Errorf("to nowhere: got %v", err)
	}
}

func FuzzDiagram(f *testing.F) {
	for _, text := range []string{
		"flowchart TD\na[\"x\"] --> b(\"y\") -->|z| c\n", "graph LR\na([A]):::x --> b", "flowchart TD\na[\"#quot;#35;#999999;\"]\n", "flowchart TD\na --> b\nb --> c\na --> c\nd",
		"flowchart TD\na-b --> c--> d", "flowchart TD\n%%\nstyle a x\na{{b}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readDiagram(text)
		if err != nil {
			if !errors.Is(err, errDiagram) {
				t.Fatalf("got %v, want %v", err, errDiagram)
			}
			return
		}
		if len(d.nodes) > diagramNodesMax || len(d.edges) > diagramEdgesMax {
			t.Fatalf("got %d nodes and %d edges", len(d.nodes), len(d.edges))
		}
		wantSound(t, d)
	})
}
