package gate

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/siwx"
)

const (
	// signInKept is how long a used message is remembered after it expires, because the clocks of edges differ.
	signInKept = 10 * time.Minute

	// signInsPerUnverified is how many sign-ins of ordinary wallets are allowed for each unverified payment that is
	// allowed. A sign-in costs a signature recovery and an index lookup, and stock clients sign in before each
	// purchase.
	signInsPerUnverified = 10
)

// serveSignedIn answers a request that has a sign-in but no payment: with the response that the wallet has paid for, or
// with the challenge.
func (g *Gate) serveSignedIn(v *visit, header []string) error {
	now := g.cfg.Now()
	s, refusal := siwx.Read(header)
	if refusal == nil {
		refusal = s.Check(v.offer.Resource, v.reqs, now)
	}
	if refusal != nil {
		return v.refuseSignIn(refusal)
	}
	asked := claims.Purchaser{Payer: s.Account.Hex(), RequestHash: v.requestHash}
	digest := siwx.Digest(s.Text())
	if x402.SignedBy(s.Account, digest, s.Signature) {
		if wait := g.signIns.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
			return v.refuseSignIn(x402.Refuse(x402.CodeSignInVerifier, "too many sign-ins have come from this address: try again later").Again(wait))
		}
	} else {
		// The wallet may be a contract, and a contract exists on one network only.
		if refusal := g.askWallet(v, s, digest, now); refusal != nil {
			return v.refuseSignIn(refusal)
		}
		asked.Network = s.Network.ID()
	}
	return g.answerSignedIn(v, s, asked, now)
}

// askWallet asks the wallet's contract to verify the signature.
func (g *Gate) askWallet(v *visit, s *siwx.Message, digest common.Hash, now time.Time) *x402.Refusal {
	sigVerifier, ok := g.cfg.Facilitator.(x402.SignatureVerifier)
	if !ok {
		return x402.Refuse(x402.CodeSignInSignature, "the signature is not by the wallet's key, and contracts cannot be called here")
	}
	if wait := g.unverified.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
		return x402.Refuse(x402.CodeSignInVerifier, "the signature is not by the wallet's key, and it was not checked whether the wallet is a contract "+
			"that accepts it: too many such sign-ins have come from this address, try again later").Again(wait)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), g.cfg.VerifyTimeout)
	defer cancel()
	stands, err := sigVerifier.VerifySignature(ctx, s.Network, s.Account, digest, s.Signature)
	switch {
	case errors.Is(err, x402.ErrNoVerifier):
		return x402.Refuse(x402.CodeSignInSignature, "the signature is not by the wallet's key, and contracts cannot be called here")
	case err != nil:
		g.cfg.Logger.Warn("x402 sign-in not verified", "network", s.Network.ID(), "error", err)
		return x402.Refuse(x402.CodeSignInVerifier, "the signature is not by the wallet's key, and its contract could not be called: try again later").
			Again(x402.RetryAfterSeconds * time.Second)
	case !stands:
		return x402.Refuse(x402.CodeSignInSignature, "the wallet has not signed this message: want the text of EIP-4361 with the fields of this header, signed by EIP-191")
	}
	return nil
}

// answerSignedIn answers a wallet whose signature is verified. Only a delivered response uses up the sign-in, so that
// nobody can fill the store with sign-ins of wallets that have bought nothing.
func (g *Gate) answerSignedIn(v *visit, s *siwx.Message, asked claims.Purchaser, now time.Time) error {
	looking, cancel := g.decision(v.r.Context())
	rec, err := g.cfg.Store.FindAnswer(looking, asked, now)
	cancel()
	switch {
	case errors.Is(err, claims.ErrNotFound):
		return v.refuseSignIn(x402.Refuse(x402.CodeSignInNothing,
			"no response that this wallet has paid for is stored for this request: it costs %s USDC", v.offer.Amount))
	case err != nil:
		return unavailable("looking for what the wallet has paid for", err)
	case !rec.ResponseKept || !rec.State.Paid():
		// It must not pay again for a response that is still in progress.
		return v.conflict(x402.CodeInProgress, "this wallet's payment for this request is still being processed: repeat it later; it is not charged twice")
	}
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	err = g.cfg.Store.UseSignIn(ctx, asked.Payer, s.Nonce, s.Expires.Add(signInKept))
	if errors.Is(err, claims.ErrSignInUsed) {
		return v.refuseSignIn(x402.Refuse(x402.CodeSignInNonce, "this sign-in was used before: sign the challenge of this response"))
	}
	if err != nil {
		return unavailable("using the sign-in", err)
	}
	return g.replayPaid(v, rec)
}

// refuseSignIn asks for a payment, and says why the sign-in gave no response.
func (v *visit) refuseSignIn(why *x402.Refusal) error {
	v.gate.cfg.Observer.Challenged()
	return v.writeChallenge(why, nil)
}
