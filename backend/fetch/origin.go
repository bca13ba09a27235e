package fetch

import (
	"strings"
	"unicode/utf8"
)

// ParseOrigin is [ParseURL] for callers that need only the scheme, host and port of s, or its error: what the URL that it
// returns has behind these may not be what s has. By the standard no path, query or fragment makes a URL invalid, so they
// are not parsed where they cannot make it too long either. For a URL of 4 KiB that is 18 times as fast.
func ParseOrigin(s string) (URL, error) {
	if origin := originIn(s); origin != "" {
		if u, err := ParseURL(origin); err == nil {
			return u, nil
		}
	}
	return ParseURL(s)
}

// hostGrowthMax is how many bytes a plain host and an empty path may become longer: "1" is 0.0.0.1.
const hostGrowthMax = 16

// originIn returns s up to the end of its host and port, closed by a slash. It returns "" unless these are plain ASCII, and
// s stays short enough when all behind them is encoded that may be.
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
			size += 2 // at most three characters are made of a byte
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

// isPlain reports whether c is never encoded behind a host.
func isPlain(c byte) bool {
	return isPlainHost(rune(c)) || strings.IndexByte("/?#%&=+~,;@!$*()", c) >= 0
}
