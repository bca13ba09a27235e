package price

import (
	"errors"
	"fmt"
	"strings"
)

// A path is compared as the client sent it, but an upstream may read it in other ways: it may merge slashes, decode
// twice, drop `;parameters` or a trailing slash, or ignore case. If the price followed one reading while the upstream
// serves another, clients could get around the charge. So every path is compared twice: exactly, and loosened by all of
// those at once. The first rule that matches the loosened path must also match exactly; otherwise no rule matches and
// the request is refused. Dot segments and control characters are refused in any spelling, as are byte sequences that
// are not valid characters but were once decoded as one (RFC 3629, section 10).
//
// Loosening only makes more patterns match, so any reading in between has the same first matching rule.

// pattern is a compiled path pattern: see [Rule.Path].
type pattern struct {
	exact []string // segments; "*" is any one segment that is not empty
	loose []string // the same without empty ones
	rest  bool     // a trailing "/*": at least one more byte and segment
}

func compilePattern(s string) (pattern, error) {
	if !strings.HasPrefix(s, "/") {
		return pattern{}, fmt.Errorf("path %q: must begin with a slash", s)
	}
	if i := strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`%;\?#`, r)
	}); i >= 0 {
		return pattern{}, fmt.Errorf("path %q: %q is not allowed in a pattern; write only the decoded path", s, s[i:i+1])
	}
	p := pattern{exact: strings.Split(s[1:], "/")}
	if last := len(p.exact) - 1; p.exact[last] == "*" {
		p.exact, p.rest = p.exact[:last], true
	}
	for i, seg := range p.exact {
		switch {
		case strings.Trim(seg, ".") == "" && seg != "":
			return pattern{}, fmt.Errorf("path %q: dot segments never match", s)
		case strings.Contains(seg, "*") && seg != "*":
			return pattern{}, fmt.Errorf("path %q: a star must be a whole segment", s)
		case seg == "" && (i < len(p.exact)-1 || p.rest):
			return pattern{}, fmt.Errorf("path %q: has an empty segment", s)
		case seg != "":
			p.loose = append(p.loose, seg)
		}
	}
	return p, nil
}

// matchExact compares with the path in its escaped form. Segments are decoded after the split, so that an encoded slash
// never separates them.
func (p *pattern) matchExact(path string) bool {
	rest := path[1:]
	for i, want := range p.exact {
		seg, tail, more := strings.Cut(rest, "/")
		if !sameSegment(seg, want) {
			return false
		}
		if last := i == len(p.exact)-1; !more || last {
			return last && more == p.rest && (!p.rest || tail != "")
		}
		rest = tail
	}
	return p.rest // the pattern is "/*" alone
}

func sameSegment(seg, want string) bool {
	switch {
	case want == "*":
		return seg != ""
	case strings.Contains(seg, "%"):
		return decodeOnce(seg) == want
	default:
		return seg == want
	}
}

// matchLoose compares with a path that loosen returned.
func (p *pattern) matchLoose(path string) bool {
	rest, more := path[1:], len(path) > 1
	for _, want := range p.loose {
		if !more {
			return false
		}
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		if want != "*" && !strings.EqualFold(seg, want) {
			return false
		}
	}
	if p.rest {
		return more || len(p.loose) == 0
	}
	return !more
}

var errPath = errors.New("path has dot segments, control characters, overlong characters or layers of encoding")

// loosen returns the path as the most lenient upstream would read it, except for case, which matchLoose ignores. It
// allocates nothing for ordinary paths.
func loosen(escaped string) (string, error) {
	if isPlain(escaped) {
		return escaped, nil
	}
	path := escaped
	for range 4 {
		decoded := decodeOnce(path)
		if decoded == path {
			return loosenSegments(path)
		}
		path = decoded
	}
	return "", errPath
}

func loosenSegments(path string) (string, error) {
	var b strings.Builder
	b.Grow(len(path))
	for seg := range strings.SplitSeq(strings.ReplaceAll(path, `\`, "/"), "/") {
		seg, _, _ = strings.Cut(seg, ";")
		if seg == "" {
			continue
		}
		if strings.ContainsFunc(seg, func(r rune) bool { return r < ' ' || r == 0x7f }) || hasOverlong(seg) {
			return "", errPath
		}
		// Windows ignores dots and spaces at the end of a name.
		seg = strings.TrimRight(seg, ". ")
		if seg == "" {
			return "", errPath
		}
		b.WriteByte('/')
		b.WriteString(seg)
	}
	if b.Len() == 0 {
		return "/", nil
	}
	return b.String(), nil
}

// hasOverlong reports whether s encodes a character in more bytes than needed, such as 0xc0 0xae for a dot.
func hasOverlong(s string) bool {
	for i := range len(s) - 1 {
		switch next := s[i+1]; s[i] {
		case 0xc0, 0xc1:
			if 0x80 <= next && next <= 0xbf {
				return true
			}
		case 0xe0:
			if 0x80 <= next && next <= 0x9f {
				return true
			}
		case 0xf0:
			if 0x80 <= next && next <= 0x8f {
				return true
			}
		}
	}
	return false
}

// isPlain reports whether every reading of the path is the path itself.
func isPlain(path string) bool {
	prev := byte('/')
	for i := 1; i < len(path); i++ {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z', c == '-', c == '_', c == '~':
		case c == '/' && prev != '/' && prev != '.', c == '.' && prev != '/':
		case strings.IndexByte("!$&'()*+,=:@", c) >= 0:
		default:
			return false
		}
		prev = c
	}
	return len(path) == 1 || (prev != '/' && prev != '.')
}

// decodeOnce decodes each valid percent escape and leaves the rest as it is, as the most lenient decoder does.
func decodeOnce(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	b = append(b, s[:i]...)
	for ; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				b = append(b, hi<<4|lo)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
