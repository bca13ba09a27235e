package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const (
	searchTool = "search"
	openTool   = "open_page"
	moreTool   = "read_more"
	submitTool = "submit_answer"

	// callsMax is how many calls of a reply are carried out.
	callsMax = 4
	// resultsMax is how many results of a search are shown.
	resultsMax = 8
	// callBytesMax and submitBytesMax limit the arguments of a call.
	callBytesMax   = 8 << 10
	submitBytesMax = 48 << 10
)

// submitSchema is the schema of submit_answer's arguments, and of the single object at the end of the budget.
const submitSchema = `{"type":"object","required":["values"],"additionalProperties":false,"properties":{"values":{"type":"array",` +
	`"items":{"type":"object","required":["field","value","url","quote"],"additionalProperties":false,"properties":{` +
	`"field":{"type":"string","description":"The field's path as the task gives it; for the entry n of a list, counted from 0, with n for *."},` +
	`"value":{"type":["string","number","boolean"],"description":"The value, as the quote says it."},` +
	`"url":{"type":"string","description":"The page or file that says it."},` +
	`"quote":{"type":"string","description":"The words there that say it, copied exactly, with the value in them."}}}}}}`

var tools = []llm.Tool{
	{
		Name: searchTool, Description: "Searches for pages by words. Gives URLs, titles and snippets. Snippets are no proof: open the page.",
		Schema: json.RawMessage(`{"type":"object","required":["query"],"additionalProperties":false,"properties":{"query":{"type":"string"}}}`),
	},
	{
		Name: openTool, Description: "Opens a page and gives its first part. The URL must have been found by a search, linked on a page that was opened, or named in the task.",
		Schema: json.RawMessage(`{"type":"object","required":["url"],"additionalProperties":false,"properties":{"url":{"type":"string"}}}`),
	},
	{
		Name: moreTool, Description: "Gives another part of a page or file that is open; parts are counted from 1.",
		Schema: json.RawMessage(`{"type":"object","required":["url","part"],"additionalProperties":false,"properties":{"url":{"type":"string"},"part":{"type":"integer"}}}`),
	},
	{
		Name: submitTool, Description: "Submits the values that were found, each with its proof. Leave out fields that no source states. Each value is checked against its source.",
		Schema: json.RawMessage(submitSchema),
	},
}

// action is one call to carry out. The calls of a reply run concurrently.
type action struct {
	call  llm.ToolCall
	fault string
	// query is the search query, url the page to open.
	query, url string
	results    []websearch.Result
	source     *ask.Source
	err        error
	part       int
}

// prepare decides what a call does. Nothing is sent out before.
func (r *request) prepare(call llm.ToolCall) *action {
	a := &action{call: call, fault: call.Fault}
	var args struct {
		Query string      `json:"query"`
		URL   string      `json:"url"`
		Part  json.Number `json:"part"`
	}
	switch {
	case a.fault != "" || call.Name == submitTool:
		return a
	case json.Unmarshal(call.Arguments, &args) != nil:
		a.fault = "the arguments are not of the types that the tool takes"
		return a
	}
	switch call.Name {
	case searchTool:
		letters := []rune(oneLine(visible(args.Query)))
		a.query = string(letters[:min(len(letters), websearch.QueryCharsMax)])
		switch {
		case a.query == "":
			a.fault = "the query is empty"
		case r.searches >= r.options.Searches:
			a.fault, a.query = "no searches are left; use what was found", ""
		default:
			r.searches++
		}
	case openTool:
		r.prepareOpen(a, args.URL)
	case moreTool:
		part, err := args.Part.Int64()
		a.source = r.open[r.nameOf(args.URL)]
		a.part = int(min(max(part, 0), 1<<20)) - 1
		if a.source == nil {
			a.fault = "that is not open"
		} else if err != nil || a.part < 0 || a.part >= len(r.parts(a.source)) {
			a.fault = fmt.Sprintf("there is no such part: it has %d", len(r.parts(a.source)))
		}
	default:
		a.fault = "there is no such tool"
	}
	return a
}

func (r *request) prepareOpen(a *action, address string) {
	if a.source = r.open[r.nameOf(address)]; a.source != nil {
		return
	}
	known, ok := r.known.find(address)
	switch {
	case !ok:
		a.fault = "this URL was neither found by a search, nor linked on a page that was opened, nor named in the task, exactly as it is"
	case r.opened >= r.options.Pages:
		a.fault = "no pages are left; use what is open"
	default:
		r.opened++
		a.url = known
	}
}

// nameOf is the name under which a source is open.
func (r *request) nameOf(address string) string {
	if key, ok := keyOf(address); ok {
		return key
	}
	return strings.TrimSpace(address)
}

// carryOut runs the searches and page loads concurrently.
func (r *request) carryOut(ctx context.Context, actions []*action) {
	var all sync.WaitGroup
	for _, a := range actions {
		switch {
		case a.query != "":
			all.Go(func() { a.results, a.err = r.world.Search(ctx, a.query, resultsMax) })
		case a.url != "":
			all.Go(func() { a.source, a.err = r.world.Open(ctx, a.url) })
		}
	}
	all.Wait()
}

// report is the result of a call for the model.
func (r *request) report(a *action) llm.ToolResult {
	result := llm.ToolResult{CallID: a.call.ID}
	switch {
	case a.fault != "":
		result.Text, result.Failed = a.fault, true
	case a.call.Name == submitTool:
		result.Text, result.Failed = r.submit(a.call.Arguments)
	case a.query != "" && a.err != nil:
		result.Text, result.Failed = "the search failed", true
	case a.query != "" && len(a.results) == 0:
		result.Text = "nothing was found"
	case a.query != "":
		for _, found := range a.results {
			r.known.allow(found.URL)
		}
		result.Text = r.fence.around("results", resultsText(a.results))
	case a.url != "" && (a.err != nil || a.source == nil || a.source.Document == nil):
		result.Text, result.Failed = "the page cannot be read", true
	case a.url != "":
		a.source = r.add(a.source, a.url)
		result.Text = r.show(a.source, 0)
	default:
		result.Text = r.show(a.source, a.part)
	}
	return result
}

// add adds a source to the open ones, and records the URLs that it links to.
func (r *request) add(source *ask.Source, opened string) *ask.Source {
	clean := readable(source)
	names := []string{r.nameOf(clean.URL)}
	if opened != "" {
		names = append(names, r.nameOf(opened))
	}
	if known := r.open[names[0]]; known != nil { // two URLs lead to the same page
		clean = known
	}
	for _, name := range names {
		r.open[name] = clean
	}
	r.checker.Add(clean)
	if len(source.JSON) > 0 { // URLs in a file were not named in the task, and nobody has checked them
		return clean
	}
	for _, link := range clean.Document.Links {
		r.known.allow(link.URL)
	}
	return clean
}

// parts returns the parts of a source, and caches them.
func (r *request) parts(source *ask.Source) []string {
	if parts, ok := r.cut[source]; ok {
		return parts
	}
	parts := partsOf(source, r.task.Text, r.options.PartTokens)
	r.cut[source] = parts
	return parts
}

// show is a part of a source, between the task's marker lines.
func (r *request) show(source *ask.Source, part int) string {
	parts := r.parts(source)
	var text strings.Builder
	fmt.Fprintf(&text, "URL: %s\nTitle: %s\n", clip(oneLine(source.URL), addressChars), clip(oneLine(source.Title), titleChars))
	text.WriteString(parts[part])
	out := r.fence.around("source", text.String())
	if len(parts) == 1 {
		return out
	}
	var best []string
	for _, other := range bestParts(parts, r.task.Text, part) {
		best = append(best, strconv.Itoa(other+1))
	}
	out += fmt.Sprintf("This is part %d of %d.", part+1, len(parts))
	if len(best) > 0 {
		out += " Parts that have most words of the task: " + strings.Join(best, ", ") + "."
	}
	return out
}
