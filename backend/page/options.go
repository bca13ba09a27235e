package page

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

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
	Formats            []Format       `json:"formats,omitempty" minItems:"1" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"The formats to return. Default: html and markdown. parser and llm_extract imply json; screenshot implies screenshot."`
	WaitBeforeScraping int            `json:"wait_before_scraping,omitempty" minimum:"0" maximum:"60000" doc:"The time to wait in a browser, in milliseconds, in addition to the time limit. At most 60,000 together with the waits of all actions. More than 0 requires a browser."`
	RemoveCSSSelectors SelectorsInput `json:"remove_css_selectors,omitempty"`
	RemoveImages       bool           `json:"remove_images,omitempty" doc:"Whether to remove images."`
	RemoveClassNames   []string       `json:"remove_class_names,omitempty" maxItems:"200" nullable:"false" doc:"The classes of elements to remove."`
	Transformer        string         `json:"transformer,omitempty" enum:"none,postlight" doc:"postlight keeps only the main content, and removes from it only what remove_css_selectors selects. Default: none."`
	LinksOnPage        *LinksInput    `json:"links_on_page,omitempty" doc:"Also returns the page's links."`
	Render             string         `json:"render,omitempty" enum:"auto,never,always" doc:"Whether to use a browser. auto (the default) uses one if the page needs scripts to show its content, or if the request requires one."`
	Actions            []Action       `json:"actions,omitempty" maxItems:"100" nullable:"false" doc:"The actions to perform on the page before it is read, in order. Requires a browser."`
	Country            string         `json:"country,omitempty" doc:"The country to fetch from: a two-letter ISO 3166-1 code, such as DE, or RANDOM. Requires a proxy provider."`
	Parser             ParserInput    `json:"parser,omitempty"`
	LLMExtract         *LLMInput      `json:"llm_extract,omitempty" doc:"Extracts structured data into json_content: give schema or prompt. Without a language model, a schema is filled from the page's own labels, and a prompt is refused."`
	ScreenSize         *ScreenSize    `json:"screen_size,omitempty" doc:"The size of the browser's window. Requires a browser."`
	Screenshot         *Screenshot    `json:"screenshot,omitempty" doc:"Takes a screenshot, with these options. Requires a browser."`
}

// Action is one step in a browser. The engine checks which fields belong to which type, with clearer messages than a schema
// of alternatives can give.
type Action struct {
	Type         string  `json:"type" enum:"wait,click,fill_input,scroll"`
	Milliseconds *int    `json:"milliseconds,omitempty" minimum:"0" maximum:"60000" doc:"For wait: the time to wait."`
	Selector     *string `json:"selector,omitempty" minLength:"1" maxLength:"1000" doc:"For click and fill_input: a CSS selector."`
	Value        *string `json:"value,omitempty" maxLength:"10000" doc:"For fill_input: the text to enter."`
	Direction    *string `json:"direction,omitempty" enum:"up,down,left,right" doc:"For scroll: the direction."`
	Amount       *int    `json:"amount,omitempty" minimum:"1" maximum:"100000" doc:"For scroll: the distance in pixels."`
}

// LinksInput says which links to return, and in which order.
type LinksInput struct {
	AbsoluteLinks *bool    `json:"absolute_links,omitempty" doc:"Whether links are absolute (default) or as written in the page."`
	OrderBy       string   `json:"query_to_order_links_by,omitempty" maxLength:"500" doc:"A query by which the links are ordered, the most relevant first. Default: the order on the page."`
	Include       []string `json:"include_links,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the paths or whole URLs to include; ** also matches slashes. Default: all."`
	Exclude       []string `json:"exclude_links,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the paths or whole URLs to exclude. Exclusion takes precedence."`
}

// LLMInput asks a language model for structured data.
type LLMInput struct {
	Schema SchemaInput `json:"schema,omitempty"`
	Prompt string      `json:"prompt,omitempty" maxLength:"10000" doc:"A description of the data to extract."`
}

// ScreenSize is the size of the browser's window: a type, or numbers, which take precedence.
type ScreenSize struct {
	ScreenType   string `json:"screen_type,omitempty" enum:"default,mobile,desktop" doc:"default is 1024×768, mobile 414×896, desktop 1920×1080."`
	ScreenWidth  int    `json:"screen_width,omitempty" minimum:"1" maximum:"8192" doc:"The width in CSS pixels, instead of the type's."`
	ScreenHeight int    `json:"screen_height,omitempty" minimum:"1" maximum:"8192" doc:"The height in CSS pixels, instead of the type's."`
}

// Screenshot says how a screenshot is taken.
type Screenshot struct {
	FullPage bool `json:"full_page,omitempty" doc:"Whether to capture the whole page, up to 16,384 pixels high, instead of the visible part."`
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
		Description: `CSS selectors of elements to remove: "default" (navigation, headers, footers, dialogs, scripts), "none", ` +
			`or a list. The list may also be a string with a JSON list.`,
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

// Schema documents both forms. Each is a component, because generators name what is written in place after the field, and
// the name parser is that of a resource.
func (ParserInput) Schema(r huma.Registry) *huma.Schema {
	id := &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(ParserIDBytesMax), Description: "The parser's id, such as @turnpike/article."}
	id.PrecomputeMessages()
	const name = "PageParserID"
	r.Map()[name] = id
	object := r.Schema(reflect.TypeFor[ParserReference](), true, "")
	object.Description = "An object with the parser's id."
	return &huma.Schema{
		Description: "The parser that turns the page into JSON: its id, or an object with its id. The result is in json_content.",
		OneOf:       []*huma.Schema{object, {Ref: "#/components/schemas/" + name, Description: id.Description}},
	}
}

// ParserReference is the form of a ParserInput that is an object.
type ParserReference struct {
	ID string `json:"id" minLength:"1" maxLength:"200" doc:"The parser's id, such as @turnpike/article."`
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
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "The JSON Schema of the result. Its root must be an object."}
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
