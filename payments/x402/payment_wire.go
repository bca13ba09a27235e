package x402

import (
	"encoding/hex"
	"encoding/json"
)

// The payment header's JSON for encoding. [jsonReader] decodes it.

// WireAuthorization is an [Authorization] in the JSON of a payment.
type WireAuthorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// Payload is the signed part of a payment in JSON.
type Payload struct {
	Signature     string             `json:"signature"`
	Authorization *WireAuthorization `json:"authorization"`
}

// PaymentV1 is the JSON of a version 1 payment.
type PaymentV1 struct {
	X402Version int      `json:"x402Version"`
	Scheme      string   `json:"scheme"`
	Network     string   `json:"network"`
	Payload     *Payload `json:"payload"`
}

// PaymentV2 omits the resource: it is not signed, so it is not read.
type PaymentV2 struct {
	X402Version int                        `json:"x402Version"`
	Accepted    *RequirementsV2            `json:"accepted"`
	Payload     *Payload                   `json:"payload"`
	Extensions  map[string]json.RawMessage `json:"extensions,omitempty"`
}

var (
	authorizationNames = []string{"from", "to", "value", "validAfter", "validBefore", "nonce"}
	payloadNames       = []string{"signature", "authorization"}
	paymentV1Names     = []string{"x402Version", "scheme", "network", "payload"}
	paymentV2Names     = []string{"x402Version", "accepted", "payload", "extensions"}
	requirementsNames  = []string{"scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds", "extra"}
	domainNames        = []string{"name", "version"}
)

func (*WireAuthorization) names() []string { return authorizationNames }
func (*Payload) names() []string           { return payloadNames }
func (*PaymentV1) names() []string         { return paymentV1Names }
func (*PaymentV2) names() []string         { return paymentV2Names }
func (*RequirementsV2) names() []string    { return requirementsNames }
func (*tokenDomain) names() []string       { return domainNames }

func (a *WireAuthorization) member(name string) any {
	switch name {
	case "from":
		return &a.From
	case "to":
		return &a.To
	case "value":
		return &a.Value
	case "validAfter":
		return &a.ValidAfter
	case "validBefore":
		return &a.ValidBefore
	case "nonce":
		return &a.Nonce
	}
	return nil
}

func (p *Payload) member(name string) any {
	switch name {
	case "signature":
		return &p.Signature
	case "authorization":
		return &p.Authorization
	}
	return nil
}

func (p *PaymentV1) member(name string) any {
	switch name {
	case "x402Version":
		return &p.X402Version
	case "scheme":
		return &p.Scheme
	case "network":
		return &p.Network
	case "payload":
		return &p.Payload
	}
	return nil
}

func (p *PaymentV2) member(name string) any {
	switch name {
	case "x402Version":
		return &p.X402Version
	case "accepted":
		return &p.Accepted
	case "payload":
		return &p.Payload
	case "extensions":
		return &p.Extensions
	}
	return nil
}

func (r *RequirementsV2) member(name string) any {
	switch name {
	case "scheme":
		return &r.Scheme
	case "network":
		return &r.Network
	case "amount":
		return &r.Amount
	case "asset":
		return &r.Asset
	case "payTo":
		return &r.PayTo
	case "maxTimeoutSeconds":
		return &r.MaxTimeoutSeconds
	case "extra":
		return &r.Extra
	}
	return nil
}

func (d *tokenDomain) member(name string) any {
	switch name {
	case "name":
		return &d.Name
	case "version":
		return &d.Version
	}
	return nil
}

// Wire returns the authorisation as it is written in JSON.
func (a *Authorization) Wire() *WireAuthorization {
	return &WireAuthorization{
		From:        a.From.Hex(),
		To:          a.To.Hex(),
		Value:       a.Value.Units(),
		ValidAfter:  a.ValidAfter.String(),
		ValidBefore: a.ValidBefore.String(),
		Nonce:       "0x" + hex.EncodeToString(a.Nonce[:]),
	}
}
