package maps

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/token"
)

const idPrefix = "map"

var errNoCursor = errors.New("is not a cursor of a map, or the map has expired")

// position is a place in a map: first is the index of the next URL.
type position struct {
	id    string
	first int
}

// cursor encodes a position. It needs no secrecy or signature: the ID cannot be guessed, and only the map's team can read
// it.
func (p position) cursor() *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(p.id + "." + strconv.Itoa(p.first)))
	return &text
}

func parsePosition(cursor string) (*position, error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return nil, errNoCursor
	}
	id, first, _ := strings.Cut(string(text), ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 || n > URLsMax || strconv.Itoa(n) != first || !token.Is(id, idPrefix) {
		return nil, errNoCursor
	}
	return &position{id: id, first: n}, nil
}
