package main

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// cutoffs counts the requests that got no answer. A server that stops may cut off what no client repeats by itself
// (RFC 9110 section 9.2.2): the first request of a connection, and a POST without an Idempotency-Key.
type cutoffs struct {
	// repeatable requests, on connections that had served others before; and the rest
	repeatable, single atomic.Int64
}

// tracing is a transport that counts them.
type tracing struct {
	*http.Transport

	cuts *cutoffs
}

func (t tracing) RoundTrip(req *http.Request) (*http.Response, error) {
	var kept atomic.Bool // of the last connection: the transport repeats some requests by itself
	trace := &httptrace.ClientTrace{
		GetConn: func(string) { kept.Store(false) },
		GotConn: func(conn httptrace.GotConnInfo) { kept.Store(conn.Reused) },
	}
	resp, err := t.Transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	switch {
	case err == nil:
	case kept.Load() && (req.Method == http.MethodGet || req.Header.Get("Idempotency-Key") != ""):
		t.cuts.repeatable.Add(1)
	default:
		t.cuts.single.Add(1)
	}
	return resp, err
}
