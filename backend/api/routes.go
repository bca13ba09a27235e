package api

import "github.com/turnpike-edge/turnpike/backend/api/principal"

// Route is a mounted operation of a feature.
type Route struct {
	Method string
	// Path is a pattern: "/v1/files/{file_id}".
	Path   string
	Access principal.Access
	// Replays says that the operation supports Idempotency-Key.
	Replays bool
}

// Routes lists the operations of all features in the order of registration, including undocumented ones. Tests use it
// to check rules for every route.
func (s *Server) Routes() []Route {
	routes := make([]Route, 0, len(s.adapter.operations))
	for _, op := range s.adapter.operations {
		if s.adapter.owners[pattern(op)] == nil {
			continue // no feature's: reads without a feature, and the prices
		}
		routes = append(routes, Route{
			Method: op.Method, Path: op.Path, Access: principal.AccessOf(op), Replays: principal.Replays(op),
		})
	}
	return routes
}
