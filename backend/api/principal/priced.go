package principal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// QuoteObject is the object of a Quote.
const QuoteObject = "quote"

// Quote is the response to a dry run.
type Quote struct {
	Object  string        `json:"object" enum:"quote" doc:"Tells a quote from the response to the request itself."`
	Credits money.Credits `json:"credits" doc:"The price of the request for a subscriber, in credits."`
	// USD is exact: an integer number of millionths written as a decimal.
	USD json.Number `json:"usd" doc:"The price in US dollars: what a wallet would pay, or the credits at 0.001 USD each."`
}

// Priced is the response of a priced creation: the resource or, with `?dry_run=true`, the quote.
type Priced[T any] struct {
	Result *T
	Quote  *Quote
}

// MarshalJSON writes the quote or the result. It does not escape HTML, because pages are mostly markup and responses
// are never HTML.
func (p Priced[T]) MarshalJSON() ([]byte, error) {
	var value any = p.Result
	if p.Quote != nil {
		value = p.Quote
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.Bytes(), err
}

// Schema documents both forms, which are told apart by their object.
func (Priced[T]) Schema(r huma.Registry) *huma.Schema {
	s := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: "object", Mapping: map[string]string{}}}
	for _, form := range []reflect.Type{reflect.TypeFor[T](), reflect.TypeFor[Quote]()} {
		ref := r.Schema(form, true, "")
		s.OneOf = append(s.OneOf, ref)
		if kind := r.SchemaFromRef(ref.Ref).Properties["object"]; kind != nil && len(kind.Enum) == 1 {
			s.Discriminator.Mapping[fmt.Sprint(kind.Enum[0])] = ref.Ref
		}
	}
	return s
}

// TransformSchema documents usd as a number. The default for a json.Number is a string.
func (Quote) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["usd"].Type = huma.TypeNumber
	return s
}
