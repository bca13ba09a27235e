package compare

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cleanText is a text in canonical form: valid UTF-8 in NFC, white space folded, and without what does not show.
func cleanText(text string) string {
	plain := true
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' || c == 0x7f || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	text = norm.NFC.String(strings.ToValidUTF8(text, "\ufffd"))
	var out strings.Builder
	out.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case r == '\u00a0' || r == '\u202f' || r == '\u2009':
			// It parts the thousands of a number.
			if !space && out.Len() > 0 {
				_, _ = out.WriteRune('\u00a0')
			}
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200d' || unicode.IsControl(r):
			continue
		}
		if space && out.Len() > 0 {
			_ = out.WriteByte(' ')
		}
		space = false
		_, _ = out.WriteRune(typed(r))
	}
	return strings.Trim(out.String(), " \u00a0")
}

// typed is how a sign is typed that typography has finer forms of.
func typed(r rune) rune {
	switch r {
	case '‘', '’', '‛', '`', '´':
		return '\''
	case '“', '”', '„', '‟', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '−':
		return '-'
	}
	return r
}

// cutText is the beginning of a text, of at most bytesMax bytes and of whole characters.
func cutText(text string, bytesMax int) string {
	if len(text) <= bytesMax {
		return strings.ToValidUTF8(text, "?")
	}
	end := bytesMax - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.ToValidUTF8(text[:end], "?") + "…"
}

// linkBytesMax bounds a link that is kept.
const linkBytesMax = 500

// passingParameters are names of parameters of a URL that say who follows it, when, or from where, and nothing of what it leads to.
var passingParameters = setOf(`
	gclid fbclid msclkid dclid yclid gbraid wbraid igshid twclid ttclid mc_cid mc_eid _ga _gl _hsenc _hsmi mkt_tok vero_id oly_enc_id
	sid sessid session sessionid session_id phpsessid jsessionid aspsessionid cfid cftoken zenid oscsid s_id visitor visitorid visitor_id uid_session
	token csrf csrftoken csrf_token xsrf _csrf _token authenticity_token nonce sig signature expires hmac
	_ cb cachebust cachebuster cache_buster nocache cache rnd rand random ts t time timestamp v ver bust rev hash _t _v _ts
	ref referrer referer ref_src ref_ source src_ campaign cid impression impression_id click click_id clickid trk tracking track track_id trackid
	pos position rank slot placement widget variant experiment ab exp bucket request_id requestid req rid trace traceid trace_id correlation_id
	utm_source utm_medium utm_campaign utm_term utm_content utm_id pf_rd_p pf_rd_r pd_rd_i pd_rd_r pd_rd_w pd_rd_wg`)

// setOf makes a set of the words of a text.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// canonicalLink is a link as it is compared: without what only tracks, sessions, and values that look drawn by lot.
// It is "" for what is no link to a resource.
func canonicalLink(link string) string {
	link = strings.TrimSpace(link)
	if link == "" || len(link) > 8*linkBytesMax {
		return cutText(link, linkBytesMax)
	}
	u, err := url.Parse(link)
	if err != nil {
		return cutText(link, linkBytesMax)
	}
	switch u.Scheme = strings.ToLower(u.Scheme); u.Scheme {
	case "", "http", "https", "mailto", "tel", "ftp":
	default:
		return ""
	}
	if u.Opaque != "" {
		return cutText(u.Scheme+":"+u.Opaque, linkBytesMax)
	}
	u.User, u.Host = nil, strings.ToLower(u.Host)
	u.RawQuery = canonicalQuery(u.RawQuery)
	u.ForceQuery = false
	if isDrawn(u.Fragment) || u.Fragment == "top" {
		u.Fragment, u.RawFragment = "", ""
	}
	u.Path, u.RawPath = canonicalPath(u.Path), ""
	return cutText(u.String(), linkBytesMax)
}

// canonicalPath is a path without sessions in it (";jsessionid=…", "/(S(…))/").
func canonicalPath(path string) string {
	if !strings.ContainsAny(path, ";(") {
		return path
	}
	segments := strings.Split(path, "/")
	segments = slices.DeleteFunc(segments, func(s string) bool { return strings.HasPrefix(s, "(S(") && strings.HasSuffix(s, "))") })
	for i, segment := range segments {
		if name, parameter, ok := strings.Cut(segment, ";"); ok {
			key, value, _ := strings.Cut(parameter, "=")
			if isPassing(key, value) {
				segments[i] = name
			}
		}
	}
	return strings.Join(segments, "/")
}

// steadyLink is a link with ids in its path left out: UUIDs, and what looks drawn by lot and has 16 hexadecimal digits or more. They are
// others where a page is made anew, and say nothing of what it leads to.
func steadyLink(link string) string {
	begin := 0
	var out strings.Builder
	for i := 0; i <= len(link); i++ {
		if i < len(link) && link[i] != '/' && link[i] != '.' && link[i] != '?' {
			continue
		}
		if isOpaque(link[begin:i]) {
			_ = out.WriteByte('~')
		} else {
			_, _ = out.WriteString(link[begin:i])
		}
		if i < len(link) {
			_ = out.WriteByte(link[i])
		}
		begin = i + 1
	}
	return out.String()
}

// isOpaque reports whether a part of a path is an id.
func isOpaque(part string) bool {
	if len(part) < 16 {
		return false
	}
	isHex := strings.Trim(part, "0123456789abcdefABCDEF") == "" && strings.ContainsAny(part, "0123456789") && strings.ContainsAny(part, "abcdefABCDEF")
	return isHex || len(part) >= 20 && isDrawn(part)
}

// canonicalQuery is a query in the order of its names, without what passes.
func canonicalQuery(query string) string {
	if query == "" {
		return ""
	}
	pairs := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	pairs = slices.DeleteFunc(pairs, func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		return isPassing(name, value)
	})
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

func isPassing(name, value string) bool {
	name = strings.ToLower(name)
	if passingParameters[name] || strings.HasPrefix(name, "utm_") || strings.HasSuffix(name, "sessid") || strings.HasSuffix(name, "sessionid") {
		return true
	}
	if unescaped, err := url.QueryUnescape(value); err == nil {
		value = unescaped
	}
	return isDrawn(value)
}

// isDrawn reports whether a word looks as if drawn by lot: a UUID, a long run of hexadecimal digits or of letters and digits
// mixed as no name is, or a time in seconds or milliseconds.
func isDrawn(word string) bool {
	if len(word) < 6 || len(word) > 256 {
		return len(word) > 256
	}
	if uuid.MatchString(word) {
		return true
	}
	digits, letters, capitals, turns, marks, hex, last := 0, 0, 0, 0, 0, true, 0
	for i := range len(word) {
		var class int
		switch c := word[i]; {
		case '0' <= c && c <= '9':
			class, digits = 1, digits+1
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			class, letters, hex = 2, letters+1, hex && c|0x20 <= 'f'
			if c < 'a' {
				class, capitals = 3, capitals+1
			}
		case strings.IndexByte("-_=.", c) >= 0:
			marks++
			continue
		default:
			return false
		}
		if last != 0 && class != last {
			turns++
		}
		last = class
	}
	switch {
	case marks > 0 && (marks > 2 || turns < 4 || len(word) < 16), letters > 0 && digits == 0:
		return false
	case letters == 0:
		return digits == len(word) && (digits == 10 || digits == 13) && word[0] == '1' // a time
	case hex && (capitals == 0 || capitals == letters):
		return len(word) >= 8 && digits >= 3 || turns >= 3
	}
	return len(word) >= 8 && turns >= max(4, len(word)/4)
}

var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
