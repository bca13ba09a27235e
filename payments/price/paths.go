package price

import (
	"errors"
	"strings"
)

// Paths is a list of path patterns as in [Rule.Path], for exceptions that an operator makes by path.
type Paths struct{ patterns []pattern }

// NewPaths compiles patterns. The error joins all errors.
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

// Match reports whether a path, in its escaped form, is on the list: exactly as written, and without dot segments in
// any spelling.
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

// MatchAny reports whether a path, in its escaped form, is on the list in any reading of an upstream or another
// matcher. It is for rules that restrict: a path that is ambiguous counts as on the list.
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
