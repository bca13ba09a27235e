package console

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// diagram is the plan of a monitor as a graph: each step points to the steps that use its result.
type diagram struct {
	nodes []diagramNode
	edges []diagramEdge
}

type diagramNode struct {
	id    string
	label string
}

type diagramEdge struct {
	from, to int // indexes of nodes
	label    string
}

// Limits of a plan. Plans of monitors have a dozen nodes; a larger graph than this cannot be drawn legibly.
const (
	diagramBytesMax = 64 << 10
	diagramNodesMax = 150
	diagramEdgesMax = 400
	labelRunesMax   = 160
)

var errDiagram = errors.New("the diagram cannot be drawn")

var (
	diagramHeader = regexp.MustCompile(`^(?:flowchart|graph)[ \t]+(?:TD|TB|LR|RL|BT)$`)
	nodeID        = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?`)
	edgeArrow     = regexp.MustCompile(`^[ \t]*(?:-->|==>|-\.->)[ \t]*`)
	edgeLabel     = regexp.MustCompile(`^\|([^|\n]*)\|[ \t]*`)
	// Lines that set Mermaid's colours or layout, which are not used here.
	dressing = regexp.MustCompile(`^(?:classDef|class|style|linkStyle|direction)[ \t]+[^\n]*$`)
	entity   = regexp.MustCompile(`#(?:[0-9]{1,6}|[a-z]{2,6});`)
)

// shapes are the brackets around labels, longer openings first.
var shapes = []struct{ open, end string }{
	{"([", "])"},
	{"[[", "]]"},
	{"[(", ")]"},
	{"((", "))"},
	{"{{", "}}"},
	{"[/", "/]"},
	{"[", "]"},
	{"(", ")"},
	{"{", "}"},
	{">", "]"},
}

// readDiagram parses the subset of Mermaid flowcharts that plans use: nodes with labels, and arrows between them. An
// unknown line, a cycle or too large a graph is an error; the plan is then shown as a list.
func readDiagram(text string) (*diagram, error) {
	if len(text) > diagramBytesMax || !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: it is too large or not valid text", errDiagram)
	}
	r := diagramReader{byID: map[string]int{}}
	headed := false
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		switch {
		case line == "" || strings.HasPrefix(line, "%%"):
			continue
		case !headed:
			if !diagramHeader.MatchString(line) {
				return nil, fmt.Errorf("%w: line %d is not the start of a flowchart", errDiagram, number+1)
			}
			headed = true
			continue
		case dressing.MatchString(line):
			continue
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if len(r.nodes) == 0 {
		return nil, fmt.Errorf("%w: it has no nodes", errDiagram)
	}
	if _, err := r.layers(); err != nil {
		return nil, err
	}
	return &r.diagram, nil
}

// diagramOf makes a diagram from a plan's graph, if there is no Mermaid text.
func diagramOf(g *graph) (*diagram, error) {
	if len(g.Nodes) == 0 || len(g.Nodes) > diagramNodesMax || len(g.Edges) > diagramEdgesMax {
		return nil, fmt.Errorf("%w: %d nodes and %d edges", errDiagram, len(g.Nodes), len(g.Edges))
	}
	r := diagramReader{byID: map[string]int{}}
	for _, n := range g.Nodes {
		label := n.Label
		if label == "" {
			label = n.Type
		}
		at, err := r.node(n.ID)
		if err != nil {
			return nil, err
		}
		r.nodes[at].label = clipped(label, labelRunesMax)
	}
	for _, e := range g.Edges {
		from, known := r.byID[e.From]
		to, alsoKnown := r.byID[e.To]
		if !known || !alsoKnown {
			return nil, fmt.Errorf("%w: an edge leads to an unknown node", errDiagram)
		}
		r.edges = append(r.edges, diagramEdge{from: from, to: to})
	}
	if _, err := r.layers(); err != nil {
		return nil, err
	}
	return &r.diagram, nil
}

type diagramReader struct {
	diagram

	byID map[string]int
}

// line parses one statement: a node, or nodes with arrows between them.
func (r *diagramReader) line(line string) error {
	from, rest, err := r.target(line)
	if err != nil {
		return err
	}
	for rest != "" {
		arrow := edgeArrow.FindString(rest)
		if arrow == "" {
			return fmt.Errorf("%w: want an arrow at %.20q", errDiagram, rest)
		}
		rest = rest[len(arrow):]
		edge := diagramEdge{from: from}
		if m := edgeLabel.FindStringSubmatch(rest); m != nil {
			edge.label, rest = plainLabel(m[1]), rest[len(m[0]):]
		}
		if edge.to, rest, err = r.target(rest); err != nil {
			return err
		}
		if len(r.edges) == diagramEdgesMax {
			return fmt.Errorf("%w: it has more than %d arrows", errDiagram, diagramEdgesMax)
		}
		r.edges = append(r.edges, edge)
		from = edge.to
	}
	return nil
}

// target parses a node with its label, if it has one.
func (r *diagramReader) target(text string) (at int, rest string, err error) {
	id := nodeID.FindString(text)
	// An id may contain dashes, but not those of an arrow.
	if arrow := strings.Index(id, "--"); arrow > 0 {
		id = id[:arrow]
	}
	if id == "" {
		return 0, "", fmt.Errorf("%w: want a node at %.20q", errDiagram, text)
	}
	if at, err = r.node(id); err != nil {
		return 0, "", err
	}
	rest = text[len(id):]
	label, rest, err := nodeLabel(rest)
	if err != nil {
		return 0, "", err
	}
	if label != "" {
		r.nodes[at].label = label
	}
	if name, ok := strings.CutPrefix(rest, ":::"); ok { // a class, which sets a colour
		class := nodeID.FindString(name)
		rest = name[len(class):]
	}
	return at, strings.TrimRight(rest, " \t"), nil
}

// nodeLabel parses a label in brackets, quoted or not; "" if there are no brackets.
func nodeLabel(text string) (label, rest string, err error) {
	for _, shape := range shapes {
		inner, ok := strings.CutPrefix(text, shape.open)
		if !ok {
			continue
		}
		if quoted, ok := strings.CutPrefix(inner, `"`); ok {
			label, rest, ok = strings.Cut(quoted, `"`+shape.end)
			if !ok || strings.Contains(label, `"`) {
				return "", "", fmt.Errorf("%w: a label is not closed", errDiagram)
			}
			return plainLabel(label), rest, nil
		}
		label, rest, ok = strings.Cut(inner, shape.end)
		if !ok || strings.ContainsAny(label, `"[]{}()|`) {
			return "", "", fmt.Errorf("%w: a label is not closed", errDiagram)
		}
		return plainLabel(label), rest, nil
	}
	return "", text, nil
}

// plainLabel undoes Mermaid's escapes in labels: entities and line breaks.
func plainLabel(label string) string {
	label = entity.ReplaceAllStringFunc(label, func(e string) string {
		named := map[string]string{"#quot;": `"`, "#amp;": "&", "#lt;": "<", "#gt;": ">", "#apos;": "'", "#nbsp;": " ", "#semi;": ";"}
		if text, ok := named[e]; ok {
			return text
		}
		var code rune
		if _, err := fmt.Sscanf(e, "#%d;", &code); err != nil || !utf8.ValidRune(code) || code < ' ' {
			return "\uFFFD"
		}
		return string(code)
	})
	for _, br := range []string{"<br/>", "<br>", "<br />", `\n`} {
		label = strings.ReplaceAll(label, br, " ")
	}
	return clipped(strings.Join(strings.Fields(label), " "), labelRunesMax)
}

// node returns the index of a node, and adds the node if its id is new.
func (r *diagramReader) node(id string) (int, error) {
	if at, known := r.byID[id]; known {
		return at, nil
	}
	if len(r.nodes) == diagramNodesMax {
		return 0, fmt.Errorf("%w: it has more than %d nodes", errDiagram, diagramNodesMax)
	}
	r.byID[id] = len(r.nodes)
	r.nodes = append(r.nodes, diagramNode{id: id, label: clipped(id, labelRunesMax)})
	return r.byID[id], nil
}

// layers groups the nodes by the length of the longest path that leads to them. A graph with a cycle is an error.
func (d *diagram) layers() ([][]int, error) {
	depth, waits := make([]int, len(d.nodes)), make([]int, len(d.nodes))
	for _, e := range d.edges {
		waits[e.to]++
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	var layers [][]int
	for done := range d.nodes {
		if done == len(ready) {
			return nil, fmt.Errorf("%w: a step depends on itself", errDiagram)
		}
		at := ready[done]
		for len(layers) <= depth[at] {
			layers = append(layers, nil)
		}
		layers[depth[at]] = append(layers[depth[at]], at)
		for _, e := range d.edges {
			if e.from != at {
				continue
			}
			depth[e.to] = max(depth[e.to], depth[at]+1)
			if waits[e.to]--; waits[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return layers, nil
}

// planStep is a node of a plan in words, as an alternative to the picture.
type planStep struct {
	Number int
	Label  string
	After  string // "steps 1 and 2"; "" if no step comes before
}

// steps lists the nodes in dependency order.
func (d *diagram) steps() []planStep {
	layers, err := d.layers()
	if err != nil {
		return nil
	}
	order := slices.Concat(layers...)
	number := make([]int, len(d.nodes))
	for i, at := range order {
		number[at] = i + 1
	}
	steps := make([]planStep, 0, len(order))
	for i, at := range order {
		var before []int
		for _, e := range d.edges {
			if e.to == at && !slices.Contains(before, number[e.from]) {
				before = append(before, number[e.from])
			}
		}
		slices.Sort(before)
		steps = append(steps, planStep{Number: i + 1, Label: d.nodes[at].label, After: stepsInWords(before)})
	}
	return steps
}

func stepsInWords(numbers []int) string {
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("step %d", numbers[0])
	}
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	last := len(words) - 1
	return "steps " + strings.Join(words[:last], ", ") + " and " + words[last]
}
