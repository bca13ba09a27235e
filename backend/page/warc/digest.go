package warc

import (
	"bufio"
	"crypto/md5"  //nolint:gosec // a checksum of other makers
	"crypto/sha1" //nolint:gosec // a checksum of other makers
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http/httputil"
	"slices"
	"strings"
)

// digestOf writes a SHA-256 in the usual form.
func digestOf(sum []byte) string { return "sha256:" + base32.StdEncoding.EncodeToString(sum) }

// ErrDigest is returned if a record does not match its digest.
var ErrDigest = errors.New("digest mismatch")

// digest is the digest in a field, and the hash to compare it with.
type digest struct {
	field string
	want  string
	hash.Hash
}

// newDigest returns the hash for the digest in a field, or nil if the field is absent or its algorithm unknown.
func newDigest(f Fields, field string) *digest {
	algorithm, value, found := strings.Cut(f.Value(field), ":")
	if !found {
		return nil
	}
	d := &digest{field: field, want: strings.TrimSpace(value)}
	switch strings.ToLower(strings.ReplaceAll(strings.TrimSpace(algorithm), "-", "")) {
	case "sha1":
		d.Hash = sha1.New() //nolint:gosec // as above
	case "sha256":
		d.Hash = sha256.New()
	case "sha512":
		d.Hash = sha512.New()
	case "md5":
		d.Hash = md5.New() //nolint:gosec // as above
	default:
		return nil
	}
	return d
}

// fits reports whether sum equals the field's digest: usually base 32, in some files hexadecimal or base 64.
func (d *digest) fits(sum []byte) bool {
	want := strings.TrimRight(d.want, "=")
	return strings.EqualFold(want, hex.EncodeToString(sum)) ||
		strings.EqualFold(want, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum)) ||
		want == base64.RawStdEncoding.EncodeToString(sum) || want == base64.RawURLEncoding.EncodeToString(sum)
}

// Verify reads r's block and compares it with r's digests. checked is how many there were; the error wraps ErrDigest if one
// does not match.
func (r *Record) Verify() (checked int, err error) {
	block, payload := newDigest(r.Fields, fieldBlockDigest), newDigest(r.Fields, fieldPayloadDigest)
	if r.Type == TypeRevisit {
		payload = nil // it belongs to the record referred to
	}
	whole := r.Block
	if block != nil {
		checked++
		whole = io.TeeReader(whole, block)
	}
	var faults []error
	if payload != nil {
		checked++
		if err := r.verifyPayload(whole, payload); err != nil {
			faults = append(faults, err)
		}
	}
	if _, err := io.Copy(io.Discard, whole); err != nil {
		return checked, err
	}
	if block != nil && !block.fits(block.Sum(nil)) {
		faults = append(faults, fmt.Errorf("%w: the block does not match %s", ErrDigest, block.field))
	}
	return checked, errors.Join(faults...)
}

// verifyPayload accepts, as the payload of an HTTP message, the body with or without chunked encoding: WARC writers differ.
func (r *Record) verifyPayload(whole io.Reader, want *digest) error {
	br := bufio.NewReader(whole)
	chunked := false
	if r.isHTTP() {
		head := &headReader{r: br, left: httpHeaderBytesMax, fieldsMax: httpFieldsMax, lenient: true}
		if _, err := head.line(); err != nil {
			return err
		}
		fields, err := head.fields()
		if err != nil {
			return err
		}
		chunked = isChunked(map[string][]string{"Transfer-Encoding": fields.Values("Transfer-Encoding")}, br)
	}
	var sums [][]byte
	if chunked {
		plain := newDigest(r.Fields, want.field)
		// Errors in the chunks are not reported here: the raw body may still match.
		_, _ = io.Copy(plain, httputil.NewChunkedReader(bufio.NewReaderSize(io.TeeReader(br, want), 16)))
		sums = append(sums, plain.Sum(nil))
	}
	if _, err := io.Copy(want, br); err != nil {
		return err
	}
	if slices.ContainsFunc(append(sums, want.Sum(nil)), want.fits) {
		return nil
	}
	return fmt.Errorf("%w: the payload does not match %s", ErrDigest, want.field)
}
