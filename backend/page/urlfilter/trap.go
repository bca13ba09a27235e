package urlfilter

import (
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Limits on the form of a URL. A URL beyond them is taken for one of endlessly many generated URLs.
const (
	urlBytesMax    = 2048
	segmentsMax    = 16
	segmentTimes   = 3 // a segment that occurs this often indicates a loop
	parametersMax  = 10
	parameterTimes = 3
	// chainMax is how many consecutive links may stay within a shape, chainDatedMax the same for a shape with dates:
	// archives have an end, calendars do not.
	chainMax      = 1000
	chainDatedMax = 50
)

// Trapped returns why the form of u indicates a trap, or "".
func Trapped(u fetch.URL) string {
	written := u.WithoutFragment()
	_, path, query := split(written)
	return trapped(written, path, query)
}

func trapped(written, path, query string) string {
	switch {
	case len(written) > urlBytesMax:
		return "url_too_long"
	case strings.Count(path, "/") > segmentsMax:
		return "path_too_deep"
	case isCircular(path):
		return "path_repeats"
	case query == "":
		return ""
	case strings.Count(query, "&") >= parametersMax:
		return "too_many_parameters"
	case hasCrowd(query):
		return "parameter_repeats"
	}
	return ""
}

// isCircular reports whether a segment occurs too often, or a pair of segments twice in a row.
func isCircular(path string) bool {
	if strings.Count(path, "/") < segmentTimes {
		return false
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		if i+3 < len(segments) && segment != segments[i+1] && segment == segments[i+2] && segments[i+1] == segments[i+3] {
			return true
		}
		times := 0
		for _, other := range segments[i:] {
			// Numbers belong to dates and pages: /2011/11/11/11 is a path of an archive.
			if other == segment && strings.Trim(segment, "0123456789") != "" {
				times++
			}
		}
		if times >= segmentTimes {
			return true
		}
	}
	return false
}

// hasCrowd reports whether a parameter occurs too often.
func hasCrowd(query string) bool {
	if strings.Count(query, "&") < parameterTimes {
		return false
	}
	var names []string
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	for i := parameterTimes; i < len(names); i++ {
		if names[i] == names[i-parameterTimes] {
			return true
		}
	}
	return false
}

// chained returns how many consecutive links have stayed within a shape, for a URL with traits found on a page, and whether
// these are too many.
func chained(from uint64, chain int, shape uint64, traits Traits) (int, bool) {
	if from != shape || !traits.Endless {
		return 0, false
	}
	limit := chainMax
	if traits.Dated {
		limit = chainDatedMax
	}
	return chain + 1, chain+1 > limit
}
