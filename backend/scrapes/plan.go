package scrapes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/metadata"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

// plan is a request, checked and with its defaults filled in.
type plan struct {
	url      fetch.URL
	session  *fetch.Session // made before the work is claimed: a country that cannot be had costs nothing
	formats  []Format
	options  extract.Options
	links    *linkFilter // nil: not asked for
	render   string
	metadata map[string]string
}

// plan checks r. All faults of the request are reported before what this
// installation cannot do: the caller mends the one and asks us for the other.
func (r *Request) plan() (*plan, error) {
	p := &plan{formats: r.Formats, render: r.Render}
	if p.render == "" {
		p.render = RenderAuto
	}
	if len(p.formats) == 0 {
		p.formats = []Format{FormatHTML, FormatMarkdown}
	}
	var faults []problem.Fault
	var err error
	if p.url, err = fetch.ParseURL(r.URL); err != nil {
		faults = append(faults, problem.BodyFault("url_to_scrape", innermost(err)))
	}
	selectors, fault := r.RemoveCSSSelectors.read()
	faults = append(faults, fault...)
	faults = append(faults, checkClassNames(r.RemoveClassNames)...)
	faults = append(faults, checkActions(r.Actions)...)
	faults = append(faults, r.checkEngines()...)
	if r.LinksOnPage != nil {
		p.links, fault = newLinkFilter(r.LinksOnPage)
		faults = append(faults, fault...)
	}
	p.options = extract.Options{
		RemoveSelectors: selectors, RemoveClassNames: r.RemoveClassNames, RemoveImages: r.RemoveImages,
		Transformer: extract.Transformer(r.Transformer),
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	if p.metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	return p, r.unavailable()
}

// read returns the selectors to remove: nil for the default ones.
func (s SelectorsInput) read() ([]string, []problem.Fault) {
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

// actionFields are the fields that each type of action has, and must have.
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

func checkActions(actions []Action) []problem.Fault {
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
			if err := extract.CheckSelectors([]string{*action.Selector}); err != nil {
				faults = append(faults, problem.Fault{Loc: []any{"body", "actions", i, "selector"}, Msg: err.Error(), Type: problem.FaultInvalid})
			}
		}
	}
	return faults
}

// checkEngines finds faults in fields that are for engines, whether or not the
// engine is there.
func (r *Request) checkEngines() []problem.Fault {
	var faults []problem.Fault
	if r.Country != "" && !isCountry(r.Country) {
		faults = append(faults, problem.BodyFault("country", "must be an ISO 3166-1 alpha-2 code such as DE, or RANDOM"))
	}
	if m := r.LLMExtract; m != nil && (m.Prompt == "") == (len(m.Schema) == 0) {
		faults = append(faults, problem.BodyFault("llm_extract", "must have either schema or prompt"))
	}
	if slices.Contains(r.Formats, FormatJSON) && len(r.Parser) == 0 && r.LLMExtract == nil {
		faults = append(faults, problem.BodyFault("formats", "json needs parser or llm_extract, which say what it should hold"))
	}
	return faults
}

// unavailable refuses what needs an engine that this installation has not got.
// Nothing is left out silently: a caller who paid for a screenshot wants one.
func (r *Request) unavailable() error {
	for _, lack := range []struct {
		asked bool
		what  string
	}{
		{slices.Contains(r.Formats, FormatScreenshot), "the format screenshot"},
		{slices.Contains(r.Formats, FormatRawPDF), "the format raw_pdf"},
		{r.Render == RenderAlways, "render: always"},
		{len(r.Actions) > 0, "actions"},
		{r.WaitBeforeScraping > 0, "wait_before_scraping"},
		{r.ScreenSize != nil, "screen_size"},
		{r.Screenshot != nil, "screenshot"},
	} {
		if lack.asked {
			return problem.New(problem.RendererUnavailable, "This installation has no browser, which "+lack.what+
				" needs. Leave it out to get the page as the server sends it.")
		}
	}
	for _, lack := range []struct {
		asked          bool
		what, provider string
	}{
		{r.LLMExtract != nil, "llm_extract", "language model"},
		{len(r.Parser) > 0, "parser", "parser engine"},
	} {
		if lack.asked {
			return problem.New(problem.ProviderNotConfigured, "This installation has no "+lack.provider+", which "+lack.what+
				" needs. Leave it out, or ask the operator to configure one.")
		}
	}
	return nil
}
