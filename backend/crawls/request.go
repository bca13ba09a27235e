package crawls

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/body"
	"github.com/turnpike-edge/turnpike/backend/glob"
	"github.com/turnpike-edge/turnpike/backend/metadata"
	"github.com/turnpike-edge/turnpike/backend/outbox"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

// topNMax is the upper limit of top_n.
const topNMax = 1000

// Request is the body of POST /v1/crawls.
type Request struct {
	StartURL         string         `json:"start_url,omitempty" maxLength:"8192" doc:"Where to begin, as an absolute http or https URL. Required." example:"https://example.com/"`
	URL              string         `json:"url,omitempty" maxLength:"8192" doc:"Another name for start_url."`
	MaxPages         body.Whole     `json:"max_pages,omitempty" minimum:"1" maximum:"100000" doc:"How many pages to fetch at most. What they cost is set aside."`
	MaxDepth         body.Whole     `json:"max_depth,omitempty" minimum:"0" maximum:"2147483647" doc:"How many links to go from start_url; 0 is start_url alone. Default: there is no limit."`
	IncludeURLs      []string       `json:"include_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the pages to fetch: of paths, of paths with their query where a glob has a ?, or of whole URLs where it has ://. * is anything but a slash, ** anything. Default: /**."`
	ExcludeURLs      []string       `json:"exclude_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of what to leave out, which win."`
	IncludeExternal  bool           `json:"include_external,omitempty" doc:"Also fetch pages of other sites that are linked, and follow none of their links."`
	IncludeSubdomain bool           `json:"include_subdomain,omitempty" doc:"Whether the other hosts of the same registrable domain are of the site."`
	SearchQuery      string         `json:"search_query,omitempty" maxLength:"500" doc:"What is looked for: the most relevant links are followed first, and pages are sorted by relevance."`
	TopN             body.Whole     `json:"top_n,omitempty" minimum:"1" maximum:"1000" doc:"Follows only so many links of each page, the most relevant. Needs search_query."`
	Timeout          body.Whole     `json:"timeout,omitempty" minimum:"1" maximum:"259200" doc:"Seconds after which the crawl ends with the pages that are there. Default: 259200, 72 hours."`
	FollowRobotsTxt  *bool          `json:"follow_robots_txt,omitempty" default:"true" doc:"false: the disallow rules of robots.txt are not heard."`
	ScrapeOptions    *ScrapeOptions `json:"scrape_options,omitempty" doc:"What to keep of each page."`
	Metadata         metadata.Input `json:"metadata,omitempty"`
	Webhook          string         `json:"webhook,omitempty" maxLength:"2048" doc:"An http or https address, publicly reachable, that gets a POST when the crawl is completed."`
	WebhookURL       string         `json:"webhook_url,omitempty" maxLength:"2048" doc:"Another name for webhook."`
	Record           bool           `json:"record,omitempty" doc:"Keep what was sent and received, too, so that the pages can be read again without the network."`
}

// TransformSchema marks max_pages as required in the documentation only. Schema validation would report it before the
// faults that only order can find, such as a missing start_url, which may also be given as url.
func (Request) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	if s.Extensions == nil {
		s.Extensions = map[string]any{}
	}
	s.Extensions["required"] = []string{"max_pages"}
	return s
}

// ScrapeOptions are the options for the pages of a crawl: a subset of the fields of POST /v1/scrapes.
type ScrapeOptions struct {
	// Formats asks for no format if it is present and empty.
	Formats            []page.Format       `json:"formats,omitzero" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"What to keep of each page. Default: html, markdown. []: nothing, pages are only listed. parser implies json."`
	Parser             page.ParserInput    `json:"parser,omitempty"`
	RemoveCSSSelectors page.SelectorsInput `json:"remove_css_selectors,omitempty"`
	RemoveClassNames   []string            `json:"remove_class_names,omitempty" maxItems:"200" nullable:"false" doc:"Classes whose elements are left out."`
	RemoveImages       bool                `json:"remove_images,omitempty" doc:"Leave images out."`
	Transformer        string              `json:"transformer,omitempty" enum:"none,postlight" doc:"postlight keeps the main content only. Default: none."`
	Render             string              `json:"render,omitempty" enum:"auto,never,always" doc:"Whether a browser may be used. auto (the default) uses one where a page is a shell for scripts."`
}

// options returns o as page options, and whether no content is to be kept.
func (o *ScrapeOptions) options() (options page.Options, bare bool) {
	if o == nil {
		return page.Options{}, false
	}
	options = page.Options{
		Formats: o.Formats, Parser: o.Parser, RemoveCSSSelectors: o.RemoveCSSSelectors, RemoveClassNames: o.RemoveClassNames,
		RemoveImages: o.RemoveImages, Transformer: o.Transformer, Render: o.Render,
	}
	switch {
	case o.Formats == nil || len(o.Formats) > 0:
		return options, false
	case len(o.Parser) > 0:
		options.Formats = []page.Format{page.FormatJSON} // parser implies json
		return options, false
	}
	options.Formats = nil
	return options, true
}

// shown returns the options as the API shows them.
func (s *Spec) shown() ScrapeOptions {
	o := &s.Options
	shown := ScrapeOptions{
		Formats: o.Formats, Parser: o.Parser, RemoveCSSSelectors: o.RemoveCSSSelectors, RemoveClassNames: o.RemoveClassNames,
		RemoveImages: o.RemoveImages, Transformer: o.Transformer, Render: o.Render,
	}
	if s.Bare {
		shown.Formats = []page.Format{}
	}
	return shown
}

// order validates r completely. The error is a problem.
func (s *Service) order(ctx context.Context, teamID string, r *Request) (*Order, error) {
	o := &Order{Record: r.Record}
	faults := o.number(r)
	startField, fault := o.start(r)
	faults = append(faults, fault...)
	faults = append(faults, o.spec(r)...)
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	var err error
	if o.Metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	if o.Webhook, err = outbox.Recipient(r.Webhook, r.WebhookURL, s.config.Webhooks); err != nil {
		return nil, err
	}
	err = s.config.Pages.Check(ctx, teamID, o.Spec.Options, []string{o.StartURL})
	err = page.AtURLs(page.UnderField(err, "scrape_options"), func(int) []any { return []any{"body", startField} })
	if err != nil {
		return nil, problem.From(err)
	}
	if err := o.works(); err != nil {
		return nil, problem.From(err)
	}
	canonical, err := json.Marshal(r)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	o.Digest = sha256.Sum256(canonical)
	return o, nil
}

// works builds the rules of a crawl once, so that they cannot fail after the crawl has been paid for.
func (o *Order) works() error {
	request, err := json.Marshal(&o.Spec)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	_, err = newRules(&site{id: "a new crawl", startURL: o.StartURL, maxDepth: o.MaxDepth, request: request}, nil, nil)
	return err
}

// number reads the numeric fields of r.
func (o *Order) number(r *Request) []problem.Fault {
	pages, faults := r.MaxPages.Number("max_pages", 1, PagesMax)
	o.MaxPages = int32(pages) //nolint:gosec // PagesMax at most
	if len(r.MaxPages) == 0 {
		faults = []problem.Fault{{Loc: []any{"body", "max_pages"}, Msg: "is required", Type: problem.FaultMissing}}
	}
	for _, field := range []struct {
		given       body.Whole
		name        string
		least, most int64
		set         func(int64)
	}{
		{r.MaxDepth, "max_depth", 0, math.MaxInt32, func(n int64) { o.MaxDepth = new(int32(n)) }}, //nolint:gosec // bounded
		{r.TopN, "top_n", 1, topNMax, func(n int64) { o.Spec.TopN = int(n) }},
		{r.Timeout, "timeout", 1, int64(TimeoutDefault / time.Second), func(n int64) { o.Timeout = time.Duration(n) * time.Second }},
	} {
		if field.given.IsZero() {
			continue
		}
		n, fault := field.given.Number(field.name, field.least, field.most)
		faults = append(faults, fault...)
		field.set(n)
	}
	return faults
}

// start sets the start URL of r and returns the field that contains it.
func (o *Order) start(r *Request) (field string, faults []problem.Fault) {
	o.StartURL, field = r.StartURL, "start_url"
	if o.StartURL == "" && r.URL != "" {
		o.StartURL, field = r.URL, "url"
	}
	switch {
	case o.StartURL == "":
		faults = []problem.Fault{{Loc: []any{"body", field}, Msg: "is required", Type: problem.FaultMissing}}
	case r.URL != "" && r.URL != o.StartURL:
		faults = []problem.Fault{problem.BodyFault("url", "differs from start_url, for which it is another name: give either")}
	case strings.ContainsRune(o.StartURL, 0):
		faults = []problem.Fault{problem.BodyFault(field, "must not contain a NUL character")}
	}
	return field, faults
}

// spec sets which pages are fetched and how they are kept.
func (o *Order) spec(r *Request) []problem.Fault {
	o.Spec.IncludeURLs, o.Spec.ExcludeURLs = r.IncludeURLs, r.ExcludeURLs
	o.Spec.IncludeExternal, o.Spec.IncludeSubdomain = r.IncludeExternal, r.IncludeSubdomain
	o.Spec.IgnoreRobots = r.FollowRobotsTxt != nil && !*r.FollowRobotsTxt
	o.Spec.SearchQuery = strings.TrimSpace(r.SearchQuery)
	o.Spec.Options, o.Spec.Bare = r.ScrapeOptions.options()
	var faults []problem.Fault
	if o.Spec.SearchQuery == "" && !r.TopN.IsZero() {
		faults = append(faults, problem.BodyFault("top_n", "needs search_query, which says what is relevant"))
	}
	_, fault := glob.Compile(r.IncludeURLs, "body", "include_urls")
	faults = append(faults, fault...)
	_, fault = glob.Compile(r.ExcludeURLs, "body", "exclude_urls")
	return append(faults, fault...)
}
