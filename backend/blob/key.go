package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const (
	keyBytesMax    = 512
	keySegmentsMax = 8
)

// ErrInvalidKey is returned for a key that is not segments of letters, digits, '.', '_' and '-' joined by slashes.
var ErrInvalidKey = errors.New("invalid key")

// CheckKey returns an ErrInvalidKey that says what is wrong with key, or nil. These characters need no escaping in URLs
// or on any file system, so each key has the same spelling everywhere.
func CheckKey(key string) error {
	if key == "" || len(key) > keyBytesMax {
		return fmt.Errorf("%w: must have 1 to %d bytes, has %d", ErrInvalidKey, keyBytesMax, len(key))
	}
	if strings.Count(key, "/") >= keySegmentsMax {
		return fmt.Errorf("%w: more than %d segments", ErrInvalidKey, keySegmentsMax)
	}
	for segment := range strings.SplitSeq(key, "/") {
		switch {
		case segment == "":
			return fmt.Errorf("%w: empty segment", ErrInvalidKey)
		case segment[0] == '.':
			return fmt.Errorf("%w: segment starts with a dot", ErrInvalidKey)
		case strings.ContainsFunc(segment, isNotKeyRune):
			return fmt.Errorf("%w: only letters, digits, '.', '_' and '-' are allowed between slashes", ErrInvalidKey)
		}
	}
	if strings.HasSuffix(key, ".attrs") {
		// The directory engine stores an object's content type in a file of that name.
		return fmt.Errorf("%w: must not end in .attrs", ErrInvalidKey)
	}
	return nil
}

func isNotKeyRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
		return false
	}
	return true
}

// Digest returns the SHA-256 of data in hexadecimal, as the last segment of a key for content-addressed data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
