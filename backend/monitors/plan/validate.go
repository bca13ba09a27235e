package plan

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// The limits of a graph.
const (
	NodesMax = 24
	EdgesMax = 64
	// LimitMax is the highest Limit of a node.
	LimitMax = 100
	// URLsMax is how many pages a fetch may name.
	URLsMax = 50

	labelCharsMax = 120
	focusMax      = 20
	focusCharsMax = 60
	includeMax    = 20
	// faultsMax is how many faults are reported.
	faultsMax = 20
)

// GuardFunc refuses URLs that this installation does not fetch: the Check of a fetch.Client.
type GuardFunc func(u fetch.URL) error

// PublicOnly is the default guard. It refuses URLs that are plainly private.
func PublicOnly(u fetch.URL) error {
	if u.PlainlyPrivate() {
		return fmt.Errorf("%.200s is not at a public address", u)
	}
	return nil
}

// follows says which node types an edge may lead to. Pages are found, fetched, extracted, compared, summarized and
// notified of, in this order.
var follows = map[NodeType][]NodeType{
	NodeDiscover:  {NodeFetch},
	NodeSearch:    {NodeFetch},
	NodeFetch:     {NodeExtract},
	NodeExtract:   {NodeCompare},
	NodeCompare:   {NodeSummarize, NodeNotify},
	NodeSummarize: {NodeNotify},
	NodeNotify:    nil,
}

var nodeID = regexp.MustCompile(`\A[a-z][a-z0-9_]{0,31}\z`)

// Validate returns the faults of a plan, none for one that can be run. They are sentences for the author of the graph, at
// most faultsMax. A nil guard is PublicOnly.
func Validate(p Plan, guard GuardFunc) []string {
	if guard == nil {
		guard = PublicOnly
	}
	v := &validator{graph: p.DAG.Graph, guard: guard, byID: map[string]Node{}, hasSchema: len(p.Spec.Output.Schema) > 0}
	var policy []string
	sources, faults := p.Spec.Input.SourcePolicy.Sources("source_policy")
	for _, fault := range faults {
		policy = append(policy, fmt.Sprintf("%v %s", fault.Loc, fault.Msg))
	}
	v.sources, v.faults = sources, policy
	v.nodes()
	v.edges()
	if len(v.faults) == 0 { // paths relies on valid nodes and edges
		v.paths()
	}
	return v.faults[:min(len(v.faults), faultsMax)]
}

type validator struct {
	graph     Graph
	sources   *Sources
	guard     GuardFunc
	hasSchema bool
	byID      map[string]Node
	faults    []string
}

func (v *validator) faultf(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

func (v *validator) nodes() {
	if n := len(v.graph.Nodes); n > NodesMax {
		v.faultf("the graph has %d nodes, but at most %d are allowed", n, NodesMax)
		return
	}
	count := map[NodeType]int{}
	for _, node := range v.graph.Nodes {
		if !nodeID.MatchString(node.ID) {
			v.faultf("node %.40q: an id consists of at most 32 lower-case letters, digits and underscores, and begins with a letter", node.ID)
		}
		if _, twice := v.byID[node.ID]; twice {
			v.faultf("node %.40q is defined twice", node.ID)
		}
		v.byID[node.ID] = node
		if _, known := follows[node.Type]; !known {
			v.faultf("node %.40q: %.40q is not a node type: must be one of %s", node.ID, string(node.Type), strings.Join(typeNames(), ", "))
			continue
		}
		if n := utf8.RuneCountInString(node.Label); n == 0 || n > labelCharsMax {
			v.faultf("node %.40q: a label must have 1 to %d characters", node.ID, labelCharsMax)
		}
		count[node.Type]++
		v.params(node)
	}
	for _, one := range []NodeType{NodeCompare, NodeNotify} {
		if count[one] != 1 {
			v.faultf("a graph must have exactly one %s, not %d", one, count[one])
		}
	}
	if count[NodeSummarize] > 1 {
		v.faultf("a graph must have at most one summarize, not %d", count[NodeSummarize])
	}
}

func typeNames() []string {
	var names []string
	for name := range maps.Keys(follows) {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return names
}

func (v *validator) edges() {
	if n := len(v.graph.Edges); n > EdgesMax {
		v.faultf("the graph has %d edges, but at most %d are allowed", n, EdgesMax)
		return
	}
	seen := map[Edge]bool{}
	for _, edge := range v.graph.Edges {
		from, hasFrom := v.byID[edge.From]
		to, hasTo := v.byID[edge.To]
		switch {
		case !hasFrom:
			v.faultf("edge %.40q → %.40q: there is no node %.40q", edge.From, edge.To, edge.From)
		case !hasTo:
			v.faultf("edge %.40q → %.40q: there is no node %.40q", edge.From, edge.To, edge.To)
		case seen[edge]:
			v.faultf("edge %q → %q is defined twice", edge.From, edge.To)
		case !slices.Contains(follows[from.Type], to.Type):
			v.faultf("edge %q → %q: %s does not lead to %s", edge.From, edge.To, from.Type, to.Type)
		}
		seen[edge] = true
	}
	if cycle := v.cycle(); len(cycle) > 0 {
		v.faultf("the graph has a cycle: %s", strings.Join(cycle, " → "))
	}
}

// paths checks that every node is used: each has its input, and its output reaches a notify node.
func (v *validator) paths() {
	next, before := map[string][]string{}, map[string][]string{}
	for _, edge := range v.graph.Edges {
		next[edge.From] = append(next[edge.From], edge.To)
		before[edge.To] = append(before[edge.To], edge.From)
	}
	var starts, ends []string
	for _, node := range v.graph.Nodes {
		switch {
		case node.isStart():
			starts = append(starts, node.ID)
		case node.Type == NodeNotify:
			ends = append(ends, node.ID)
		}
	}
	reachable, useful := closure(starts, next), closure(ends, before)
	for _, node := range v.graph.Nodes {
		if !reachable[node.ID] {
			v.faultf("node %q is not reached from a discover, a search or a fetch with urls", node.ID)
		}
		if !useful[node.ID] {
			v.faultf("node %q does not lead to the notify", node.ID)
		}
	}
}

// isStart reports whether a node needs no node before it.
func (n *Node) isStart() bool {
	return n.Type == NodeDiscover || n.Type == NodeSearch || n.Type == NodeFetch && len(n.Params.URLs) > 0
}

func closure(from []string, next map[string][]string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		id := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[id] {
			seen[id] = true
			from = append(from, next[id]...)
		}
	}
	return seen
}

// cycle returns a cycle of the graph, with its first node repeated at the end; nil if there is none.
func (v *validator) cycle() []string {
	next := map[string][]string{}
	for _, edge := range v.graph.Edges {
		next[edge.From] = append(next[edge.From], edge.To)
	}
	const visiting, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(id string) []string
	visit = func(id string) []string {
		switch state[id] {
		case done:
			return nil
		case visiting:
			return append(slices.Clone(path[slices.Index(path, id):]), id)
		}
		state[id] = visiting
		path = append(path, id)
		for _, to := range next[id] {
			if found := visit(to); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		state[id] = done
		return nil
	}
	for _, edge := range v.graph.Edges {
		if found := visit(edge.From); found != nil {
			return found
		}
	}
	return nil
}

// params checks a node's parameters against its type.
func (v *validator) params(node Node) {
	p := node.Params
	allowed := map[NodeType][]string{
		NodeDiscover: {"url", "include", "query", "limit"}, NodeSearch: {"query", "include_domains", "exclude_domains", "limit"},
		NodeFetch: {"urls", "limit"}, NodeExtract: {"mode"}, NodeCompare: {"mode", "focus"}, NodeNotify: {"when"},
	}[node.Type]
	for _, name := range p.names() {
		if !slices.Contains(allowed, name) {
			v.faultf("node %q: a %s takes no %s", node.ID, node.Type, name)
		}
	}
	if p.Limit < 0 || p.Limit > LimitMax || p.Limit == 0 && slices.Contains(allowed, "limit") {
		v.faultf("node %q: limit must be from 1 to %d", node.ID, LimitMax)
	}
	switch node.Type {
	case NodeDiscover:
		v.discover(node)
	case NodeSearch:
		v.search(node)
	case NodeFetch:
		if len(p.URLs) > URLsMax {
			v.faultf("node %q: at most %d urls are allowed", node.ID, URLsMax)
		}
		for _, address := range p.URLs[:min(len(p.URLs), URLsMax)] {
			v.target(node, address, v.sources.Allow)
		}
	case NodeExtract, NodeCompare:
		if p.Mode != ModeContent && p.Mode != ModeFields {
			v.faultf("node %q: mode must be %s or %s", node.ID, ModeContent, ModeFields)
		}
		if p.Mode == ModeFields && !v.hasSchema {
			v.faultf("node %q: mode %s needs an output_schema", node.ID, ModeFields)
		}
		v.focus(node)
	case NodeNotify:
		if p.When != WhenChanged {
			v.faultf("node %q: when must be %s", node.ID, WhenChanged)
		}
	case NodeSummarize:
	}
}

// names are the names of the parameters that are set.
func (p *Params) names() []string {
	var names []string
	for _, param := range []struct {
		name string
		set  bool
	}{
		{"url", p.URL != ""},
		{"include", len(p.Include) > 0},
		{"query", p.Query != ""},
		{"include_domains", len(p.IncludeDomains) > 0},
		{"exclude_domains", len(p.ExcludeDomains) > 0},
		{"urls", len(p.URLs) > 0},
		{"limit", p.Limit != 0},
		{"mode", p.Mode != ""},
		{"focus", len(p.Focus) > 0},
		{"when", p.When != ""},
	} {
		if param.set {
			names = append(names, param.name)
		}
	}
	return names
}

func (v *validator) focus(node Node) {
	if len(node.Params.Focus) > focusMax {
		v.faultf("node %q: at most %d words of focus are allowed", node.ID, focusMax)
	}
	for _, word := range node.Params.Focus {
		if n := utf8.RuneCountInString(word); n == 0 || n > focusCharsMax {
			v.faultf("node %q: a word of focus must have 1 to %d characters", node.ID, focusCharsMax)
			return
		}
	}
}

func (v *validator) discover(node Node) {
	v.target(node, node.Params.URL, v.sources.AllowStart)
	if utf8.RuneCountInString(node.Params.Query) > websearch.QueryCharsMax {
		v.faultf("node %q: query must have at most %d characters", node.ID, websearch.QueryCharsMax)
	}
	if len(node.Params.Include) > includeMax {
		v.faultf("node %q: at most %d globs are allowed", node.ID, includeMax)
	}
	for _, text := range node.Params.Include {
		if _, err := glob.New(text); err != nil {
			v.faultf("node %q: include: %.100q %v", node.ID, text, err)
		}
	}
}

func (v *validator) search(node Node) {
	p := node.Params
	if n := utf8.RuneCountInString(p.Query); n == 0 || n > websearch.QueryCharsMax {
		v.faultf("node %q: query must have 1 to %d characters", node.ID, websearch.QueryCharsMax)
	}
	if p.Limit > websearch.LimitMax {
		v.faultf("node %q: limit of a search must be from 1 to %d", node.ID, websearch.LimitMax)
	}
	for name, list := range map[string][]string{"include_domains": p.IncludeDomains, "exclude_domains": p.ExcludeDomains} {
		if len(list) > websearch.DomainsMax {
			v.faultf("node %q: %s must have at most %d entries", node.ID, name, websearch.DomainsMax)
		}
		for _, text := range list {
			d, ok := readDomain(text)
			if !ok {
				v.faultf("node %q: %s: %.100q is not a bare host", node.ID, name, text)
				continue
			}
			if name == "exclude_domains" {
				continue
			}
			if u, err := fetch.ParseURL("https://" + d.host + "/"); err != nil || !v.sources.mayHave(u) {
				v.faultf("node %q: %s: %s is outside source_policy", node.ID, name, d)
			}
		}
	}
}

// mayHave reports whether a host may have allowed pages.
func (s *Sources) mayHave(u fetch.URL) bool {
	if slices.ContainsFunc(s.excludeDomains, func(d domain) bool { return d.match(u) }) {
		return false
	}
	if !s.includes() || slices.ContainsFunc(s.includeDomains, func(d domain) bool { return d.match(u) }) {
		return true
	}
	return slices.ContainsFunc(s.include, func(e pages) bool {
		return !strings.Contains(e.text, "://") || strings.Contains(e.text, "://"+u.Hostname())
	})
}

// target checks a URL against the guard and the policy.
func (v *validator) target(node Node, address string, allow func(fetch.URL) error) {
	u, err := fetch.ParseURL(address)
	if err == nil {
		err = v.guard(u)
	}
	if err == nil {
		err = allow(u)
	}
	if err != nil {
		v.faultf("node %q: %.200q: %v", node.ID, address, innermost(err))
	}
}
