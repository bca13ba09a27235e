package apikey

import (
	"fmt"
	"strings"
)

// Scopes is a set of permissions of a key.
type Scopes uint8

// The scopes. The edge's configuration says which requests need which scope; their names are part of the service
// contract.
const (
	// ScopeRead is for requests that change nothing.
	ScopeRead Scopes = 1 << iota
	// ScopeWrite is for requests that change something.
	ScopeWrite
	// ScopeBilling is for buying credits and for creating and ending keys.
	ScopeBilling

	// ScopesAll is what the first key of a team has.
	ScopesAll = ScopeRead | ScopeWrite | ScopeBilling
	// ScopesUsual is what other keys have by default.
	ScopesUsual = ScopeRead | ScopeWrite
)

var scopeNames = [...]string{"read", "write", "billing"}

// ScopeNames lists the scopes by name, in their order.
func ScopeNames() []string { return scopeNames[:] }

// ParseScopes returns the set of the named scopes. The error names the unknown scope; it can be shown to the client.
func ParseScopes(names []string) (Scopes, error) {
	var s Scopes
	for _, name := range names {
		one, ok := scopeOf(name)
		if !ok {
			return 0, fmt.Errorf("%.50q is not a scope: want read, write or billing", name)
		}
		s |= one
	}
	return s, nil
}

func scopeOf(name string) (Scopes, bool) {
	for i, known := range scopeNames {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
}

// storedScopes reads a set from the database, which holds no other names. A scope that this version does not know
// permits nothing.
func storedScopes(names []string) Scopes {
	var s Scopes
	for _, name := range names {
		one, _ := scopeOf(name)
		s |= one
	}
	return s
}

// Has reports whether s contains all of other.
func (s Scopes) Has(other Scopes) bool { return s&other == other }

// Names returns the set by name, in the order of the scopes; never nil.
func (s Scopes) Names() []string {
	names := make([]string, 0, len(scopeNames))
	for i, name := range scopeNames {
		if s.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names with commas between them.
func (s Scopes) String() string { return strings.Join(s.Names(), ",") }
