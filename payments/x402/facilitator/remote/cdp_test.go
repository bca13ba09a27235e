package remote

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const cdpKeyID = "organizations/0a1b/apiKeys/2c3d"

func edKey(t *testing.T) (secret string, public crypto.PublicKey) {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(key), pub
}

func ecKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sec1(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

func pkcs8(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// cdpDouble is a facilitator behind a check of CDP tokens.
type cdpDouble struct {
	public crypto.PublicKey
	alg    string
	now    time.Time

	mu     sync.Mutex
	nonces map[string]bool
	heard  []string
}

func (d *cdpDouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if err := d.admit(r); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, `{"isValid":true,"success":true,"transaction":"`+x402test.SampleHash+`","kinds":[]}`)
}

// admit checks the token's signature, times and request binding, and that no token is used twice.
func (d *cdpDouble) admit(r *http.Request) error {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return errors.New("no bearer")
	}
	token, err := jwt.Parse(bearer, func(*jwt.Token) (any, error) { return d.public, nil },
		jwt.WithValidMethods([]string{d.alg}), jwt.WithIssuer("cdp"), jwt.WithSubject(cdpKeyID),
		jwt.WithExpirationRequired(), jwt.WithNotBeforeRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(func() time.Time { return d.now }))
	if err != nil {
		return err
	}
	claims := token.Claims.(jwt.MapClaims)
	expires, _ := claims.GetExpirationTime()
	starts, _ := claims.GetNotBefore()
	if life := expires.Sub(starts.Time); life > 2*time.Minute {
		return fmt.Errorf("lives for %s", life)
	}
	uri := r.Method + " " + r.Host + r.URL.Path
	if uris, _ := claims["uris"].([]any); len(uris) != 1 || uris[0] != uri {
		return fmt.Errorf("bound to %v, used for %s", uris, uri)
	}
	if token.Header["kid"] != cdpKeyID || token.Header["typ"] != "JWT" {
		return fmt.Errorf("header %v", token.Header)
	}
	nonce, _ := token.Header["nonce"].(string)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(nonce) != 32 || d.nonces[nonce] {
		return fmt.Errorf("nonce %q", nonce)
	}
	d.nonces[nonce] = true
	d.heard = append(d.heard, r.Method+" "+r.URL.Path)
	return nil
}

// TestCDPKeySignsEachRequest shows that each request gets its own token, with each kind and form of key, and with a
// facilitator below a path.
func TestCDPKeySignsEachRequest(t *testing.T) {
	t.Parallel()
	ed, edPublic := edKey(t)
	ec := ecKey(t, elliptic.P256())
	p, req := samplePayment(t)
	for name, tt := range map[string]struct {
		secret string
		public crypto.PublicKey
		alg    string
	}{
		"Ed25519":                   {ed, edPublic, "EdDSA"},
		"Ed25519 with a line break": {ed + "\n", edPublic, "EdDSA"},
		"EC, SEC 1":                 {sec1(t, ec), ec.Public(), "ES256"},
		"EC, PKCS 8":                {pkcs8(t, ec), ec.Public(), "ES256"},
		"EC on one line":            {strings.ReplaceAll(sec1(t, ec), "\n", `\n`), ec.Public(), "ES256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Unix(1_790_000_000, 0)
			double := &cdpDouble{public: tt.public, alg: tt.alg, now: now.Add(time.Second), nonces: map[string]bool{}}
			key, err := ParseCDPKey(cdpKeyID, tt.secret, func() time.Time { return now })
			if err != nil {
				t.Fatal(err)
			}
			f := newRemote(t, double, func(c *Config) {
				c.URL += "/platform/v2/x402/"
				c.Authorize = key.Authorize
			})
			for range 2 {
				if _, err := f.Verify(t.Context(), p, req); err != nil {
					t.Fatal(err)
				}
			}
			if done, err := f.Settle(t.Context(), p, req); err != nil || done.Transaction != x402test.SampleHash {
				t.Fatalf("got %+v, %v, want it settled", done, err)
			}
			if _, err := f.Supported(t.Context()); err != nil {
				t.Fatal(err)
			}
			const base = "/platform/v2/x402/"
			want := []string{"POST " + base + "verify", "POST " + base + "verify", "POST " + base + "settle", "GET " + base + "supported"}
			if !slices.Equal(double.heard, want) {
				t.Errorf("got %q, want %q", double.heard, want)
			}
		})
	}
}

// TestCDPKeyIsRefused shows what an operator sees with a wrong key or a wrong clock.
func TestCDPKeyIsRefused(t *testing.T) {
	t.Parallel()
	secret, _ := edKey(t)
	_, other := edKey(t)
	_, right, _ := ed25519.GenerateKey(rand.Reader)
	p, req := samplePayment(t)
	now := time.Unix(1_790_000_000, 0)
	for name, tt := range map[string]struct {
		double *cdpDouble
		secret string
	}{
		"another's key": {&cdpDouble{public: other, now: now}, secret},
		"a clock that is slow": {
			&cdpDouble{public: right.Public(), now: now.Add(121 * time.Second)}, base64.StdEncoding.EncodeToString(right),
		},
		"a clock that is fast": {
			&cdpDouble{public: right.Public(), now: now.Add(-time.Minute)}, base64.StdEncoding.EncodeToString(right),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.double.alg, tt.double.nonces = "EdDSA", map[string]bool{}
			key, err := ParseCDPKey(cdpKeyID, tt.secret, func() time.Time { return now })
			if err != nil {
				t.Fatal(err)
			}
			f := newRemote(t, tt.double, func(c *Config) { c.Authorize = key.Authorize })
			_, err = f.Verify(t.Context(), p, req)
			if _, isRefusal := errors.AsType[*x402.Refusal](err); err == nil || isRefusal || !strings.Contains(err.Error(), "clock") {
				t.Errorf("got %v, want an error of ours that tells where to look", err)
			}
			if strings.Contains(fmt.Sprint(err), "Bearer") {
				t.Errorf("got %v, want no token in it", err)
			}
		})
	}
}

// TestAuthorizeFails shows that without credentials nothing is sent, so nothing can have been settled.
func TestAuthorizeFails(t *testing.T) {
	t.Parallel()
	p, req := samplePayment(t)
	f := newRemote(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request, want none") }),
		func(c *Config) { c.Authorize = func(*http.Request) error { return errors.New("no key") } })
	if _, err := f.Settle(t.Context(), p, req); !errors.Is(err, x402.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if _, err := f.Verify(t.Context(), p, req); err == nil || !strings.Contains(err.Error(), "no key") {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestParseCDPKeyFaults(t *testing.T) {
	t.Parallel()
	secret, _ := edKey(t)
	_, key, _ := ed25519.GenerateKey(rand.Reader)
	seedOnly := base64.StdEncoding.EncodeToString(key.Seed())
	mixed := slices.Clone(key)
	mixed[63] ^= 1
	for name, tt := range map[string]struct{ id, secret, want string }{
		"no id":            {"", secret, "key id: is empty"},
		"an id of two":     {"a b", secret, "key id: has blanks"},
		"no secret":        {cdpKeyID, "", "has 0 bytes"},
		"a word":           {cdpKeyID, "hunter2!", "neither base64"},
		"hexadecimal":      {cdpKeyID, strings.Repeat("ab", 32), "has 48 bytes"},
		"a seed alone":     {cdpKeyID, seedOnly, "has 32 bytes: want the 64"},
		"halves of two":    {cdpKeyID, base64.StdEncoding.EncodeToString(mixed), "does not match its seed"},
		"P-384":            {cdpKeyID, sec1(t, ecKey(t, elliptic.P384())), "P-384: want P-256"},
		"Ed25519 in PEM":   {cdpKeyID, pkcs8(t, key), "no valid EC private key"},
		"PEM cut short":    {cdpKeyID, sec1(t, ecKey(t, elliptic.P256()))[:60], "no valid EC private key"},
		"PEM's first line": {cdpKeyID, "-----BEGIN EC PRIVATE KEY-----", "no valid EC private key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseCDPKey(tt.id, tt.secret, time.Now)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if tt.secret != "" && strings.Contains(err.Error(), tt.secret) {
				t.Errorf("got %v, want no secret in it", err)
			}
		})
	}
}

func TestCDPKeyDoesNotPrintItsSecret(t *testing.T) {
	t.Parallel()
	secret, _ := edKey(t)
	key, err := ParseCDPKey(cdpKeyID, secret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, key); got != "CDP key "+cdpKeyID {
			t.Errorf("%s: got %s, want the id alone", format, got)
		}
	}
}

func FuzzParseCDPKey(f *testing.F) {
	f.Add("id", "")
	f.Add("id", base64.StdEncoding.EncodeToString(make([]byte, 64)))
	f.Add("id", "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, id, secret string) {
		key, err := ParseCDPKey(id, secret, time.Now)
		if err != nil {
			return
		}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, CDPURL, http.NoBody)
		if err := key.Authorize(r); err != nil {
			t.Errorf("what was taken as a key cannot sign: %v", err)
		}
	})
}
