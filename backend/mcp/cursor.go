package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// place is where to read on: in the text of a resource, or in the list of a job's pages.
type place struct {
	id string
	// after is the position in the list, nil for its start. from is the one in the text, in bytes.
	after    *int32
	from     int
	contents bool // of the pages, not only a list of them
}

// cursor returns p as a word: page_x@1200, crawl_x@l40, crawl_x@c40.1200.
func (p place) cursor() string {
	if p.after == nil && !p.contents {
		return fmt.Sprintf("%s@%d", p.id, p.from)
	}
	kind, after := "l", ""
	if p.contents {
		kind = "c"
	}
	if p.after != nil {
		after = strconv.Itoa(int(*p.after))
	}
	if p.from > 0 {
		after += "." + strconv.Itoa(p.from)
	}
	return p.id + "@" + kind + after
}

func parsePlace(cursor string) (p place, ok bool) {
	id, at, ok := strings.Cut(cursor, "@")
	if p.id = id; !ok || at == "" {
		return p, false
	}
	if unicode.IsDigit(rune(at[0])) {
		p.from, ok = digits(at)
		return p, ok
	}
	p.contents = at[0] == 'c'
	if !p.contents && at[0] != 'l' {
		return p, false
	}
	after, from, inPage := strings.Cut(at[1:], ".")
	if inPage {
		if p.from, ok = digits(from); !ok {
			return p, false
		}
	}
	if after == "" {
		return p, true
	}
	n, ok := digits(after)
	seq := int32(n) //nolint:gosec // 31 bits
	p.after = &seq
	return p, ok
}

// digits reads a number that fits 31 bits.
func digits(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil
}

func badCursor() error {
	return fault("cursor", "is not one of this server: use it as it was given, and with nothing else")
}
