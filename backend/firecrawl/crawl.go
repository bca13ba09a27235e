package firecrawl

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// limitDefault is the limit of a crawl that names none, if the balance affords it.
const limitDefault = 10_000

// crawlRequest is the body of POST /v2/crawl.
type crawlRequest struct {
	URL                    string   `json:"url"`
	IncludePaths           []string `json:"includePaths,omitempty"`
	ExcludePaths           []string `json:"excludePaths,omitempty"`
	RegexOnFullURL         bool     `json:"regexOnFullURL,omitempty"`
	MaxDiscoveryDepth      *int64   `json:"maxDiscoveryDepth,omitempty"`
	Sitemap                string   `json:"sitemap,omitempty"`
	Limit                  *int64   `json:"limit,omitempty"`
	CrawlEntireDomain      bool     `json:"crawlEntireDomain,omitempty"`
	AllowExternalLinks     bool     `json:"allowExternalLinks,omitempty"`
	AllowSubdomains        bool     `json:"allowSubdomains,omitempty"`
	IgnoreRobotsTxt        bool     `json:"ignoreRobotsTxt,omitempty"`
	IgnoreQueryParameters  bool     `json:"ignoreQueryParameters"`
	DeduplicateSimilarURLs *bool    `json:"deduplicateSimilarURLs,omitempty"`
	Webhook                *webhook `json:"webhook,omitempty"`
	ScrapeOptions          *Options `json:"scrapeOptions,omitempty"`
}

func (*crawlRequest) fields() []string { return []string{"allowExternalLinks"} }

// crawl returns r as crawls takes it, without its limit.
func (r *crawlRequest) crawl() (*crawls.Request, error) {
	out := &crawls.Request{
		StartURL: r.URL, IncludeExternal: r.AllowExternalLinks, IncludeSubdomain: r.AllowSubdomains,
	}
	options, w, faults := r.ScrapeOptions.jobPage("scrapeOptions")
	out.Pages, out.Metadata = &options, w.note()
	if r.IgnoreRobotsTxt {
		out.FollowRobotsTxt = new(false)
	}
	if r.MaxDiscoveryDepth != nil {
		out.MaxDepth = decode.Whole(strconv.FormatInt(*r.MaxDiscoveryDepth, 10))
	}
	if r.Sitemap == "only" {
		faults = append(faults, fault("sitemap", "must be skip or include: to crawl the URLs of a sitemap, give its address as url"))
	}
	if r.IgnoreQueryParameters {
		faults = append(faults, fault("ignoreQueryParameters", "must be false: URLs with different queries are different pages, and equal content is fetched once"))
	}
	if r.DeduplicateSimilarURLs != nil && !*r.DeduplicateSimilarURLs {
		faults = append(faults, fault("deduplicateSimilarURLs", "must be true: equal pages are fetched once"))
	}
	var more []problem.Fault
	out.Webhook, more = r.Webhook.address("completed")
	faults = append(faults, more...)
	out.IncludeURLs, more = globs("includePaths", r.IncludePaths, r.RegexOnFullURL)
	faults = append(faults, more...)
	out.ExcludeURLs, more = globs("excludePaths", r.ExcludePaths, r.RegexOnFullURL)
	faults = append(faults, more...)
	if below := folderOf(r.URL); below != "" && !r.CrawlEntireDomain {
		if len(out.IncludeURLs) > 0 {
			faults = append(faults, fault("includePaths", "needs crawlEntireDomain: true with a url that is not the root of its site: by default only pages below url are fetched"))
		}
		out.IncludeURLs = []string{below, strings.TrimSuffix(below, "/") + "/**"}
	}
	if len(faults) > 0 {
		return nil, refuse(faults...)
	}
	_, err := checked(out)
	return out, err
}

// folderOf returns the path below which a crawl of a URL stays by default, "" for the root.
func folderOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || path.Clean("/"+u.Path) == "/" {
		return ""
	}
	return strings.NewReplacer("*", "").Replace(u.EscapedPath())
}

// pagePrice returns what a page with options costs.
func (s *Service) pagePrice(ctx context.Context, o *page.Options) (money.Credits, error) {
	amount, err := s.priceOf(ctx, "/v1/scrapes", &scrapes.Request{URL: "https://example.com/", Options: *o}, nil)
	return money.Credits(amount), err
}

// limited sets the limit of a crawl that names none: the default, or as many pages as funds afford. It returns the limit.
func (s *Service) limited(ctx context.Context, r *crawlRequest, out *crawls.Request, funds money.Credits) (int64, error) {
	limit := int64(limitDefault)
	if r.Limit != nil {
		limit = *r.Limit
	} else {
		each, err := s.pagePrice(ctx, out.Pages)
		if err != nil {
			return 0, err
		}
		limit = max(min(limit, int64(funds/max(each, 1))), 1)
	}
	out.MaxPages = decode.Whole(strconv.FormatInt(limit, 10))
	return limit, nil
}

func (s *Service) quoteCrawl(ctx context.Context, c *principal.Caller, body *edgewire.Body) (int64, error) {
	r, err := read[crawlRequest](body)
	if err != nil {
		return 0, err
	}
	out, err := r.crawl()
	if err != nil {
		return 0, err
	}
	funds := money.Credits(c.Covered) // the request itself: its hold is the limit
	if funds == 0 && r.Limit == nil {
		if funds, err = s.config.Available(ctx, c.TeamID); err != nil {
			return 0, problem.Internal(fmt.Errorf("reading the balance of %s: %w", c.TeamID, err))
		}
	}
	if _, err := s.limited(ctx, r, out, funds); err != nil {
		return 0, err
	}
	return s.config.Crawls.QuoteOf(ctx, c, edgewire.UnitCredit, out)
}

func (s *Service) startCrawl(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[crawlRequest](ctx)
	if err != nil {
		return nil, err
	}
	out, err := r.crawl()
	if err != nil {
		return nil, err
	}
	funds := c.Credits
	if c.DryRun != nil {
		funds = c.DryRun.Credits
	}
	limit, err := s.limited(ctx, r, out, funds)
	if err != nil {
		return nil, err
	}
	answer := func(id string) *started {
		a := &started{done: ok(), ID: id, URL: s.address("/v2/crawl/", id), Limit: limit}
		if r.Limit == nil {
			a.Warning = fmt.Sprintf("No limit was given, so it is %d pages: %d, or what your credits afford if that is less. "+
				"Their cost is held until the crawl ends.", limit, limitDefault)
		}
		return a
	}
	c.RecordAs(func(recorded any) any {
		made, _ := recorded.(principal.Priced[crawls.Crawl])
		return answer(made.Result.ID)
	})
	made, err := s.config.Crawls.Start(ctx, c, out)
	if err != nil || made == nil {
		return nil, err
	}
	return answer(made.ID), nil
}

func (s *Service) crawlStatus(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	after, err := r.place()
	if err != nil {
		return nil, err
	}
	p, err := s.config.Crawls.Progress(ctx, c, r.id(), after, documentsMax+1)
	if err != nil {
		return nil, err
	}
	out := &status{
		done: ok(), Status: statusOf(p.Crawl.Outcome), Completed: p.Crawl.PagesCount, Total: p.Crawl.PagesCount + p.Open,
		CreditsUsed: p.Credits, ExpiresAt: time.Unix(p.Crawl.Created, 0).Add(retention).UTC().Format(time.RFC3339),
	}
	pages := make([]stored, len(p.Pages))
	for i := range p.Pages {
		found := &p.Pages[i]
		pages[i] = stored{url: found.URL, retrieveID: found.RetrieveID, title: found.Title}
		if found.StatusCode != nil {
			pages[i].statusCode = int(*found.StatusCode)
		}
	}
	err = s.fill(ctx, c, out, pages, p.Places, wantsOf(p.Crawl.Metadata), s.address("/v2/crawl/", r.id()))
	return out, err
}

// fill adds the documents of pages to a status, and the address of the rest.
func (s *Service) fill(ctx context.Context, c *principal.Caller, out *status, pages []stored, places []int32, w wants, address string) (err error) {
	each := out.CreditsUsed / money.Credits(max(out.Completed, 1))
	if out.Data, err = s.documents(ctx, c, pages, w, each); err != nil {
		return err
	}
	if n := len(out.Data); n < len(pages) {
		out.Next = new(address + "?skip=" + strconv.Itoa(int(places[n-1])))
	}
	return nil
}

func (s *Service) crawlErrors(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	failed, err := s.config.Crawls.Failed(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	out := &jobErrors{done: ok(), Errors: []pageError{}, RobotsBlocked: []string{}}
	for i, f := range failed {
		out.add(fmt.Sprintf("%s-%d", r.id(), i+1), f.URL, f.Reason, "The page could not be fetched: "+f.Reason+".")
	}
	return out, nil
}

type activeCrawl struct {
	ID      string         `json:"id"`
	TeamID  string         `json:"teamId"`
	URL     string         `json:"url"`
	Created string         `json:"created"`
	Options map[string]any `json:"options"`
}

// activeMax is how many crawls in progress are listed.
const activeMax = 100

func (s *Service) activeCrawls(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	list, _, err := s.config.Crawls.List(ctx, c, string(crawls.StatusInProgress), "", activeMax)
	if err != nil {
		return nil, err
	}
	out := struct {
		done

		Crawls []activeCrawl `json:"crawls"`
	}{ok(), make([]activeCrawl, len(list))}
	for i, crawl := range list {
		out.Crawls[i] = activeCrawl{
			ID: crawl.ID, TeamID: c.TeamID, URL: crawl.StartURL, Created: crawl.StartDate,
			Options: map[string]any{"limit": crawl.MaxPages, "maxDiscoveryDepth": crawl.MaxDepth},
		}
	}
	return out, nil
}

func (s *Service) cancelCrawl(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	crawl, err := s.config.Crawls.Cancel(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	return notOver(statusOf(crawl.Outcome))
}

// notOver is the response to a cancellation, which a job that is over refuses.
func notOver(state string) (any, error) {
	if state != "cancelled" {
		return nil, problem.New(problem.InvalidState, "The job is over, so there is nothing to cancel: it has "+state+".")
	}
	return &cancelled{ok(), state}, nil
}
