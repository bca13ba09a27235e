package price

import (
	"errors"
	"strings"
)

// Paths is a list of path patterns with the rules of [Rule.Path]: for exceptions
// that an operator makes by path.
type Paths struct{ patterns []pattern }

// NewPaths compiles patterns. The error joins all faults.
func NewPaths(patterns ...string) (*Paths, error) {
	p := &Paths{}
	var errs []error
	for _, s := range patterns {
		c, err := compilePattern(s)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.patterns = append(p.patterns, c)
	}
	return p, errors.Join(errs...)
}

// Match says whether a path, in its escaped form, is on the list: exactly as
// written, and with no dot segments in any spelling.
func (p *Paths) Match(escapedPath string) bool {
	if len(p.patterns) == 0 || !strings.HasPrefix(escapedPath, "/") {
		return false
	}
	loose, err := loosen(escapedPath)
	if err != nil {
		return false
	}
	for i := range p.patterns {
		if c := &p.patterns[i]; c.matchExact(escapedPath) && c.matchLoose(loose) {
			return true
		}
	}
	return false
}

// MatchAny says whether a path, in its escaped form, is on the list by any
// reading that an upstream or another matcher may give it. It is for rules that
// restrict: what cannot be read for certain is on the list.
func (p *Paths) MatchAny(escapedPath string) bool {
	if len(p.patterns) == 0 {
		return false
	}
	if !strings.HasPrefix(escapedPath, "/") {
		return true
	}
	loose, err := loosen(escapedPath)
	if err != nil {
		return true
	}
	for i := range p.patterns {
		if p.patterns[i].matchLoose(loose) {
			return true
		}
	}
	return false
}
