package trapsite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// limit is how far into a trap a crawler may go: how often it may be requested, and how many of its paths may be listed
// beside the pages.
type limit struct{ hits, listed int }

// limits are derived from those of package urlfilter (its table says which), plus the requests that may be in flight when
// a limit is reached.
var limits = map[string]limit{
	"calendar":                   {2*30 + 60, 4},   // months and days are a shape each, and pages that differ only in dates are listed once
	"canonical duplicates":       {articles, 0},    // each is requested once, and found to be its article
	"case and encoding":          {4*6 + 1 + 2, 0}, // each spelling once, except those that are the same URL
	"dead links":                 {1, 0},
	"deep paths":                 {16 + 4, 16 + 4}, // 16 segments deep, the same segment twice, the same pair once
	"facets":                     {15 + 75 + 30, 15 + 75 + 30},
	"pagination":                 {30 + 30, 3},
	"redirect loops":             {3 * 11, 0},
	"redirect chains":            {5 + 11, 0},
	"redirects":                  {2, 0},
	"session in the query":       {3 + 3*visits + 12, 0},
	"session in the path":        {3 + 3*visits + 12, 0},
	"session behind a semicolon": {0, 0},
	"soft 404":                   {11*wikiPages + 2, 0}, // each link that leads nowhere, and a probe by each of two processes
	"silent soft 404":            {11*wikiPages + 2, 4}, // suspected from the third on, by each of two processes
	"wide page":                  {30 + 30, 1},
	"files":                      {0, 0},
	"nofollow":                   {0, 0},
	"disallowed":                 {0, 0},
}

// Faults says what is wrong with a complete crawl of the site that listed these paths, by the site's own pages and log.
// robots says whether the crawl had to obey robots.txt and nofollow.
func (s *Site) Faults(listed []string, robots bool) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	found := map[string][]string{}
	more := map[string][]string{}
	for _, path := range listed {
		if name := s.PageAt(path); name != "" {
			found[name] = append(found[name], path)
			continue
		}
		name := s.TrapOf(path)
		if more[name] = append(more[name], path); name == "" {
			fault("%s: is listed, and is nothing that the site knows", path)
		}
	}
	for _, name := range s.Pages() {
		if len(found[name]) != 1 {
			fault("%s: is listed as %q, want it once", name, found[name])
		}
	}
	caught := s.Caught()
	for name, limit := range limits {
		if !robots && (name == "disallowed" || name == "nofollow") {
			continue
		}
		if caught[name] > limit.hits {
			fault("%s: was asked for %d times, want at most %d", name, caught[name], limit.hits)
		}
		if len(more[name]) > limit.listed {
			fault("%s: %q are listed, want at most %d", name, more[name], limit.listed)
		}
	}
	return append(faults, s.strain()...)
}

// strain reports what was requested too often, or too soon.
func (s *Site) strain() (faults []string) {
	by := map[string][]Entry{}
	for _, e := range s.Log() {
		by[e.Path] = append(by[e.Path], e)
	}
	redirected := []string{articlePath(3), articlePath(5)} // at most once more, by a redirect
	for _, path := range s.pages {
		entries := by[path]
		most := 1
		if slices.Contains(redirected, path) {
			most = 2
		}
		if len(entries) > 0 && entries[0].Status == http.StatusTooManyRequests {
			most = 2 // it asked for a retry
			if len(entries) > 1 {
				if wait := entries[1].Begin.Sub(entries[0].Begin); wait < s.options.RetryAfter-time.Millisecond {
					faults = append(faults, fmt.Sprintf("%s: was asked for again after %s, want %s", path, wait, s.options.RetryAfter))
				}
			}
		}
		if len(entries) > most {
			faults = append(faults, fmt.Sprintf("%s: was fetched %d times, want %d at most", path, len(entries), most))
		}
	}
	return faults
}

// Trespasses are the requests that robots.txt forbids our agent.
func (s *Site) Trespasses() (paths []string) {
	for _, e := range s.Log() {
		if strings.HasPrefix(e.Path, "/private/") && e.Path != "/private/open-day" {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// TrapOf is the name of the trap that a path is in, or "".
func (s *Site) TrapOf(path string) string {
	for _, trap := range s.traps {
		if trap.Holds(path) {
			return trap.Name
		}
	}
	return ""
}
