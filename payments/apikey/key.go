package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

const (
	// Prefix starts every key, so that people and secret scanners recognize keys.
	Prefix = "tp_"

	secretBytes  = 32
	secretDigits = 43 // ⌈256 / log2(62)⌉
	crcDigits    = 6  // ⌈32 / log2(62)⌉
	// Length is the length of every key in bytes.
	Length = len(Prefix) + secretDigits + crcDigits

	digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// displayLength is how much of a key may be shown later, to tell keys apart.
	displayLength = len(Prefix) + 6
)

// Hash is the SHA-256 of a whole key. It is what is stored, and how keys are found.
type Hash [sha256.Size]byte

// New returns a new key with 256 bits from the system's random source.
func New() string {
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // never fails (crypto/rand)
	body := Prefix + base62(new(big.Int).SetBytes(secret[:]), secretDigits)
	sum := checksum(body)
	return body + string(sum[:])
}

// Parse checks the form and the checksum of a presented key and returns its hash, or a [MalformedError].
func Parse(key string) (Hash, error) {
	if len(key) != Length || !strings.HasPrefix(key, Prefix) {
		return Hash{}, malformed("want %q followed by %d characters, got %d bytes", Prefix, Length-len(Prefix), len(key))
	}
	for i := len(Prefix); i < len(key); i++ {
		if !isDigit(key[i]) {
			return Hash{}, malformed("character %d is not a letter or digit", i+1)
		}
	}
	split := len(key) - crcDigits
	if sum := checksum(key[:split]); string(sum[:]) != key[split:] {
		return Hash{}, malformed("its checksum does not match, so a character is missing or mistyped")
	}
	return hashOf(key), nil
}

func hashOf(key string) Hash {
	var text [Length]byte // on the stack: this runs for every request
	copy(text[:], key)
	return sha256.Sum256(text[:])
}

// Display returns the part of a key that may be shown in lists and logs.
func Display(key string) string {
	if len(key) < displayLength {
		return Prefix + "…"
	}
	return key[:displayLength] + "…"
}

func isDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// checksum is CRC-32 (IEEE) in base62. It works byte by byte, because crc32.ChecksumIEEE would move every request's key
// to the heap.
func checksum(body string) (out [crcDigits]byte) {
	crc := ^uint32(0)
	for i := range len(body) {
		crc = crc32.IEEETable[byte(crc)^body[i]] ^ crc>>8
	}
	n := ^crc
	for i := crcDigits - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return out
}

func base62(n *big.Int, width int) string {
	out := make([]byte, width)
	radix, rest := big.NewInt(62), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, radix, rest)
		out[i] = digits[rest.Int64()]
	}
	return string(out)
}
