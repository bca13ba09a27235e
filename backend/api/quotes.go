package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Quoter is a [Feature] with operations whose price the price book leaves to quotes. The edge requests the quote before
// the request, and [Server] requests it again when the request arrives.
type Quoter interface {
	// Quote returns the most that a request may cost, in r.Unit. r.URI is the path and query as the operation has them:
	// without the pay-per-use prefix and without dry_run. r.Body is empty, or only checked to be JSON: see [decode.Request]. c is the
	// principal; without a key it is anonymous, because the wallet is not known yet.
	//
	// A problem of a status from 400 to 499, or 501, goes to the client. The request then reaches neither the operation nor the
	// response stored under its Idempotency-Key. So Quote must not refuse what is wrong only because an equal request came
	// first, such as the retry of a batch whose retry already runs: it returns 0, and the operation refuses the request.
	Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error)
}

// largestBody is how much of a body the edge reads to price it.
const largestBody = price.BodyBytesMaxMax

// quoted asks the feature that owns the operation.
func (s *Server) quoted(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, _, err := pricedURL(r.URI)
	if err != nil {
		return 0, err
	}
	if r.Unit == edgewire.UnitUSDC {
		path, paid := strings.CutPrefix(target.Path, paidPrefix)
		if !paid {
			return 0, unknownRoute()
		}
		target.Path, target.RawPath = path, ""
	}
	quoter, ok := s.owner(r.Method, target).(Quoter)
	if !ok {
		return 0, unknownRoute()
	}
	r.URI = target.RequestURI()
	amount, err := quoter.Quote(ctx, c, r)
	if err == nil && amount < 0 {
		err = problem.Internal(fmt.Errorf("%s %s was quoted %d %s", r.Method, target.Path, amount, r.Unit))
	}
	return amount, err
}

// owner returns the feature whose operation serves a request, or nil.
func (s *Server) owner(method string, target *url.URL) Feature {
	if !isClean(target.Path) {
		return nil
	}
	_, pattern := s.mux.Handler(&http.Request{Method: method, URL: target})
	return s.adapter.owners[pattern]
}

// serveQuote returns the price of a request to the edge. Only edges can use it: the identity is signed for this path,
// and no client can request this path at the edge.
func (s *Server) serveQuote(w http.ResponseWriter, r *http.Request) {
	amount, err := s.askedQuote(w, r)
	if err != nil {
		s.refuseQuote(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(struct {
		Amount int64 `json:"amount"`
	}{amount})
}

// refuseQuote responds with err in the format of the operation, because the edge passes it on to the client.
func (s *Server) refuseQuote(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	var form any = s.object(r.Context(), e)
	if asked, err := quoteRequest(r.URL.Query()); err == nil {
		if target, err := url.ParseRequestURI(asked.URI); err == nil {
			_, of := s.mux.Handler(&http.Request{Method: asked.Method, URL: target})
			if own := s.adapter.forms[of]; own != nil {
				form = own(e)
			}
		}
	}
	s.writeForm(w, r, e, form)
}

func (s *Server) askedQuote(w http.ResponseWriter, r *http.Request) (amount int64, err error) {
	id, err := s.config.Verifier.Verify(r, r.RequestURI)
	if err != nil {
		return 0, problem.NeedsKey(err)
	}
	asked, err := quoteRequest(r.URL.Query())
	if err != nil {
		return 0, err
	}
	if asked.Unit != id.Unit {
		return 0, problem.NeedsKey(fmt.Errorf("%w: %s for a quote in %s", errUnitForURI, id.Unit, asked.Unit))
	}
	c := &principal.Caller{Kind: edgewire.PayerAnonymous, Unit: id.Unit}
	if id.Payer.Kind == edgewire.PayerTeam {
		c.Kind, c.TeamID, c.KeyID = id.Payer.Kind, id.Payer.TeamID, id.Payer.KeyID
	}
	exchangeOf(r.Context()).caller = c
	ctx := admission.With(r.Context(), c.Holder())
	err = s.withBody(ctx, w, r, id, largestBody, func(body *edgewire.Body) (err error) {
		asked.Body = body
		amount, err = s.quoted(ctx, c, asked)
		return err
	})
	return amount, err
}

// quoteRequest reads the query of a quote request: each parameter exactly once.
func quoteRequest(query url.Values) (price.QuoteRequest, error) {
	var faults []problem.Fault
	one := func(name string) string {
		if values := query[name]; len(values) == 1 && values[0] != "" {
			return values[0]
		}
		faults = append(faults, problem.Fault{Loc: []any{"query", name}, Msg: "is required exactly once", Type: problem.FaultMissing})
		return ""
	}
	asked := price.QuoteRequest{Method: one("method"), URI: one("uri"), Unit: edgewire.Unit(one("unit"))}
	if len(faults) > 0 {
		return price.QuoteRequest{}, problem.Validation(faults...)
	}
	return asked, nil
}
