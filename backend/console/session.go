package console

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// SessionMax is how long a user stays signed in.
	SessionMax = 12 * time.Hour
	// SecretBytesMin is the minimum length of the secret that encrypts sessions.
	SecretBytesMin = 32

	cookieName = "turnpike-console"
	// hostPrefix limits the cookie to this host, TLS and the path "/" (RFC 6265bis, 4.1.3.2).
	hostPrefix = "__Host-"

	// keyBytesMax is above the length of any key.
	keyBytesMax = 256

	sealPurpose  = "turnpike console session v1"
	expiresBytes = 8
)

var errNoSession = errors.New("there is no session")

// session is a signed-in user's session.
type session struct {
	key     string
	expires time.Time
}

// vault encrypts sessions into cookies. The server stores none of them.
type vault struct {
	aead   cipher.AEAD
	secure bool // cookies require TLS
	now    func() time.Time
}

func newVault(secret []byte, secure bool, now func() time.Time) (*vault, error) {
	if len(secret) < SecretBytesMin {
		return nil, fmt.Errorf("secret: got %d bytes, want %d or more", len(secret), SecretBytesMin)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, sealPurpose, 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of sessions: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of sessions: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of sessions: %w", err)
	}
	return &vault{aead: aead, secure: secure, now: now}, nil
}

func (v *vault) name() string {
	if v.secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

// seal returns the value of a cookie: the session's expiry and key, which only this vault can read or create.
func (v *vault) seal(s session) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(s.expires.Unix())) //nolint:gosec // years after 1970
	plain = append(plain, s.key...)
	return base64.RawURLEncoding.EncodeToString(v.aead.Seal(nil, nil, plain, []byte(v.name())))
}

// open reads a cookie by seal. An expired session is an error.
func (v *vault) open(value string) (session, error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil {
		return session{}, errNoSession
	}
	plain, err := v.aead.Open(nil, nil, sealed, []byte(v.name()))
	if err != nil || len(plain) <= expiresBytes {
		return session{}, errNoSession
	}
	expires := time.Unix(int64(binary.BigEndian.Uint64(plain)), 0) //nolint:gosec // sealed by this vault
	if !v.now().Before(expires) {
		return session{}, errNoSession
	}
	return session{key: string(plain[expiresBytes:]), expires: expires}, nil
}

// begin signs a user in.
func (v *vault) begin(w http.ResponseWriter, key string) {
	s := session{key: key, expires: v.now().Add(SessionMax)}
	v.set(w, v.seal(s), int(SessionMax.Seconds()))
}

// end signs the user out of this browser. The key itself stays valid until it is revoked.
func (v *vault) end(w http.ResponseWriter) { v.set(w, "", -1) }

func (v *vault) set(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: v.name(), Value: value, Path: "/", MaxAge: maxAge,
		Secure: v.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// of returns the session of a request.
func (v *vault) of(r *http.Request) (session, error) {
	cookie, err := r.Cookie(v.name())
	if err != nil {
		return session{}, errNoSession
	}
	return v.open(cookie.Value)
}

// cleanKey trims a pasted key, and reports whether it can be sent in a header.
func cleanKey(text string) (string, bool) {
	key := strings.TrimSpace(text)
	if key == "" || len(key) > keyBytesMax {
		return "", false
	}
	foreign := strings.IndexFunc(key, func(c rune) bool { return c <= ' ' || c > '~' })
	return key, foreign < 0
}
