package x402

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/rewrite"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// place is the position of an x402 handler in a server's routes: which requests get there, and how the path changes on
// the way to the upstream.
type place struct {
	handler *Handler
	// conditions are the matchers of the routes around it, outermost first.
	conditions []caddyhttp.MatcherSets
	// prefix is stripped from a path before it reaches the upstream.
	prefix string
}

// routesDeepMax limits how deep routes are nested, because named routes may invoke themselves.
const routesDeepMax = 16

// placesIn returns the x402 handlers of a server, in the order of its routes.
func placesIn(server *caddyhttp.Server) []*place {
	w := placeWalk{named: server.NamedRoutes}
	w.routes(server.Routes, nil, "", 0)
	return w.found
}

// places returns the x402 handlers of the server that received r.
func (c *Config) places(r *http.Request) []*place {
	server, ok := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return nil
	}
	if known, ok := c.servers.Load(server); ok {
		found, _ := known.([]*place)
		return found
	}
	found := placesIn(server)
	c.servers.Store(server, found)
	return found
}

type placeWalk struct {
	named map[string]*caddyhttp.Route
	found []*place
}

func (w *placeWalk) routes(routes caddyhttp.RouteList, conditions []caddyhttp.MatcherSets, prefix string, deep int) {
	if deep > routesDeepMax {
		return
	}
	// A path may be rewritten before or after the handler. Both count: the handler prices the path that the client sent.
	for _, route := range routes {
		for _, handler := range route.Handlers {
			if strip, ok := handler.(*rewrite.Rewrite); ok && !strings.Contains(strip.StripPathPrefix, "{") {
				prefix += strings.TrimSuffix(strip.StripPathPrefix, "/")
			}
		}
	}
	for _, route := range routes {
		w.route(&route, conditions, prefix, deep)
	}
}

func (w *placeWalk) route(route *caddyhttp.Route, conditions []caddyhttp.MatcherSets, prefix string, deep int) {
	if len(route.MatcherSets) > 0 {
		conditions = append(conditions[:len(conditions):len(conditions)], route.MatcherSets)
	}
	for _, handler := range route.Handlers {
		switch handler := handler.(type) {
		case *caddyhttp.Subroute:
			w.routes(handler.Routes, conditions, prefix, deep+1)
		case *caddyhttp.Invoke:
			if named := w.named[handler.Name]; named != nil {
				w.routes(caddyhttp.RouteList{*named}, conditions, prefix, deep+1)
			}
		case *Handler:
			w.found = append(w.found, &place{handler: handler, conditions: conditions, prefix: prefix})
		}
	}
}

// isOn reports whether requests to the host of r can get here.
func (p *place) isOn(r *http.Request) bool {
	return p.meets(r, func(matcher any) bool {
		switch matcher.(type) {
		case *caddyhttp.MatchHost, caddyhttp.MatchHost:
			return true
		}
		return false
	})
}

// reaches reports whether a request with a method and path can get here. All conditions on anything else count as met,
// because some request may meet them.
func (p *place) reaches(r *http.Request, method, path string) bool {
	other := r.Clone(context.WithValue(r.Context(), caddyhttp.OriginalRequestCtxKey, nil))
	other.Method, other.URL = method, &url.URL{Path: path}
	return p.meets(other, func(matcher any) bool {
		switch matcher.(type) {
		case *caddyhttp.MatchPath, caddyhttp.MatchPath, *caddyhttp.MatchPathRE, caddyhttp.MatchPathRE,
			*caddyhttp.MatchMethod, caddyhttp.MatchMethod:
			return true
		}
		return false
	})
}

// meets evaluates only the matchers for which decides returns true. All others count as met.
func (p *place) meets(r *http.Request, decides func(any) bool) bool {
	for _, sets := range p.conditions {
		met := false
		for _, set := range sets {
			met = met || meetsAll(r, set, decides, true)
		}
		if !met {
			return false
		}
	}
	return true
}

// meetsAll evaluates one set. undecided is the result for all other matchers.
func meetsAll(r *http.Request, set caddyhttp.MatcherSet, decides func(any) bool, undecided bool) bool {
	for _, matcher := range set {
		met := undecided
		switch m := matcher.(type) {
		case *caddyhttp.MatchNot:
			met = true
			for _, excluded := range m.MatcherSets {
				met = met && !meetsAll(r, excluded, decides, false)
			}
		case caddyhttp.RequestMatcherWithError:
			if decides(matcher) {
				ok, err := m.MatchWithError(r)
				met = ok && err == nil
			}
		}
		if !met {
			return false
		}
	}
	return true
}

// narrow returns the paths of a price's pattern that get here: the pattern itself or, if the route is only for some
// paths, its intersection with those.
func (p *place) narrow(r *http.Request, method, pattern string) []string {
	if p.reaches(r, method, samplePath(pattern, nil)) {
		return []string{pattern}
	}
	patterns := []string{pattern}
	for _, sets := range p.conditions {
		var within []string
		for _, matched := range matchedPaths(sets) {
			for _, one := range patterns {
				if met, ok := price.Meet(one, matched); ok {
					within = append(within, met)
				}
			}
		}
		if len(within) > 0 {
			patterns = within
		}
	}
	var reached []string
	for _, one := range patterns {
		if p.reaches(r, method, samplePath(one, nil)) {
			reached = append(reached, one)
		}
	}
	return reached
}

// matchedPaths returns the patterns of path matchers that price patterns can express: with a star only at the end.
// Caddy's `/a*` becomes `/a` and everything below.
func matchedPaths(sets caddyhttp.MatcherSets) []string {
	var found []string
	for _, set := range sets {
		for _, matcher := range set {
			paths, isPath := matcher.(*caddyhttp.MatchPath)
			if !isPath {
				continue
			}
			for _, path := range *paths {
				base, isOpen := strings.CutSuffix(path, "*")
				if strings.ContainsAny(base, "*%") || !strings.HasPrefix(path, "/") {
					continue
				}
				if isOpen {
					found = append(found, strings.TrimSuffix(base, "/")+"/*")
				}
				if !isOpen || !strings.HasSuffix(base, "/") {
					found = append(found, base)
				}
			}
		}
	}
	return found
}

// samplePath returns an example path of a pattern or template. values are by the names of variables.
func samplePath(pattern string, values map[string]string) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if !price.IsVariable(segment) {
			continue
		}
		segments[i] = "x"
		if value := values[strings.Trim(segment, "{}")]; value != "" && !strings.ContainsAny(value, "/%;?#\\") {
			segments[i] = value
		}
	}
	return strings.Join(segments, "/")
}
