package remote

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// CDPURL is the facilitator of the Coinbase Developer Platform.
const CDPURL = "https://api.cdp.coinbase.com/platform/v2/x402"

// cdpLifetime is the lifetime of a token, the longest that the platform accepts. It covers only one method at one address.
const cdpLifetime = 120 * time.Second

// CDPKey is an API key of the Coinbase Developer Platform. Its services, including the facilitator at [CDPURL], require
// a separate token with each request.
type CDPKey struct {
	id     string
	method jwt.SigningMethod
	secret any
	now    func() time.Time
}

// ParseCDPKey parses a key as the platform issues it: its id and its secret. The secret is either 64 bytes of Ed25519 (seed and
// public key) in base64, or a P-256 key in PEM, whose line breaks may be written as \n. The errors do not show the secret.
func ParseCDPKey(id, secret string, now func() time.Time) (*CDPKey, error) {
	id, secret = strings.TrimSpace(id), strings.TrimSpace(secret)
	if id == "" {
		return nil, errors.New("key id: is empty")
	}
	if strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' }) {
		return nil, errors.New("key id: has blanks or other invalid characters")
	}
	k := &CDPKey{id: id, now: now}
	if strings.HasPrefix(secret, "-----BEGIN") {
		key, err := parseCDPPEM(secret)
		k.method, k.secret = jwt.SigningMethodES256, key
		return k, err
	}
	key, err := parseCDPEd25519(secret)
	k.method, k.secret = jwt.SigningMethodEdDSA, key
	return k, err
}

func parseCDPPEM(secret string) (*ecdsa.PrivateKey, error) {
	// Environment files and consoles keep a PEM's line breaks as two characters each.
	key, err := jwt.ParseECPrivateKeyFromPEM([]byte(strings.ReplaceAll(secret, `\n`, "\n")))
	switch {
	case err != nil:
		return nil, errors.New("key secret: is PEM, but has no valid EC private key: check that all of its lines are there")
	case key.Curve != elliptic.P256():
		return nil, fmt.Errorf("key secret: is a key on the curve %s: want P-256 (ES256)", key.Curve.Params().Name)
	}
	return key, nil
}

func parseCDPEd25519(secret string) (ed25519.PrivateKey, error) {
	raw, err := base64.StdEncoding.DecodeString(secret)
	switch {
	case err != nil:
		return nil, errors.New("key secret: is neither base64 (an Ed25519 key) nor PEM (-----BEGIN …, an EC key)")
	case len(raw) != ed25519.PrivateKeySize:
		return nil, fmt.Errorf("key secret: has %d bytes: want the %d of an Ed25519 key, seed and public key", len(raw), ed25519.PrivateKeySize)
	}
	key := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
	if !key.Equal(ed25519.PrivateKey(raw)) {
		return nil, errors.New("key secret: its public key does not match its seed: a part of it is mistyped")
	}
	return key, nil
}

// ID returns the key's id, which is not secret.
func (k *CDPKey) ID() string { return k.id }

// String keeps the secret out of printed output.
func (k *CDPKey) String() string { return "CDP key " + k.id }

// GoString is String, for %#v.
func (k *CDPKey) GoString() string { return k.String() }

// Authorize adds a token to a request that is valid only for its method and address. It is an [Authorize] function.
func (k *CDPKey) Authorize(r *http.Request) error {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails
	now := k.now()
	token := jwt.NewWithClaims(k.method, jwt.MapClaims{
		"iss": "cdp", "sub": k.id,
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(cdpLifetime).Unix(),
		"uris": []string{r.Method + " " + r.URL.Host + r.URL.EscapedPath()},
	})
	token.Header["kid"] = k.id
	token.Header["nonce"] = hex.EncodeToString(nonce)
	signed, err := token.SignedString(k.secret)
	if err != nil {
		return fmt.Errorf("signing a token with %v: %w", k, err)
	}
	r.Header.Set("Authorization", "Bearer "+signed)
	return nil
}
