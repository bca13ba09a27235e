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

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// topNMax is the upper limit of top_n.
const topNMax = 1000

// Request is the body of POST /v1/crawls.
type Request struct {
	StartURL         string         `json:"start_url,omitempty" maxLength:"8192" doc:"The URL where the crawl starts: an absolute http or https URL. Required." example:"https://example.com/"`
	URL              string         `json:"url,omitempty" maxLength:"8192" doc:"Another name for start_url."`
	MaxPages         decode.Whole   `json:"max_pages,omitempty" minimum:"1" maximum:"100000" doc:"The maximum number of pages to fetch. Their price is held."`
	MaxDepth         decode.Whole   `json:"max_depth,omitempty" minimum:"0" maximum:"2147483647" doc:"The maximum number of links to follow from start_url; 0 fetches only start_url. Default: no limit."`
	IncludeURLs      []string       `json:"include_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the pages to fetch. A glob matches paths; if it contains a ?, paths with their query; if it contains ://, whole URLs. * matches anything except slashes, ** matches anything. Default: /**."`
	ExcludeURLs      []string       `json:"exclude_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the pages to exclude. Exclusion takes precedence."`
	IncludeExternal  bool           `json:"include_external,omitempty" doc:"Whether to also fetch linked pages of other sites. Links on these pages are not followed."`
	IncludeSubdomain bool           `json:"include_subdomain,omitempty" doc:"Whether other hosts of the same registrable domain belong to the site."`
	SearchQuery      string         `json:"search_query,omitempty" maxLength:"500" doc:"A query by which links are followed, the most relevant first, and pages are ordered by relevance."`
	TopN             decode.Whole   `json:"top_n,omitempty" minimum:"1" maximum:"1000" doc:"The number of links to follow from each page: the most relevant to search_query, otherwise the first on the page."`
	Timeout          decode.Whole   `json:"timeout,omitempty" minimum:"1" maximum:"259200" doc:"The number of seconds after which the crawl ends with the pages fetched by then. Default: 259200, 72 hours."`
	FollowRobotsTxt  *bool          `json:"follow_robots_txt,omitempty" default:"true" doc:"Whether to respect the disallow rules of robots.txt."`
	ScrapeOptions    *ScrapeOptions `json:"scrape_options,omitempty" doc:"The options for the content of each page."`
	Metadata         metadata.Input `json:"metadata,omitempty"`
	Webhook          string         `json:"webhook,omitempty" maxLength:"2048" doc:"A publicly reachable http or https URL that receives a POST request when the crawl is completed."`
	WebhookURL       string         `json:"webhook_url,omitempty" maxLength:"2048" doc:"Another name for webhook."`
	Record           bool           `json:"record,omitempty" doc:"Whether to record requests and responses, so that the pages can be read again without the network."`

	// Pages are the options of pages for code of this service, which is not limited to those of ScrapeOptions. Nil: those.
	Pages *page.Options `json:"-"`
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
	Formats            []page.Format       `json:"formats,omitzero" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"The formats to store of each page. Default: html and markdown. [] stores nothing and only lists the pages. parser implies json."`
	Parser             page.ParserInput    `json:"parser,omitempty"`
	RemoveCSSSelectors page.SelectorsInput `json:"remove_css_selectors,omitempty"`
	RemoveClassNames   []string            `json:"remove_class_names,omitempty" maxItems:"200" nullable:"false" doc:"The classes whose elements are removed."`
	RemoveImages       bool                `json:"remove_images,omitempty" doc:"Whether to remove images."`
	Transformer        string              `json:"transformer,omitempty" enum:"none,postlight" doc:"postlight keeps only the main content. Default: none."`
	Render             string              `json:"render,omitempty" enum:"auto,never,always" doc:"Whether to use a browser. auto (the default) uses one if a page needs scripts to show its content."`
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
	if err == nil && r.Pages != nil {
		canonical, err = json.Marshal([]any{r, r.Pages})
	}
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
		given       decode.Whole
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
		faults = []problem.Fault{problem.BodyFault("url", "differs from start_url, which is another name for url: give only one")}
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
	if r.Pages != nil {
		o.Spec.Options, o.Spec.Bare = *r.Pages, false
	}
	_, faults := glob.Compile(r.IncludeURLs, "body", "include_urls")
	_, fault := glob.Compile(r.ExcludeURLs, "body", "exclude_urls")
	return append(faults, fault...)
}
