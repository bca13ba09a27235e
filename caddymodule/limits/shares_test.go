package limits

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// requestOf is a request of a team or, without one, of an address, with a body of that length.
func requestOf(t *testing.T, team, address string, body io.Reader, length int64) *http.Request {
	t.Helper()
	vars := map[string]any{caddyhttp.ClientIPVarKey: address}
	if team != "" {
		vars[request.AccessVar] = &request.Access{Principal: &apikey.Principal{TeamID: team}}
	}
	ctx := context.WithValue(t.Context(), caddyhttp.VarsCtxKey, vars)
	return (&http.Request{Body: io.NopCloser(body), ContentLength: length}).WithContext(ctx)
}

func text(length int) io.Reader { return strings.NewReader(strings.Repeat("x", length)) }

// A slow client without a key gets only a share of the edge's buffers, and so do all such clients together.
func TestSharesOfBodies(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	buffers := admission.New(admission.Config{Size: 1024 * kib})
	shared := &Shares{buffers: buffers}
	arrived, leave := make(chan struct{}), make(chan struct{})
	slow := requestOf(t, "", "2001:db8::1", io.MultiReader(text(100*kib), readerFunc(func([]byte) (int, error) {
		close(arrived)
		<-leave
		return 0, io.ErrUnexpectedEOF
	})), 400*kib)
	ended := make(chan error, 1)
	release := shared.Share(slow)
	go func() {
		_, err := price.ReadBody(slow, 1024*kib)
		ended <- err
	}()
	<-arrived
	var releases []func()
	for _, tt := range []struct {
		name, team, address string
		length              int
		want                error
	}{
		{"another of the address", "", "2001:db8::2", 400 * kib, price.ErrOverloaded},
		{"a small one of the address", "", "2001:db8::3", 4 * kib, nil},
		{"another address", "", "192.0.2.1", 100 * kib, nil},
		{"a third address", "", "192.0.2.2", 100 * kib, price.ErrOverloaded},
		{"a team from the address", "team", "2001:db8::1", 400 * kib, nil},
	} {
		r := requestOf(t, tt.team, tt.address, text(tt.length), int64(tt.length))
		releases = append(releases, shared.Share(r))
		body, err := price.ReadBody(r, 1024*kib)
		if !errors.Is(err, tt.want) || err == nil && len(body) != tt.length {
			t.Errorf("%s: got %d bytes, %v, want %d, %v", tt.name, len(body), err, tt.length, tt.want)
		}
	}
	close(leave)
	if err := <-ended; !errors.Is(err, price.ErrBadRequest) {
		t.Errorf("the slow body: got %v, want it refused", err)
	}
	release()
	for _, release := range releases {
		release()
	}
	if got := buffers.Stats(); got.Keyed.Held+got.Keyless.Held != 0 {
		t.Errorf("in the end: got %+v, want nothing held", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A buffered body must arrive at a minimum rate, or its room goes to others.
func TestSlowBodyIsCut(t *testing.T) {
	t.Parallel()
	shared := &Shares{buffers: admission.New(admission.Config{Size: 64 << 20})}
	r := requestOf(t, "team", "", nil, 16<<20)
	defer shared.Share(r)()
	body, ok := r.Body.(*sharedBody)
	if !ok {
		t.Fatalf("got a %T, want a shared body", r.Body)
	}
	body.ReadCloser = io.NopCloser(readerFunc(func(p []byte) (int, error) {
		if body.room.Held() > 0 { // time passes
			body.until = body.until.Add(-slowAfter - 256*time.Second)
		}
		return len(p), nil
	}))
	if _, err := price.ReadBody(r, 16<<20); !errors.Is(err, errSlowBody) {
		t.Errorf("got %v, want %v", err, errSlowBody)
	}
}

// blockedQuoter quotes when the test allows it.
type blockedQuoter struct{ asked, leave chan struct{} }

func (q blockedQuoter) Quote(context.Context, *price.QuoteRequest) (int64, error) {
	q.asked <- struct{}{}
	<-q.leave
	return 1, nil
}

func TestSharesOfQuotes(t *testing.T) {
	t.Parallel()
	blocked := blockedQuoter{make(chan struct{}), make(chan struct{})}
	quoter := (&Shares{quotes: admission.New(admission.Config{Size: 4})}).Quoter(blocked)
	done := make(chan error, 2)
	ask := func(team, address string) {
		_, err := quoter.Quote(requestOf(t, team, address, nil, 0).Context(), &price.QuoteRequest{})
		done <- err
	}
	go ask("", "192.0.2.1")
	<-blocked.asked
	ask("", "192.0.2.1")
	if err := <-done; !errors.Is(err, price.ErrOverloaded) {
		t.Errorf("a second of an address: got %v, want %v", err, price.ErrOverloaded)
	}
	go ask("team", "192.0.2.1")
	<-blocked.asked
	close(blocked.leave)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if no := response.RefusePrice(price.ErrOverloaded); no.Status != http.StatusServiceUnavailable || no.Code != "overloaded" || no.RetryAfter == 0 {
		t.Errorf("got %+v, want 503 overloaded that says when to come again", no)
	}
}
