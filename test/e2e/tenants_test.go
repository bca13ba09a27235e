package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// TestTenants shows for every route that takes an id that another team's resource and an unknown id look the same: 404,
// with the same body. The routes come from the backend's route table, so a route without a row fails.
func TestTenants(t *testing.T) {
	t.Parallel()
	s := setup(t)
	left := map[string]bool{}
	for route := range tenantRows {
		left[route] = true
	}
	for _, r := range s.operations(t) {
		if !strings.Contains(r.Path, "{") && r.Path != "/v1/retrieve" || r.Path == readRoute {
			continue
		}
		route := r.Method + " " + r.Path
		row, ok := tenantRows[route]
		if !ok {
			t.Errorf("%s takes an id and has no row in tenantRows", route)
			continue
		}
		delete(left, route)
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			row.play(t, s, r.Method, r.Path)
		})
	}
	for route := range left {
		t.Errorf("tenantRows has a row for %s, which is no route", route)
	}
}

// readRoute takes a URL, and no resource of a team.
const readRoute = "/v1/read/{url}"

// play requests a team's resource as its owner, as another team and without a key.
func (row tenantRow) play(t *testing.T, s *stack, method, path string) {
	t.Helper()
	owner, other := s.purse(t, 100), s.purse(t, 10)
	for i, n := 0, 1; i < n; i++ {
		things := row.make(t, s, owner) // created again, because its owner may have deleted it
		n = len(things)
		x := things[i]
		ask := func(x thing, headers ...string) answer {
			c := call{method: method, url: s.edge + x.in(path), body: row.body}
			return c.with(headers...).do(t)
		}
		unknown := ask(x.unknown(), other.bearer()...)
		unknown.wantStatus(t, http.StatusNotFound)
		if got := ask(x, other.bearer()...); got.status != http.StatusNotFound || !sameError(t, got, unknown) {
			t.Errorf("%v by another team: got %d %s, want 404 and the body of an unknown id, %s", x, got.status, got.body, unknown.body)
		}
		// Without a key there is no difference either.
		nobodys := ask(x.unknown())
		nobodys.wantStatus(t, http.StatusUnauthorized)
		if got := ask(x); got.status != http.StatusUnauthorized || !sameError(t, got, nobodys) {
			t.Errorf("%v by nobody: got %d %s, want 401 and the body of an unknown id, %s", x, got.status, got.body, nobodys.body)
		}
		// The resource still exists for its owner, so the comparison means something.
		if got := ask(x, owner.bearer()...); !row.shared && (got.status >= http.StatusInternalServerError || got.status == http.StatusForbidden ||
			sameError(t, got, unknown)) {
			t.Errorf("%v by its owner: got %d %s, want it found", x, got.status, got.body)
		}
	}
}

// in puts the ids into the path, and the others into the query.
func (x thing) in(path string) string {
	query := url.Values{}
	for name, id := range x {
		place := "{" + name + "}"
		if !strings.Contains(path, place) {
			query.Set(name, id)
		}
		path = strings.ReplaceAll(path, place, url.PathEscape(id))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// sameError compares bodies, ignoring what is unique to each response. A successful response need not be JSON.
func sameError(t *testing.T, a, b answer) bool {
	t.Helper()
	blank := func(x answer) any {
		var object map[string]any
		if err := json.Unmarshal(x.body, &object); err != nil {
			if x.status == http.StatusOK {
				return x.body
			}
			t.Fatalf("%s: body %q: %v", x.url, x.body, err)
		}
		object["id"], object["created"], object["monitor_id"] = nil, nil, nil
		return object
	}
	return reflect.DeepEqual(blank(a), blank(b))
}
