package links

import (
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// resolver resolves references against a base by the URL standard. Most references are so plain that the standard would
// not change them; those skip its parser, which would take half of the time for a page.
type resolver struct {
	base *whatwg.Url // nil: not known
	// unread is the base if it is so plain that it has not been parsed yet.
	unread string
	// origin, path and folder are the base's serialised parts; origin is "" if the base is not plain.
	origin, path, folder string
	whole                string // the base without its fragment
}

// resolved is the result of resolving a reference.
type resolved struct {
	url string
	web bool // it is an http or https URL
}

func newResolver(base *whatwg.Url) *resolver {
	r := &resolver{base: base}
	if base != nil {
		r.whole = base.Href(true)
	}
	if base == nil || !IsWeb(base) || base.Username() != "" || base.Password() != "" {
		return r
	}
	r.origin = base.Scheme() + "://" + base.Host()
	r.path = base.Pathname()
	r.folder = r.path[:strings.LastIndexByte(r.path, '/')+1]
	return r
}

// resolverAt resolves against an address that is known as text. Without a web address references must be absolute.
func resolverAt(address string) *resolver {
	r := &resolver{}
	if plain, ok := r.plain(address); ok {
		_, rest, _ := strings.Cut(plain, "://")
		r.unread = plain
		r.origin = plain[:len(plain)-len(rest)+strings.IndexByte(rest, '/')]
		r.path = plain[len(r.origin):]
		r.whole, _, _ = strings.Cut(plain, "#")
		if end := strings.IndexAny(r.path, "?#"); end >= 0 {
			r.path = r.path[:end]
		}
		r.folder = r.path[:strings.LastIndexByte(r.path, '/')+1]
		return r
	}
	base, err := whatwg.Parse(address)
	if err != nil || !IsWeb(base) {
		return r
	}
	return newResolver(base)
}

func (r *resolver) resolve(ref string) resolved {
	if len(ref) > ReferenceBytesMax {
		return resolved{}
	}
	if plain, ok := r.plain(ref); ok {
		return resolved{plain, true}
	}
	for _, scheme := range []string{"javascript:", "mailto:", "tel:", "data:"} {
		if strings.HasPrefix(ref, scheme) {
			return resolved{}
		}
	}
	u := r.parse(ref)
	if u == nil || !IsWeb(u) {
		return resolved{}
	}
	return resolved{u.Href(false), true}
}

// target resolves a reference of any scheme, and its parts if it is a web page. ok is false for an invalid reference.
func (r *resolver) target(ref string) (absolute string, to target, isWebPage, ok bool) {
	if len(ref) > ReferenceBytesMax {
		return "", target{}, false, false
	}
	if plain, ok := r.plain(ref); ok {
		_, host, _ := strings.Cut(plain, "://")
		host = host[:strings.IndexByte(host, '/')]
		hostname := host
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			hostname = host[:i]
		}
		return plain, target{href: ref, host: host, hostname: hostname}, true, true
	}
	u := r.parse(ref)
	if u == nil {
		return "", target{}, false, false
	}
	return u.Href(false), target{href: ref, host: u.Host(), hostname: u.Hostname()}, IsWeb(u), true
}

func (r *resolver) parse(ref string) *whatwg.Url {
	var u *whatwg.Url
	var err error
	if r.unread != "" {
		if r.base, err = whatwg.Parse(r.unread); err != nil {
			return nil
		}
		r.unread = ""
	}
	if r.base == nil {
		u, err = whatwg.Parse(ref)
	} else {
		u, err = r.base.Parse(ref)
	}
	if err != nil {
		return nil
	}
	return u
}

// plain resolves a reference in which the standard changes nothing.
func (r *resolver) plain(ref string) (string, bool) {
	if ref == "" {
		return "", false
	}
	if ref[0] != 'h' || !strings.HasPrefix(ref, "https://") && !strings.HasPrefix(ref, "http://") {
		switch {
		case r.origin == "":
		case ref[0] == '#' && isPlainTarget(ref):
			return r.whole + ref, true
		case ref[0] == '/' && !strings.HasPrefix(ref, "//") && isPlainTarget(ref):
			return r.origin + ref, true
		case dom.IsWordByte(ref[0]) && !strings.Contains(ref, ":") && isPlainTarget("/"+ref):
			return r.origin + r.folder + ref, true
		case ref[0] == '?' && isPlainTarget(ref):
			return r.origin + r.path + ref, true
		case strings.HasPrefix(ref, "//"):
			scheme, _, _ := strings.Cut(r.origin, "//")
			return r.plain(scheme + ref)
		}
		return "", false
	}
	host, target := ref[strings.Index(ref, "://")+3:], ""
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host, target = host[:i], host[i:]
	}
	if !isPlainHost(host) {
		return "", false
	}
	if target == "" {
		return ref + "/", true
	}
	if target[0] != '/' || !isPlainTarget(target) {
		return "", false
	}
	return ref, true
}

// isPlainHost reports whether a host is a name in lower-case letters to which no rule for IP addresses or for other
// scripts applies.
func isPlainHost(host string) bool {
	if host == "" || host[0] == '.' || strings.Contains(host, "..") || strings.Contains(host, "--") {
		return false
	}
	for i := range len(host) {
		if c := host[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.') {
			return false
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && 'a' <= last[0] && last[0] <= 'z'
}

// plainBytes are not changed by the standard in paths, queries and fragments.
var plainBytes = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = dom.IsWordByte(byte(c)) || c > ' ' && c < 0x7f && strings.IndexByte("-._~!$&()*+,;=:@/%", byte(c)) >= 0
	}
	return plain
}()

// isPlainTarget reports whether the standard leaves a path, query and fragment unchanged: there are no dot segments.
func isPlainTarget(target string) bool {
	inPath, inFragment := true, false
	for i := range len(target) {
		switch c := target[i]; {
		case c == '?' && !inFragment:
			inPath = false
		case c == '#' && !inFragment:
			inPath, inFragment = false, true
		case !plainBytes[c]:
			return false
		case inPath && (c == '.' && i > 0 && target[i-1] == '/' || c == '%' && i > 0 && target[i-1] == '/'):
			return false
		}
	}
	return true
}
