package mcp

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
)

// mainContent is the transformer that keeps only a page's main content.
const mainContent = "postlight"

type scrapeInput struct {
	URL       string      `json:"url"`
	Format    page.Format `json:"format"`
	WholePage bool        `json:"whole_page"`
	Links     bool        `json:"links"`
	WaitMs    int         `json:"wait_ms"`
	MaxAge    int         `json:"max_age"`
	MaxChars  int         `json:"max_chars"`
}

func (s *Service) scrape(ctx context.Context, c *principal.Caller, in *scrapeInput) (*result, error) {
	options := page.Options{Formats: []page.Format{in.Format}, WaitBeforeScraping: in.WaitMs}
	if !in.WholePage {
		options.Transformer = mainContent
	}
	if in.Links {
		options.LinksOnPage = &page.LinksInput{}
	}
	made, err := s.config.Scrapes.Create(ctx, c, &scrapes.Request{URL: in.URL, Options: options, MaxAge: in.MaxAge})
	if err != nil {
		return nil, err
	}
	head := "URL: " + made.URL + "\n"
	if made.Age > 0 {
		head += fmt.Sprintf("Age: %d seconds\n", made.Age)
	}
	return paged(made.RetrieveID, head, &made.Result, 0, newRoom(in.MaxChars))
}

// paged is the text of a page from a position on, as far as there is room.
func paged(retrieveID, head string, r *scrapes.Result, from int, m *room) (*result, error) {
	whole := pageText(r)
	if from > len(whole) {
		return nil, badCursor()
	}
	var l list
	if from == 0 {
		if title := oneLine(text(r.PageMetadata.Title), 300); title != "" {
			l.linef("Title: %s", title)
		}
		l.linef("%sStatus: %d\n", head, r.PageMetadata.StatusCode)
		m.take(l.String())
	}
	return windowed(pagePrefix+retrieveID, l.String(), whole, from, m)
}

// pageText is what a page says: its content in the first format that is stored, and its links.
func pageText(r *scrapes.Result) string {
	whole := ""
	for _, content := range []*string{r.Markdown, r.Text, r.HTML, r.JSON} {
		if content != nil {
			whole = *content
			break
		}
	}
	if whole == "" && r.SizeExceeded {
		for _, hosted := range []*string{r.MarkdownHostedURL, r.TextHostedURL, r.HTMLHostedURL} {
			if hosted != nil {
				return "The content is too large to be shown. It can be downloaded from " + *hosted
			}
		}
	}
	if len(r.LinksOnPage) == 0 {
		return whole
	}
	var l list
	l.linef("%s\n\nLinks:", whole)
	for _, link := range r.LinksOnPage {
		l.linef("%s", link)
	}
	return l.String()
}

type searchInput struct {
	Query    string   `json:"query"`
	Limit    int      `json:"limit"`
	Include  []string `json:"include_domains"`
	Exclude  []string `json:"exclude_domains"`
	Scrape   bool     `json:"scrape"`
	MaxChars int      `json:"max_chars"`
}

func (s *Service) search(ctx context.Context, c *principal.Caller, in *searchInput) (*result, error) {
	request := &searches.Request{Query: in.Query, Limit: &in.Limit, IncludeDomains: in.Include, ExcludeDomains: in.Exclude}
	if in.Scrape {
		request.ScrapeOptions = &searches.ScrapeOptions{Formats: []string{string(page.FormatMarkdown)}}
	}
	made, err := s.config.Searches.Create(ctx, c, request)
	if err != nil {
		return nil, err
	}
	return windowed(made.ID, "", searchText(made), 0, newRoom(in.MaxChars))
}

// searchText lists what was found, then the content of the links that were scraped.
func searchText(made *searches.Search) string {
	var l list
	if len(made.Result.Links) == 0 {
		l.linef("Nothing was found.")
	}
	for i := range made.Result.Links {
		link := &made.Result.Links[i]
		l.linef("%d. %s\n%s\n%s\n", i+1, oneLine(link.Title, 300), link.URL, oneLine(link.Description, 1000))
	}
	for i := range made.Result.Links {
		link := &made.Result.Links[i]
		switch {
		case link.Error != nil:
			l.linef("--- %s\nNot read: %s", link.URL, link.Error.Detail)
		case link.Markdown != nil:
			l.linef("--- %s\n%s", link.URL, *link.Markdown)
		}
	}
	return l.String()
}

type mapInput struct {
	URL      string   `json:"url"`
	Search   string   `json:"search"`
	Limit    int      `json:"limit"`
	Include  []string `json:"include"`
	Exclude  []string `json:"exclude"`
	MaxChars int      `json:"max_chars"`
}

func (s *Service) mapSite(ctx context.Context, c *principal.Caller, in *mapInput) (*result, error) {
	made, err := s.config.Maps.Create(ctx, c, &maps.Request{
		URL: in.URL, SearchQuery: in.Search, TopN: &in.Limit, IncludeURLs: in.Include, ExcludeURLs: in.Exclude,
	})
	if err != nil {
		return nil, err
	}
	return mapped(made, 0, newRoom(in.MaxChars))
}

// mapped lists URLs from a position on. A map of this server fits the first response of the feature.
func mapped(made *maps.Map, from int, m *room) (*result, error) {
	var l list
	if from == 0 {
		l.linef("%d URLs of %s:", len(made.URLs), made.URL)
		if made.Truncated {
			l.linef("(there may be more: the search ran out of time)")
		}
	}
	m.take(l.String())
	var all list
	for _, url := range made.URLs {
		all.linef("%s", url)
	}
	return windowed(made.ID, l.String(), all.String(), from, m)
}
