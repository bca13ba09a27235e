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

// digestOf writes a SHA-256 as most makers write theirs.
func digestOf(sum []byte) string { return "sha256:" + base32.StdEncoding.EncodeToString(sum) }

// ErrDigest is returned where a record is not what its digest says.
var ErrDigest = errors.New("digest mismatch")

// digest is what a field says, and what is computed to hold against it.
type digest struct {
	field string
	want  string
	hash.Hash
}

// newDigest returns what a field asks to be computed, or nil where it is absent or by an algorithm that is not known.
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

// fits reports whether sum is what the field says: in base 32 by custom, by some in hexadecimal or base 64.
func (d *digest) fits(sum []byte) bool {
	want := strings.TrimRight(d.want, "=")
	return strings.EqualFold(want, hex.EncodeToString(sum)) ||
		strings.EqualFold(want, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum)) ||
		want == base64.RawStdEncoding.EncodeToString(sum) || want == base64.RawURLEncoding.EncodeToString(sum)
}

// Verify reads r's block and holds it against the digests that r names. checked is how many there were; the error wraps
// ErrDigest where one does not fit.
func (r *Record) Verify() (checked int, err error) {
	block, payload := newDigest(r.Fields, fieldBlockDigest), newDigest(r.Fields, fieldPayloadDigest)
	if r.Type == TypeRevisit {
		payload = nil // it is of what the record refers to
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
		faults = append(faults, fmt.Errorf("%w: the block is not what %s says", ErrDigest, block.field))
	}
	return checked, errors.Join(faults...)
}

// verifyPayload takes for the payload of an HTTP message its body, as it is or without its chunks: makers differ.
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
		// What is wrong with the chunks is for whoever reads them: the raw body may fit all the same.
		_, _ = io.Copy(plain, httputil.NewChunkedReader(bufio.NewReaderSize(io.TeeReader(br, want), 16)))
		sums = append(sums, plain.Sum(nil))
	}
	if _, err := io.Copy(want, br); err != nil {
		return err
	}
	if slices.ContainsFunc(append(sums, want.Sum(nil)), want.fits) {
		return nil
	}
	return fmt.Errorf("%w: the payload is not what %s says", ErrDigest, want.field)
}
