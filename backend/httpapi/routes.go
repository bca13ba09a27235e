package httpapi

import "github.com/turnpike-edge/turnpike/backend/caller"

// Route is an operation of a feature, as it is mounted.
type Route struct {
	Method string
	// Path is a pattern: "/v1/files/{file_id}".
	Path   string
	Access caller.Access
	// Replays says that Idempotency-Key holds for it.
	Replays bool
}

// Routes lists the operations of all features in the order in which they were
// registered, those that are not documented too. It is for tests that hold every
// route to a rule.
func (s *Server) Routes() []Route {
	routes := make([]Route, 0, len(s.adapter.operations))
	for _, op := range s.adapter.operations {
		if s.adapter.owners[pattern(op)] == nil {
			continue // nobody's: answers for what there is not yet, and the prices
		}
		routes = append(routes, Route{
			Method: op.Method, Path: op.Path, Access: caller.AccessOf(op), Replays: caller.Replays(op),
		})
	}
	return routes
}
