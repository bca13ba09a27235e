package local

import (
	"strconv"
	"strings"
)

// scopeAll is the scope of the pages that all teams find.
const scopeAll = ""

// Kinds of keys.
const (
	kindAll  = 'a' // every page of the scope
	kindTerm = 't'
	kindHost = 'h'
	kindGram = 'g' // trigram of a word's spelling
)

// levelFloors are the impacts from which a page has a term's key at each level. Each level has about a quarter to a half of
// the pages of the previous one: far enough apart for few keys, close enough to keep surplus pages few.
var levelFloors = [...]byte{0, 140, 170, 195, 212, 226, 236, 244}

const levels = len(levelFloors)

// keyOf returns a key by which pages are found: a 64-bit FNV-1a hash with final mixing, because GIN compares integers. A
// collision only costs a few pages that are checked in vain.
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
	return int64(h) //nolint:gosec // only the bits matter
}

// hash64 is a hash without scope.
func hash64(text string) int64 { return keyOf("", 'x', 0, text) }

// levelOf returns the highest level that an impact reaches.
func levelOf(impact byte) int {
	level := 0
	for level+1 < levels && impact >= levelFloors[level+1] {
		level++
	}
	return level
}

// literal writes keys as a Postgres array literal.
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
