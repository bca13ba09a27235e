package fetch

import (
	"net/http"
	neturl "net/url"
	"slices"
	"testing"
	"time"
)

// A session reports the cookies it sends, with everything another client needs to send the same.
func TestSessionCookies(t *testing.T) {
	t.Parallel()
	expires := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	s := &Session{jar: newJar()}
	at := func(address string, set ...*http.Cookie) {
		u, err := neturl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		s.jar.add(u, set)
	}
	at("https://www.example.com:8443/a/b?c",
		&http.Cookie{Name: "dir", Value: "1"},
		&http.Cookie{Name: "wide", Value: "2", Domain: ".Example.com", Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode, Expires: expires},
		&http.Cookie{Name: "gone", Value: "3"},
		&http.Cookie{Name: "foreign", Value: "4", Domain: "example.org"},
		&http.Cookie{Name: "suffix", Value: "5", Domain: "com"})
	at("https://www.example.com/a/b", &http.Cookie{Name: "gone", Value: "3", Expires: time.Unix(1, 0)})
	at("http://[2001:db8::1]:80/", &http.Cookie{Name: "six", Value: "6"})
	want := []Cookie{
		{Name: "six", Value: "6", Host: "2001:db8::1", Path: "/"},
		{Name: "wide", Value: "2", Host: "example.com", Subdomains: true, Path: "/", Expires: expires, Secure: true, HTTPOnly: true, SameSite: http.SameSiteLaxMode},
		{Name: "dir", Value: "1", Host: "www.example.com", Path: "/a"},
	}
	got := s.Cookies()
	if !slices.Equal(got, want) {
		t.Fatalf("got\n%+v, want\n%+v", got, want)
	}

	other := &Session{jar: newJar()}
	other.ReplaceCookies([]Cookie{{Name: "old", Value: "0", Host: "example.com", Path: "/"}})
	other.ReplaceCookies(got)
	if got := other.Cookies(); !slices.Equal(got, want) {
		t.Errorf("handed on: got\n%+v, want\n%+v", got, want)
	}
	var sent []string
	for _, cookie := range other.jar.of(&neturl.URL{Scheme: "https", Host: "www.example.com", Path: "/a/x"}) {
		sent = append(sent, cookie.String())
	}
	slices.Sort(sent)
	if want := []string{"dir=1", "wide=2"}; !slices.Equal(sent, want) {
		t.Errorf("got sent %q, want %q", sent, want)
	}
}

func TestReplacedCookiesHaveAnEnd(t *testing.T) {
	t.Parallel()
	var many []Cookie
	for i := range 1000 {
		many = append(many, Cookie{Name: string(rune('a'+i%26)) + time.Duration(i).String(), Value: "v", Host: "example.com", Path: "/"})
	}
	s := &Session{jar: newJar()}
	s.ReplaceCookies(many)
	if got := len(s.Cookies()); got != cookiesMax {
		t.Errorf("got %d of 1000 cookies, want %d", got, cookiesMax)
	}
}
