package price

import (
	"slices"
	"strings"
)

// Meet returns the paths that are in both of two patterns, as a pattern. Either
// may also have segments such as `{id}`, as the templates of descriptions do: they
// stand for one segment that is not empty, like `*`, and keep their names.
//
//	Meet("/v1/*", "/v1/scrapes/{id}") is "/v1/scrapes/{id}"
//	Meet("/v1/scrapes/latest", "/v1/scrapes/{id}") is "/v1/scrapes/latest"
func Meet(a, b string) (string, bool) {
	left, leftRest, leftOK := splitPattern(a)
	right, rightRest, rightOK := splitPattern(b)
	if !leftOK || !rightOK {
		return "", false
	}
	if len(left) > len(right) {
		left, leftRest, right, rightRest = right, rightRest, left, leftRest
	}
	rest := rightRest
	switch {
	case len(left) < len(right):
		if !leftRest {
			return "", false
		}
	case leftRest != rightRest: // one pattern ends where the other needs at least one segment more
		return "", false
	}
	met := slices.Clone(right)
	for i, seg := range left {
		one, ok := meetSegments(seg, right[i])
		if !ok {
			return "", false
		}
		met[i] = one
	}
	if rest {
		met = append(met, "*")
	}
	return "/" + strings.Join(met, "/"), true
}

// IsVariable reports whether a segment of a pattern or template is a placeholder.
func IsVariable(segment string) bool {
	return segment == "*" || strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") && strings.Count(segment, "{") == 1
}

func splitPattern(s string) (segments []string, rest, ok bool) {
	if !strings.HasPrefix(s, "/") {
		return nil, false, false
	}
	segments = strings.Split(s[1:], "/")
	if last := len(segments) - 1; segments[last] == "*" {
		return segments[:last], true, true
	}
	return segments, false, true
}

func meetSegments(a, b string) (string, bool) {
	switch {
	case a == b:
		return a, true
	case a == "*" || IsVariable(a) && b != "*":
		return b, b != ""
	case IsVariable(b):
		return a, a != ""
	}
	return "", false
}
