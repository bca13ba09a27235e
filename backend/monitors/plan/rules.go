package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
	"github.com/turnpike-edge/turnpike/clip"
)

// How many pages a run reads by default, by kind of target. Cost estimates are based on them.
const (
	siteLimit   = 25
	searchLimit = 5
	// relevantLimit is for the pages of a site that relate to a query.
	relevantLimit = 5
	// sitesMax is how many domains of a policy are listed. More than that are searched instead.
	sitesMax = 5
)

// site is a place whose pages are listed.
type site struct {
	start   fetch.URL
	include []string
	query   string
	limit   int
}

// targets are the pages that a plan by rules reads.
type targets struct {
	pages []fetch.URL
	sites []site
	// query is the search query, limited to domains if there are any, and excluding except.
	query           string
	domains, except []string
	// how says in words where the targets came from.
	how string
}

// draft is a plan that is being made.
type draft struct {
	request  Request
	sources  *Sources
	guard    GuardFunc
	schema   *jsonschema.Schema // nil: none
	sentence sentence
	targets  targets
	notes    []string // assumptions
	// refused are addresses of the sentence and the policy that cannot be watched, and why.
	refused []Unresolved
}

// begin checks the parts of a request that every plan needs. The error is an *Error.
func begin(r Request, guard GuardFunc) (*draft, error) {
	if guard == nil {
		guard = PublicOnly
	}
	d := &draft{request: r, guard: guard}
	if strings.TrimSpace(oneLine(r.Query)) == "" {
		return d, &Error{"The query is empty. Say what to watch, for example “tell me when the price on https://example.com/item changes”."}
	}
	var properties []string
	if len(r.OutputSchema) > 0 {
		schema, err := jsonschema.CompileObject(r.OutputSchema)
		if err != nil {
			return d, &Error{"output_schema cannot be used: " + schemaFault(err) + "."}
		}
		d.schema = schema
		for _, p := range schema.Root().View().Properties {
			properties = append(properties, p.Name)
		}
	}
	d.sentence = understand(r.Query, properties)
	for _, a := range d.sentence.addresses {
		if a.except {
			d.request.SourcePolicy = d.request.SourcePolicy.without(a)
		}
	}
	sources, faults := d.request.SourcePolicy.Sources("source_policy")
	d.sources = sources
	if len(faults) > 0 {
		return d, &Error{fmt.Sprintf("source_policy cannot be used: %v %s.", faults[0].Loc, faults[0].Msg)}
	}
	return d, nil
}

func schemaFault(err error) string {
	if invalid, ok := errors.AsType[*jsonschema.Error](err); ok && len(invalid.Faults) > 0 {
		return invalid.Faults[0].String()
	}
	return err.Error()
}

// without is the policy minus what the sentence excludes: the host of a bare domain, or a URL's page and the pages below it.
func (p SourcePolicy) without(a address) SourcePolicy {
	if a.bare && a.url.PathAndQuery() == "/" {
		p.ExcludeDomains = append(slices.Clip(p.ExcludeDomains), a.url.Host())
		return p
	}
	p.ExcludeURLs = append(slices.Clip(p.ExcludeURLs), a.url.WithoutFragment())
	if below := strings.TrimSuffix(a.url.WithoutFragment(), "/") + "/**"; len(below) <= glob.BytesMax {
		p.ExcludeURLs = append(p.ExcludeURLs, below)
	}
	return p
}

// byRules makes a plan from the targets that the sentence and the policy name. The error is an *Error.
func (d *draft) byRules() (Plan, error) {
	if err := d.aim(); err != nil {
		return Plan{}, err
	}
	p := Plan{Spec: d.spec(), DAG: d.dag()}
	p.Tracked = tracked(p.DAG.Graph)
	return p, nil
}

// dag builds the graph for the targets.
func (d *draft) dag() DAG {
	s := &d.sentence
	dag := DAG{UserQuery: d.request.Query, IntentMode: s.mode, StreamChangeType: s.change, ScrapeStrategy: StrategyDirect}
	g := &dag.Graph
	add := func(id string, kind NodeType, label string, params Params, from ...string) {
		g.Nodes = append(g.Nodes, Node{ID: id, Type: kind, Label: clip.Chars(oneLine(label), labelCharsMax), Params: params})
		for _, before := range from {
			g.Edges = append(g.Edges, Edge{before, id})
		}
	}
	var sources []string
	read := Params{Limit: max(min(len(d.targets.pages), URLsMax), 1)}
	for _, u := range d.targets.pages[:min(len(d.targets.pages), URLsMax)] {
		read.URLs = append(read.URLs, u.WithoutFragment())
	}
	for i, at := range d.targets.sites {
		dag.ScrapeStrategy = StrategySiteMap
		id := fmt.Sprintf("discover_%d", i+1)
		add(id, NodeDiscover, "Find pages of "+place(at.start), Params{
			URL: at.start.WithoutFragment(), Include: at.include, Query: at.query, Limit: at.limit,
		})
		sources = append(sources, id)
		if at.query == "" && d.sources.Allow(at.start) == nil && len(read.URLs) < URLsMax {
			read.URLs = append(read.URLs, at.start.WithoutFragment()) // a list shows new pages before a sitemap does
		}
		read.Limit = min(read.Limit+at.limit, LimitMax)
	}
	if d.targets.query != "" {
		dag.ScrapeStrategy = StrategyWebSearch
		add("search_1", NodeSearch, "Search the web for “"+clip.Chars(d.targets.query, 60)+"”", Params{
			Query: d.targets.query, IncludeDomains: d.targets.domains, ExcludeDomains: d.targets.except, Limit: searchLimit,
		})
		sources = append(sources, "search_1")
		read.Limit = searchLimit
	}
	mode, what := ModeContent, "all content"
	if d.schema != nil {
		mode = ModeFields
	}
	if len(s.focus) > 0 {
		what = strings.Join(s.focus, ", ")
	}
	add("fetch_1", NodeFetch, fetchLabel(read), read, sources...)
	add("extract_1", NodeExtract, map[string]string{ModeContent: "Extract the content", ModeFields: "Extract the fields of output_schema"}[mode], Params{Mode: mode}, "fetch_1")
	add("compare_1", NodeCompare, "Compare "+what, Params{Mode: mode, Focus: s.focus}, "extract_1")
	add("summarize_1", NodeSummarize, "Summarize the changes", Params{}, "compare_1")
	add("notify_1", NodeNotify, "Notify of changes", Params{When: WhenChanged}, "summarize_1")
	dag.Unresolved = slices.Concat(s.unresolved, d.refused)
	dag.finish()
	return dag
}

// finish sets the fields that follow from the others.
func (dag *DAG) finish() {
	dag.HasUnresolved = len(dag.Unresolved) > 0
	if dag.Unresolved == nil {
		dag.Unresolved = []Unresolved{}
	}
	dag.Subtasks = []Subtask{}
	for _, node := range dag.Graph.Nodes {
		dag.Subtasks = append(dag.Subtasks, Subtask{Node: node.ID, Description: describe(node)})
	}
	if dag.Graph.Nodes == nil {
		dag.Graph.Nodes = []Node{}
	}
	if dag.Graph.Edges == nil {
		dag.Graph.Edges = []Edge{}
	}
	if dag.Validation.History == nil {
		dag.Validation.History = []Attempt{}
	}
}

func fetchLabel(p Params) string {
	if len(p.URLs) == 1 && p.Limit == 1 {
		if u, err := fetch.ParseURL(p.URLs[0]); err == nil {
			return "Read " + place(u)
		}
	}
	if len(p.URLs) >= p.Limit {
		return fmt.Sprintf("Read %d pages", len(p.URLs))
	}
	return fmt.Sprintf("Read up to %d pages", p.Limit)
}

// place formats a URL for readers.
func place(u fetch.URL) string {
	return clip.Chars(u.Host()+strings.TrimSuffix(u.PathAndQuery(), "/"), 80)
}

// describe says in words what a node does.
func describe(node Node) string {
	p := node.Params
	switch node.Type {
	case NodeDiscover:
		text := fmt.Sprintf("List the pages of %s that robots.txt allows", p.URL)
		if len(p.Include) > 0 {
			text += ", limited to those that match " + strings.Join(p.Include, " or ")
		}
		if p.Query != "" {
			text += fmt.Sprintf(", with the most relevant to “%s” first", p.Query)
		}
		return fmt.Sprintf("%s; at most %d pages.", text, p.Limit)
	case NodeSearch:
		return fmt.Sprintf("Search for “%s” and take the first %d results.", p.Query, p.Limit)
	case NodeFetch:
		return fmt.Sprintf("Read at most %d pages. Hosts that support conditional requests do not send unmodified pages again.", p.Limit)
	case NodeExtract:
		if p.Mode == ModeFields {
			return "Extract the fields of output_schema from each page."
		}
		return "Extract the blocks of each page: headings, paragraphs, list items, table rows."
	case NodeCompare:
		if len(p.Focus) > 0 {
			return "Compare with the last run, ignoring parts that change on every run. Compared: " + strings.Join(p.Focus, ", ") + "."
		}
		return "Compare with the last run, ignoring parts that change on every run."
	case NodeSummarize:
		return "Summarize the changes in words."
	case NodeNotify:
		return "Notify the channels and the webhook if something changed."
	}
	return ""
}

// tracked is what a graph watches, in brief.
func tracked(g Graph) Tracked {
	t := Tracked{Type: TrackedURLs, URLs: []string{}}
	add := func(address string) {
		if !slices.Contains(t.URLs, address) {
			t.URLs = append(t.URLs, address)
		}
	}
	for _, node := range g.Nodes {
		switch node.Type {
		case NodeDiscover:
			t.Type = TrackedSite
			add(node.Params.URL)
		case NodeFetch:
			for _, address := range node.Params.URLs {
				add(address)
			}
		default:
		}
	}
	for _, node := range g.Nodes {
		if node.Type == NodeSearch {
			t.Type = TrackedWebQuery
			if t.WebQuery == "" {
				t.WebQuery = node.Params.Query
			}
		}
	}
	return t
}
