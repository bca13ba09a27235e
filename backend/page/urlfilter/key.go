package urlfilter

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// ID identifies a URL: it is the first half of the SHA-256 of its key. Two URLs of a crawl with the same ID are one page.
type ID [16]byte

// trackers are parameters that say where a visitor came from, never which page it is. Those that begin with utm_ are
// trackers, too.
var trackers = map[string]bool{
	"gclid": true, "dclid": true, "gbraid": true, "wbraid": true, "fbclid": true, "msclkid": true, "yclid": true,
	"mc_cid": true, "mc_eid": true, "_ga": true, "igshid": true,
}

// sessions are parameters that identify the visitor's session, if their value looks like a session ID.
var sessions = map[string]bool{
	"phpsessid": true, "jsessionid": true, "sid": true, "sessionid": true, "session_id": true, "cftoken": true, "cfid": true,
}

const (
	sessionBytesMin = 8
	// coldFusionID belongs to its token, and is short.
	coldFusionID, coldFusionToken = "cfid", "cftoken"
	aspSession                    = "aspsessionid"
	utmPrefix                     = "utm_"
)

// Key returns the URL with which u is fetched, and its ID. The returned URL lacks the fragment and all tracking and session
// parameters. Equivalent URLs have the same ID: those whose percent-encodings differ only as RFC 3986 section 6.2.2 allows,
// and those whose parameters are in another order. The scheme, www, a trailing slash and the case of letters may
// distinguish pages, so they stay. Key is idempotent.
func Key(u fetch.URL) (fetch.URL, ID) {
	if u.IsZero() {
		return fetch.URL{}, ID{}
	}
	written := u.WithoutFragment()
	kept, id := keyOf(written)
	if kept == u.String() {
		return u, id
	}
	clean, err := fetch.ParseURL(kept)
	if err != nil || clean.String() != kept {
		// Removing a parameter always leaves a valid URL. If it ever does not, u itself is still one.
		return u, sha(written)
	}
	return clean, id
}

// keyOf is Key for a URL as the URL standard serialises it. Links have this form, and most of them are known already, so
// they must not cost a parse.
func keyOf(serialised string) (string, ID) {
	written, _, _ := strings.Cut(serialised, "#")
	origin, path, query := split(written)
	cleanPath := withoutPathSessions(path)
	cleanQuery, sorted := withoutNoise(query)
	kept := written
	if len(cleanPath) != len(path) || len(cleanQuery) != len(query) || query == "" && strings.HasSuffix(written, "?") {
		kept = origin + cleanPath
		if cleanQuery != "" {
			kept += "?" + cleanQuery
		}
	}
	canonical := kept
	if sorted != cleanQuery || strings.IndexByte(kept, '%') >= 0 {
		canonical = origin + normalise(cleanPath)
		if sorted != "" {
			canonical += "?" + normalise(sorted)
		}
	}
	return kept, sha(canonical)
}

func sha(text string) ID {
	sum := sha256.Sum256([]byte(text))
	return ID(sum[:len(ID{})])
}

// split splits a serialised URL without a fragment into origin, path and query.
func split(written string) (origin, path, query string) {
	at := strings.Index(written, "://")
	if at < 0 {
		return "", written, ""
	}
	end := strings.IndexAny(written[at+3:], "/?")
	if end < 0 {
		return written, "", ""
	}
	end += at + 3
	path, query, _ = strings.Cut(written[end:], "?")
	return written[:end], path, query
}

// withoutPathSessions removes ;jsessionid=… from the segments of a path, and the segments /(S(…)) of ASP.NET.
func withoutPathSessions(path string) string {
	if !strings.ContainsAny(path, ";(") {
		return path
	}
	segments := strings.Split(path, "/")
	kept := segments[:0]
	for i, segment := range segments {
		if i > 0 && i < len(segments)-1 && isCookieless(segment) {
			continue
		}
		parts := strings.Split(segment, ";")
		left := parts[:1]
		for _, part := range parts[1:] {
			if name, value, ok := strings.Cut(part, "="); !ok || !isSession(strings.ToLower(name), value) {
				left = append(left, part)
			}
		}
		if len(left) < len(parts) && !isDots(strings.Join(left, ";")) { // a segment of only dots would refer to the parent
			segment = strings.Join(left, ";")
		}
		kept = append(kept, segment)
	}
	return strings.Join(kept, "/")
}

// isDots reports whether the URL standard treats a segment as "." or "..".
func isDots(segment string) bool {
	segment = normalise(segment)
	return segment == "." || segment == ".."
}

// isCookieless reports whether a segment is an ASP.NET session ID for clients without cookies.
func isCookieless(segment string) bool {
	inner, ok := strings.CutPrefix(segment, "(S(")
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(inner, "))")
	return ok && len(inner) >= 16 && isToken(inner)
}

// withoutNoise returns the significant parameters, as written and sorted by name.
func withoutNoise(query string) (clean, sorted string) {
	if query == "" {
		return "", ""
	}
	if strings.IndexByte(query, '&') < 0 { // most have one
		if isNoise(query, false) {
			return "", ""
		}
		return query, query
	}
	parameters := strings.Split(query, "&")
	token := slices.ContainsFunc(parameters, func(p string) bool {
		name, value, _ := strings.Cut(p, "=")
		return strings.EqualFold(name, coldFusionToken) && isSession(coldFusionToken, value)
	})
	parameters = slices.DeleteFunc(parameters, func(p string) bool { return isNoise(p, token) })
	clean = strings.Join(parameters, "&")
	if len(parameters) < 2 {
		return clean, clean
	}
	byName := func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return strings.Compare(normalise(a), normalise(b))
	}
	if slices.IsSortedFunc(parameters, byName) {
		return clean, clean
	}
	slices.SortStableFunc(parameters, byName)
	return clean, strings.Join(parameters, "&")
}

// isNoise reports whether a parameter is insignificant. besideToken is whether a ColdFusion token is present.
func isNoise(parameter string, besideToken bool) bool {
	if parameter == "" {
		return true
	}
	name, value, _ := strings.Cut(parameter, "=")
	if len(name) > 64 {
		return false
	}
	name = strings.ToLower(name)
	return trackers[name] || strings.HasPrefix(name, utmPrefix) || isSession(name, value) || name == coldFusionID && besideToken
}

// isSession reports whether a parameter, its name in lower case, is a session ID.
func isSession(name, value string) bool {
	if !sessions[name] && !strings.HasPrefix(name, aspSession) || len(value) < sessionBytesMin || !isToken(value) {
		return false
	}
	// A sid of only digits may be the number of a story.
	return name != "sid" || strings.Trim(value, "0123456789") != ""
}

// isToken reports whether value consists of letters, digits and the separators of tokens.
func isToken(value string) bool {
	for i := range len(value) {
		c := value[i]
		if !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' && c != '!' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// normalise decodes the percent-encodings of unreserved characters and writes the others in upper case (RFC 3986 sections
// 6.2.2.1 and 6.2.2.2).
func normalise(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	var out strings.Builder
	stray := -3 // position of the last percent sign that begins no encoding
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '%' {
			out.WriteByte(c)
			continue
		}
		if i+2 >= len(text) || unhex(text[i+1]) < 0 || unhex(text[i+2]) < 0 {
			stray = out.Len()
			out.WriteByte(c)
			continue
		}
		decoded := byte(unhex(text[i+1])<<4 | unhex(text[i+2]))
		if isUnreserved(decoded) && out.Len()-stray > 2 { // after a stray sign it would form a new encoding
			out.WriteByte(decoded)
		} else {
			out.WriteByte('%')
			out.WriteString(strings.ToUpper(text[i+1 : i+3]))
		}
		i += 2
	}
	return out.String()
}

func isUnreserved(c byte) bool {
	return isAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
