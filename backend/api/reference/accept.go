package reference

import (
	"strconv"
	"strings"
)

// Preferred returns the media type that the values of an Accept header prefer (RFC 9110, section 12.5.1). Of equal weights,
// a type that is named has precedence over one that a wildcard includes, then one that is named first, then an earlier offer.
// If none is acceptable, it returns the first offer: a response that a client did not ask for is of more use than none.
func Preferred(accept []string, offers ...string) string {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	best, bestWeight, bestSpecific, bestAt := offers[0], 0.0, -1, 0
	for _, offer := range offers {
		weight, specific, at := 0.0, -1, 0
		for i, part := range ranges {
			kind, params, _ := strings.Cut(part, ";")
			if n := specificity(strings.ToLower(strings.TrimSpace(kind)), offer); n > specific {
				weight, specific, at = weightOf(params), n, i
			}
		}
		if weight > bestWeight || (weight == bestWeight && weight > 0 && (specific > bestSpecific || (specific == bestSpecific && at < bestAt))) {
			best, bestWeight, bestSpecific, bestAt = offer, weight, specific, at
		}
	}
	return best
}

// specificity is 2 for the type itself, 1 and 0 for wildcards that include it, and -1 for others.
func specificity(kind, offer string) int {
	major, _, _ := strings.Cut(offer, "/")
	switch kind {
	case offer:
		return 2
	case major + "/*":
		return 1
	case "*/*":
		return 0
	}
	return -1
}

// weightOf returns the parameter q: 1 if it is missing, 0 if it is invalid.
func weightOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) { // also excludes NaN
			return 0
		}
		return q
	}
	return 1
}
