package caddymodule

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/rewrite"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// place is where an x402 handler stands in a server's routes: what leads there,
// and what the upstream sees of a path.
type place struct {
	handler *X402
	// conditions are the matchers on the way, from the outside in.
	conditions []caddyhttp.MatcherSets
	// prefix is what is taken from a path before it reaches the upstream.
	prefix string
}

// routesDeepMax bounds how deep routes stand in routes: named ones may invoke
// themselves.
const routesDeepMax = 16

// placesIn returns the x402 handlers of a server, in the order of its routes.
func placesIn(server *caddyhttp.Server) []*place {
	w := placeWalk{named: server.NamedRoutes}
	w.routes(server.Routes, nil, "", 0)
	return w.found
}

type placeWalk struct {
	named map[string]*caddyhttp.Route
	found []*place
}

func (w *placeWalk) routes(routes caddyhttp.RouteList, conditions []caddyhttp.MatcherSets, prefix string, deep int) {
	if deep > routesDeepMax {
		return
	}
	// A path is rewritten before or after the handler: it prices what the client sent.
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
		case *X402:
			w.found = append(w.found, &place{handler: handler, conditions: conditions, prefix: prefix})
		}
	}
}

// isOn says whether requests to the host of r come here.
func (p *place) isOn(r *http.Request) bool {
	return p.meets(r, func(matcher any) bool {
		switch matcher.(type) {
		case *caddyhttp.MatchHost, caddyhttp.MatchHost:
			return true
		}
		return false
	})
}

// reaches says whether a request with a method and path comes here, as far as
// that depends on those: any further condition may be met by some request.
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

// meets evaluates the conditions that are decided by matchers of the kinds asked
// about. All others count as met.
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

// meetsAll evaluates one set; undecided is what a matcher counts as that does not
// decide here.
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

// narrow returns the paths of a price's pattern that come here: the pattern itself,
// or where its route is for some paths alone, the pattern within those.
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

// matchedPaths returns the patterns of path matchers, as far as prices have the
// like: a star at the end. Caddy's `/a*` is `/a` and all below.
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

// samplePath is a path of a pattern or template; values are by the names of variables.
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
