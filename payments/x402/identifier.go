package x402

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Extension payment-identifier: the payer names its purchase, and is charged once for it, whatever the number of
// requests and payments that carry the name.

const extensionIdentifier = "payment-identifier"

// Length limits of an identifier.
const (
	IdentifierMin = 16
	IdentifierMax = 128
)

const identifierSchema = `{"type":"object","properties":{"required":{"type":"boolean"},` +
	`"id":{"type":"string","minLength":16,"maxLength":128,"pattern":"^[a-zA-Z0-9_-]+$"}},"required":["required"]}`

// A challenge has one of these.
const (
	identifierOptional = `{"info":{"required":false},"schema":` + identifierSchema + `}`
	identifierRequired = `{"info":{"required":true},"schema":` + identifierSchema + `}`
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

// identifier returns the payer's identifier of the purchase, or "" if there is none.
func (p *Payment) identifier() (string, *Refusal) {
	raw := p.Extension(extensionIdentifier)
	if raw == nil {
		return "", nil
	}
	var wire wireIdentifier
	if fault := readJSON(string(raw), &wire); fault != nil {
		return "", refuse(CodePayload, "extensions.%s: %s", extensionIdentifier, fault)
	}
	if wire.info == nil || wire.info.id == nil || string(wire.info.id) == "null" {
		return "", nil
	}
	var id string
	if json.Unmarshal(wire.info.id, &id) != nil {
		return "", refuse(CodePayload, "extensions.%s.info.id is %s: want a string", extensionIdentifier, clip(string(wire.info.id)))
	}
	if !ValidIdentifier(id) {
		return "", refuse(CodePayload, "extensions.%s.info.id is %q, of %d characters: want %d to %d letters, digits, hyphens and underscores",
			extensionIdentifier, clip(id), len(id), IdentifierMin, IdentifierMax)
	}
	return id, nil
}

// identify reads and checks the payment's identifier.
func (v *visit) identify() *Refusal {
	if v.gate.cfg.NoIdentifiers {
		return nil
	}
	var refusal *Refusal
	if v.identifier, refusal = v.payment.identifier(); refusal != nil {
		return refusal
	}
	if v.offer.IdentifierRequired && v.identifier == "" {
		return refuse(CodePayload, "extensions.%s.info.id is missing: this resource requires a version 2 payment with an identifier of the purchase, "+
			"%d to %d letters, digits, hyphens and underscores", extensionIdentifier, IdentifierMin, IdentifierMax)
	}
	return nil
}

func (v *visit) identity() Identity {
	return Identity{Network: v.key.Network, Payer: v.key.Payer, Identifier: v.identifier}
}

// answerIdentified answers a payment whose identifier belongs to another claim. It first makes sure that the payer has
// signed it, so that strangers do not learn what a wallet has bought.
func (g *Gate) answerIdentified(v *visit) (answered bool, err error) {
	if v.identifier == "" || (!v.approved && !v.payment.SignedByPayer(v.req.Network)) {
		return false, nil
	}
	for {
		rec, err := g.findIdentified(v.r.Context(), v.identity())
		switch {
		case errors.Is(err, ErrNoClaim):
			return false, nil
		case err != nil:
			return true, unavailable("looking for the purchase", err)
		case rec.Key == v.key: // this payment was claimed in the meantime
			return false, nil
		case !v.buysAgain(&rec):
			return true, v.conflict(CodeIdentifierUsed, "this payment identifier belongs to another purchase: use a new one for each purchase")
		}
		if again, err := g.answerHolder(v, rec); !again {
			return true, err
		}
	}
}

// buysAgain reports whether the request is the one that the claim was for, at the same price. The hash covers method,
// address and body.
func (v *visit) buysAgain(rec *Record) bool {
	return rec.RequestHash == v.requestHash && rec.Amount == v.req.Amount &&
		rec.PayTo == v.req.PayTo.Hex() && rec.Key.Asset == v.key.Asset
}

// answerHolder answers from the claim that has the identifier. again reports that nothing was charged for that claim,
// so this payment may be claimed.
func (g *Gate) answerHolder(v *visit, rec Record) (again bool, err error) {
	id := rec.ID
	rec, waited, err := g.await(v, rec)
	switch {
	case err != nil:
		return false, g.answerWaiting(v, err)
	case rec.ID != id: // its payment was released, and then used for another request
		return true, nil
	case rec.State == StateReleased && waited && rec.Reason != "":
		return false, g.answerFailedRun(v, rec)
	case !rec.identified(g.cfg.Now()):
		return true, nil
	case rec.runnable():
		return g.runSettled(v, rec)
	}
	return false, g.replay(v, rec)
}

type identifierKey struct{}

// WithIdentifier returns a context for the requests of one purchase. If the seller supports it, all payments that a
// [Buyer] signs for them carry the identifier, and at most one of them is charged. Each purchase needs a new
// identifier: see [Buyer.NewIdentifier].
func WithIdentifier(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, identifierKey{}, id)
}

func identifierOf(ctx context.Context) string {
	id, _ := ctx.Value(identifierKey{}).(string)
	return id
}

// NewIdentifier generates a random identifier for one purchase.
func (b *Buyer) NewIdentifier() (string, error) {
	var random [16]byte
	if _, err := io.ReadFull(b.cfg.Random, random[:]); err != nil {
		return "", fmt.Errorf("generating an identifier: %w", err)
	}
	return "pay_" + hex.EncodeToString(random[:]), nil
}

// identify sets the purchase's identifier in the echoed extensions if the challenge has a place for it. The server's
// other members stay as they are.
func (b *Buyer) identify(o *offered, challenge *http.Response) error {
	var id string
	if challenge.Request != nil {
		id = identifierOf(challenge.Request.Context())
	}
	if id == "" {
		var err error
		if id, err = b.NewIdentifier(); err != nil {
			return err
		}
	}
	if !ValidIdentifier(id) {
		return fmt.Errorf("identifier %q: want %d to %d letters, digits, hyphens and underscores", clip(id), IdentifierMin, IdentifierMax)
	}
	value, err := json.Marshal(id)
	if err != nil {
		return err
	}
	extensions, ok := withMember(o.extensions, value, extensionIdentifier, "info", "id")
	if ok {
		o.extensions, o.identifier = extensions, id
	}
	return nil
}

// withMember returns the object with the member at the path set to value, and false if an object on the path is
// missing.
func withMember(object, value json.RawMessage, name string, path ...string) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return nil, false
	}
	if len(path) > 0 {
		inner, ok := withMember(members[name], value, path[0], path[1:]...)
		if !ok {
			return nil, false
		}
		value = inner
	}
	members[name] = value
	changed, err := json.Marshal(members)
	return changed, err == nil
}
