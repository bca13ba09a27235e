package x402

import (
	"encoding/json"
	"fmt"
	"maps"
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
		all[extensionIdentifier] = json.RawMessage(identifierRequired)
	case !cfg.NoIdentifiers:
		all[extensionIdentifier] = json.RawMessage(identifierOptional)
	}
	if !cfg.NoSignIns {
		signIn, err := v.offerSignIn()
		if err != nil {
			return nil, fmt.Errorf("offering to sign in: %w", err)
		}
		all[extensionSignIn] = signIn
	}
	return all, nil
}

// identifierRequired reports whether payments must have an identifier. Version 1 has no place for one, so nothing is
// then offered for version 1.
func (v *visit) identifierRequired() bool {
	return v.offer.IdentifierRequired && !v.gate.cfg.NoIdentifiers
}
