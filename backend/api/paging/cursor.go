package paging

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Position is a place in a list: after the entry with this time and id.
type Position struct {
	Created time.Time
	ID      string
}

// Cursor encodes the position: the time in microseconds, the database's precision, and the id.
func (p Position) Cursor() *string {
	text := strconv.FormatInt(p.Created.UnixMicro(), 10) + "." + p.ID
	cursor := base64.RawURLEncoding.EncodeToString([]byte(text))
	return &cursor
}

// microsMax is the year 9999, which every database can store.
const microsMax = 253_370_764_800_000_000

// Parse reads a cursor of a list whose ids have a prefix. The first page has no cursor and starts before all entries.
// The error is a validation error of the query parameter cursor.
func Parse(cursor, prefix string) (Position, error) {
	if cursor == "" {
		return Position{Created: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, nil
	}
	refused := problem.Validation(problem.Fault{
		Loc: []any{"query", "cursor"}, Msg: "must be a cursor returned by this list; omit it for the first page", Type: problem.FaultInvalid,
	})
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return Position{}, refused
	}
	micros, id, _ := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil || n < 0 || n > microsMax || !token.Is(id, prefix) {
		return Position{}, refused
	}
	return Position{Created: time.UnixMicro(n), ID: id}, nil
}
