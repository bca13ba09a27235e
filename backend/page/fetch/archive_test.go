package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
)

// shelf is an archive of a few responses, by URL.
type shelf map[string]recorded

func (s shelf) Recorded(_ context.Context, method string, u URL) (*http.Response, error) {
	answer, found := s[u.String()]
	if !found || method != http.MethodGet {
		return nil, fmt.Errorf("%s: %w", u, fs.ErrNotExist)
	}
	if answer.status == 0 {
		return nil, errors.New("disk on fire")
	}
	r := &http.Response{StatusCode: answer.status, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(strings.NewReader(answer.body))}
	for i := 0; i < len(answer.header); i += 2 {
		r.Header.Add(answer.header[i], answer.header[i+1])
	}
	return r, nil
}

// recorded is a response; one without a status cannot be read.
type recorded struct {
	status int
	body   string
	header []string // alternating names and values
}

// refusingGate fails the test if it is entered.
type refusingGate struct{ t *testing.T }

func (g refusingGate) Enter(_ context.Context, host string) (func(Outcome), error) {
	g.t.Errorf("asked for a turn at %s", host)
	return nil, &BusyError{Host: host}
}

// Archived responses are treated like network responses, and nothing is requested from the network.
func TestArchive(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, "<p>caf\xe9")
	_ = z.Close()
	client := newClient(t, func(c *Config) {
		c.AllowPrivate, c.AllowAnyPort, c.BodyBytesMax, c.Gate = nil, false, 100, refusingGate{t}
		c.Archive = shelf{
			"http://127.0.0.1:8080/from": {302, "", []string{"Location", "https://a.example/to"}},
			"https://a.example/to":       {200, zipped.String(), []string{"Content-Type", "text/html; charset=latin1", "Content-Encoding", "gzip"}},
			"https://a.example/away":     {302, "", []string{"Location", "https://b.example/"}},
			"https://a.example/large":    {200, strings.Repeat("x", 101), nil},
			"https://a.example/broken":   {},
		}
	})
	page, err := client.Get(t.Context(), Request{URL: mustParse(t, "http://127.0.0.1:8080/from"), Record: true})
	if err != nil || string(page.Body) != "<p>café" || page.URL.String() != "https://a.example/to" || page.Redirects != 1 || len(page.Exchanges) != 2 {
		t.Errorf("got %+v, %v, want the page at the redirect's end", page, err)
	}
	for url, want := range map[string]Reason{
		"https://a.example/none":   ReasonNotArchived,
		"https://a.example/away":   ReasonNotArchived,
		"https://a.example/large":  ReasonBodyTooLarge,
		"https://a.example/broken": ReasonArchive,
	} {
		_, err := client.Get(t.Context(), Request{URL: mustParse(t, url)})
		if got := ReasonOf(err); got != want {
			t.Errorf("%s: got %q, %v, want %q", url, got, err, want)
		}
	}
	if _, err := client.Do(t.Context(), Request{Method: http.MethodPost, URL: mustParse(t, "https://a.example/to")}); ReasonOf(err) != ReasonNotArchived {
		t.Errorf("POST: got %v, want that it is not in the archive", err)
	}
	if _, err := client.DialTarget(t.Context(), nil, "127.0.0.1:80"); ReasonOf(err) != ReasonNotArchived {
		t.Errorf("DialTarget: got %v, want no connection", err)
	}
	if leave, err := client.EnterTarget(t.Context(), "127.0.0.1:80"); err != nil {
		t.Errorf("EnterTarget: got %v, want no wait", err)
	} else {
		leave(200, nil)
	}
	if _, err := client.NewSession("DE"); err != nil {
		t.Errorf("a session of a country: got %v, want one", err)
	}
}
