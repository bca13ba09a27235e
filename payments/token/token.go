// Package token makes public ids: a prefix that names the kind, an underscore, and 24 lowercase base-32 characters that
// carry 120 random bits. Such an id cannot be guessed, and can be read aloud and selected with a double-click.
//
// It imports the standard library only.
package token

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// randomBytes is 120 bits, which base32 writes in 24 characters without padding.
const (
	randomBytes     = 15
	randomTextBytes = 24
	// prefixBytes has room for any prefix in use; a longer one only costs more.
	prefixBytes = 16
)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// New returns a new id such as key_7w3v…. It allocates the id and nothing else (BenchmarkNew).
func New(prefix string) string {
	var b [prefixBytes + randomTextBytes]byte
	id := append(append(b[:0], prefix...), '_')
	return string(appendRandom(id))
}

// Random returns 120 random bits without a prefix, for ids that are opaque.
func Random() string {
	var b [randomTextBytes]byte
	return string(appendRandom(b[:0]))
}

func appendRandom(id []byte) []byte {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return encoding.AppendEncode(id, random[:])
}

// Is reports whether id has the form of New(prefix), so that malformed ids are refused before any lookup.
func Is(id, prefix string) bool {
	body, ok := strings.CutPrefix(id, prefix+"_")
	// No decoding here: base32 ignores line breaks.
	return ok && len(body) == encoding.EncodedLen(randomBytes) && !strings.ContainsFunc(body, isForeign)
}

func isForeign(c rune) bool { return !strings.ContainsRune(alphabet, c) }
