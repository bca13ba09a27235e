package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/clip"
)

// spec says in words how the request was understood.
func (d *draft) spec() Spec {
	s := &d.sentence
	what := "all content"
	if len(s.focus) > 0 {
		what = strings.Join(s.focus, ", ")
	}
	where := d.where()
	spec := Spec{
		Status: StatusReady,
		Input:  Input{Query: d.request.Query, SourcePolicy: d.request.SourcePolicy},
		Output: Output{Focus: nonNil(s.focus), Schema: compact(d.request.OutputSchema), Event: "whether something changed, a summary, and the diff"},
	}
	switch {
	case s.mode == IntentStream && s.change == StreamRemoved:
		spec.Goal = fmt.Sprintf("Notify when %s are removed from %s.", s.things, where)
	case s.mode == IntentStream && s.change == StreamAny:
		spec.Goal = fmt.Sprintf("Notify when %s are added or removed on %s.", s.things, where)
	case s.mode == IntentStream:
		spec.Goal = fmt.Sprintf("Notify of new %s on %s.", s.things, where)
	case len(s.focus) > 0:
		spec.Goal = fmt.Sprintf("Notify when %s changes on %s.", what, where)
	default:
		spec.Goal = fmt.Sprintf("Notify when %s changes.", where)
	}
	reasons := []string{upper(d.targets.how) + "."}
	if s.mode == IntentStream {
		reasons = append(reasons, fmt.Sprintf("It asks for items that come and go (%s), so new pages count as changes.", s.things))
	} else {
		reasons = append(reasons, "It asks for the state of something, so the same pages are compared each time.")
	}
	switch {
	case d.schema != nil:
		reasons = append(reasons, "There is an output_schema, so its fields are compared one by one.")
	case len(s.focus) > 0:
		reasons = append(reasons, fmt.Sprintf("It names what to compare: %s.", what))
	default:
		reasons = append(reasons, "It does not name what to compare, so everything is compared, except for parts that change on every run.")
	}
	spec.Reasoning = strings.Join(reasons, " ")
	spec.Constraints, spec.Assumptions = d.constraints(), d.assumptions()
	return spec
}

func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func nonNil(words []string) []string {
	if words == nil {
		return []string{}
	}
	return words
}

func compact(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	return slices.Clone(schema)
}

// where describes the targets.
func (d *draft) where() string {
	var all []string
	for _, u := range d.targets.pages {
		all = append(all, place(u))
	}
	for _, s := range d.targets.sites {
		all = append(all, place(s.start))
	}
	if len(all) == 0 {
		return fmt.Sprintf("the pages found for “%s”", d.targets.query)
	}
	if len(all) > 3 {
		all = append(all[:3], fmt.Sprintf("%d more", len(all)-3))
	}
	return strings.Join(all, ", ")
}

// constraints describes the limits of each run.
func (d *draft) constraints() string {
	all := []string{"Robots.txt is respected, and requests to each host are rate limited."}
	policy := d.request.SourcePolicy
	for _, list := range []struct {
		words   string
		entries []string
	}{
		{"Only these pages are read: ", policy.IncludeURLs},
		{"Only these domains are read: ", policy.IncludeDomains},
		{"These pages are never read: ", policy.ExcludeURLs},
		{"These domains are never read: ", policy.ExcludeDomains},
	} {
		if n := len(list.entries); n > 0 {
			shown := slices.Clone(list.entries[:min(n, 5)])
			if n > 5 {
				shown = append(shown, fmt.Sprintf("%d more", n-5))
			}
			all = append(all, list.words+strings.Join(shown, ", ")+".")
		}
	}
	if len(policy.IncludeURLs) > 0 && len(policy.IncludeDomains) > 0 {
		all = append(all, "A page may be read if either list includes it.")
	}
	return strings.Join(all, " ")
}

// assumptions describes what was assumed.
func (d *draft) assumptions() string {
	all := slices.Clone(d.notes)
	for _, a := range d.sentence.addresses {
		if a.bare && !a.except {
			all = append(all, fmt.Sprintf("%s stands for %s", clip.Chars(strings.TrimPrefix(a.url.String(), "https://"), 80), clip.Chars(a.url.String(), 80)))
		}
		if a.except {
			all = append(all, place(a.url)+" is to be excluded")
		}
	}
	switch {
	case d.targets.query != "":
		all = append(all, fmt.Sprintf("the search query is “%s”, and the first %d results are enough", d.targets.query, searchLimit))
	case len(d.targets.sites) > 0:
		all = append(all, fmt.Sprintf("up to %d pages of each site are enough for a run", d.targets.sites[0].limit))
	}
	all = append(all, "the pages can be read without signing in")
	return upper(strings.Join(all, "; ")) + "."
}

// stamp sets when the plan was made.
func (p *Plan) stamp(at time.Time) { p.Spec.SavedAt = at.UTC().Truncate(time.Second) }
