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

// The extension payment-identifier: the payer calls its purchase by a name, and is
// charged for it once, however often and with whatever payments it asks.

const extensionIdentifier = "payment-identifier"

// The lengths of an identifier.
const (
	IdentifierMin = 16
	IdentifierMax = 128
)

const identifierSchema = `{"type":"object","properties":{"required":{"type":"boolean"},` +
	`"id":{"type":"string","minLength":16,"maxLength":128,"pattern":"^[a-zA-Z0-9_-]+$"}},"required":["required"]}`

// Challenges carry one of these.
const (
	identifierOptional = `{"info":{"required":false},"schema":` + identifierSchema + `}`
	identifierRequired = `{"info":{"required":true},"schema":` + identifierSchema + `}`
)

// ValidIdentifier reports whether a purchase can be called so: 16 to 128 letters,
// digits, hyphens and underscores.
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

// wireIdentifier is the extension in a payment. Clients echo what the challenge says,
// so it may be there without an identifier.
type wireIdentifier struct{ info *identifierInfo }

// identifierInfo is without required: what the payer thinks of that is no matter.
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

// identifier returns what the payer calls its purchase by; empty if it does not.
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

// identify finds the payment's identifier.
func (v *visit) identify() *Refusal {
	if v.gate.cfg.NoIdentifiers {
		return nil
	}
	var refusal *Refusal
	if v.identifier, refusal = v.payment.identifier(); refusal != nil {
		return refusal
	}
	if v.offer.IdentifierRequired && v.identifier == "" {
		return refuse(CodePayload, "extensions.%s.info.id is missing: this wants a payment of version 2 with an identifier of the purchase, "+
			"%d to %d letters, digits, hyphens and underscores", extensionIdentifier, IdentifierMin, IdentifierMax)
	}
	return nil
}

func (v *visit) identity() Identity {
	return Identity{Network: v.key.Network, Payer: v.key.Payer, Identifier: v.identifier}
}

// answerIdentified answers a payment whose identifier is another's, once it is certain
// that it is the payer's: a stranger learns nothing of what a wallet has bought.
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
		case rec.Key == v.key: // the same payment has been claimed in the meantime
			return false, nil
		case !v.buysAgain(&rec):
			return true, v.conflict(CodeIdentifierUsed, "this payment identifier is that of another purchase: use a new one for each")
		}
		if again, err := g.answerHolder(v, rec); !again {
			return true, err
		}
	}
}

// buysAgain reports whether the visit is for what the claim was for, at its price. Method, address
// and body are in the hash.
func (v *visit) buysAgain(rec *Record) bool {
	return rec.RequestHash == v.requestHash && rec.Amount == v.req.Amount &&
		rec.PayTo == v.req.PayTo.Hex() && rec.Key.Asset == v.key.Asset
}

// answerHolder answers from the claim that has the visit's identifier. It reports
// again if that has come to nothing, so that this payment may be taken.
func (g *Gate) answerHolder(v *visit, rec Record) (again bool, err error) {
	id := rec.ID
	rec, waited, err := g.await(v, rec)
	switch {
	case err != nil:
		return false, g.answerWaiting(v, err)
	case rec.ID != id: // its payment was released and is used for something else
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

// WithIdentifier returns a context for the requests of one purchase. Where the seller
// understands it, all payments that a [Buyer] signs for them carry the identifier, and
// no more than one of them is charged. The identifier must be new for each purchase: see
// [Buyer.NewIdentifier].
func WithIdentifier(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, identifierKey{}, id)
}

func identifierOf(ctx context.Context) string {
	id, _ := ctx.Value(identifierKey{}).(string)
	return id
}

// NewIdentifier draws an identifier for one purchase.
func (b *Buyer) NewIdentifier() (string, error) {
	var random [16]byte
	if _, err := io.ReadFull(b.cfg.Random, random[:]); err != nil {
		return "", fmt.Errorf("drawing an identifier: %w", err)
	}
	return "pay_" + hex.EncodeToString(random[:]), nil
}

// identify puts the purchase's identifier into the extensions that are echoed, where
// the challenge has a place for one. What else the server says there is left as it is.
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

// withMember returns an object in which the member at a path of names is value, and
// false if one of the objects on the path is not there.
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
