package firecrawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// Options are the options of a page, which scrape and batch/scrape take beside their own fields, and others as
// scrapeOptions.
type Options struct {
	Formats            []format  `json:"formats,omitempty"`
	OnlyMainContent    *bool     `json:"onlyMainContent,omitempty"`
	ExcludeTags        []string  `json:"excludeTags,omitempty" maxItems:"200"`
	WaitFor            int       `json:"waitFor,omitempty" minimum:"0" maximum:"60000"`
	Timeout            int64     `json:"timeout,omitempty" minimum:"0"`
	Mobile             bool      `json:"mobile,omitempty"`
	Actions            []action  `json:"actions,omitempty" maxItems:"50"`
	Location           *location `json:"location,omitempty"`
	Parsers            *[]parser `json:"parsers,omitempty"`
	Proxy              string    `json:"proxy,omitempty"`
	MaxAge             *int64    `json:"maxAge,omitempty" minimum:"0"`
	RemoveBase64Images *bool     `json:"removeBase64Images,omitempty"`
	FastMode           bool      `json:"fastMode,omitempty"`
	StoreInCache       *bool     `json:"storeInCache,omitempty"`

	SkipTLSVerification ignored `json:"skipTlsVerification,omitempty"`
	BlockAds            ignored `json:"blockAds,omitempty"`
	ToolDetail          ignored `json:"toolDetail,omitempty"`

	IncludeTags          absent `json:"includeTags,omitempty" refuse:"use onlyMainContent and excludeTags, or the format json with a schema"`
	Headers              absent `json:"headers,omitempty" refuse:"requests to pages have the headers of this service only"`
	MinAge               absent `json:"minAge,omitempty" refuse:"a page is never read from a store alone"`
	Lockdown             absent `json:"lockdown,omitempty" refuse:"a page is never read from a store alone"`
	UseMock              absent `json:"useMock,omitempty" refuse:"there are no recorded pages"`
	RedactPII            absent `json:"redactPII,omitempty" refuse:"personal data is not recognized"`
	CheckPromptInjection absent `json:"checkPromptInjection,omitempty" refuse:"pages are not checked for it"`
	ThreatProtection     absent `json:"threatProtection,omitempty" refuse:"hosts have no ratings; private addresses are always refused"`
	AuditMetadata        absent `json:"auditMetadata,omitempty" refuse:"there is no audit log"`
	Profile              absent `json:"profile,omitempty" refuse:"browsers keep no state between scrapes"`
	DomainTools          absent `json:"domainTools,omitempty" refuse:"there are no data providers"`
	ZeroDataRetention    absent `json:"zeroDataRetention,omitempty" refuse:"results are kept for seven days"`

	Sender
}

// Sender says which client sends a request. It changes nothing.
type Sender struct {
	Integration ignored `json:"integration,omitempty"`
	Origin      ignored `json:"origin,omitempty"`
}

// format is a wanted output: its name, or an object with its type.
type format struct {
	Type     string           `json:"type"`
	Prompt   string           `json:"prompt"`
	Wanted   page.SchemaInput `json:"schema"`
	FullPage bool             `json:"fullPage"`
	Quality  json.RawMessage  `json:"quality"`
	Viewport *viewport        `json:"viewport"`
}

type viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// UnmarshalJSON reads both forms.
func (f *format) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &f.Type); err == nil {
		return nil
	}
	type object format
	return strict(data, (*object)(f), "format")
}

// Schema accepts any value, which UnmarshalJSON checks.
func (format) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// strict decodes a JSON object into v and refuses unknown fields that ask for something.
func strict(data []byte, v any, what string) error {
	var members map[string]json.RawMessage
	err := json.Unmarshal(data, &members)
	for name, value := range members {
		var a absent
		if _ = a.UnmarshalJSON(value); !bool(a) {
			delete(members, name)
		}
	}
	if data, err = json.Marshal(members); err == nil {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(v)
	}
	if err != nil {
		return fmt.Errorf("this %s is not available here: %s", what, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

type location struct {
	Country   string `json:"country,omitempty"`
	Languages absent `json:"languages,omitempty" refuse:"a browser's languages cannot be set"`
}

// parser is a reader of files: its name, or an object with its type.
type parser struct {
	Type string `json:"type"`
	Mode string `json:"mode"`
}

// UnmarshalJSON reads both forms.
func (p *parser) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &p.Type); err == nil {
		return nil
	}
	type object parser
	return strict(data, (*object)(p), "parser")
}

// Schema accepts any value, which UnmarshalJSON checks.
func (parser) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// action is a step in a browser.
type action struct {
	Type         string  `json:"type"`
	Milliseconds *int    `json:"milliseconds,omitempty" minimum:"0" maximum:"60000"`
	Selector     string  `json:"selector,omitempty"`
	Text         string  `json:"text,omitempty"`
	Direction    string  `json:"direction,omitempty" enum:"up,down"`
	All          absent  `json:"all,omitempty" refuse:"a click has one target"`
	FullPage     ignored `json:"fullPage,omitempty"`
	Quality      ignored `json:"quality,omitempty"`
	Viewport     ignored `json:"viewport,omitempty"`
	Key          ignored `json:"key,omitempty"`
	Script       ignored `json:"script,omitempty"`
	Format       ignored `json:"format,omitempty"`
	Landscape    ignored `json:"landscape,omitempty"`
	Scale        ignored `json:"scale,omitempty"`
}

// wants are the names of the outputs that a document has.
type wants []string

func (w wants) has(name string) bool { return slices.Contains(w, name) }

const (
	// summaryPrompt asks a language model for the format summary.
	summaryPrompt = `Summarize the content of the page in at most 150 words, in its language. Return {"summary": "..."}.`
	// scrollPixels is how far an action scrolls: about a window's height.
	scrollPixels = 700
	// timeLimitMs is how long a page may take at most, without the requested waits.
	timeLimitMs = 60_000
)

// page returns o as the features take it, and the wanted outputs. at is the field that has the options, "" for the body
// itself.
func (o *Options) page(at string) (page.Options, wants, []problem.Fault) {
	out := page.Options{WaitBeforeScraping: o.WaitFor}
	w, faults := o.formats(&out)
	main := o.OnlyMainContent == nil || *o.OnlyMainContent
	whole := len(o.ExcludeTags) == 0 && !main
	switch {
	case w.has("rawHtml") && !whole && (w.has("markdown") || w.has("html") || w.has("images") || len(o.ExcludeTags) > 0):
		faults = append(faults, fault("formats", "rawHtml is the whole page, so it needs onlyMainContent: false and no excludeTags beside other formats: a page is read once"))
	case w.has("rawHtml"):
		main = false
	}
	if main {
		out.Transformer = "postlight"
	}
	switch {
	case len(o.ExcludeTags) > 0:
		out.RemoveCSSSelectors, _ = json.Marshal(o.ExcludeTags) // strings cannot fail
	case !main:
		out.RemoveCSSSelectors = page.SelectorsInput(`"none"`)
	}
	if o.Mobile {
		if out.ScreenSize != nil {
			faults = append(faults, fault("mobile", "cannot be combined with the viewport of a screenshot"))
		}
		out.ScreenSize = &page.ScreenSize{ScreenType: "mobile"}
	}
	if o.FastMode {
		out.Render = page.RenderNever
	}
	if o.Location != nil {
		out.Country = o.Location.Country
	}
	var more []problem.Fault
	out.Actions, more = actionsOf(o.Actions)
	faults = append(faults, more...)
	faults = append(faults, o.others()...)
	for i := range faults {
		if at != "" {
			faults[i].Loc = slices.Insert(faults[i].Loc, 1, any(at))
		}
	}
	return out, w, faults
}

// formats sets the formats of out, and returns the wanted outputs. Without formats it is markdown.
func (o *Options) formats(out *page.Options) (wants, []problem.Fault) {
	var w wants
	var faults []problem.Fault
	add := func(f page.Format) {
		if !slices.Contains(out.Formats, f) {
			out.Formats = append(out.Formats, f)
		}
	}
	given := o.Formats
	if len(given) == 0 {
		given = []format{{Type: "markdown"}}
	}
	for _, f := range given {
		switch f.Type {
		case "markdown":
			add(page.FormatMarkdown)
		case "html", "rawHtml", "images":
			add(page.FormatHTML)
		case "links":
			out.LinksOnPage = &page.LinksInput{}
		case "screenshot", "screenshot@fullPage":
			add(page.FormatScreenshot)
			out.Screenshot = &page.Screenshot{FullPage: f.FullPage || f.Type != "screenshot"}
			if f.Viewport != nil {
				out.ScreenSize = &page.ScreenSize{ScreenWidth: f.Viewport.Width, ScreenHeight: f.Viewport.Height}
			}
			if len(f.Quality) > 0 {
				faults = append(faults, fault("formats", "screenshot has no quality: it is a PNG"))
			}
			f.Type = "screenshot"
		case "json", "summary":
			add(page.FormatJSON)
			if out.LLMExtract != nil {
				faults = append(faults, fault("formats", "only one of json and summary is possible in a request"))
				continue
			}
			llm, err := extraction(f.Wanted, f.Prompt)
			if f.Type == "summary" {
				llm, err = &page.LLMInput{Prompt: summaryPrompt}, nil
			}
			if err != nil {
				faults = append(faults, fault("formats", "json "+err.Error()))
			}
			out.LLMExtract = llm
		default:
			faults = append(faults, fault("formats", fmt.Sprintf("%.40q is not available here: the formats are markdown, html, rawHtml, links, images, screenshot, json and summary%s", f.Type, insteadOf[f.Type])))
		}
		if !w.has(f.Type) {
			w = append(w, f.Type)
		}
	}
	if len(out.Formats) == 0 { // links alone
		add(page.FormatMarkdown)
	}
	return w, faults
}

// insteadOf says what to use in place of a format that is not available.
var insteadOf = map[string]string{
	"changeTracking": "; /v2/monitor compares a page with its last run",
	"question":       "; use json with a prompt",
	"query":          "; use json with a prompt",
	"highlights":     "; use json with a prompt",
	"attributes":     "; use json with a schema",
	"product":        "; use json with a schema",
}

// extraction returns what a language model is asked for. A prompt beside a schema becomes the schema's description.
func extraction(schema page.SchemaInput, prompt string) (*page.LLMInput, error) {
	switch {
	case len(schema) == 0 && prompt == "":
		return nil, errors.New("needs a schema or a prompt")
	case len(schema) == 0 || prompt == "":
		return &page.LLMInput{Schema: schema, Prompt: prompt}, nil
	}
	text := bytes.TrimSpace(schema)
	if len(text) < 2 || text[0] != '{' || !json.Valid(text) {
		return nil, errors.New("has a schema that is no object")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object["description"] != nil {
		return nil, errors.New("has a prompt and a schema with a description: put the prompt into the description")
	}
	said, _ := json.Marshal(prompt) // a string cannot fail
	described := `{"description":` + string(said)
	if len(object) > 0 {
		described += ","
	}
	return &page.LLMInput{Schema: page.SchemaInput(described + string(text[1:]))}, nil
}

// actionsOf returns steps as the features take them. Text is written into the element that the step before has clicked.
func actionsOf(given []action) (out []page.Action, faults []problem.Fault) {
	no := func(i int, msg string) {
		faults = append(faults, problem.Fault{Loc: []any{"body", "actions", i}, Msg: msg, Type: problem.FaultInvalid})
	}
	for i, a := range given {
		switch {
		case a.Type == "wait" && a.Milliseconds != nil && a.Selector == "":
			out = append(out, page.Action{Type: "wait", Milliseconds: a.Milliseconds})
		case a.Type == "wait":
			no(i, "wait needs milliseconds: waiting for a selector is not available here")
		case a.Type == "click" && a.Selector != "":
			out = append(out, page.Action{Type: "click", Selector: &a.Selector})
		case a.Type == "click":
			no(i, "click needs a selector")
		case a.Type == "write" && i > 0 && given[i-1].Type == "click" && given[i-1].Selector != "":
			out[len(out)-1] = page.Action{Type: "fill_input", Selector: &given[i-1].Selector, Value: &a.Text}
		case a.Type == "write":
			no(i, "write must follow a click on the element to write into")
		case a.Type == "scroll" && a.Selector == "":
			direction := a.Direction
			if direction == "" {
				direction = "down"
			}
			out = append(out, page.Action{Type: "scroll", Direction: &direction, Amount: new(scrollPixels)})
		case a.Type == "scroll":
			no(i, "scroll moves the window: a selector is not available here")
		case a.Type == "screenshot":
			no(i, "screenshot is not available as an action: use the format screenshot, taken after all actions")
		default:
			no(i, fmt.Sprintf("%.40q is not available here: the actions are wait, click, write and scroll", a.Type))
		}
	}
	return out, faults
}

// others returns the faults of fields that only one value is available for.
func (o *Options) others() []problem.Fault {
	var faults []problem.Fault
	if o.Parsers != nil {
		if len(*o.Parsers) == 0 {
			faults = append(faults, fault("parsers", "an empty list, for a PDF as base64, is not available here: omit it, and PDF files become text"))
		}
		for _, p := range *o.Parsers {
			if p.Type != "pdf" || p.Mode == "ocr" {
				faults = append(faults, fault("parsers", "only pdf is available here, without OCR"))
			}
		}
	}
	if !slices.Contains([]string{"", "basic", "auto"}, o.Proxy) {
		faults = append(faults, fault("proxy", "only basic and auto are available here"))
	}
	if o.RemoveBase64Images != nil && !*o.RemoveBase64Images {
		faults = append(faults, fault("removeBase64Images", "must be true: images in the page's own text are always removed"))
	}
	if o.StoreInCache != nil && !*o.StoreInCache {
		faults = append(faults, fault("storeInCache", "must be true: results are kept for seven days, for your team alone"))
	}
	return faults
}

// jobFaults are the faults of options of pages that are read in the background, where no client waits for them.
func (o *Options) jobFaults(at string) []problem.Fault {
	if o.Timeout > 0 && o.Timeout < timeLimitMs {
		return []problem.Fault{fault(at+".timeout", fmt.Sprintf("must be at least %d: a page in the background has that time", timeLimitMs))}
	}
	return nil
}
