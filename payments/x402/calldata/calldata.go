// Package calldata encodes and decodes the data of contract calls on Ethereum (the contract ABI), as far as payments
// need it.
package calldata

import (
	"bytes"
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Selector returns the first four bytes of a call, which name the function with this signature.
func Selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// WordBytes is the size of a word, in which most arguments are encoded.
const WordBytes = 32

// Word encodes a non-negative number.
func Word(n *big.Int) []byte { return common.LeftPadBytes(n.Bytes(), WordBytes) }

// Address encodes an address as a word.
func Address(a common.Address) []byte { return common.LeftPadBytes(a[:], WordBytes) }

// Pack concatenates a selector and ABI words.
func Pack(sel []byte, words ...[]byte) []byte {
	out := append([]byte{}, sel...)
	for _, w := range words {
		out = append(out, w...)
	}
	return out
}

// Bytes is the ABI encoding of a trailing bytes argument, after its offset.
func Bytes(b []byte) []byte {
	padded := (len(b) + WordBytes - 1) / WordBytes * WordBytes
	return append(Word(big.NewInt(int64(len(b)))), common.RightPadBytes(b, padded)...)
}

// ReadBytes returns the bytes argument that an ABI offset points to.
func ReadBytes(body, offsetWord []byte) ([]byte, bool) {
	offset, ok := ReadLength(offsetWord, len(body))
	if !ok || len(body)-offset < WordBytes {
		return nil, false
	}
	data := body[offset+WordBytes:]
	length, ok := ReadLength(body[offset:offset+WordBytes], len(data))
	if !ok {
		return nil, false
	}
	return data[:length], true
}

// ReadLength reads a word that counts bytes. The count must not exceed most.
func ReadLength(word []byte, most int) (int, bool) {
	const high = WordBytes - 8
	n := binary.BigEndian.Uint64(word[high:])
	if !IsZero(word[:high]) || n > uint64(most) { //nolint:gosec // a length is never negative
		return 0, false
	}
	return int(n), true //nolint:gosec // no more than most
}

// IsZero reports whether all bytes are zero.
func IsZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
