package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Path is where the Handler is mounted, below the base URL's own path.
const Path = "/content/"

const (
	secretBytesMin = 32
	// The purpose is signed too, so that a URL for reading never works for writing, nor the other way round.
	purposeRead  = "turnpike content v1: read"
	purposeWrite = "turnpike content v1: write"
	// opWrite shows the purpose in the URL; only the signed purpose counts.
	opWrite = "put"
)

var (
	// ErrBadSignature is returned for a URL without our signature, or changed after signing.
	ErrBadSignature = errors.New("the content URL is not signed or was changed")
	// ErrExpired is returned for a correctly signed URL that has expired.
	ErrExpired = errors.New("the content URL has expired")
)

// SignerConfig configures a Signer.
type SignerConfig struct {
	// Secret keys the signatures: at least 32 random bytes, the same in every process that serves.
	Secret []byte
	// BaseURL is the public address of the backend or of the content host, e.g. "https://content.example.com".
	BaseURL string
	// Now is the clock.
	Now func() time.Time
}

// Signer makes and checks signed URLs.
type Signer struct {
	secret []byte
	base   *url.URL
	now    func() time.Time
}

// NewSigner makes a Signer. The error names all faults.
func NewSigner(config SignerConfig) (*Signer, error) {
	var errs []error
	if len(config.Secret) < secretBytesMin {
		errs = append(errs, fmt.Errorf("Secret must have at least %d bytes, has %d", secretBytesMin, len(config.Secret)))
	}
	base, err := url.Parse(strings.TrimSuffix(config.BaseURL, "/"))
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		errs = append(errs, errors.New("BaseURL must be an absolute http or https URL without credentials, query and fragment"))
	}
	if config.Now == nil {
		errs = append(errs, errors.New("Now must be set"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("content URL signer: %w", err)
	}
	return &Signer{secret: config.Secret, base: base, now: config.Now}, nil
}

// Grant is what a signed URL allows: to read one object under a file name until a time, or to write one.
type Grant struct {
	Key string
	// Name is the file name for saving the content; may be empty.
	Name string
	// ContentType overrides the stored one, if set.
	ContentType string
	Expires     time.Time
}

// URL returns a URL for reading the object under key until ttl from now, rounded up to the second. The error is
// ErrInvalidKey for an invalid key.
func (s *Signer) URL(key, name, contentType string, ttl time.Duration) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("signing URL of %s: time to live %s is not positive", key, ttl)
	}
	expires := s.now().Add(ttl + time.Second - 1).Unix()
	query := url.Values{"exp": {strconv.FormatInt(expires, 10)}}
	if name != "" {
		query.Set("name", name)
	}
	if contentType != "" {
		query.Set("type", contentType)
	}
	query.Set("sig", s.sign(purposeRead, key, expires, name, contentType))
	return s.base.String() + Path + key + "?" + query.Encode(), nil
}

// WriteURL returns a URL for sending content for key by PUT until ttl from now, rounded up to the second. The service
// that serves it stores the content: this package's Handler only reads. Errors are those of URL.
func (s *Signer) WriteURL(key string, ttl time.Duration) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("signing URL to write %s: time to live %s is not positive", key, ttl)
	}
	expires := s.now().Add(ttl + time.Second - 1).Unix()
	query := url.Values{
		"exp": {strconv.FormatInt(expires, 10)}, "op": {opWrite}, "sig": {s.sign(purposeWrite, key, expires)},
	}
	return s.base.String() + Path + key + "?" + query.Encode(), nil
}

// Verify returns what the request's URL grants. The error is ErrBadSignature or ErrExpired. Unknown parameters are
// ignored: mail programs and others append theirs.
func (s *Signer) Verify(r *http.Request) (Grant, error) {
	return s.verify(r, purposeRead, "name", "type")
}

// VerifyWrite is Verify for a URL of WriteURL. The grant has only Key and Expires.
func (s *Signer) VerifyWrite(r *http.Request) (Grant, error) {
	return s.verify(r, purposeWrite)
}

// verify checks a URL in which the parameters with these names are signed.
func (s *Signer) verify(r *http.Request, purpose string, names ...string) (Grant, error) {
	key, ok := s.keyOf(r.URL)
	if !ok {
		return Grant{}, ErrBadSignature
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Grant{}, ErrBadSignature
	}
	signed := make([]string, len(names))
	for i, name := range names {
		signed[i] = query.Get(name)
	}
	for _, name := range append(names, "exp", "sig") {
		if len(query[name]) > 1 {
			return Grant{}, ErrBadSignature
		}
	}
	expires, err := strconv.ParseInt(query.Get("exp"), 10, 64)
	if err != nil {
		return Grant{}, ErrBadSignature
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(query.Get("sig"))
	if err != nil || !hmac.Equal(given, s.mac(purpose, key, expires, signed...)) {
		return Grant{}, ErrBadSignature
	}
	grant := Grant{Key: key, Expires: time.Unix(expires, 0)}
	if len(signed) > 0 {
		grant.Name, grant.ContentType = signed[0], signed[1]
	}
	// Last, so that only holders of a real URL learn that it has expired.
	if !s.now().Before(grant.Expires) {
		return Grant{}, ErrExpired
	}
	return grant, nil
}

// keyOf takes the key from a path, with the base URL's own path or after a router has stripped that.
func (s *Signer) keyOf(u *url.URL) (string, bool) {
	path := u.EscapedPath()
	key, ok := strings.CutPrefix(path, s.base.EscapedPath()+Path)
	if !ok {
		key, ok = strings.CutPrefix(path, Path)
	}
	// A valid key needs no escaping, so an escaped one was not written by this package.
	return key, ok && CheckKey(key) == nil
}

func (s *Signer) sign(purpose, key string, expires int64, more ...string) string {
	return base64.RawURLEncoding.EncodeToString(s.mac(purpose, key, expires, more...))
}

// mac signs the fields, each preceded by its length, so that different lists of fields never give the same bytes.
func (s *Signer) mac(purpose, key string, expires int64, more ...string) []byte {
	h := hmac.New(sha256.New, s.secret)
	for _, field := range append([]string{purpose, key, strconv.FormatInt(expires, 10)}, more...) {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		_, _ = h.Write([]byte(field))
	}
	return h.Sum(nil)
}
