package page

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
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

// Formats returns all formats.
func Formats() []Format {
	return []Format{FormatHTML, FormatMarkdown, FormatText, FormatJSON, FormatRawPDF, FormatScreenshot}
}

// IsText reports whether content in f is text, which responses may contain, and not a file.
func (f Format) IsText() bool { return f != FormatRawPDF && f != FormatScreenshot }

// Schema lists the formats.
func (Format) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, format := range Formats() {
		s.Enum = append(s.Enum, string(format))
	}
	return s
}

// The values of Options.Render.
const (
	RenderAuto   = "auto"
	RenderNever  = "never"
	RenderAlways = "always"
)

// URLCharsMax is the maximum length of a page's URL, in characters.
const URLCharsMax = 8192

// Options describe the requested content of a page. Optional numbers are pointers if absent and zero differ. The limits in
// the tags are checked on HTTP requests before they get here; the engine checks the rest.
type Options struct {
	Formats            []Format       `json:"formats,omitempty" minItems:"1" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"What to return. Default: html, markdown. parser and llm_extract imply json, screenshot implies screenshot."`
	WaitBeforeScraping int            `json:"wait_before_scraping,omitempty" minimum:"0" maximum:"60000" doc:"Milliseconds to wait in a browser, on top of the time limit; with all waits of actions 60,000 at most. More than 0 needs a browser."`
	RemoveCSSSelectors SelectorsInput `json:"remove_css_selectors,omitempty"`
	RemoveImages       bool           `json:"remove_images,omitempty" doc:"Leave images out."`
	RemoveClassNames   []string       `json:"remove_class_names,omitempty" maxItems:"200" nullable:"false" doc:"Classes whose elements are left out."`
	Transformer        string         `json:"transformer,omitempty" enum:"none,postlight" doc:"postlight keeps the main content only, and removes of it just what remove_css_selectors names. Default: none."`
	LinksOnPage        *LinksInput    `json:"links_on_page,omitempty" doc:"Asks for the page's links, too."`
	Render             string         `json:"render,omitempty" enum:"auto,never,always" doc:"Whether a browser may be used. auto (the default) uses one where the page is a shell for scripts, or the request needs it."`
	Actions            []Action       `json:"actions,omitempty" maxItems:"100" nullable:"false" doc:"What to do on the page before it is read, in order. Needs a browser."`
	Country            string         `json:"country,omitempty" doc:"Where to fetch from: a country by its two letters of ISO 3166-1, such as DE, or RANDOM. Needs a proxy provider."`
	Parser             ParserInput    `json:"parser,omitempty"`
	LLMExtract         *LLMInput      `json:"llm_extract,omitempty" doc:"Structured data in json_content: give schema or prompt. Without a model, a schema is filled from what the page labels itself, and a prompt is refused."`
	ScreenSize         *ScreenSize    `json:"screen_size,omitempty" doc:"The browser's window. Needs a browser."`
	Screenshot         *Screenshot    `json:"screenshot,omitempty" doc:"Takes a screenshot, and says how. Needs a browser."`
}

// Action is one step in a browser. The engine checks which fields belong to which type, with clearer messages than a schema
// of alternatives can give.
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
	Schema SchemaInput `json:"schema,omitempty"`
	Prompt string      `json:"prompt,omitempty" maxLength:"10000" doc:"What to extract, in words."`
}

// ScreenSize is the size of the browser's window: a type, or numbers, which take precedence.
type ScreenSize struct {
	ScreenType   string `json:"screen_type,omitempty" enum:"default,mobile,desktop" doc:"default is 1024×768, mobile 414×896, desktop 1920×1080."`
	ScreenWidth  int    `json:"screen_width,omitempty" minimum:"1" maximum:"8192" doc:"CSS pixels, in place of the type's."`
	ScreenHeight int    `json:"screen_height,omitempty" minimum:"1" maximum:"8192" doc:"CSS pixels, in place of the type's."`
}

// Screenshot says how a screenshot is taken.
type Screenshot struct {
	FullPage bool `json:"full_page,omitempty" doc:"The whole page, up to 16,384 pixels high, in place of what the window shows."`
}

// SelectorsInput is remove_css_selectors as sent: a word, a list, or a string that contains a list.
type SelectorsInput []byte

// UnmarshalJSON keeps what was sent; the engine parses it.
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
			{Type: huma.TypeString, Description: `"default", "none" or a JSON list in a string`},
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, Description: "A list of CSS selectors."},
		},
	}
}

// ParserIDBytesMax is longer than any parser's ID.
const ParserIDBytesMax = 200

// ParserInput is parser as sent: an object with an ID, or only the ID.
type ParserInput []byte

// UnmarshalJSON keeps what was sent; ID parses it.
func (p *ParserInput) UnmarshalJSON(data []byte) error {
	*p = orNothing(data)
	return nil
}

// MarshalJSON writes what was sent.
func (p ParserInput) MarshalJSON() ([]byte, error) { return orNull(p), nil }

// ID returns the parser's ID, or "" if there is none.
func (p ParserInput) ID() string {
	var text string
	if json.Unmarshal(p, &text) == nil {
		return text
	}
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(p, &object) != nil {
		return ""
	}
	return object.ID
}

// Schema documents both forms.
func (ParserInput) Schema(huma.Registry) *huma.Schema {
	id := &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(ParserIDBytesMax), Description: "The parser's id, such as @turnpike/article."}
	object := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"id": id}, Required: []string{"id"}, AdditionalProperties: false,
		Description: "An object with the parser's id.",
	}
	object.PrecomputeMessages()
	id.PrecomputeMessages()
	return &huma.Schema{
		Description: "A parser that turns the page into JSON: its id, or an object with it. The result is in json_content.",
		OneOf:       []*huma.Schema{object, id},
	}
}

// SchemaInput is a JSON Schema as sent: the order of its properties is that of the result.
type SchemaInput []byte

// UnmarshalJSON keeps what was sent; the engine parses it.
func (s *SchemaInput) UnmarshalJSON(data []byte) error {
	*s = orNothing(data)
	return nil
}

// MarshalJSON writes what was sent.
func (s SchemaInput) MarshalJSON() ([]byte, error) { return orNull(s), nil }

// Schema documents that it is an object.
func (SchemaInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "A JSON Schema of the result, whose root is an object."}
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// orNothing copies what was sent; null becomes nil.
func orNothing(data []byte) []byte {
	if string(data) == "null" {
		return nil
	}
	return append([]byte(nil), data...)
}
