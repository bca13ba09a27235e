package program

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Response is an HTTP response with its body as text.
type Response struct {
	*http.Response

	Text string
}

// Request sends a request, with an API key and a JSON body if these are not empty.
func Request(t *testing.T, method, url, key, body string) Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), CommandTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: reading the response: %v", method, url, err)
	}
	return Response{resp, string(text)}
}

// LoopbackPage serves a page on this machine until the test ends.
func LoopbackPage(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>A page</title><main><h1>A page</h1><p>Served by a test.</p></main>")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}
