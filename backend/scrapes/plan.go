package scrapes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
)

// plan is a checked request with its defaults.
type plan struct {
	url     fetch.URL
	hold    *membudget.Hold // the memory in use by the work
	country string
	session *fetch.Session // made before the work is claimed: an unavailable country costs nothing
	formats []page.Format
	options extract.Options
	links   *linkFilter // nil: not requested
	parser  string      // the id, and after the lookup its version; "": none
	task    *extraction.Task
	render  string
	needs   []string // the fields that need a browser for any page
	job     render.Job
	waits   time.Duration    // added to the time limit
	follow  fetch.FollowFunc // nil: redirects are followed
	// conditions are headers that are sent; their copy is the only one that is used. Nil: none.
	conditions http.Header
	scanned    bool // the page's links are requested, as for crawls
	bare       bool // nothing else is requested
	sitemaps   bool // the URLs that a sitemap lists are its links
	metadata   map[string]string
	maxAge     time.Duration // of content that is copied from an earlier scrape. 0: none is
	copyKey    []byte        // of what may be copied: see Request.copyKey
	// recording records the exchanges. Nil: nothing is recorded.
	recording *recording
}

// requestOptions are request options with derived values.
type requestOptions page.Options

// plan checks r and reports all its faults. Missing engines are not among them: see [Engine.able].
func (r *Request) plan() (*plan, error) {
	url, err := fetch.ParseURL(r.URL)
	var faults []problem.Fault
	if err != nil {
		faults = append(faults, problem.BodyFault("url_to_scrape", failure.Message(err)))
	}
	p, fault := planOf(&r.Options)
	if faults = append(faults, fault...); len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	p.url, p.maxAge = url, time.Duration(r.MaxAge)*time.Second
	if r.Record {
		p.recording = &recording{}
	}
	if p.metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	return p, nil
}

// planOf returns the plan of any page with options o, and o's faults. With faults the plan is unusable.
func planOf(o *page.Options) (*plan, []problem.Fault) {
	w := (*requestOptions)(o)
	p := &plan{formats: w.wantedFormats(), country: w.Country, render: w.Render, needs: w.needs(), job: w.job(), waits: w.waits()}
	if p.render == "" {
		p.render = page.RenderAuto
	}
	faults := checkFormats(w.Formats)
	selectors, fault := readSelectors(w.RemoveCSSSelectors)
	faults = append(faults, fault...)
	faults = append(faults, checkClassNames(w.RemoveClassNames)...)
	faults = append(faults, checkActions(w.Actions)...)
	faults = append(faults, w.checkBrowsing()...)
	p.parser, p.task, fault = w.extraction()
	faults = append(faults, fault...)
	if w.Country != "" && !isCountry(w.Country) {
		faults = append(faults, problem.BodyFault("country", "must be a two-letter country code of ISO 3166-1, such as DE, or RANDOM"))
	}
	if w.LinksOnPage != nil {
		p.links, fault = newLinkFilter(w.LinksOnPage)
		faults = append(faults, fault...)
	}
	p.options = extract.Options{
		RemoveSelectors: selectors, RemoveClassNames: w.RemoveClassNames, RemoveImages: w.RemoveImages,
		Transformer: extract.Transformer(w.Transformer), Structured: slices.Contains(p.formats, page.FormatJSON),
	}
	return p, faults
}

// wantedFormats returns the formats of w and those that its other fields imply.
func (w *requestOptions) wantedFormats() []page.Format {
	formats := slices.Clone(w.Formats)
	if len(formats) == 0 {
		formats = []page.Format{page.FormatHTML, page.FormatMarkdown}
	}
	for _, implied := range []struct {
		format page.Format
		by     bool
	}{
		{page.FormatJSON, len(w.Parser) > 0 || w.LLMExtract != nil},
		{page.FormatScreenshot, w.Screenshot != nil},
	} {
		if implied.by && !slices.Contains(formats, implied.format) {
			formats = append(formats, implied.format)
		}
	}
	return formats
}

func (w *requestOptions) takesScreenshot() bool {
	return slices.Contains(w.wantedFormats(), page.FormatScreenshot)
}

// needs returns the fields of w that need a browser for any page.
func (w *requestOptions) needs() []string {
	var names []string
	for _, field := range []struct {
		name  string
		asked bool
	}{
		{"screenshot", w.takesScreenshot()},
		{"actions", len(w.Actions) > 0},
		{"wait_before_scraping", w.WaitBeforeScraping > 0},
		{"screen_size", w.ScreenSize != nil},
	} {
		if field.asked {
			names = append(names, field.name)
		}
	}
	return names
}

// readSelectors returns the selectors to remove: nil for the default ones.
func readSelectors(s page.SelectorsInput) ([]string, []problem.Fault) {
	const field = "remove_css_selectors"
	raw := bytes.TrimSpace(s)
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, []problem.Fault{problem.BodyFault(field, "is not valid JSON")}
		}
		switch text {
		case "default":
			return nil, nil
		case "none":
			return []string{}, nil
		}
		raw = []byte(text)
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, []problem.Fault{problem.BodyFault(field, `must be "default", "none", or a list of CSS selectors`)}
	}
	if err := extract.CheckSelectors(list); err != nil {
		return nil, []problem.Fault{problem.BodyFault(field, strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	return list, nil
}

// checkFormats finds unknown formats: not all options are checked by a schema.
func checkFormats(formats []page.Format) []problem.Fault {
	var faults []problem.Fault
	for i, format := range formats {
		if !slices.Contains(page.Formats(), format) {
			faults = append(faults, problem.Fault{
				Loc: []any{"body", "formats", i}, Type: problem.FaultInvalid, Msg: "must be html, markdown, text, json, raw_pdf or screenshot",
			})
		}
	}
	return faults
}

const classBytesMax = 200

func checkClassNames(names []string) []problem.Fault {
	var faults []problem.Fault
	for i, name := range names {
		if name == "" || len(name) > classBytesMax || strings.ContainsAny(name, " \t\r\n\f") {
			faults = append(faults, problem.Fault{
				Loc: []any{"body", "remove_class_names", i}, Type: problem.FaultInvalid,
				Msg: fmt.Sprintf("must be one class name of 1 to %d bytes without white space", classBytesMax),
			})
		}
	}
	return faults
}

// actionFields returns the required fields of a type of action. It has no others.
func actionFields(kind string) []string {
	switch kind {
	case "wait":
		return []string{"milliseconds"}
	case "click":
		return []string{"selector"}
	case "fill_input":
		return []string{"selector", "value"}
	case "scroll":
		return []string{"direction", "amount"}
	}
	return nil
}

func checkActions(actions []page.Action) []problem.Fault {
	var faults []problem.Fault
	for i, action := range actions {
		given := map[string]bool{
			"milliseconds": action.Milliseconds != nil, "selector": action.Selector != nil, "value": action.Value != nil,
			"direction": action.Direction != nil, "amount": action.Amount != nil,
		}
		wanted := actionFields(action.Type)
		for _, field := range []string{"milliseconds", "selector", "value", "direction", "amount"} {
			loc := []any{"body", "actions", i, field}
			switch needed := slices.Contains(wanted, field); {
			case needed && !given[field]:
				faults = append(faults, problem.Fault{Loc: loc, Msg: "is required for " + action.Type, Type: problem.FaultMissing})
			case !needed && given[field]:
				faults = append(faults, problem.Fault{Loc: loc, Msg: "does not belong to " + action.Type, Type: problem.FaultUnknown})
			}
		}
		if action.Selector != nil && slices.Contains(wanted, "selector") {
			if err := selector.CheckSyntax(*action.Selector); err != nil { // the browser matches it
				faults = append(faults, problem.Fault{Loc: []any{"body", "actions", i, "selector"}, Msg: err.Error(), Type: problem.FaultInvalid})
			}
		}
	}
	return faults
}

// checkBrowsing finds faults in the browser options, whether or not there is a browser.
func (w *requestOptions) checkBrowsing() []problem.Fault {
	var faults []problem.Fault
	if needs := w.needs(); w.Render == page.RenderNever && len(needs) > 0 {
		faults = append(faults, problem.BodyFault("render", "must not be never: "+strings.Join(needs, ", ")+" cannot work without a browser"))
	}
	if w.waits() > waitsMax {
		faults = append(faults, problem.BodyFault("actions", fmt.Sprintf(
			"the waits, including wait_before_scraping, may add up to at most %d milliseconds", waitsMax.Milliseconds())))
	}
	return faults
}

// extraction returns how to make JSON of the page: a parser or a task for a model.
func (w *requestOptions) extraction() (parser string, task *extraction.Task, faults []problem.Fault) {
	if len(w.Parser) > 0 {
		if parser = w.Parser.ID(); parser == "" || len(parser) > page.ParserIDBytesMax {
			faults = append(faults, problem.BodyFault("parser", fmt.Sprintf("must be a parser's id of 1 to %d bytes, or an object that contains it", page.ParserIDBytesMax)))
		}
	}
	if m := w.LLMExtract; m != nil {
		if (m.Prompt == "") == (len(m.Schema) == 0) {
			faults = append(faults, problem.BodyFault("llm_extract", "must have either schema or prompt"))
		}
		task = &extraction.Task{Schema: json.RawMessage(m.Schema), Prompt: m.Prompt}
		if len(w.Parser) > 0 {
			faults = append(faults, problem.BodyFault("llm_extract", "cannot be combined with parser: both produce json_content"))
		}
	}
	if slices.Contains(w.Formats, page.FormatJSON) && len(w.Parser) == 0 && w.LLMExtract == nil {
		faults = append(faults, problem.BodyFault("formats", "json requires parser or llm_extract, which define its content"))
	}
	return parser, task, faults
}

// able refuses what the engines of this installation cannot do, and resolves the version of a parser. Nothing is left
// out silently: a client that paid for a screenshot wants one.
func (e *Engine) able(ctx context.Context, teamID string, p *plan) error {
	if p.needsBrowser() && !e.hasBrowser() {
		what := "render: always"
		if len(p.needs) > 0 {
			what = strings.Join(p.needs, ", ")
		}
		return failure.NoBrowser(what, nil)
	}
	if p.parser != "" {
		if e.config.Parsers == nil {
			return notConfigured("parser engine", "parser")
		}
		var err error
		if p.parser, err = e.config.Parsers.Resolve(ctx, teamID, p.parser); err != nil {
			return problem.From(err)
		}
	}
	if p.task != nil {
		if e.config.Extractor == nil {
			return notConfigured("language model", "llm_extract")
		}
		if err := e.config.Extractor.Check(*p.task); err != nil {
			return problem.From(err)
		}
	}
	return nil
}

func notConfigured(provider, what string) error {
	return problem.New(problem.ProviderNotConfigured, "This installation has no "+provider+", which "+what+
		" requires. Omit it, or ask the operator to configure one.")
}
