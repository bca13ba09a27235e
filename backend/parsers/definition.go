package parsers

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Definition is a parser as its author writes it. The type only documents requests: compile reads them, because
// encoding/json would report only the first fault.
type Definition struct {
	Name        string           `json:"name" doc:"What to call it: 1 to 64 lower-case letters, digits, hyphens and underscores." example:"shop-item"`
	Description string           `json:"description,omitempty" doc:"What it is for, for people."`
	Schema      map[string]any   `json:"schema" doc:"A JSON Schema (draft 2020-12) of the result, which is an object."`
	Fields      map[string]Field `json:"fields" doc:"The result's fields by name. Up to 200 in all, nested up to 8 deep."`
}

// Field says where a value of the result comes from. See docs/parsers.md.
type Field struct {
	CSS        string           `json:"css,omitempty" doc:"Source: the elements that a CSS selector matches."`
	XPath      string           `json:"xpath,omitempty" doc:"Source: what an XPath 1.0 expression selects."`
	JSONLD     *ItemSource      `json:"json_ld,omitempty" doc:"Source: things that the page describes in JSON-LD."`
	Microdata  *ItemSource      `json:"microdata,omitempty" doc:"Source: things that the page describes in microdata."`
	RDFa       *ItemSource      `json:"rdfa,omitempty" doc:"Source: things that the page describes in RDFa."`
	Structured *ItemSource      `json:"structured,omitempty" doc:"Source: the same in whichever of JSON-LD, microdata and RDFa has it, in this order."`
	Meta       string           `json:"meta,omitempty" doc:"Source: the content of meta elements with this name, property, itemprop or http-equiv."`
	Table      *TableSource     `json:"table,omitempty" doc:"Source: the rows of a data table."`
	Label      string           `json:"label,omitempty" doc:"Source: the value beside a visible label, in a definition list, a table or a line such as Weight: 2 kg."`
	Page       string           `json:"page,omitempty" enum:"url,title,description,language,canonical_url,published_at,modified_at,author,site_name,image,type,text,markdown,html" doc:"Source: what is known of the page as a whole."`
	Path       string           `json:"path,omitempty" doc:"Source within the fields of a json_ld, microdata, rdfa or structured field: a property, with dots for those of its values."`
	Column     string           `json:"column,omitempty" doc:"Source within the fields of a table field: the cell of a column, by its header or, from 0, its number."`
	Const      any              `json:"const,omitempty" doc:"Source: this value."`
	Any        []Field          `json:"any,omitempty" nullable:"false" doc:"Source: the first of these that finds something."`
	Attr       string           `json:"attr,omitempty" doc:"Take this attribute of an element, rather than its text."`
	Take       string           `json:"take,omitempty" enum:"text,lines,html,outer_html" doc:"What to take of an element. Default: text, in one line."`
	All        bool             `json:"all,omitempty" doc:"Take all that is found, as a list, rather than the first."`
	Fields     map[string]Field `json:"fields,omitempty" doc:"Make an object of what is found, with these fields, whose sources look within it."`
	Transforms []any            `json:"transforms,omitempty" nullable:"false" doc:"What to do with the value, in order."`
	Default    any              `json:"default,omitempty" doc:"The value where nothing is found."`
	Required   bool             `json:"required,omitempty" doc:"Without it, the object that it belongs to counts as not found."`
}

// ItemSource finds items in structured data.
type ItemSource struct {
	Type string `json:"type,omitempty" doc:"The thing's type, without a prefix." example:"Product"`
	Path string `json:"path,omitempty" doc:"The property to take, with dots for those of its values." example:"offers.price"`
}

// TableSource finds a data table: the first that meets all conditions.
type TableSource struct {
	Caption string   `json:"caption,omitempty" doc:"Text in the table's caption."`
	Header  []string `json:"header,omitempty" nullable:"false" doc:"Text of columns' headers."`
	Index   int      `json:"index,omitempty" doc:"Which of those that fit, from 0."`
}

// definitionInput is a definition as it was sent.
type definitionInput []byte

// UnmarshalJSON keeps the bytes that were sent; compile reads them.
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

// canonical is the canonical JSON of a definition, by which equal definitions are recognized.
func canonical(raw []byte) ([]byte, error) {
	value, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
