package scrapes

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/metadata"
)

// Format is one form of a page's content.
type Format string

// The formats.
const (
	FormatHTML       Format = "html"
	FormatMarkdown   Format = "markdown"
	FormatText       Format = "text"
	FormatJSON       Format = "json"
	FormatRawPDF     Format = "raw_pdf"
	FormatScreenshot Format = "screenshot"
)

// Schema lists the formats.
func (Format) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{
		string(FormatHTML), string(FormatMarkdown), string(FormatText), string(FormatJSON), string(FormatRawPDF), string(FormatScreenshot),
	}}
}

// The values of Request.Render.
const (
	RenderAuto   = "auto"
	RenderNever  = "never"
	RenderAlways = "always"
)

// Request is the body of POST /v1/scrapes. Optional numbers are pointers where
// absent and zero differ.
type Request struct {
	URL                string         `json:"url_to_scrape" minLength:"1" maxLength:"8192" doc:"The page, as an absolute http or https URL." example:"https://example.com/"`
	Formats            []Format       `json:"formats,omitempty" minItems:"1" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"What to return. Default: html, markdown."`
	WaitBeforeScraping int            `json:"wait_before_scraping,omitempty" minimum:"0" maximum:"60000" doc:"Milliseconds to wait in a browser. More than 0 needs a renderer."`
	RemoveCSSSelectors SelectorsInput `json:"remove_css_selectors,omitempty"`
	RemoveImages       bool           `json:"remove_images,omitempty" doc:"Leave images out."`
	RemoveClassNames   []string       `json:"remove_class_names,omitempty" maxItems:"200" nullable:"false" doc:"Classes whose elements are left out."`
	Transformer        string         `json:"transformer,omitempty" enum:"none,postlight" doc:"postlight keeps the main content only, and removes of it just what remove_css_selectors names. Default: none."`
	LinksOnPage        *LinksInput    `json:"links_on_page,omitempty" doc:"Asks for the page's links, too."`
	Render             string         `json:"render,omitempty" enum:"auto,never,always" doc:"Whether a browser may be used. Default: auto. always needs a renderer."`
	Actions            []Action       `json:"actions,omitempty" maxItems:"100" nullable:"false" doc:"What to do on the page before it is read, in order. Needs a renderer."`
	Country            string         `json:"country,omitempty" maxLength:"6" doc:"Where to fetch from: an ISO 3166-1 alpha-2 code, or RANDOM. Needs a proxy provider."`
	Parser             ParserInput    `json:"parser,omitempty"`
	LLMExtract         *LLMInput      `json:"llm_extract,omitempty" doc:"Structured data by a language model: give schema or prompt. Needs a model provider."`
	ScreenSize         *ScreenSize    `json:"screen_size,omitempty" doc:"The browser's window. Needs a renderer."`
	Screenshot         *Screenshot    `json:"screenshot,omitempty" doc:"How to take the screenshot. Needs a renderer."`
	Metadata           metadata.Input `json:"metadata,omitempty"`
}

// Action is one step in a browser. Which of its fields belong to which type is
// checked in Request.plan, with messages that a schema of alternatives cannot give.
type Action struct {
	Type         string  `json:"type" enum:"wait,click,fill_input,scroll"`
	Milliseconds *int    `json:"milliseconds,omitempty" minimum:"0" maximum:"60000" doc:"For wait."`
	Selector     *string `json:"selector,omitempty" minLength:"1" maxLength:"1000" doc:"For click and fill_input: a CSS selector."`
	Value        *string `json:"value,omitempty" maxLength:"10000" doc:"For fill_input."`
	Direction    *string `json:"direction,omitempty" enum:"up,down,left,right" doc:"For scroll."`
	Amount       *int    `json:"amount,omitempty" minimum:"1" maximum:"100000" doc:"For scroll: pixels."`
}

// LinksInput says which links to return, and in which order.
type LinksInput struct {
	AbsoluteLinks *bool    `json:"absolute_links,omitempty" doc:"Whether links are absolute (default) or as written in the page."`
	OrderBy       string   `json:"query_to_order_links_by,omitempty" maxLength:"500" doc:"Words by which the most relevant links come first. Default: the order of the page."`
	Include       []string `json:"include_links,omitempty" maxItems:"100" nullable:"false" doc:"Globs of paths or whole URLs to keep; ** crosses slashes. Default: all."`
	Exclude       []string `json:"exclude_links,omitempty" maxItems:"100" nullable:"false" doc:"Globs to leave out. Exclusion wins."`
}

// LLMInput asks a language model for structured data.
type LLMInput struct {
	Schema map[string]any `json:"schema,omitempty" doc:"A JSON Schema of the result."`
	Prompt string         `json:"prompt,omitempty" maxLength:"10000" doc:"What to extract, in words."`
}

// ScreenSize is the browser's window.
type ScreenSize struct {
	ScreenType   string `json:"screen_type,omitempty" enum:"default,mobile,desktop" doc:"default is 1024×768, mobile 414×896, desktop 1920×1080."`
	ScreenWidth  int    `json:"screen_width,omitempty" minimum:"1" maximum:"10000"`
	ScreenHeight int    `json:"screen_height,omitempty" minimum:"1" maximum:"10000"`
}

// Screenshot says how a screenshot is taken.
type Screenshot struct {
	FullPage bool `json:"full_page,omitempty"`
}

// SelectorsInput is remove_css_selectors as sent: a word, a list, or a string
// that holds a list.
type SelectorsInput []byte

// UnmarshalJSON keeps what was sent; Request.plan reads it.
func (s *SelectorsInput) UnmarshalJSON(data []byte) error {
	*s = orNothing(data)
	return nil
}

// MarshalJSON writes what was sent.
func (s SelectorsInput) MarshalJSON() ([]byte, error) { return orNull(s), nil }

// Schema documents all forms.
func (SelectorsInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: `CSS selectors of what to leave out: "default" (navigation, headers, footers, dialogs, scripts), "none", or a list, also as a string that holds a JSON list.`,
		OneOf: []*huma.Schema{
			{Type: huma.TypeString},
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}},
		},
	}
}

// ParserInput is parser as sent: an object with an id, or the id alone.
type ParserInput []byte

// UnmarshalJSON keeps what was sent; Request.plan reads it.
func (p *ParserInput) UnmarshalJSON(data []byte) error {
	*p = orNothing(data)
	return nil
}

// MarshalJSON writes what was sent.
func (p ParserInput) MarshalJSON() ([]byte, error) { return orNull(p), nil }

// Schema documents both forms.
func (ParserInput) Schema(huma.Registry) *huma.Schema {
	minLength := 1
	id := &huma.Schema{Type: huma.TypeString, MinLength: &minLength}
	object := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"id": id}, Required: []string{"id"}, AdditionalProperties: false,
	}
	object.PrecomputeMessages()
	id.PrecomputeMessages()
	return &huma.Schema{
		Description: "A parser that turns the page into JSON: its id, or an object with it. Needs a parser engine.",
		OneOf:       []*huma.Schema{object, id},
	}
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// orNothing copies what was sent; null is nothing.
func orNothing(data []byte) []byte {
	if string(data) == "null" {
		return nil
	}
	return append([]byte(nil), data...)
}
