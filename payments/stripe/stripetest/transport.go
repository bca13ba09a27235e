package stripetest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
)

// Client returns a client whose requests reach the fake without a network. A response that never comes is an error at
// once, because no clock runs.
func (d *Double) Client() *http.Client { return &http.Client{Transport: transport{d}} }

type transport struct{ double *Double }

type inProcess struct{}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case errHangs:
			err = os.ErrDeadlineExceeded
		case http.ErrAbortHandler:
			err = io.ErrUnexpectedEOF
		default:
			panic(reason)
		}
	}()
	w := httptest.NewRecorder()
	t.double.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), inProcess{}, true)))
	return w.Result(), nil
}

var errHangs = errors.New("the response never arrives")

// hang keeps the client waiting until it leaves.
func hang(r *http.Request) {
	if r.Context().Value(inProcess{}) != nil {
		panic(errHangs)
	}
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}
