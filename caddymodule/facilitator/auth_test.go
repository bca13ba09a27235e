package facilitator

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/golang-jwt/jwt/v5"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

var cdpAuth = json.RawMessage(`{"type": "cdp", "key_id": "{env.TURNPIKE_TEST_CDP_ID}", "key_secret": "{env.TURNPIKE_TEST_CDP_SECRET}"}`)

// TestFacilitatorAuthCDP shows that a configuration with a key sends the facilitator a token that the key has signed
// for that request, and never shows the key.
func TestFacilitatorAuthCDP(t *testing.T) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret := base64.StdEncoding.EncodeToString(key)
	t.Setenv("TURNPIKE_TEST_CDP_ID", "key-1")
	t.Setenv("TURNPIKE_TEST_CDP_SECRET", secret)

	tokens := make(chan string, 1)
	facilitator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens <- strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		_, _ = io.WriteString(w, `{"kinds":[]}`)
	}))
	t.Cleanup(facilitator.Close)

	ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
	t.Cleanup(cancel)
	var f HTTP
	f.URL = facilitator.URL + "/platform/v2/x402"
	f.AuthRaw = cdpAuth
	if err := f.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open(Use{Network: x402.BaseSepolia()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	if strings.Contains(f.poolKey, secret) {
		t.Error("got the secret in what the facilitator is shared by")
	}

	var claims struct {
		jwt.RegisteredClaims

		URIs []string `json:"uris"`
	}
	var token string
	select { // the start requests the supported kinds
	case token = <-tokens:
	case <-time.After(time.Minute):
		t.Fatal("the facilitator was not asked")
	}
	if _, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return public, nil }); err != nil {
		t.Fatal(err)
	}
	want := "GET " + strings.TrimPrefix(facilitator.URL, "http://") + "/platform/v2/x402/supported"
	if claims.Subject != "key-1" || len(claims.URIs) != 1 || claims.URIs[0] != want {
		t.Errorf("got %+v, want key-1's for %s", claims, want)
	}
}

// TestFacilitatorAuthCDPFaults shows that a configuration with a key that cannot sign does not load, and that the error
// does not show the key.
func TestFacilitatorAuthCDPFaults(t *testing.T) {
	t.Setenv("TURNPIKE_TEST_CDP_ID", "key-1")
	for name, tt := range map[string]struct{ secret, want string }{
		"not set":      {"", "auth cdp: key_secret: evaluated placeholder {env.TURNPIKE_TEST_CDP_SECRET} is empty"},
		"no key":       {"hunter2!", "auth cdp: key secret: is neither base64"},
		"a seed alone": {base64.StdEncoding.EncodeToString([]byte("hunter2-hunter2-hunter2-hunter2-")), "has 32 bytes: want the 64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TURNPIKE_TEST_CDP_SECRET", tt.secret)
			ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
			defer cancel()
			f := HTTP{URL: "http://127.0.0.1:1", AuthRaw: cdpAuth}
			err := f.Provision(ctx)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %q and no secret", err, tt.want)
			}
		})
	}
}
