package x402

import (
	"encoding/json"
)

// Extension payment-identifier: the payer names its purchase, and is charged once for it, whatever the number of
// requests and payments that carry the name.

// ExtensionIdentifier is the name of the extension payment-identifier.
const ExtensionIdentifier = "payment-identifier"

// Length limits of an identifier.
const (
	IdentifierMin = 16
	IdentifierMax = 128
)

const identifierSchema = `{"type":"object","properties":{"required":{"type":"boolean"},` +
	`"id":{"type":"string","minLength":16,"maxLength":128,"pattern":"^[a-zA-Z0-9_-]+$"}},"required":["required"]}`

// A challenge has one of these.
const (
	IdentifierOptional = `{"info":{"required":false},"schema":` + identifierSchema + `}`
	IdentifierRequired = `{"info":{"required":true},"schema":` + identifierSchema + `}`
)

// ValidIdentifier reports whether id is a valid identifier: 16 to 128 letters, digits, hyphens and underscores.
func ValidIdentifier(id string) bool {
	if len(id) < IdentifierMin || len(id) > IdentifierMax {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// wireIdentifier is the extension in a payment. Clients echo the challenge's extension, so it may have no identifier.
type wireIdentifier struct{ info *identifierInfo }

// identifierInfo omits required: the client's value of it does not matter.
type identifierInfo struct{ id json.RawMessage }

var (
	identifierNames     = []string{"info"}
	identifierInfoNames = []string{"id"}
)

func (*wireIdentifier) names() []string { return identifierNames }
func (*identifierInfo) names() []string { return identifierInfoNames }

func (w *wireIdentifier) member(name string) any {
	if name == "info" {
		return &w.info
	}
	return nil
}

func (i *identifierInfo) member(name string) any {
	if name == "id" {
		return &i.id
	}
	return nil
}

// Identifier returns the payer's identifier of the purchase, or "" if there is none.
func (p *Payment) Identifier() (string, *Refusal) {
	raw := p.Extension(ExtensionIdentifier)
	if raw == nil {
		return "", nil
	}
	var wire wireIdentifier
	if fault := readJSON(string(raw), &wire); fault != nil {
		return "", Refuse(CodePayload, "extensions.%s: %s", ExtensionIdentifier, fault)
	}
	if wire.info == nil || wire.info.id == nil || string(wire.info.id) == "null" {
		return "", nil
	}
	var id string
	if json.Unmarshal(wire.info.id, &id) != nil {
		return "", Refuse(CodePayload, "extensions.%s.info.id is %s: want a string", ExtensionIdentifier, Clip(string(wire.info.id)))
	}
	if !ValidIdentifier(id) {
		return "", Refuse(CodePayload, "extensions.%s.info.id is %q, of %d characters: want %d to %d letters, digits, hyphens and underscores",
			ExtensionIdentifier, Clip(id), len(id), IdentifierMin, IdentifierMax)
	}
	return id, nil
}
