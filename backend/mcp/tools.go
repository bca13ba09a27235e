package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

// maxChars is the argument of all tools with long results. The protocol's server checks arguments by the schemas.
const maxChars = `"max_chars":{"type":"integer","minimum":500,"maximum":200000,"description":"Default: about 7000 tokens"}`

// addTools adds the tools. All that a model knows of them, for each request that it makes, is here: each word has a price.
func (s *Service) addTools(server *sdk.Server) {
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(true)}
	kept := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}
	add(s, server, &sdk.Tool{
		Name: "scrape", Title: "Read a page", Annotations: reads,
		Description: "Reads a web page or PDF as markdown, in a browser if it needs one. 1 credit.",
	}, `"url":{"type":"string"},
		"format":{"enum":["markdown","text","html"],"default":"markdown"},
		"whole_page":{"type":"boolean","description":"With menus, headers and footers"},
		"links":{"type":"boolean","description":"Also list the links"},
		"wait_ms":{"type":"integer","minimum":0,"maximum":30000,"description":"Wait for scripts, in a browser"},
		"max_age":{"type":"integer","minimum":0,"maximum":604800,"description":"Seconds that an earlier copy may be old"},`+maxChars, s.scrape, "url")
	add(s, server, &sdk.Tool{
		Name: "search", Title: "Search the web", Annotations: reads,
		Description: "Finds pages for a query. 5 credits, and with scrape 1 for each page that is read.",
	}, `"query":{"type":"string"},
		"limit":{"type":"integer","minimum":1,"maximum":25,"default":8},
		"include_domains":{"type":"array","items":{"type":"string"}},
		"exclude_domains":{"type":"array","items":{"type":"string"}},
		"scrape":{"type":"boolean","description":"Also read the pages"},`+maxChars, s.search, "query")
	add(s, server, &sdk.Tool{
		Name: "map", Title: "List a site's URLs", Annotations: reads,
		Description: "Lists the URLs of a site, from sitemaps and links, without reading the pages. 1 credit for each 1000 of limit that are found.",
	}, `"url":{"type":"string"},
		"search":{"type":"string","description":"Most relevant first"},
		"limit":{"type":"integer","minimum":1,"maximum":10000,"default":1000},
		"include":{"type":"array","items":{"type":"string"},"description":"Globs: /blog/**"},
		"exclude":{"type":"array","items":{"type":"string"}},`+maxChars, s.mapSite, "url")
	add(s, server, &sdk.Tool{
		Name: "crawl", Title: "Read a site", Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(true), DestructiveHint: new(false)},
		Description: "Reads the pages of a site in the background, following links from url. Waits, then lists them with ids for job. 1 credit a page; max_pages are held.",
	}, `"url":{"type":"string"},
		"max_pages":{"type":"integer","minimum":1,"maximum":10000,"default":20},
		"max_depth":{"type":"integer","minimum":0,"description":"Links from url"},
		"include":{"type":"array","items":{"type":"string"},"description":"Globs: /blog/**"},
		"exclude":{"type":"array","items":{"type":"string"}},
		"search":{"type":"string","description":"Most relevant first"},
		"wait_seconds":{"type":"integer","minimum":0,"maximum":50,"default":20},`+maxChars, s.crawl, "url")
	add(s, server, &sdk.Tool{
		Name: "job", Title: "Read on", Annotations: kept,
		Description: "Free. Reads on from a cursor, or what an id names: status and pages of a crawl_… or batch_…, the text of a page_…, an answer_… or search_….",
	}, `"id":{"type":"string"},
		"cursor":{"type":"string","description":"Instead of id"},
		"contents":{"type":"boolean","description":"The text of a crawl's or batch's pages, not only a list"},
		"wait_seconds":{"type":"integer","minimum":0,"maximum":50,"description":"Until a crawl or batch ends"},`+maxChars, s.job)
	add(s, server, &sdk.Tool{
		Name: "ask", Title: "Answer from the web", Annotations: reads,
		Description: "Searches and reads pages to answer a task; each value with its source, or NOT_FOUND. 20 credits.",
	}, `"task":{"type":"string","description":"URLs in it are read first"},
		"format":{"type":"object","description":"Fields to fill, with descriptions as values, or a JSON Schema"},`+maxChars, s.ask, "task")
	add(s, server, &sdk.Tool{
		Name: "monitor", Title: "Watch pages", Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(true), DestructiveHint: new(false)},
		Description: "Watches pages and reports changes. The call is free, each later run costs what it reads. create: query; list; changes, pause: id.",
	}, `"action":{"enum":["create","list","changes","pause"]},
		"query":{"type":"string","description":"What to watch, with URLs"},
		"frequency":{"type":"string","description":"every hour, weekdays at 9am, …"},
		"email":{"type":"string"},"webhook":{"type":"string"},
		"id":{"type":"string"},"cursor":{"type":"string"}`, s.monitor, "action")
}

var errNoCall = errors.New("a tool was called outside of a request")

// add adds a tool with the properties of its arguments and what runs it.
func add[In any](
	s *Service, server *sdk.Server, tool *sdk.Tool, properties string, run func(ctx context.Context, c *principal.Caller, in *In) (*result, error), required ...string,
) {
	schema := map[string]any{"type": "object", "properties": json.RawMessage("{" + properties + "}"), "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	tool.InputSchema = schema
	sdk.AddTool(server, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		// What the work holds for the response, such as memory for it, is released with its context.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return nil, nil, errNoCall
		}
		r, err := run(ctx, c.part, &in)
		if c.part.Adopted() {
			c.whole.Adopt()
		}
		if err != nil {
			return s.fail(ctx, c.whole, tool.Name, err), nil, nil
		}
		c.whole.SetCost(c.part.Cost())
		return s.succeed(ctx, c.part, r), nil, nil
	})
}
