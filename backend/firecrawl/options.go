package firecrawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// Options are the options of a page, which scrape and batch/scrape take beside their own fields, and others as
// scrapeOptions.
type Options struct {
	Formats            []format  `json:"formats,omitempty"`
	OnlyMainContent    *bool     `json:"onlyMainContent,omitempty"`
	ExcludeTags        []string  `json:"excludeTags,omitempty"`
	WaitFor            int       `json:"waitFor,omitempty"`
	Timeout            int64     `json:"timeout,omitempty"`
	Mobile             bool      `json:"mobile,omitempty"`
	Actions            []action  `json:"actions,omitempty"`
	Location           *location `json:"location,omitempty"`
	Parsers            *[]parser `json:"parsers,omitempty"`
	Proxy              string    `json:"proxy,omitempty"`
	MaxAge             *int64    `json:"maxAge,omitempty"`
	RemoveBase64Images *bool     `json:"removeBase64Images,omitempty"`
	FastMode           bool      `json:"fastMode,omitempty"`
	StoreInCache       *bool     `json:"storeInCache,omitempty"`
}

// format is a wanted output.
type format struct {
	Type     string           `json:"type"`
	Prompt   string           `json:"prompt"`
	Schema   page.SchemaInput `json:"schema"`
	FullPage bool             `json:"fullPage"`
	Viewport *viewport        `json:"viewport"`
}

type viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

type location struct {
	Country string `json:"country"`
}

// parser is a reader of files.
type parser struct {
	Type string `json:"type"`
	Mode string `json:"mode"`
}

// action is a step in a browser.
type action struct {
	Type         string `json:"type"`
	Milliseconds *int   `json:"milliseconds,omitempty"`
	Selector     string `json:"selector,omitempty"`
	Text         string `json:"text,omitempty"`
	Direction    string `json:"direction"`
	// These belong to actions that are refused.
	All, FullPage, Key, Script, Format, Landscape, Scale json.RawMessage
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
			f.Type = "screenshot"
		case "json", "summary":
			add(page.FormatJSON)
			if out.LLMExtract != nil {
				faults = append(faults, fault("formats", "only one of json and summary is possible in a request"))
				continue
			}
			llm, err := extraction(f.Schema, f.Prompt)
			if f.Type == "summary" {
				llm, err = &page.LLMInput{Prompt: summaryPrompt}, nil
			}
			if err != nil {
				faults = append(faults, fault("formats", "json "+err.Error()))
			}
			out.LLMExtract = llm
		default:
			faults = append(faults, fault("formats", fmt.Sprintf(
				"%.40q is not available here: the formats are markdown, html, rawHtml, links, images, screenshot, json and summary%s", f.Type, insteadOf[f.Type])))
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
		case a.Type == "click" && a.Selector != "" && len(a.All) == 0:
			out = append(out, page.Action{Type: "click", Selector: &a.Selector})
		case a.Type == "click":
			no(i, "click needs a selector, and has one target")
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
