package x402

import (
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Terms are what payments are compared with, without any lookup.
type Terms struct {
	// Offers are our own quotes, one per network.
	Offers []Requirements
	// Settle and UpstreamTimeout determine how long a payment must still be valid.
	Settle          price.Settle
	UpstreamTimeout time.Duration
}

// VerifyLocally makes all checks of a request's payment headers that need neither chain nor store: shape, network,
// quote, times, and the payer's signature. It returns the payment and the quote that it pays, both nil if there is no
// payment.
//
// It makes the gate's own checks in one function for benchmarks: at least 0.85 as fast as the digest and the signer
// recovery alone.
func VerifyLocally(h http.Header, terms *Terms, now time.Time) (*Payment, *Requirements, *Refusal) {
	p, refusal := ReadPayment(h)
	if p == nil || refusal != nil {
		return nil, nil, refusal
	}
	req, refusal := MatchRequirements(p, terms.Offers)
	if refusal != nil {
		return nil, nil, refusal
	}
	p.Hash()
	if refusal := terms.Check(p, req, now); refusal != nil {
		return nil, nil, refusal
	}
	if !p.SignedByPayer(req.Network) {
		return nil, nil, RefuseSignature()
	}
	return p, req, nil
}

// Check compares a payment with the quote and the clock.
func (t *Terms) Check(p *Payment, req *Requirements, now time.Time) *Refusal {
	if refusal := CheckMatch(p, req); refusal != nil {
		return refusal
	}
	return CheckTimes(p, now, t.Settle, t.UpstreamTimeout)
}

// RefuseSignature returns the refusal of a payment that its payer has not signed.
func RefuseSignature() *Refusal { return Refuse(CodeSignature, "the signature is not the payer's") }
