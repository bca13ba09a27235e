package caddymodule

import (
	"context"
	"net"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// identify signs the identity of a request and sets its header for the upstream. Without a secret, the upstream gets no
// identity.
func (a *App) identify(r *http.Request, id string, payer edgewire.Payer, q *price.Quote) error {
	identity := request.NewIdentity(r, payer)
	return a.signPaid(r, &identity, id, q)
}

// signPaid signs an identity with what its payer has given for the request.
func (a *App) signPaid(r *http.Request, identity *edgewire.Identity, id string, q *price.Quote) error {
	identity.ID, identity.Unit, identity.Max = id, q.Unit, q.Amount
	if q.Body != nil {
		identity.BodySHA256 = edgewire.HashBody(q.Body)
	}
	return a.sign(r, identity)
}

// identifyClient gives the upstream the client's address for a request that nobody pays for. The upstream cannot trust
// an address that a client claims, and sees only the edge's own address itself.
func (a *App) identifyClient(r *http.Request) error {
	address := request.ClientAddress(r)
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	identity := request.NewIdentity(r, request.AnonymousPayer)
	identity.Client = address
	return a.sign(r, &identity)
}

// sign signs an identity and sets its header for the upstream.
func (a *App) sign(r *http.Request, identity *edgewire.Identity) error {
	if a.signer == nil {
		delete(r.Header, edgewire.IdentityHeader)
		return nil
	}
	signed, err := a.signer.Sign(identity)
	if err != nil {
		return err
	}
	r.Header[edgewire.IdentityHeader] = []string{signed}
	return nil
}

// signQuote signs the identity of a request for a quote. It names the team of the key, if there is one, because a price
// may depend on the team's data.
func (a *App) signQuote(ctx context.Context, identity *edgewire.Identity) (string, error) {
	identity.ID, identity.Payer = uuid.NewString(), request.AnonymousPayer
	if found, ok := caddyhttp.GetVar(ctx, request.AccessVar).(*request.Access); ok && found.Principal != nil {
		identity.Payer = request.TeamPayer(found.Principal)
	}
	return a.signer.Sign(identity)
}

// QuoteSigner returns what signs the identity of a request for a quote, nil if the upstream gets none.
func (a *App) QuoteSigner() func(ctx context.Context, identity *edgewire.Identity) (string, error) {
	if a.signer == nil {
		return nil
	}
	return a.signQuote
}
