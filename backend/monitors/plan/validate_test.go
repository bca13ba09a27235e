package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
)

// sound is a valid plan.
func sound() plan.Plan {
	var p plan.Plan
	p.DAG.Graph = plan.Graph{
		Nodes: []plan.Node{
			{ID: "d", Type: plan.NodeDiscover, Label: "Find", Params: plan.Params{URL: "https://a.example/", Limit: 5}},
			{ID: "s", Type: plan.NodeSearch, Label: "Search", Params: plan.Params{Query: "lamps", Limit: 5}},
			{ID: "f", Type: plan.NodeFetch, Label: "Read", Params: plan.Params{URLs: []string{"https://a.example/x"}, Limit: 5}},
			{ID: "e", Type: plan.NodeExtract, Label: "Extract", Params: plan.Params{Mode: plan.ModeContent}},
			{ID: "c", Type: plan.NodeCompare, Label: "Compare", Params: plan.Params{Mode: plan.ModeContent}},
			{ID: "m", Type: plan.NodeSummarize, Label: "Say"},
			{ID: "n", Type: plan.NodeNotify, Label: "Tell", Params: plan.Params{When: plan.WhenChanged}},
		},
		Edges: []plan.Edge{{"d", "f"}, {"s", "f"}, {"f", "e"}, {"e", "c"}, {"c", "m"}, {"m", "n"}},
	}
	return p
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(p *plan.Plan)
		want   string // "": valid
	}{
		"sound":           {func(*plan.Plan) {}, ""},
		"nothing":         {func(p *plan.Plan) { p.DAG.Graph = plan.Graph{} }, "exactly one compare"},
		"a cycle":         {func(p *plan.Plan) { p.DAG.Graph.Edges = append(p.DAG.Graph.Edges, plan.Edge{From: "c", To: "f"}) }, "cycle: f → e → c → f"},
		"a loop":          {func(p *plan.Plan) { p.DAG.Graph.Edges[0] = plan.Edge{From: "d", To: "d"} }, "cycle: d → d"},
		"unknown type":    {func(p *plan.Plan) { p.DAG.Graph.Nodes[0].Type = "shell" }, `"shell" is not a node type`},
		"edge to nothing": {func(p *plan.Plan) { p.DAG.Graph.Edges[0].To = "x" }, `no node "x"`},
		"edge twice":      {func(p *plan.Plan) { p.DAG.Graph.Edges[1] = p.DAG.Graph.Edges[0] }, "twice"},
		"node twice":      {func(p *plan.Plan) { p.DAG.Graph.Nodes[1] = p.DAG.Graph.Nodes[0] }, "twice"},
		"bad id":          {func(p *plan.Plan) { p.DAG.Graph.Nodes[0].ID = "D 1" }, "an id consists of"},
		"no label":        {func(p *plan.Plan) { p.DAG.Graph.Nodes[0].Label = "" }, "a label must have"},
		"wrong order":     {func(p *plan.Plan) { p.DAG.Graph.Edges[3] = plan.Edge{From: "f", To: "c"} }, "fetch does not lead to compare"},
		"two compares":    {func(p *plan.Plan) { p.DAG.Graph.Nodes[5].Type = plan.NodeCompare }, "exactly one compare, not 2"},
		"no notify": {func(p *plan.Plan) {
			p.DAG.Graph.Nodes, p.DAG.Graph.Edges = p.DAG.Graph.Nodes[:6], p.DAG.Graph.Edges[:5]
		}, "exactly one notify, not 0"},
		"leads nowhere":     {func(p *plan.Plan) { p.DAG.Graph.Edges = p.DAG.Graph.Edges[1:] }, `"d" does not lead to the notify`},
		"not reached":       {func(p *plan.Plan) { p.DAG.Graph.Nodes[2].Params.URLs = nil; p.DAG.Graph.Edges = p.DAG.Graph.Edges[2:] }, `"f" is not reached`},
		"foreign param":     {func(p *plan.Plan) { p.DAG.Graph.Nodes[5].Params.Query = "x" }, "a summarize takes no query"},
		"no limit":          {func(p *plan.Plan) { p.DAG.Graph.Nodes[0].Params.Limit = 0 }, "limit must be"},
		"too high a limit":  {func(p *plan.Plan) { p.DAG.Graph.Nodes[1].Params.Limit = 26 }, "limit of a search"},
		"no mode":           {func(p *plan.Plan) { p.DAG.Graph.Nodes[3].Params.Mode = "" }, "mode must be"},
		"fields, no schema": {func(p *plan.Plan) { p.DAG.Graph.Nodes[4].Params.Mode = plan.ModeFields }, "needs an output_schema"},
		"fields": {func(p *plan.Plan) {
			p.DAG.Graph.Nodes[4].Params.Mode = plan.ModeFields
			p.Spec.Output.Schema = json.RawMessage(`{}`)
		}, ""},
		"when":               {func(p *plan.Plan) { p.DAG.Graph.Nodes[6].Params.When = "always" }, "when must be"},
		"no query":           {func(p *plan.Plan) { p.DAG.Graph.Nodes[1].Params.Query = "" }, "query must have 1"},
		"bad glob":           {func(p *plan.Plan) { p.DAG.Graph.Nodes[0].Params.Include = []string{""} }, "must be a glob"},
		"not a URL":          {func(p *plan.Plan) { p.DAG.Graph.Nodes[2].Params.URLs = []string{"file:///etc/passwd"} }, "scheme"},
		"credentials":        {func(p *plan.Plan) { p.DAG.Graph.Nodes[2].Params.URLs = []string{"https://a:b@a.example/"} }, "credentials"},
		"private":            {func(p *plan.Plan) { p.DAG.Graph.Nodes[2].Params.URLs = []string{"http://0x7f.1/"} }, "public address"},
		"outside the policy": {func(p *plan.Plan) { p.Spec.Input.SourcePolicy.IncludeDomains = []string{"b.example"} }, "source_policy"},
		"excluded":           {func(p *plan.Plan) { p.Spec.Input.SourcePolicy.ExcludeURLs = []string{"https://a.example/x"} }, "excluded"},
		"search outside": {func(p *plan.Plan) {
			p.DAG.Graph.Nodes[1].Params.IncludeDomains = []string{"b.example"}
			p.Spec.Input.SourcePolicy.IncludeDomains = []string{"a.example"}
		}, "b.example is outside"},
		"search within": {func(p *plan.Plan) {
			p.DAG.Graph.Nodes[1].Params.IncludeDomains = []string{"a.example"}
			p.Spec.Input.SourcePolicy.IncludeDomains = []string{"a.example"}
		}, ""},
		"no domain":      {func(p *plan.Plan) { p.DAG.Graph.Nodes[1].Params.ExcludeDomains = []string{"a b"} }, "not a bare host"},
		"no policy":      {func(p *plan.Plan) { p.Spec.Input.SourcePolicy.ExcludeDomains = []string{"a/b"} }, "bare host"},
		"too many nodes": {func(p *plan.Plan) { p.DAG.Graph.Nodes = slices.Repeat(p.DAG.Graph.Nodes, 4) }, "28 nodes"},
		"too many edges": {func(p *plan.Plan) { p.DAG.Graph.Edges = slices.Repeat(p.DAG.Graph.Edges, 11) }, "66 edges"},
		"the policy's folder": {func(p *plan.Plan) {
			p.Spec.Input.SourcePolicy.IncludeURLs = []string{"https://a.example/*", "https://a.example/x"}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sound()
			test.change(&p)
			faults := plan.Validate(p, nil)
			if test.want == "" {
				if len(faults) > 0 {
					t.Errorf("got %q", faults)
				}
				return
			}
			if !strings.Contains(strings.Join(faults, "\n"), test.want) {
				t.Errorf("got %q, want %q", faults, test.want)
			}
		})
	}
}

// TestValidateAgainstAnOracle checks random graphs with a second method: it finds paths by powers of the adjacency
// matrix. A node is valid if it is on a path from a start to the notify node.
func TestValidateAgainstAnOracle(t *testing.T) {
	t.Parallel()
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		var p plan.Plan
		p.DAG.Graph = randomGraph(t)
		want, got := oracle(p.DAG.Graph), len(plan.Validate(p, nil)) == 0
		if got != want {
			t.Fatalf("got %v, want %v for %+v: %q", got, want, p.DAG.Graph, plan.Validate(p, nil))
		}
		if want {
			valid++
		}
	})
	if valid == 0 {
		t.Error("no random graph was valid, so nothing was shown of those")
	}
}

var ranks = map[plan.NodeType]int{
	plan.NodeDiscover: 0, plan.NodeSearch: 0, plan.NodeFetch: 1, plan.NodeExtract: 2, plan.NodeCompare: 3, plan.NodeSummarize: 4, plan.NodeNotify: 5,
}

// randomGraph is a valid graph with a few random changes, or none.
func randomGraph(t *rapid.T) plan.Graph {
	var g plan.Graph
	add := func(kind plan.NodeType, n int) (ids []string) {
		for range n {
			node := plan.Node{ID: fmt.Sprintf("n%d", len(g.Nodes)), Type: kind, Label: "x"}
			switch kind {
			case plan.NodeDiscover:
				node.Params = plan.Params{URL: "https://a.example/", Limit: 1}
			case plan.NodeSearch:
				node.Params = plan.Params{Query: "x", Limit: 1}
			case plan.NodeFetch:
				node.Params = plan.Params{Limit: 1}
				if rapid.Bool().Draw(t, "named") {
					node.Params.URLs = []string{"https://a.example/x"}
				}
			case plan.NodeExtract, plan.NodeCompare:
				node.Params = plan.Params{Mode: plan.ModeContent}
			case plan.NodeNotify:
				node.Params = plan.Params{When: plan.WhenChanged}
			case plan.NodeSummarize:
			}
			g.Nodes = append(g.Nodes, node)
			ids = append(ids, node.ID)
		}
		return ids
	}
	found := append(add(plan.NodeDiscover, rapid.IntRange(0, 2).Draw(t, "discovers")), add(plan.NodeSearch, rapid.IntRange(0, 1).Draw(t, "searches"))...)
	fetches := add(plan.NodeFetch, rapid.IntRange(1, 2).Draw(t, "fetches"))
	extracts := add(plan.NodeExtract, rapid.IntRange(1, 2).Draw(t, "extracts"))
	ends := slices.Concat(add(plan.NodeCompare, 1), add(plan.NodeSummarize, rapid.IntRange(0, 1).Draw(t, "summaries")), add(plan.NodeNotify, 1))
	link := func(from, to []string) {
		for _, id := range from {
			g.Edges = append(g.Edges, plan.Edge{From: id, To: rapid.SampledFrom(to).Draw(t, "to")})
		}
	}
	link(found, fetches)
	link(fetches, extracts)
	link(extracts, ends[:1])
	for i := 1; i < len(ends); i++ {
		g.Edges = append(g.Edges, plan.Edge{From: ends[i-1], To: ends[i]})
	}
	ids := slices.Concat(found, fetches, extracts, ends)
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			g.Edges = append(g.Edges, plan.Edge{From: rapid.SampledFrom(ids).Draw(t, "from"), To: rapid.SampledFrom(append(ids, "nobody")).Draw(t, "to")})
		case 1:
			if len(g.Edges) > 0 {
				g.Edges = slices.Delete(g.Edges, 0, 1)
			}
		case 2:
			g.Nodes[rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "which")].Params.URLs = nil
		case 3:
			g.Edges = rapid.Permutation(g.Edges).Draw(t, "order")
		}
	}
	return g
}

func oracle(g plan.Graph) bool {
	n := len(g.Nodes)
	index, count := map[string]int{}, map[plan.NodeType]int{}
	for i, node := range g.Nodes {
		index[node.ID] = i
		count[node.Type]++
	}
	if count[plan.NodeCompare] != 1 || count[plan.NodeNotify] != 1 || count[plan.NodeSummarize] > 1 {
		return false
	}
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
	}
	for _, edge := range g.Edges {
		from, ok := index[edge.From]
		to, also := index[edge.To]
		if !ok || !also || reach[from][to] {
			return false
		}
		step := ranks[g.Nodes[to].Type] - ranks[g.Nodes[from].Type]
		if step != 1 && (step != 2 || g.Nodes[from].Type != plan.NodeCompare) {
			return false
		}
		reach[from][to] = true
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i, node := range g.Nodes {
		begun, told := false, node.Type == plan.NodeNotify
		for j, other := range g.Nodes {
			isStart := ranks[other.Type] == 0 || other.Type == plan.NodeFetch && len(other.Params.URLs) > 0
			begun = begun || isStart && (i == j || reach[j][i])
			told = told || other.Type == plan.NodeNotify && reach[i][j]
		}
		if !begun || !told || reach[i][i] {
			return false
		}
	}
	return true
}
