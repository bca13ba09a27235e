package client

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

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
	if !x402.ValidIdentifier(id) {
		return fmt.Errorf("identifier %q: want %d to %d letters, digits, hyphens and underscores", x402.Clip(id), x402.IdentifierMin, x402.IdentifierMax)
	}
	value, err := json.Marshal(id)
	if err != nil {
		return err
	}
	extensions, ok := withMember(o.extensions, value, x402.ExtensionIdentifier, "info", "id")
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
