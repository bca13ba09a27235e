package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var testSecret = []byte("a-secret-of-the-tests-of-the-console-32-bytes")

func testVault(t *testing.T, secret []byte, secure bool, now func() time.Time) *vault {
	t.Helper()
	v, err := newVault(secret, secure, now)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSessions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v := testVault(t, testSecret, true, func() time.Time { return at })
	sealed := v.seal(session{key: "tp_key", expires: at.Add(SessionMax)})
	if strings.Contains(sealed, "tp_key") || sealed == v.seal(session{key: "tp_key", expires: at.Add(SessionMax)}) {
		t.Errorf("got %q, want a key that is not to be seen, and another text each time", sealed)
	}
	if s, err := v.open(sealed); err != nil || s.key != "tp_key" {
		t.Errorf("got %+v %v, want the key", s, err)
	}
	changed := []byte(sealed)
	changed[len(changed)/2] ^= 1
	for name, tt := range map[string]struct {
		vault *vault
		value string
	}{
		"changed":          {v, string(changed)},
		"cut":              {v, sealed[:len(sealed)-4]},
		"nothing":          {v, ""},
		"no base64":        {v, "%%%"},
		"of other secrets": {testVault(t, []byte(strings.Repeat("x", 32)), true, v.now), sealed},
		"without TLS":      {testVault(t, testSecret, false, v.now), sealed},
		"over":             {testVault(t, testSecret, true, func() time.Time { return at.Add(SessionMax) }), sealed},
	} {
		if s, err := tt.vault.open(tt.value); err == nil {
			t.Errorf("%s: got %+v, want no session", name, s)
		}
	}
	if _, err := newVault([]byte("short"), true, v.now); err == nil {
		t.Error("a short secret was taken")
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		v := testVault(t, testSecret, secure, time.Now)
		w := httptest.NewRecorder()
		v.begin(w, "tp_key")
		cookie := w.Result().Cookies()[0]
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Secure != secure || cookie.Path != "/" || cookie.Domain != "" ||
			cookie.MaxAge != int(SessionMax.Seconds()) || strings.HasPrefix(cookie.Name, "__Host-") != secure {
			t.Errorf("secure %t: got %s", secure, cookie)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console", nil)
		r.AddCookie(cookie)
		if s, err := v.of(r); err != nil || s.key != "tp_key" {
			t.Errorf("secure %t: got %+v %v, want the key", secure, s, err)
		}
	}
}

func FuzzSession(f *testing.F) {
	v, err := newVault(testSecret, true, time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(v.seal(session{key: "tp_key", expires: time.Now().Add(time.Hour)})[1:])
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		if s, err := v.open(value); err == nil {
			t.Errorf("%q was opened as %+v", value, s)
		}
	})
}

func TestCleanKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" tp_abc\n": "tp_abc", "": "", "  ": "", "tp a": "", "tp_ü": "", "tp_\x00": "", "tp_a\r\nHost: x": "", strings.Repeat("x", 257): "",
	} {
		if got, ok := cleanKey(text); ok != (want != "") || (ok && got != want) {
			t.Errorf("%q: got %q %t, want %q", text, got, ok, want)
		}
	}
}

func TestOwnPage(t *testing.T) {
	t.Parallel()
	for address, own := range map[string]bool{
		"/console/monitors": true, "/console/batches/batch_1?cursor=2": true, "/console": false, "": false, "/v1/scrapes": false,
		"https://evil.example/console/x": false, "//evil.example/console/": false, "/console/../v1": false, `/console/\evil`: false,
		"javascript:alert(1)": false, "/consolefake/x": false, "/console/%2e%2e/v1": false, "/console/a\nb": false, "/console/x#f": false,
	} {
		if got := ownPage(address) != ""; got != own {
			t.Errorf("%q: got %t, want %t", address, got, own)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ remote, stated, want string }{
		{"192.0.2.1:55", "", "192.0.2.1"},
		{"127.0.0.1:55", "198.51.100.7", "198.51.100.7"},
		{"127.0.0.1:55", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
		{"[2001:db8::1]:55", "", "2001:db8::"},
		{"@", "", "@"},
	} {
		c := &Console{config: Config{Client: func(*http.Request) string { return tt.stated }}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = tt.remote
		r.Header.Set("X-Forwarded-For", "203.0.113.5")
		if got := c.addressOf(r); got != tt.want {
			t.Errorf("%s %q: got %s, want %s", tt.remote, tt.stated, got, tt.want)
		}
	}
}
