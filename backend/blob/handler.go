package blob

import (
	"errors"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	defaultContentType = "application/octet-stream"
	cacheSecondsMax    = 3600
	fileNameBytesMax   = 200
)

// ErrMethodNotAllowed is returned for a method other than GET and HEAD; the Allow header is already set.
var ErrMethodNotAllowed = errors.New("content can only be read: use GET or HEAD")

// ErrorFunc writes the response to a failed request. The error is, or wraps, one of this package's, or it is the engine's.
type ErrorFunc func(w http.ResponseWriter, r *http.Request, err error)

// Handler serves the content of signed URLs, with range and conditional requests. Mount it at Path. On failure it calls
// fail and writes nothing itself.
func Handler(store *Store, signer *Signer, fail ErrorFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, r, ErrMethodNotAllowed)
			return
		}
		grant, err := signer.Verify(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		object, err := store.Open(r.Context(), grant.Key)
		if err != nil {
			fail(w, r, err)
			return
		}
		defer object.Close()
		setHeader(w.Header(), grant, object.Info, signer.now())
		http.ServeContent(w, r, "", object.Info.ModTime, object)
	})
}

// setHeader writes the headers that keep a stranger's content from acting as ours. Each suffices for most browsers and
// most content; together they leave no gap. sandbox gives the document its own origin and no scripts, and default-src
// also forbids images, styles and requests.
func setHeader(h http.Header, grant Grant, info Info, now time.Time) {
	h.Set("Content-Type", contentTypeOf(grant.ContentType, info.ContentType))
	h.Set("Content-Disposition", disposition(grant))
	h.Set("Content-Security-Policy",
		"sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	// A signed URL may be embedded anywhere, such as a screenshot in a report: its holder may read it.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex")
	seconds := min(int64(grant.Expires.Sub(now)/time.Second), cacheSecondsMax)
	h.Set("Cache-Control", "private, max-age="+strconv.FormatInt(max(seconds, 0), 10))
	if info.ETag != "" {
		h.Set("ETag", info.ETag)
	}
}

// contentTypeOf returns the first valid type of types. With an empty one, net/http would sniff.
func contentTypeOf(types ...string) string {
	for _, t := range types {
		mediaType, params, err := mime.ParseMediaType(t)
		if err != nil || !strings.Contains(mediaType, "/") {
			continue
		}
		if formatted := mime.FormatMediaType(mediaType, params); formatted != "" {
			return formatted
		}
	}
	return defaultContentType
}

func disposition(grant Grant) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(grant.Name, "_"))
	if len(name) > fileNameBytesMax {
		name = strings.ToValidUTF8(name[:fileNameBytesMax], "")
	}
	if name = strings.Trim(name, ". "); name == "" {
		name = path.Base(grant.Key)
	}
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" {
		return value
	}
	return "attachment"
}
