package links

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/clip"
)

// linkHeaderBytesMax is how much of a Link header is read.
const linkHeaderBytesMax = 16 << 10

// Canonical is the target of the Link header with the relation "canonical" (RFC 8288, section 3; RFC 6596).
func Canonical(header http.Header) string {
	for _, value := range header.Values("Link") {
		for rest := clip.Bytes(value, linkHeaderBytesMax); ; {
			_, after, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			target, parameters, ok := strings.Cut(after, ">")
			if !ok {
				break
			}
			parameters, rest = cutUnquoted(parameters, ',')
			if hasToken(strings.ToLower(linkParameter(parameters, "rel")), "canonical") {
				return strings.TrimSpace(target)
			}
		}
	}
	return ""
}

func hasToken(list, token string) bool {
	for field := range strings.FieldsSeq(list) {
		if field == token {
			return true
		}
	}
	return false
}

// cutUnquoted cuts at the first separator outside of quoted strings.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted && s[i] == '\\':
			i++
		case s[i] == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// linkParameter is the first value of a parameter.
func linkParameter(parameters, name string) string {
	for parameters != "" {
		var parameter string
		parameter, parameters = cutUnquoted(parameters, ';')
		key, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}
