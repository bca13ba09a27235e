package firecrawl

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// searchLimitDefault is how many links a search has if the request does not say.
const searchLimitDefault = 5

// searchRequest is the body of POST /v2/search.
type searchRequest struct {
	Query          string   `json:"query"`
	Limit          int      `json:"limit,omitempty"`
	Sources        []source `json:"sources,omitempty"`
	IncludeDomains []string `json:"includeDomains,omitempty"`
	ExcludeDomains []string `json:"excludeDomains,omitempty"`
	Timeout        int64    `json:"timeout,omitempty"`
	ScrapeOptions  *Options `json:"scrapeOptions,omitempty"`

	DomainTools bool `json:"domainTools,omitempty"`
}

// source is where to search.
type source struct {
	Type string `json:"type"`
}

// notEnabled is what Firecrawl says to teams without data providers. Its MCP server asks for them by default and searches
// without them after exactly this error.
func notEnabled() error {
	return problem.New(problem.AccessDenied, "This endpoint is not enabled for this team.")
}

// search returns r as searches takes it, and the outputs of each result.
func (r *searchRequest) search() (*searches.Request, wants, error) {
	if r.DomainTools || slices.Contains(r.Sources, source{"alexandria"}) {
		return nil, nil, notEnabled()
	}
	var faults []problem.Fault
	for _, s := range r.Sources {
		if s.Type != "web" {
			faults = append(faults, fault("sources", fmt.Sprintf("%.40q is not available here: the source is web", s.Type)))
		}
	}
	limit := searchLimitDefault
	if r.Limit > 0 {
		limit = r.Limit
	}
	if limit > websearch.LimitMax {
		faults = append(faults, fault("limit", fmt.Sprintf("must be from 1 to %d", websearch.LimitMax)))
	}
	out := &searches.Request{Query: r.Query, Limit: &limit, IncludeDomains: r.IncludeDomains, ExcludeDomains: r.ExcludeDomains}
	var w wants
	if r.ScrapeOptions != nil && len(r.ScrapeOptions.Formats) > 0 {
		options, asked, more := r.ScrapeOptions.jobPage("scrapeOptions")
		faults = append(faults, more...)
		for _, name := range asked {
			if !slices.Contains([]string{"markdown", "html", "rawHtml", "images"}, name) {
				faults = append(faults, fault("scrapeOptions.formats", fmt.Sprintf("%.40q is not available in a search: scrape the links that you want", name)))
			}
		}
		w, out.ScrapeOptions = asked, scrapeOptionsOf(&options)
	}
	if len(faults) > 0 {
		return nil, nil, refuse(faults...)
	}
	_, err := checked(out)
	return out, w, err
}

func scrapeOptionsOf(o *page.Options) *searches.ScrapeOptions {
	out := &searches.ScrapeOptions{Pages: o, RemoveCSSSelectors: o.RemoveCSSSelectors}
	for _, f := range o.Formats {
		out.Formats = append(out.Formats, string(f))
	}
	return out
}

// result is a link of a search: with its document if it was scraped.
type result struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Position    int    `json:"position"`
	*document
}

type searchResponse struct {
	done

	Data        map[string][]result `json:"data"`
	ID          string              `json:"id"`
	CreditsUsed int64               `json:"creditsUsed"`
}

func (s *Service) search(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[searchRequest](ctx)
	if err != nil {
		return nil, err
	}
	asked, w, err := r.search()
	if err != nil {
		return nil, err
	}
	limited, cancel := within(ctx, r.Timeout)
	defer cancel()
	search, err := s.config.Searches.Create(limited, c, asked)
	if err != nil || search == nil {
		return nil, late(limited, err)
	}
	out := &searchResponse{done: ok(), ID: search.ID, CreditsUsed: int64(search.CreditsConsumed), Data: map[string][]result{"web": {}}}
	for i := range search.Result.Links {
		out.Data["web"] = append(out.Data["web"], resultOf(&search.Result.Links[i], i+1, w))
	}
	if search.Result.SizeExceeded {
		out.Warning = "The content of all links is too large for a response: scrape those that you want."
	}
	return out, nil
}

func resultOf(l *searches.Link, position int, w wants) result {
	out := result{URL: l.URL, Title: l.Title, Description: l.Description, Position: position}
	if len(w) == 0 {
		return out
	}
	out.document = &document{Metadata: pageMetadata{
		Title: &l.Title, Description: &l.Description, SourceURL: l.URL, URL: l.URL, ProxyUsed: "basic",
	}}
	d := out.document
	if l.StatusCode != nil {
		d.Metadata.StatusCode = *l.StatusCode
	}
	if l.RetrieveID != nil {
		d.Metadata.ScrapeID, d.Metadata.CreditsUsed = *l.RetrieveID, 1
	}
	if l.Error != nil {
		d.Metadata.Error = l.Error.Detail
	}
	if w.has("markdown") {
		d.Markdown = l.Markdown
	}
	if w.has("html") {
		d.HTML = l.HTML
	}
	if w.has("rawHtml") {
		d.RawHTML = l.HTML
	}
	if w.has("images") && l.HTML != nil {
		d.Images = imagesIn(*l.HTML)
	}
	return out
}
