package scrapes

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

// linkFilter chooses and orders a page's links.
type linkFilter struct {
	asWritten        bool
	terms            []string
	include, exclude []glob
}

// glob matches the path of a URL, with its query if the glob has one, or the
// whole URL if the glob is one.
type glob struct {
	pattern *regexp.Regexp // linear in its input, whatever the glob
	whole   bool
	query   bool
}

// Every link is held against every glob, so both are bounded.
const (
	globBytesMax = 300
	globStarsMax = 10
	ctxEvery     = 64 // links between two looks at the context
)

func newLinkFilter(in *LinksInput) (*linkFilter, []problem.Fault) {
	f := &linkFilter{
		asWritten: in.AbsoluteLinks != nil && !*in.AbsoluteLinks,
		terms:     strings.Fields(strings.ToLower(in.OrderBy)),
	}
	var faults []problem.Fault
	compile := func(field string, texts []string) []glob {
		var globs []glob
		for i, text := range texts {
			g, ok := newGlob(text)
			if !ok {
				faults = append(faults, problem.Fault{
					Loc: []any{"body", "links_on_page", field, i}, Type: problem.FaultInvalid,
					Msg: fmt.Sprintf("must be a glob of 1 to %d bytes with at most %d stars, such as /blog/**", globBytesMax, globStarsMax),
				})
				continue
			}
			globs = append(globs, g)
		}
		return globs
	}
	f.include = compile("include_links", in.Include)
	f.exclude = compile("exclude_links", in.Exclude)
	return f, faults
}

// newGlob: `**` is anything, `*` anything but a slash; all else is itself. It is
// false for a text that is no glob within the bounds.
func newGlob(text string) (glob, bool) {
	if text == "" || len(text) > globBytesMax || strings.Count(text, "*") > globStarsMax {
		return glob{}, false
	}
	g := glob{whole: strings.Contains(text, "://"), query: strings.Contains(text, "?")}
	if !g.whole && text[0] != '/' && text[0] != '*' {
		text = "/" + text
	}
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
	var err error
	g.pattern, err = regexp.Compile(b.String())
	return g, err == nil
}

func (g glob) matches(link string) bool {
	if g.whole {
		return g.pattern.MatchString(link)
	}
	u, err := fetch.ParseURL(link)
	if err != nil {
		return false
	}
	target := u.PathAndQuery()
	if !g.query {
		target, _, _ = strings.Cut(target, "?")
	}
	return g.pattern.MatchString(target)
}

// apply returns the links that the filter keeps, in its order, or the context's error.
func (f *linkFilter) apply(ctx context.Context, links []extract.Link) ([]string, error) {
	anyOf := func(globs []glob, link string) bool {
		return slices.ContainsFunc(globs, func(g glob) bool { return g.matches(link) })
	}
	var kept []extract.Link
	for i, l := range links {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if (len(f.include) == 0 || anyOf(f.include, l.URL)) && !anyOf(f.exclude, l.URL) {
			kept = append(kept, l)
		}
	}
	if len(f.terms) > 0 {
		scores := make(map[string]int, len(kept))
		for _, l := range kept {
			scores[l.URL] = f.score(l)
		}
		slices.SortStableFunc(kept, func(a, b extract.Link) int { return cmp.Compare(scores[b.URL], scores[a.URL]) })
	}
	out := make([]string, 0, len(kept))
	for _, l := range kept {
		if f.asWritten {
			out = append(out, l.Href)
		} else {
			out = append(out, l.URL)
		}
	}
	return out, nil
}

// score counts the query's words: in what a link shows they count twice, in its URL once.
func (f *linkFilter) score(l extract.Link) int {
	text, address := strings.ToLower(l.Text), strings.ToLower(l.URL)
	score := 0
	for _, term := range f.terms {
		if strings.Contains(text, term) {
			score += 2
		}
		if strings.Contains(address, term) {
			score++
		}
	}
	return score
}
