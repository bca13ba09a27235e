package price

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Amount is the price of a rule: a fixed number of units, a CEL expression, a quote from the upstream for each request,
// or free. In JSON it is a number, a string with a CEL expression, or the string "quote" or "free". Its zero value is
// no amount; [Rule.Validate] refuses it.
type Amount struct {
	kind  amountKind
	units int64
	expr  string
}

type amountKind uint8

const (
	amountNone amountKind = iota
	amountFixed
	amountExpression
	amountFree
	amountQuoted
)

// The words for amounts in documents and Caddyfiles.
const (
	freeWord  = "free"
	quoteWord = "quote"
)

// Fixed is an amount of units: credits, or millionths of a USDC.
func Fixed(units int64) Amount { return Amount{kind: amountFixed, units: units} }

// Expression is an amount that a CEL expression computes from the request.
func Expression(cel string) Amount { return Amount{kind: amountExpression, expr: cel} }

// Free is no price: the request passes unpaid.
func Free() Amount { return Amount{kind: amountFree} }

// Quoted is an amount that the upstream quotes for each request: see [Quoter]. It is for prices that the request alone
// does not determine, such as the number of items in a file that was uploaded before.
func Quoted() Amount { return Amount{kind: amountQuoted} }

// IsFree reports whether the amount is [Free].
func (a Amount) IsFree() bool { return a.kind == amountFree }

// IsQuoted reports whether the amount is [Quoted].
func (a Amount) IsQuoted() bool { return a.kind == amountQuoted }

// Units returns a fixed amount and true, or false for any other kind.
func (a Amount) Units() (int64, bool) { return a.units, a.kind == amountFixed }

// String returns the amount as it stands in a document, without quotes.
func (a Amount) String() string {
	switch a.kind {
	case amountFixed:
		return strconv.FormatInt(a.units, 10)
	case amountExpression:
		return a.expr
	case amountFree:
		return freeWord
	case amountQuoted:
		return quoteWord
	case amountNone:
	}
	return ""
}

// MarshalJSON writes a number for a fixed amount and a string for any other.
func (a Amount) MarshalJSON() ([]byte, error) {
	switch a.kind {
	case amountFixed:
		return strconv.AppendInt(nil, a.units, 10), nil
	case amountExpression, amountFree, amountQuoted:
		return json.Marshal(a.String())
	case amountNone:
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads an integer, "free", "quote", or an expression.
func (a *Amount) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return errors.New("price: got nothing")
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return fmt.Errorf("price: %w", err)
		}
		switch s {
		case freeWord:
			*a = Free()
		case quoteWord:
			*a = Quoted()
		default:
			*a = Expression(s)
		}
		return nil
	}
	units, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return fmt.Errorf("price: got %s, want an integer, a CEL expression in quotes, %q or %q", data, quoteWord, freeWord)
	}
	*a = Fixed(units)
	return nil
}
