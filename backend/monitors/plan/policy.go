package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

// SourcePolicy says which pages a monitor may read. Its JSON is a monitor's source_policy.
//
// With IncludeURLs or IncludeDomains, only pages that match one of them are read. Pages that match ExcludeURLs or
// ExcludeDomains are never read. URLs are globs, as everywhere in this API; a whole URL without a star is that one page.
// Domains are bare hosts and include their subdomains.
type SourcePolicy struct {
	IncludeURLs    []string `json:"include_urls,omitempty"`
	ExcludeURLs    []string `json:"exclude_urls,omitempty"`
	IncludeDomains []string `json:"include_domains,omitempty"`
	ExcludeDomains []string `json:"exclude_domains,omitempty"`
}

const (
	// policyEntriesMax is how many entries each list may have.
	policyEntriesMax = 100
	domainCharsMax   = 253
)

// Sources is a compiled policy. The zero value allows everything.
type Sources struct {
	include, exclude               []pages
	includeDomains, excludeDomains []domain
}

// pages are the pages that an entry of a URL list matches.
type pages struct {
	exact string // a whole URL without star and fragment; else ""
	glob  glob.Glob
	text  string
}

// domain is a host, with its port if one was given.
type domain struct{ host, port string }

// Faults are the faults of the policy, each located below loc.
func (p SourcePolicy) Faults(loc ...any) []problem.Fault {
	_, faults := p.Sources(loc...)
	return faults
}

// Sources compiles the policy. Invalid entries are left out and reported as faults, each located below loc.
func (p SourcePolicy) Sources(loc ...any) (*Sources, []problem.Fault) {
	s := &Sources{}
	var faults []problem.Fault
	at := func(name string, i int, msg string) {
		faults = append(faults, problem.Fault{Loc: append(slices.Clip(loc), name, i), Msg: msg, Type: problem.FaultInvalid})
	}
	for _, list := range []struct {
		name  string
		texts []string
		pages *[]pages
	}{{"include_urls", p.IncludeURLs, &s.include}, {"exclude_urls", p.ExcludeURLs, &s.exclude}} {
		for i, text := range list.texts {
			if i >= policyEntriesMax {
				at(list.name, i, tooMany)
				break
			}
			entry, err := readPages(text)
			if err != nil {
				at(list.name, i, err.Error())
				continue
			}
			*list.pages = append(*list.pages, entry)
		}
	}
	for _, list := range []struct {
		name    string
		texts   []string
		domains *[]domain
	}{{"include_domains", p.IncludeDomains, &s.includeDomains}, {"exclude_domains", p.ExcludeDomains, &s.excludeDomains}} {
		for i, text := range list.texts {
			if i >= policyEntriesMax {
				at(list.name, i, tooMany)
				break
			}
			d, ok := readDomain(text)
			if !ok {
				at(list.name, i, "must be a bare host, such as example.com")
				continue
			}
			*list.domains = append(*list.domains, d)
		}
	}
	return s, faults
}

var tooMany = fmt.Sprintf("is over the limit of %d entries", policyEntriesMax)

// readPages reads an entry of a URL list. A whole URL without a star matches only itself, even if it has question marks.
func readPages(text string) (pages, error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "://") && !strings.Contains(text, "*") {
		u, err := fetch.ParseURL(text)
		if err != nil {
			return pages{}, innermost(err)
		}
		return pages{exact: u.WithoutFragment(), text: text}, nil
	}
	g, err := glob.New(text)
	return pages{glob: g, text: text}, err
}

// innermost is the error without the URL, which the fault's location already shows.
func innermost(err error) error {
	if failure, ok := errors.AsType[*fetch.Error](err); ok && failure.Err != nil {
		return failure.Err
	}
	return err
}

// readDomain reads a host with or without a port. "*.example.com" means example.com, since subdomains are included.
func readDomain(text string) (domain, bool) {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "*"), ".")
	if text == "" || len(text) > domainCharsMax || strings.ContainsAny(text, "/?#@*\\ ") {
		return domain{}, false
	}
	u, err := fetch.ParseURL("http://" + text + "/")
	if err != nil {
		return domain{}, false
	}
	d := domain{host: strings.TrimSuffix(u.Hostname(), ".")}
	if _, port, found := strings.Cut(strings.TrimPrefix(text, "["), ":"); found && !strings.Contains(port, ":") {
		d.port = port
	}
	return d, d.host != ""
}

func (e pages) match(u fetch.URL) bool {
	if e.exact == "" {
		return e.glob.Matches(u)
	}
	address := u.WithoutFragment()
	if address == e.exact {
		return true
	}
	// Most sites moved from http to https, so both are the same page.
	_, own, _ := strings.Cut(e.exact, "://")
	scheme, other, _ := strings.Cut(address, "://")
	return scheme == "https" && own == other
}

func (d domain) match(u fetch.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if host != d.host && !strings.HasSuffix(host, "."+d.host) {
		return false
	}
	return d.port == "" || strings.HasSuffix(u.HostPort(), ":"+d.port)
}

func (d domain) String() string {
	if d.port == "" {
		return d.host
	}
	return d.host + ":" + d.port
}

// RefusedError means that the policy does not allow a URL.
type RefusedError struct {
	URL string
	// Excluded reports that an exclusion matches, rather than that no inclusion does.
	Excluded bool
}

func (e *RefusedError) Error() string {
	if e.Excluded {
		return fmt.Sprintf("%.200s is excluded by source_policy", e.URL)
	}
	return fmt.Sprintf("%.200s is not included by source_policy", e.URL)
}

// Allow returns nil for a URL that may be read, else a *RefusedError. Exclusions take precedence.
func (s *Sources) Allow(u fetch.URL) error {
	excluded := slices.ContainsFunc(s.exclude, func(e pages) bool { return e.match(u) }) ||
		slices.ContainsFunc(s.excludeDomains, func(d domain) bool { return d.match(u) })
	if excluded {
		return &RefusedError{URL: u.String(), Excluded: true}
	}
	if !s.includes() || slices.ContainsFunc(s.include, func(e pages) bool { return e.match(u) }) ||
		slices.ContainsFunc(s.includeDomains, func(d domain) bool { return d.match(u) }) {
		return nil
	}
	return &RefusedError{URL: u.String()}
}

// includes reports whether only pages that the policy includes may be read.
func (s *Sources) includes() bool { return len(s.include) > 0 || len(s.includeDomains) > 0 }

// AllowList is Allow for sitemaps and feeds, which list pages: they need not be included themselves.
func (s *Sources) AllowList(u fetch.URL) error {
	err := s.Allow(u)
	if refused, ok := errors.AsType[*RefusedError](err); ok && !refused.Excluded {
		return nil
	}
	return err
}

// AllowStart is Allow for the start URL of a site, and also allows the folder of an included glob. Pages found there are
// checked one by one.
func (s *Sources) AllowStart(u fetch.URL) error {
	err := s.Allow(u)
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Excluded {
		return err
	}
	for _, e := range s.include {
		if e.exact == "" && strings.Contains(e.text, "://") && strings.HasPrefix(e.text, strings.TrimSuffix(u.WithoutFragment(), "/")+"/") {
			return nil
		}
	}
	return err
}
