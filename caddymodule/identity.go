package caddymodule

import (
	"net"
	"net/http"
	"net/url"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// accessVar is the request variable in which api_key stores the access.
const accessVar = "turnpike.access"

// access is what api_key knows about a request.
type access struct {
	principal *apikey.Principal // nil without a key
	anonymous bool              // a read without a key, which the operator allows
	public    bool              // a path that the operator excludes from metering
	held      bool              // meter holds credits for the request, or it is free for its key
}

func accessOf(r *http.Request) *access {
	a, _ := caddyhttp.GetVar(r.Context(), accessVar).(*access)
	return a
}

// sent returns the method and URL as the client sent them, before any rewrite. They are what is priced, and what an
// identity is bound to.
func sent(r *http.Request) (method string, u *url.URL) {
	orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if !ok {
		return r.Method, r.URL
	}
	return orig.Method, orig.URL
}

// priceSent prices the request as the client sent it.
func priceSent(pricer price.Pricer, r *http.Request, unit edgewire.Unit) (price.Quote, error) {
	method, u := sent(r)
	if method == r.Method && u.Path == r.URL.Path && u.RawPath == r.URL.RawPath && u.RawQuery == r.URL.RawQuery {
		return pricer.Price(r.Context(), r, unit)
	}
	orig := r.WithContext(r.Context())
	orig.Method, orig.URL = method, u
	q, err := pricer.Price(r.Context(), orig, unit)
	// Pricing may have read the body; the upstream needs the one that it put back.
	r.Body, r.ContentLength, r.TransferEncoding = orig.Body, orig.ContentLength, orig.TransferEncoding
	return q, err
}

// identify signs the identity of a request and sets its header for the upstream. Without a secret, the upstream gets no
// identity.
func (a *App) identify(r *http.Request, id string, payer edgewire.Payer, q *price.Quote) error {
	identity := newIdentity(r, payer)
	return a.signPaid(r, &identity, id, q)
}

// newIdentity is bound to the request as the client sent it.
func newIdentity(r *http.Request, payer edgewire.Payer) edgewire.Identity {
	method, u := sent(r)
	return edgewire.Identity{Method: method, URI: u.RequestURI(), Payer: payer}
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
	address := clientAddress(r)
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	identity := newIdentity(r, anonymousPayer)
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

func teamPayer(p *apikey.Principal) edgewire.Payer {
	return edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: p.TeamID, KeyID: p.KeyID}
}

var anonymousPayer = edgewire.Payer{Kind: edgewire.PayerAnonymous}
