package glob

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const (
	// BytesMax is the maximum length of a glob in bytes.
	BytesMax = 300
	// StarsMax is the maximum number of stars in it.
	StarsMax = 10
)

var errNoGlob = fmt.Errorf("must be a glob of 1 to %d bytes with at most %d stars, such as /blog/**", BytesMax, StarsMax)

// Glob matches URLs. Use New: the zero value does not work.
type Glob struct {
	pattern *regexp.Regexp // linear in its input, whatever the glob
	whole   bool
	query   bool
}

// New parses a glob. The error tells the client what it must be.
func New(text string) (Glob, error) {
	if text == "" || len(text) > BytesMax || strings.Count(text, "*") > StarsMax {
		return Glob{}, errNoGlob
	}
	g := Glob{whole: strings.Contains(text, "://"), query: strings.Contains(text, "?")}
	if !g.whole {
		if text[0] != '/' && text[0] != '*' {
			text = "/" + text
		}
		text = inPath(text)
	}
	var err error
	if g.pattern, err = regexp.Compile(expression(text)); err != nil {
		return Glob{}, errNoGlob
	}
	return g, nil
}

// Compile parses a list of globs. Each invalid one is a fault at loc with the glob's index.
func Compile(texts []string, loc ...any) ([]Glob, []problem.Fault) {
	var globs []Glob
	var faults []problem.Fault
	for i, text := range texts {
		g, err := New(text)
		if err != nil {
			faults = append(faults, problem.Fault{Loc: append(slices.Clip(loc), i), Msg: err.Error(), Type: problem.FaultInvalid})
			continue
		}
		globs = append(globs, g)
	}
	return globs, faults
}

func expression(text string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "**"):
			b.WriteString(`.*`)
			i += 2
		case text[i] == '*':
			b.WriteString(`[^/]*`)
			i++
		default:
			end := i
			for end < len(text) && text[end] != '*' {
				end++
			}
			b.WriteString(regexp.QuoteMeta(text[i:end]))
			i = end
		}
	}
	b.WriteString(`\z`)
	return b.String()
}

// inPath escapes spaces and non-ASCII bytes as in URL paths, so that globs can be written as a browser shows URLs.
func inPath(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Matches reports whether g matches u. It never matches the zero URL, which stands for an invalid one.
func (g Glob) Matches(u fetch.URL) bool {
	if u.IsZero() {
		return false
	}
	if g.whole {
		return g.pattern.MatchString(u.String())
	}
	target := u.PathAndQuery()
	if !g.query {
		target, _, _ = strings.Cut(target, "?")
	}
	return g.pattern.MatchString(target)
}

// Set is what to keep and what to exclude; Exclude wins. The zero value keeps everything.
type Set struct {
	// Include is what to keep. Empty: all.
	Include []Glob
	Exclude []Glob
}

// Keeps reports whether u is kept.
func (s *Set) Keeps(u fetch.URL) bool {
	means := func(g Glob) bool { return g.Matches(u) }
	return (len(s.Include) == 0 || slices.ContainsFunc(s.Include, means)) && !slices.ContainsFunc(s.Exclude, means)
}
