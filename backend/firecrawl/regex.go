package firecrawl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

var errNoGlob = errors.New(`is a regular expression that is not available here: use text, \ before a special character, .* and .+, ` +
	`[^/]* and [^/]+, ^ at the start and $ at the end`)

// globs returns regular expressions as globs of crawls.
func globs(field string, expressions []string, whole bool) ([]string, []problem.Fault) {
	var out []string
	var faults []problem.Fault
	for i, text := range expressions {
		glob, err := globOf(text, whole)
		if err != nil {
			faults = append(faults, problem.Fault{Loc: []any{"body", field, i}, Msg: err.Error(), Type: problem.FaultInvalid})
			continue
		}
		out = append(out, glob)
	}
	return out, faults
}

// globOf returns a regular expression as a glob that matches the same paths, or the same URLs if whole. An expression
// matches any part of the text; a glob matches all of it.
func globOf(expression string, whole bool) (string, error) {
	text, anchored := strings.CutPrefix(expression, "^")
	var out strings.Builder
	if !anchored {
		out.WriteString("**")
	}
	ended := false
	for text != "" {
		if ended {
			return "", errNoGlob
		}
		taken := ""
		for _, part := range []struct{ from, to string }{
			{".*?", "**"}, {".+?", "**"}, {".*", "**"}, {".+", "**"}, {"(.*)", "**"}, {"(.+)", "**"}, {"[^/]*", "*"}, {"[^/]+", "*"},
		} {
			if strings.HasPrefix(text, part.from) {
				taken = part.from
				out.WriteString(part.to)
				break
			}
		}
		switch c := text[0]; {
		case taken != "":
			text = text[len(taken):]
			continue
		case c == '$' && len(text) == 1:
			ended = true
		case c == '\\' && len(text) > 1 && strings.IndexByte(`.-/?+()[]{}^$|\&=#:_~`, text[1]) >= 0:
			out.WriteByte(text[1])
			text = text[1:]
		case strings.IndexByte(`*+?()[]{}^$|\`, c) >= 0:
			return "", errNoGlob
		default: // a dot means itself in all paths that people write
			out.WriteByte(c)
		}
		text = text[1:]
	}
	if !ended {
		out.WriteString("**")
	}
	glob := strings.NewReplacer("******", "**", "****", "**").Replace(out.String())
	if strings.Contains(glob, "://") != whole {
		if whole {
			return "", fmt.Errorf("must contain the scheme, such as ^https://example\\.com/blog/, because of regexOnFullURL")
		}
		return "", errors.New("matches paths alone: set regexOnFullURL to match whole URLs")
	}
	return glob, nil
}
