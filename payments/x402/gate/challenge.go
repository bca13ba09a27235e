package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/siwx"
)

// writeChallenge refuses a request and says how it can be paid, in both versions at once. receipt is that of a failed
// settlement, or nil.
func (v *visit) writeChallenge(why *x402.Refusal, receipt *x402.Receipt) error {
	w, reqs := v.w, v.reqs
	v1 := x402.ChallengeV1{X402Version: x402.Version1, Error: why.Code, Message: why.Message, Accepts: []x402.RequirementsV1{}}
	v2 := x402.ChallengeV2{X402Version: x402.Version2, Error: why.Code}
	var err error
	if v2.Extensions, err = v.extensions(); err != nil {
		return err
	}
	for i := range reqs {
		if i == 0 {
			v2.Resource = x402.ResourceV2{URL: reqs[i].Resource, Description: reqs[i].Description, MimeType: reqs[i].MimeType}
		}
		if reqs[i].Network.Name != "" && !v.identifierRequired() {
			terms := reqs[i].V1()
			terms.OutputSchema = v.offer.OutputSchema
			v1.Accepts = append(v1.Accepts, terms)
		}
		v2.Accepts = append(v2.Accepts, reqs[i].V2())
	}
	header, err := v2.Header(v.offer.Bazaar)
	if err != nil {
		return fmt.Errorf("encoding challenge: %w", err)
	}
	w.Header().Set(x402.HeaderRequired, header)
	if why.RetryAfter > 0 {
		seconds := (why.RetryAfter + time.Second - 1) / time.Second
		w.Header().Set(x402.HeaderRetryAfter, strconv.FormatInt(int64(seconds), 10))
	}
	body, err := v1.Encode()
	if err != nil {
		return err
	}
	return x402.WriteBody(w, why.Status(), body, receipt)
}

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
