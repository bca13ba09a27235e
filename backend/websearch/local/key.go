package local

import (
	"strconv"
	"strings"
)

// scopeAll is the scope of the pages that all teams find.
const scopeAll = ""

// What a key is of.
const (
	kindAll  = 'a' // every page of the scope
	kindTerm = 't'
	kindHost = 'h'
	kindGram = 'g' // of a word's spelling
)

// levelFloors are the impacts from which on a page has a term's key at a level, too. Each has about a quarter to a half of
// the pages of the one before: far enough apart for few keys, and close enough for few pages too many.
var levelFloors = [...]byte{0, 140, 170, 195, 212, 226, 236, 244}

const levels = len(levelFloors)

// keyOf hashes what pages are found by. It is FNV-1a of 64 bits with a last stir, since GIN compares whole numbers: two keys
// that meet cost a few pages that are looked at in vain.
func keyOf(scope string, kind byte, level int, text string) int64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	mix := func(b byte) { h = (h ^ uint64(b)) * prime }
	for i := range len(scope) {
		mix(scope[i])
	}
	mix(0)
	mix(kind)
	mix(byte(level))
	for i := range len(text) {
		mix(text[i])
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return int64(h) //nolint:gosec // the bits are what counts
}

// hash64 is a hash that is of no scope.
func hash64(text string) int64 { return keyOf("", 'x', 0, text) }

// levelOf is the highest level that an impact reaches.
func levelOf(impact byte) int {
	level := 0
	for level+1 < levels && impact >= levelFloors[level+1] {
		level++
	}
	return level
}

// literal writes keys as Postgres reads an array.
func literal(keys []int64) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(key, 10))
	}
	b.WriteByte('}')
	return b.String()
}
