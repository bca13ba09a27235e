package robots

import "strings"

// pattern is a rule's path, split at its wildcards.
type pattern struct {
	allow  bool
	length int      // octets of the rule as compared
	parts  []string // the text between the stars; the first is a prefix
	toEnd  bool     // the path must end where the last part does
}

// newPattern parses a rule. Every * is a wildcard and a $ at the end marks the end. Percent-encoded, both are plain
// characters; so is a $ before the end.
func newPattern(rule string, allow bool) pattern {
	rule, toEnd := strings.CutSuffix(rule, "$")
	rule = normalise(rule, true)
	p := pattern{allow: allow, length: len(rule), parts: strings.Split(rule, "*"), toEnd: toEnd}
	if toEnd {
		p.length++
	}
	return p
}

// matches takes each part at its first occurrence after the previous part: because stars match anything, this never
// prevents a later match, and nothing is tried twice. Only the part before an end mark has a fixed position.
func (p *pattern) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return false
	}
	if len(p.parts) == 1 {
		return !p.toEnd || rest == ""
	}
	middle, last := p.parts[1:len(p.parts)-1], p.parts[len(p.parts)-1]
	for _, part := range middle {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if p.toEnd {
		return strings.HasSuffix(rest, last)
	}
	return strings.Contains(rest, last)
}

// pathOf returns path and query of a URL, "/" if it has none. Fragments are not sent and so not compared.
func pathOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if !strings.HasPrefix(url, "/") {
		if _, after, found := strings.Cut(url, "://"); found {
			url = after
		}
		at := strings.IndexAny(url, "/?")
		if at < 0 {
			return "/"
		}
		url = url[at:]
	}
	if strings.HasPrefix(url, "?") {
		return "/" + url
	}
	return url
}

const (
	unreservedMarks = "-._~"
	// reserved are those of RFC 3986 without * and $, which have a meaning in rules and are always encoded in a path.
	reserved = ":/?#[]@!&'()+,;="
	upperHex = "0123456789ABCDEF"
)

// normalise converts a path or rule to the form in which they are compared (RFC 9309 section 2.2.2): octets that are
// neither unreserved nor reserved are percent-encoded, encoded unreserved ones are decoded, and hexadecimal digits are
// capitals. The stars of a rule are kept.
func normalise(s string, rule bool) string {
	if isNormal(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if isUnreserved(c) {
				b.WriteByte(c)
			} else {
				writeEncoded(&b, c)
			}
			continue
		}
		switch {
		case isUnreserved(c), strings.IndexByte(reserved, c) >= 0, rule && c == '*':
			b.WriteByte(c)
		default:
			writeEncoded(&b, c)
		}
	}
	return b.String()
}

// isNormal reports whether s needs no change, which saves most paths the copy.
func isNormal(s string) bool {
	for i := range len(s) {
		if !isUnreserved(s[i]) && strings.IndexByte(reserved, s[i]) < 0 {
			return false
		}
	}
	return true
}

func writeEncoded(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(unreservedMarks, c) >= 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}
