package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// chain redirects /2 to /1 to /0; asked lists the requests.
func chain(t *testing.T) (base string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		switch r.URL.Path {
		case "/2":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/1", http.StatusFound)
		case "/1":
			http.Redirect(w, r, "/0", http.StatusMovedPermanently)
		default:
			fmt.Fprint(w, "there")
		}
	})
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(paths)
	}
}

func TestFollowIsAskedBeforeEachHop(t *testing.T) {
	t.Parallel()
	base, asked := chain(t)
	var hops []string
	response, err := newClient(t, nil).Get(t.Context(), Request{URL: mustParse(t, base+"/2"), Follow: func(_ context.Context, u URL) error {
		if got := len(asked()); got != len(hops)+1 {
			t.Errorf("at %s: got %d requests before, want %d", u, got, len(hops)+1)
		}
		hops = append(hops, u.String())
		return nil
	}})
	if err != nil || string(response.Body) != "there" {
		t.Fatalf("got %v, %v, want the end of the chain", response, err)
	}
	if want := []string{base + "/1", base + "/0"}; !slices.Equal(hops, want) {
		t.Errorf("asked for %q, want %q", hops, want)
	}
}

func TestRefusedHopIsNotSent(t *testing.T) {
	t.Parallel()
	base, asked := chain(t)
	disallowed := errors.New("disallowed")
	_, err := newClient(t, nil).Get(t.Context(), Request{URL: mustParse(t, base+"/2"), Follow: func(_ context.Context, u URL) error {
		if u.PathAndQuery() == "/0" {
			return disallowed
		}
		return nil
	}})
	wantReason(t, err, ReasonRefused)
	if e, ok := errors.AsType[*Error](err); !errors.Is(err, disallowed) || !ok || e.URL != base+"/0" {
		t.Errorf("got %v, want what Follow said, at the URL that it was asked about", err)
	}
	if got, want := asked(), []string{"/2", "/1"}; !slices.Equal(got, want) {
		t.Errorf("the server was asked for %q, want %q", got, want)
	}
}

// Redirects that the guard blocks are refused without asking Follow.
func TestGuardComesBeforeFollow(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
	})
	_, err := newClient(t, nil).Get(t.Context(), Request{URL: mustParse(t, server.URL), Follow: func(context.Context, URL) error {
		t.Error("asked about an address that is blocked")
		return nil
	}})
	wantReason(t, err, ReasonBlockedAddress)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	base, _ := chain(t)
	client := newClient(t, nil)
	response, err := client.Get(t.Context(), Request{URL: mustParse(t, base+"/2"), Record: true})
	if err != nil || len(response.Exchanges) != 3 {
		t.Fatalf("got %+v, %v, want 3 exchanges", response, err)
	}
	for i, want := range []struct {
		path, status, body, cookie string
	}{
		{"/2", "302 Found", "", ""}, {"/1", "301 Moved Permanently", "", "seen=1"}, {"/0", "200 OK", "there", "seen=1"},
	} {
		got := &response.Exchanges[i]
		if got.URL.String() != base+want.path || got.Status != want.status || string(got.Body) != want.body || got.Proto != "HTTP/1.1" ||
			got.RequestHeader.Get("Cookie") != want.cookie || got.RequestHeader.Get("User-Agent") == "" || got.Header.Get("Date") == "" {
			t.Errorf("exchange %d: got %+v, want %+v", i, got, want)
		}
	}
	if response, err = client.Get(t.Context(), Request{URL: mustParse(t, base+"/2")}); err != nil || response.Exchanges != nil {
		t.Errorf("without Record: got %+v, %v, want none", response, err)
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		want time.Duration
	}{
		{"nothing said", ctx, time.Minute},
		{"less", WithPatience(ctx, time.Second), time.Second},
		{"more", WithPatience(ctx, time.Hour), time.Minute},
		{"none", WithPatience(ctx, -time.Second), 0},
	} {
		if got := Patience(tt.ctx, time.Minute); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
