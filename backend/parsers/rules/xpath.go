package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// compileXPath compiles an XPath 1.0 expression. The library panics on some invalid ones.
func compileXPath(text string) (expr *xpath.Expr, err error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("is empty")
	case len(text) > expressionBytesMax:
		return nil, fmt.Errorf("is longer than %d bytes", expressionBytesMax)
	}
	if err := checkFunctions(text); err != nil {
		return nil, err
	}
	defer func() {
		if caught := recover(); caught != nil {
			expr, err = nil, fmt.Errorf("is not XPath: %v", caught)
		}
	}()
	if expr, err = xpath.Compile(text); err != nil {
		return nil, fmt.Errorf("is not XPath: %w", err)
	}
	return expr, nil
}

// functions are the XPath 1.0 functions that the library supports, and two others, none of which returns more text than
// it receives. The library's other functions can (replace, string-join), or cache every pattern forever (matches,
// replace). The rest are other names before a parenthesis: node tests and operators.
var functions = []string{
	"boolean", "ceiling", "concat", "contains", "count", "false", "floor", "last", "local-name", "name", "namespace-uri", "normalize-space", "not",
	"number", "position", "round", "starts-with", "string", "string-length", "substring", "substring-after", "substring-before", "sum", "translate", "true",
	"ends-with", "lower-case",
	"comment", "node", "processing-instruction", "text",
	"and", "div", "mod", "or",
}

// checkFunctions refuses calls of functions that are not listed. A name is a call if a parenthesis follows it outside of
// literals (XPath 1.0, section 3.7); literals have no escapes.
func checkFunctions(text string) error {
	quote := rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			before := strings.TrimRightFunc(text[:i], unicode.IsSpace)
			name := before[strings.LastIndexFunc(before, endsName)+1:]
			// A number or minus sign may precede the name without a space.
			if name = strings.TrimLeft(name, "0123456789.-"); name != "" && !slices.Contains(functions, name) {
				return fmt.Errorf("has %.60s(), which is not a supported function: use those of XPath 1.0, or the transforms regex, replace and join", name)
			}
		}
	}
	return nil
}

// endsName reports whether a character is certainly not part of a name.
func endsName(c rune) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return unicode.IsSpace(c) || c < utf8.RuneSelf && !letter && c != '_' && c != '-' && c != '.'
}

// pooledXPath is an expression for concurrent runs. The library stores its position in the expression, so each evaluation
// needs its own copy.
type pooledXPath struct {
	text string
	free sync.Pool // of *xpath.Expr
}

func newPooledXPath(text string) (*pooledXPath, error) {
	expr, err := compileXPath(text)
	if err != nil {
		return nil, err
	}
	p := &pooledXPath{text: text}
	p.free.Put(expr)
	return p, nil
}

func (p *pooledXPath) find(root *html.Node, all bool, b *budget) ([]any, error) {
	expr, ok := p.free.Get().(*xpath.Expr)
	if !ok {
		var err error
		if expr, err = compileXPath(p.text); err != nil {
			return nil, err
		}
	}
	found, err := selectXPath(expr, root, all, b)
	if err == nil { // an interrupted expression is not reused
		p.free.Put(expr)
	}
	return found, err
}

// ErrEvaluate is the error of a run with an expression that fails.
var ErrEvaluate = errors.New("an XPath expression cannot be evaluated on this page")

// overspent carries a budget's error through the library as a panic.
type overspent struct{ err error }

// selectXPath returns what expr selects within root: elements as *html.Node, others as string, float64 or bool.
func selectXPath(expr *xpath.Expr, root *html.Node, all bool, b *budget) (found []any, err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case overspent:
			found, err = nil, caught.err
		default:
			found, err = nil, fmt.Errorf("%w: %v", ErrEvaluate, caught)
		}
	}()
	n := &navigator{root: root, at: root, attr: -1, budget: b, left: &allowance{steps: expressionStepsMax, bytes: expressionTextMax}}
	switch value := expr.Evaluate(n).(type) {
	case *xpath.NodeIterator:
		for value.MoveNext() {
			current, ok := value.Current().(*navigator)
			if !ok {
				continue
			}
			if current.attr < 0 && current.at.Type == html.ElementNode {
				found = append(found, current.at)
			} else {
				found = append(found, current.Value())
			}
			if !all {
				break
			}
		}
	case string, float64, bool:
		found = append(found, value)
	}
	return found, nil
}

// navigator walks a tree for the library, and spends a step for each move. It does not leave root.
type navigator struct {
	root, at *html.Node
	attr     int // -1: none
	budget   *budget
	left     *allowance
}

// allowance is the rest of one expression's limits.
type allowance struct{ steps, bytes int }

func (n *navigator) step() {
	if n.left.steps--; n.left.steps < 0 {
		panic(overspent{ErrSteps})
	}
	if err := n.budget.step(1); err != nil {
		panic(overspent{err})
	}
}

// made spends the budget for a string that the library receives. No allowed function returns more text than it receives.
func (n *navigator) made(text string) string {
	if n.left.bytes -= len(text); n.left.bytes < 0 {
		panic(overspent{ErrText})
	}
	if err := n.budget.look(len(text)); err != nil {
		panic(overspent{err})
	}
	return text
}

// NodeType implements xpath.NodeNavigator.
func (n *navigator) NodeType() xpath.NodeType {
	switch {
	case n.attr >= 0:
		return xpath.AttributeNode
	case n.at.Type == html.ElementNode:
		return xpath.ElementNode
	case n.at.Type == html.TextNode:
		return xpath.TextNode
	case n.at.Type == html.CommentNode:
		return xpath.CommentNode
	}
	return xpath.RootNode // the document, and its doctype, which XPath lacks
}

// LocalName implements xpath.NodeNavigator.
func (n *navigator) LocalName() string {
	if n.attr >= 0 {
		return n.at.Attr[n.attr].Key
	}
	return n.at.Data
}

// Prefix implements xpath.NodeNavigator.
func (n *navigator) Prefix() string { return "" }

// Value implements xpath.NodeNavigator.
func (n *navigator) Value() string {
	if n.attr >= 0 {
		return n.made(n.at.Attr[n.attr].Val)
	}
	if n.at.Type == html.TextNode || n.at.Type == html.CommentNode {
		return n.made(n.at.Data)
	}
	var text strings.Builder
	for d := range n.at.Descendants() {
		n.step()
		if d.Type == html.TextNode {
			text.WriteString(n.made(d.Data))
		}
	}
	return text.String()
}

// Copy implements xpath.NodeNavigator.
func (n *navigator) Copy() xpath.NodeNavigator {
	n.step()
	twin := *n
	return &twin
}

// MoveToRoot implements xpath.NodeNavigator.
func (n *navigator) MoveToRoot() { n.at, n.attr = n.root, -1 }

// MoveToParent implements xpath.NodeNavigator.
func (n *navigator) MoveToParent() bool {
	n.step()
	switch {
	case n.attr >= 0:
		n.attr = -1
	case n.at == n.root || n.at.Parent == nil:
		return false
	default:
		n.at = n.at.Parent
	}
	return true
}

// MoveToNextAttribute implements xpath.NodeNavigator.
func (n *navigator) MoveToNextAttribute() bool {
	n.step()
	if n.attr >= len(n.at.Attr)-1 {
		return false
	}
	n.attr++
	return true
}

// MoveToChild implements xpath.NodeNavigator.
func (n *navigator) MoveToChild() bool {
	n.step()
	if n.attr >= 0 || n.at.FirstChild == nil {
		return false
	}
	n.at = n.at.FirstChild
	return true
}

// MoveToFirst implements xpath.NodeNavigator.
func (n *navigator) MoveToFirst() bool {
	n.step()
	if n.attr >= 0 || n.at == n.root || n.at.PrevSibling == nil {
		return false
	}
	n.at = n.at.Parent.FirstChild
	return true
}

// MoveToNext implements xpath.NodeNavigator.
func (n *navigator) MoveToNext() bool {
	n.step()
	if n.attr >= 0 || n.at == n.root || n.at.NextSibling == nil {
		return false
	}
	n.at = n.at.NextSibling
	return true
}

// MoveToPrevious implements xpath.NodeNavigator.
func (n *navigator) MoveToPrevious() bool {
	n.step()
	if n.attr >= 0 || n.at == n.root || n.at.PrevSibling == nil {
		return false
	}
	n.at = n.at.PrevSibling
	return true
}

// MoveTo implements xpath.NodeNavigator.
func (n *navigator) MoveTo(other xpath.NodeNavigator) bool {
	o, ok := other.(*navigator)
	if !ok || o.root != n.root {
		return false
	}
	n.at, n.attr = o.at, o.attr
	return true
}

// String is for functions that print their argument.
func (n *navigator) String() string { return n.Value() }

var _ xpath.NodeNavigator = (*navigator)(nil)
