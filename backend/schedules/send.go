package schedules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// request is a call to make.
type request struct {
	id            string // of the identity
	teamID, keyID string
	method, uri   string
	body          []byte
	covered       int64 // credits held for the call
}

// answer is the needed part of a response.
type answer struct {
	status int
	header http.Header
	fields fields
}

// cost is what the call cost of its hold. A stated cost beyond the hold is not trusted.
func (a *answer) cost(held int64) int64 {
	stated, err := strconv.ParseInt(a.header.Get(edgewire.CostHeader), 10, 64)
	if err != nil || stated < 0 || stated > held {
		return held
	}
	return stated
}

var errAborted = errors.New("the call was aborted")

// send makes a call through the backend's own handler, with an identity like the edge's.
func (s *Service) send(ctx context.Context, r *request) (_ *answer, err error) {
	identity := edgewire.Identity{
		ID: r.id, Method: r.method, URI: r.uri, Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: r.teamID, KeyID: r.keyID},
		Unit: edgewire.UnitCredit, Max: r.covered,
	}
	if len(r.body) > 0 {
		identity.BodySHA256 = edgewire.HashBody(r.body)
	}
	signed, err := s.config.Signer.Sign(&identity)
	if err != nil {
		return nil, fmt.Errorf("signing the identity of a call: %w", err)
	}
	call, err := http.NewRequestWithContext(ctx, r.method, "http://backend"+r.uri, bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("making a call: %w", err)
	}
	call.Header.Set(edgewire.IdentityHeader, signed)
	call.Header.Set("X-Request-Id", r.id)
	if len(r.body) > 0 {
		call.Header.Set("Content-Type", "application/json")
	}
	w := newWriter(answerBytesMax)
	if err := serve(s.config.API(), w, call); err != nil {
		return nil, err
	}
	return &answer{status: w.status, header: w.header, fields: readFields(w.body.Bytes())}, nil
}

// serve runs a handler as a server does: a panic is a response that broke off.
func serve(handler http.Handler, w *writer, r *http.Request) (err error) {
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	defer func() {
		if broke := recover(); broke != nil {
			err = fmt.Errorf("%w: %v", errAborted, broke)
		}
	}()
	handler.ServeHTTP(w, r)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return nil
}

// answerBytesMax is how much of a response is kept: enough for the id at its start, and for every error.
const answerBytesMax = 64 << 10

// writer keeps the start of a response.
type writer struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	bytesMax int
}

func newWriter(bytesMax int) *writer { return &writer{header: http.Header{}, bytesMax: bytesMax} }

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
		w.header = w.header.Clone() // later changes have no effect
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if room := w.bytesMax - w.body.Len(); room > 0 {
		w.body.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// Flush implements http.Flusher. It does nothing, as nothing is buffered for sending.
func (w *writer) Flush() {}

// fields are the fields of a response that a run needs.
type fields struct {
	ID, Code, Detail, Error string
}

// readFields reads strings at the top level of a JSON object that may be cut off.
func readFields(body []byte) (f fields) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return f
	}
	wanted := map[string]*string{"id": &f.ID, "code": &f.Code, "detail": &f.Detail, "error": &f.Error}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return f
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return f
		}
		key, _ := name.(string)
		if to := wanted[key]; to != nil {
			_ = json.Unmarshal(value, to) // not a string, so not wanted
		}
	}
	return f
}

// inProcess is an http.RoundTripper to the backend's own handler, for quotes.
type inProcess struct{ service *Service }

// quoteBytesMax limits the response to a quote: an amount or a refusal.
const quoteBytesMax = 64 << 10

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := newWriter(quoteBytesMax)
	r = r.Clone(r.Context())
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if err := serve(t.service.config.API(), w, r); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// teamKey is the context key of the team for which a quote is requested.
type teamKey struct{}

// signQuote signs a request for a quote on behalf of the call's team.
func (s *Service) signQuote(ctx context.Context, identity *edgewire.Identity) (string, error) {
	team, _ := ctx.Value(teamKey{}).(string)
	identity.Payer = edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: team}
	return s.config.Signer.Sign(identity)
}
