package gate

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/siwx"
)

// extensions are what the challenge says beyond its terms: the offer's extensions and the gate's own.
func (v *visit) extensions() (map[string]json.RawMessage, error) {
	cfg := &v.gate.cfg
	if cfg.NoIdentifiers && cfg.NoSignIns {
		return v.offer.Extensions, nil
	}
	all := make(map[string]json.RawMessage, len(v.offer.Extensions)+2)
	maps.Copy(all, v.offer.Extensions)
	switch {
	case v.identifierRequired():
		all[x402.ExtensionIdentifier] = json.RawMessage(x402.IdentifierRequired)
	case !cfg.NoIdentifiers:
		all[x402.ExtensionIdentifier] = json.RawMessage(x402.IdentifierOptional)
	}
	if !cfg.NoSignIns {
		signIn, err := siwx.Offer(v.offer.Resource, v.reqs, v.gate.cfg.Now())
		if err != nil {
			return nil, fmt.Errorf("offering to sign in: %w", err)
		}
		all[siwx.Extension] = signIn
	}
	return all, nil
}

// IdentifierRequired reports whether payments must have an identifier. Version 1 has no place for one, so nothing is
// then offered for version 1.
func (v *visit) identifierRequired() bool {
	return v.offer.IdentifierRequired && !v.gate.cfg.NoIdentifiers
}
