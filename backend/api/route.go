package api

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

var errPanic = errors.New("a handler panicked")

func (s *Server) isPage(path string) bool {
	for of := range s.config.Pages {
		if path == of || strings.HasSuffix(of, "/") && strings.HasPrefix(path, of) {
			return true
		}
	}
	return false
}

// cors lets scripts of any origin read responses, and send and read what a payment needs. The API uses no cookies, so a
// foreign page cannot misuse any; the pages for people, some of which use one, allow no other origin. The stock x402
// clients send Access-Control-Expose-Headers as a request header, so it must be allowed as one.
func (s *Server) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isPage(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Expose-Headers", edgewire.CORSExposed)
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", edgewire.CORSMethods)
		header.Set("Access-Control-Allow-Headers", edgewire.CORSAllowed)
		header.Set("Access-Control-Max-Age", edgewire.CORSMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}

// route finds the handler. The path must be exactly as registered: a redirect to the clean form would lose a payment,
// whose identity is bound to the URI.
func (s *Server) route() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, whole := s.withTarget(r)
		if !whole && !isClean(r.URL.Path) {
			s.writeError(w, r, unknownRoute())
			return
		}
		handler, pattern := s.mux.Handler(r)
		if pattern != "" {
			exchangeOf(r.Context()).pattern = pattern
			s.mux.ServeHTTP(w, r)
			return
		}
		// The mux's own handler knows whether another method is allowed.
		probe := &probe{header: http.Header{}}
		handler.ServeHTTP(probe, r)
		if allow := probe.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
			s.writeError(w, r, problem.New(problem.MethodNotAllowed, "This path does not support "+r.Method+". It supports "+allow+"."))
			return
		}
		s.writeError(w, r, unknownRoute())
	})
}

// withTarget turns everything after the path of an operation with a [caller.TargetInPath], including the query, into
// one path segment, and reports whether it did. The sent URI, which the identity is bound to, stays unchanged.
func (s *Server) withTarget(r *http.Request) (*http.Request, bool) {
	sent := r.URL.EscapedPath()
	for _, prefix := range s.adapter.targets {
		target, ok := strings.CutPrefix(sent, prefix)
		if !ok || target == "" || target == "." || target == ".." {
			continue
		}
		if r.URL.RawQuery != "" || r.URL.ForceQuery {
			target += "?" + r.URL.RawQuery
		}
		whole := r.WithContext(r.Context())
		whole.URL = &url.URL{Path: prefix + target, RawPath: prefix + url.PathEscape(target)}
		return whole, true
	}
	return r, false
}

func unknownRoute() error {
	return problem.New(problem.NotFound, "There is no operation at this path. See /docs for the available ones.")
}

func isClean(p string) bool {
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean == p
}

// probe discards the mux's response to an unknown route, except its headers.
type probe struct{ header http.Header }

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(int)             {}
