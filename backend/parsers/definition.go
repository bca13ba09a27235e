package parsers

import (
	"github.com/danielgtaylor/huma/v2"
)

// Definition is a parser as its author writes it. The type only documents requests: rules.Compile reads them, because
// encoding/json would report only the first fault.
type Definition struct {
	Name        string           `json:"name" doc:"The name of the parser: 1 to 64 lower-case letters, digits, hyphens and underscores." example:"shop-item"`
	Description string           `json:"description,omitempty" doc:"A description of the parser, for users."`
	Schema      map[string]any   `json:"schema" doc:"The JSON Schema (draft 2020-12) of the result, which is an object."`
	Fields      map[string]Field `json:"fields" doc:"The fields of the result by name: up to 200 in total, nested up to 8 levels deep."`
}

// Field says where a value of the result comes from. See docs/parsers.md.
type Field struct {
	CSS        string           `json:"css,omitempty" doc:"Source: the elements that a CSS selector matches."`
	XPath      string           `json:"xpath,omitempty" doc:"Source: the nodes that an XPath 1.0 expression selects."`
	JSONLD     *ItemSource      `json:"json_ld,omitempty" doc:"Source: items that the page describes in JSON-LD."`
	Microdata  *ItemSource      `json:"microdata,omitempty" doc:"Source: items that the page describes in microdata."`
	RDFa       *ItemSource      `json:"rdfa,omitempty" doc:"Source: items that the page describes in RDFa."`
	Structured *ItemSource      `json:"structured,omitempty" doc:"Source: items in JSON-LD, microdata or RDFa, whichever is the first of these to have one."`
	Meta       string           `json:"meta,omitempty" doc:"Source: the content of meta elements with this name, property, itemprop or http-equiv."`
	Table      *TableSource     `json:"table,omitempty" doc:"Source: the rows of a data table."`
	Label      string           `json:"label,omitempty" doc:"Source: the value beside a visible label, in a definition list, a table or a line such as Weight: 2 kg."`
	Page       string           `json:"page,omitempty" enum:"url,title,description,language,canonical_url,published_at,modified_at,author,site_name,image,type,text,markdown,html" doc:"Source: a property of the whole page."`
	Path       string           `json:"path,omitempty" doc:"Source within the fields of a json_ld, microdata, rdfa or structured field: a property. Dots separate nested properties."`
	Column     string           `json:"column,omitempty" doc:"Source within the fields of a table field: the cell of a column, given by its header or by its index from 0."`
	Const      any              `json:"const,omitempty" doc:"Source: this constant value."`
	Any        []Field          `json:"any,omitempty" nullable:"false" doc:"Source: the first of these fields that finds a value."`
	Attr       string           `json:"attr,omitempty" doc:"The attribute of the element to take instead of its text."`
	Take       string           `json:"take,omitempty" enum:"text,lines,html,outer_html" doc:"The part of the element to take. Default: text, in one line."`
	All        bool             `json:"all,omitempty" doc:"Whether to take all matches, as a list, instead of the first."`
	Fields     map[string]Field `json:"fields,omitempty" doc:"Turns each match into an object with these fields, whose sources search within the match."`
	Transforms []any            `json:"transforms,omitempty" nullable:"false" doc:"The transforms to apply to the value, in order."`
	Default    any              `json:"default,omitempty" doc:"The value to use if nothing is found."`
	Required   bool             `json:"required,omitempty" doc:"Whether a value is required. Without one, the object that contains the field counts as not found."`
}

// ItemSource finds items in structured data.
type ItemSource struct {
	Type string `json:"type,omitempty" doc:"The type of the item, without a prefix." example:"Product"`
	Path string `json:"path,omitempty" doc:"The property to take. Dots separate nested properties." example:"offers.price"`
}

// TableSource finds a data table: the first that meets all conditions.
type TableSource struct {
	Caption string   `json:"caption,omitempty" doc:"Text that the caption of the table contains."`
	Header  []string `json:"header,omitempty" nullable:"false" doc:"Texts that the column headers of the table contain."`
	Index   int      `json:"index,omitempty" doc:"The index of the table among those that match, from 0."`
}

// definitionInput is a definition as it was sent.
type definitionInput []byte

// UnmarshalJSON keeps the bytes that were sent; rules.Compile reads them.
func (d *definitionInput) UnmarshalJSON(data []byte) error {
	*d = append(definitionInput(nil), data...)
	return nil
}

// MarshalJSON writes the bytes that were sent.
func (d definitionInput) MarshalJSON() ([]byte, error) {
	if len(d) == 0 {
		return []byte("null"), nil
	}
	return d, nil
}

// Schema documents a definition.
func (definitionInput) Schema(r huma.Registry) *huma.Schema { return schemaRef[Definition](r) }
