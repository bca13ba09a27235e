package request

import (
	"context"
	"net"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Signer signs the identities of requests for the upstream. With a nil signer below, the upstream gets no identity.
type Signer struct{ *edgewire.Signer }

// Identify signs the identity of a request and sets its header for the upstream.
func (s Signer) Identify(r *http.Request, id string, payer edgewire.Payer, q *price.Quote) error {
	identity := NewIdentity(r, payer)
	return s.SignPaid(r, &identity, id, q)
}

// SignPaid signs an identity with what its payer has given for the request.
func (s Signer) SignPaid(r *http.Request, identity *edgewire.Identity, id string, q *price.Quote) error {
	identity.ID, identity.Unit, identity.Max = id, q.Unit, q.Amount
	if q.Body != nil {
		identity.BodySHA256 = edgewire.HashBody(q.Body.Text())
	}
	return s.set(r, identity)
}

// IdentifyClient gives the upstream the client's address for a request that nobody pays for. The upstream cannot trust
// an address that a client claims, and sees only the edge's own address itself.
func (s Signer) IdentifyClient(r *http.Request) error {
	address := ClientAddress(r)
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	identity := NewIdentity(r, AnonymousPayer)
	identity.Client = address
	return s.set(r, &identity)
}

// set signs an identity and sets its header for the upstream.
func (s Signer) set(r *http.Request, identity *edgewire.Identity) error {
	if s.Signer == nil {
		delete(r.Header, edgewire.IdentityHeader)
		return nil
	}
	signed, err := s.Sign(identity)
	if err != nil {
		return err
	}
	r.Header[edgewire.IdentityHeader] = []string{signed}
	return nil
}

// signQuote signs the identity of a request for a quote. It names the team of the key, if there is one, because a price
// may depend on the team's data.
func (s Signer) signQuote(ctx context.Context, identity *edgewire.Identity) (string, error) {
	identity.ID, identity.Payer = uuid.NewString(), AnonymousPayer
	if found, ok := caddyhttp.GetVar(ctx, AccessVar).(*Access); ok && found.Principal != nil {
		identity.Payer = TeamPayer(found.Principal)
	}
	return s.Sign(identity)
}

// ForQuotes returns what signs the identity of a request for a quote, nil if the upstream gets none.
func (s Signer) ForQuotes() func(ctx context.Context, identity *edgewire.Identity) (string, error) {
	if s.Signer == nil {
		return nil
	}
	return s.signQuote
}
