package fetch

import (
	"strings"
	"unicode/utf8"
)

// ParseOrigin is [ParseURL] for callers that need only the scheme, host and port of s, or its error; the rest of the
// returned URL may differ from s. By the standard no path, query or fragment makes a URL invalid, so they are not parsed
// unless they could make it too long. For a URL of 4 KiB that is 18 times as fast.
func ParseOrigin(s string) (URL, error) {
	if origin := originIn(s); origin != "" {
		if u, err := ParseURL(origin); err == nil {
			return u, nil
		}
	}
	return ParseURL(s)
}

// hostGrowthMax is how many bytes longer a plain host and an empty path may become: "1" is 0.0.0.1.
const hostGrowthMax = 16

// originIn returns s up to the end of its host and port, plus a slash. It returns "" unless these are plain ASCII and s
// stays short enough if everything after them is percent-encoded.
func originIn(s string) string {
	scheme := "http://"
	if !strings.HasPrefix(s, scheme) {
		scheme = "https://"
	}
	rest, ok := strings.CutPrefix(s, scheme)
	end := strings.IndexFunc(rest, func(r rune) bool { return !isPlainHost(r) })
	if !ok || end < 1 || !strings.ContainsRune("/?#", rune(rest[end])) || !utf8.ValidString(s) {
		return ""
	}
	size := len(s) + hostGrowthMax
	for i := end; i < len(rest); i++ {
		if !isPlain(rest[i]) {
			size += 2 // a byte becomes at most three characters
		}
	}
	if size > urlBytesMax {
		return ""
	}
	return scheme + rest[:end] + "/"
}

func isPlainHost(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '.' || r == '-' || r == '_' || r == ':'
}

// isPlain reports whether c is never percent-encoded after the host.
func isPlain(c byte) bool {
	return isPlainHost(rune(c)) || strings.IndexByte("/?#%&=+~,;@!$*()", c) >= 0
}
