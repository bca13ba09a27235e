package plan

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

// shapes are the Mermaid brackets of each node type.
var shapes = map[NodeType][2]string{
	NodeDiscover: {`[/"`, `"/]`}, NodeSearch: {`[/"`, `"/]`}, NodeCompare: {`{"`, `"}`}, NodeNotify: {`(["`, `"])`},
}

// Mermaid draws the plan as a flowchart with one line for each node and edge, whatever the labels say: characters with a
// meaning in Mermaid become entities, and nodes are named by number.
func (p Plan) Mermaid() string {
	var out strings.Builder
	out.WriteString("flowchart TD\n")
	numbers := map[string]int{}
	for i, node := range p.DAG.Graph.Nodes {
		if _, twice := numbers[node.ID]; !twice {
			numbers[node.ID] = i
		}
		shape, known := shapes[node.Type]
		if !known {
			shape = [2]string{`["`, `"]`}
		}
		label := cmp.Or(mermaidText(node.Label), mermaidText(node.ID), "step")
		fmt.Fprintf(&out, "  n%d%s%s%s\n", i, shape[0], label, shape[1])
	}
	for _, edge := range p.DAG.Graph.Edges {
		from, hasFrom := numbers[edge.From]
		to, hasTo := numbers[edge.To]
		if hasFrom && hasTo {
			fmt.Fprintf(&out, "  n%d --> n%d\n", from, to)
		}
	}
	return out.String()
}

// mermaidText escapes text for a quoted label. Letters, digits and characters without a meaning in diagrams stay. All
// others become entities (#34; is a quotation mark), and control characters become spaces.
func mermaidText(text string) string {
	var out strings.Builder
	hyphen := true // escape a hyphen at the start or beside another, because "---" and "-->" have a meaning
	for _, r := range clip.Chars(oneLine(text), labelCharsMax) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(" .,:/_+'…→€£", r):
			out.WriteRune(r)
		case r == '-' && !hyphen:
			out.WriteByte('-')
		case r == utf8.RuneError:
			out.WriteByte(' ')
		default:
			fmt.Fprintf(&out, "#%d;", r)
		}
		hyphen = r == '-'
	}
	return out.String()
}

// oneLine reduces white space to single spaces, and removes invisible and direction-changing characters.
func oneLine(text string) string {
	var out strings.Builder
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			space = out.Len() > 0
			continue
		case r == utf8.RuneError, unicode.In(r, unicode.Cf) && r != '\u200d' && r != '\u200c':
			continue
		case space:
			out.WriteByte(' ')
		}
		space = false
		out.WriteRune(r)
	}
	return out.String()
}
