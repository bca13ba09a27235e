package searches

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// Request is the body of POST /v1/searches.
type Request struct {
	Query          string         `json:"query" minLength:"1" maxLength:"400" doc:"The search query." example:"ferry timetable Skagen"`
	Limit          *int           `json:"limit,omitempty" minimum:"1" maximum:"25" default:"12" doc:"The maximum number of links."`
	IncludeDomains []string       `json:"include_domains,omitempty" maxItems:"50" nullable:"false" doc:"Only return pages on these hosts, such as example.com, and their subdomains. Default: any host."`
	ExcludeDomains []string       `json:"exclude_domains,omitempty" maxItems:"50" nullable:"false" doc:"Never return pages on these hosts and their subdomains. Exclusions take precedence."`
	ScrapeOptions  *ScrapeOptions `json:"scrape_options,omitempty" doc:"How to scrape the content of the links. If omitted, no links are scraped."`
	Metadata       metadata.Input `json:"metadata,omitempty"`
}

// ScrapeOptions say how links are scraped.
type ScrapeOptions struct {
	Formats            []string            `json:"formats,omitempty" minItems:"1" maxItems:"3" uniqueItems:"true" nullable:"false" enum:"html,markdown,text" doc:"The formats of the content to return. Default: html, markdown."`
	RemoveCSSSelectors page.SelectorsInput `json:"remove_css_selectors,omitempty"`
	Timeout            *int                `json:"timeout,omitempty" minimum:"1" maximum:"60" default:"25" doc:"The time limit for scraping all links together, in seconds. Content that is not available by then is null."`

	// Pages are the options of pages for code of this service, which is not limited to those above. Nil: those.
	Pages *page.Options `json:"-"`
}

const (
	scrapeTimeoutDefault = 25 * time.Second
	// scrapeTimeoutMax is the longest timeout that a request may set.
	scrapeTimeoutMax = 60 * time.Second
)

// plan is a validated request.
type plan struct {
	query    websearch.Query
	metadata map[string]string
	scrapes  bool
	options  page.Options
	timeout  time.Duration // of all scrapes together

	canonical []byte
	sha256    [sha256.Size]byte
}

// plan validates r completely, for a team. The error is a problem. Decoding has checked the limits in Request's tags.
func (s *Service) plan(ctx context.Context, teamID string, r *Request) (*plan, error) {
	p := &plan{query: websearch.Query{TeamID: teamID, Text: strings.TrimSpace(r.Query), Limit: limitDefault}}
	if r.Limit != nil {
		p.query.Limit = *r.Limit
	}
	var faults, more []problem.Fault
	if p.query.Text == "" || strings.ContainsRune(p.query.Text, 0) {
		faults = append(faults, problem.BodyFault("query", "must be a non-empty text without NUL characters"))
	}
	if p.query.Limit < 1 || p.query.Limit > websearch.LimitMax {
		faults = append(faults, problem.BodyFault("limit", fmt.Sprintf("must be from 1 to %d", websearch.LimitMax)))
	}
	p.query.Include, more = hosts(r.IncludeDomains, "include_domains")
	faults = append(faults, more...)
	p.query.Exclude, more = hosts(r.ExcludeDomains, "exclude_domains")
	faults = append(faults, more...)
	p.planScrapes(r.ScrapeOptions)
	if p.timeout > scrapeTimeoutMax || p.timeout < time.Second {
		faults = append(faults, problem.Fault{Loc: []any{"body", "scrape_options", "timeout"}, Msg: "must be from 1 to 60 seconds", Type: problem.FaultInvalid})
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	if p.scrapes {
		if err := s.config.Pages.Check(ctx, teamID, p.options, nil); err != nil {
			return nil, page.UnderField(err, "scrape_options")
		}
	}
	var err error
	if p.metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	if p.canonical, err = json.Marshal(r); err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	whole := p.canonical
	if p.scrapes && r.ScrapeOptions.Pages != nil {
		if whole, err = json.Marshal([]any{r, r.ScrapeOptions.Pages}); err != nil {
			return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
		}
	}
	p.sha256 = sha256.Sum256(whole)
	return p, nil
}

func (p *plan) planScrapes(o *ScrapeOptions) {
	p.timeout = scrapeTimeoutDefault
	if o == nil {
		return
	}
	p.scrapes = true
	p.options.RemoveCSSSelectors = o.RemoveCSSSelectors
	for _, format := range o.Formats {
		p.options.Formats = append(p.options.Formats, page.Format(format))
	}
	if o.Pages != nil {
		p.options = *o.Pages
	}
	if o.Timeout != nil {
		p.timeout = time.Duration(*o.Timeout) * time.Second
	}
}

// linksMax is how many links may be scraped.
func (p *plan) linksMax() int {
	if !p.scrapes {
		return 0
	}
	return p.query.Limit
}

// hosts parses a field's bare hosts into the form they have in URLs, each once.
func hosts(names []string, field string) ([]string, []problem.Fault) {
	var read []string
	var faults []problem.Fault
	for i, name := range names {
		host, err := bareHost(name)
		switch {
		case err != nil:
			faults = append(faults, problem.Fault{Loc: []any{"body", field, i}, Msg: err.Error(), Type: problem.FaultInvalid})
		case !slices.Contains(read, host):
			read = append(read, host)
		}
	}
	return read, faults
}

var errNoHost = errors.New("must be a bare host, such as example.com")

// bareHost returns a host as it appears in URLs: in lower case and ASCII.
func bareHost(name string) (string, error) {
	if name == "" || strings.ContainsAny(name, "/\\?#@:%*[] \t\r\n") {
		return "", errNoHost
	}
	u, err := fetch.ParseURL("https://" + name + "/")
	if err != nil {
		return "", errNoHost
	}
	return strings.TrimSuffix(u.Hostname(), "."), nil
}
