package gate

import (
	"errors"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// identify reads and checks the payment's identifier.
func (v *visit) identify() *x402.Refusal {
	if v.gate.cfg.NoIdentifiers {
		return nil
	}
	var refusal *x402.Refusal
	if v.identifier, refusal = v.payment.Identifier(); refusal != nil {
		return refusal
	}
	if v.offer.IdentifierRequired && v.identifier == "" {
		return x402.Refuse(x402.CodePayload, "extensions.%s.info.id is missing: this resource requires a version 2 payment with an identifier of the purchase, "+
			"%d to %d letters, digits, hyphens and underscores", x402.ExtensionIdentifier, x402.IdentifierMin, x402.IdentifierMax)
	}
	return nil
}

func (v *visit) identity() claims.Identity {
	return claims.Identity{Network: v.key.Network, Payer: v.key.Payer, Identifier: v.identifier}
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
		case errors.Is(err, claims.ErrNotFound):
			return false, nil
		case err != nil:
			return true, unavailable("looking for the purchase", err)
		case rec.Key == v.key: // this payment was claimed in the meantime
			return false, nil
		case !v.buysAgain(&rec):
			return true, v.conflict(x402.CodeIdentifierUsed, "this payment identifier belongs to another purchase: use a new one for each purchase")
		}
		if again, err := g.answerHolder(v, rec); !again {
			return true, err
		}
	}
}

// buysAgain reports whether the request is the one that the claim was for, at the same price. The hash covers method,
// address and body.
func (v *visit) buysAgain(rec *claims.Record) bool {
	return rec.RequestHash == v.requestHash && rec.Amount == v.req.Amount &&
		rec.PayTo == v.req.PayTo.Hex() && rec.Key.Asset == v.key.Asset
}

// answerHolder answers from the claim that has the identifier. again reports that nothing was charged for that claim,
// so this payment may be claimed.
func (g *Gate) answerHolder(v *visit, rec claims.Record) (again bool, err error) {
	id := rec.ID
	rec, waited, err := g.await(v, rec)
	switch {
	case err != nil:
		return false, g.answerWaiting(v, err)
	case rec.ID != id: // its payment was released, and then used for another request
		return true, nil
	case rec.State == claims.StateReleased && waited && rec.Reason != "":
		return false, g.answerFailedRun(v, rec)
	case !rec.Identified(g.cfg.Now()):
		return true, nil
	case runnable(&rec):
		return g.runSettled(v, rec)
	}
	return false, g.replay(v, rec)
}
