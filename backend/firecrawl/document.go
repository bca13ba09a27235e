package firecrawl

import (
	"context"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// document is a page as clients read it.
type document struct {
	Markdown   *string         `json:"markdown,omitempty"`
	HTML       *string         `json:"html,omitempty"`
	RawHTML    *string         `json:"rawHtml,omitempty"`
	Links      []string        `json:"links,omitzero"`
	Images     []string        `json:"images,omitzero"`
	Screenshot *string         `json:"screenshot,omitempty"`
	JSON       json.RawMessage `json:"json,omitempty"`
	Summary    *string         `json:"summary,omitempty"`
	Warning    string          `json:"warning,omitempty"`
	Metadata   pageMetadata    `json:"metadata"`
}

// pageMetadata is what is known of a page. Credits are those of this service.
type pageMetadata struct {
	Title         *string       `json:"title,omitempty"`
	Description   *string       `json:"description,omitempty"`
	Language      *string       `json:"language,omitempty"`
	PublishedTime *string       `json:"publishedTime,omitempty"`
	Author        *string       `json:"author,omitempty"`
	SourceURL     string        `json:"sourceURL"`
	URL           string        `json:"url"`
	StatusCode    int           `json:"statusCode"`
	ScrapeID      string        `json:"scrapeId,omitempty"`
	CreditsUsed   money.Credits `json:"creditsUsed"`
	ProxyUsed     string        `json:"proxyUsed"`
	CacheState    string        `json:"cacheState,omitempty"`
	CachedAt      string        `json:"cachedAt,omitempty"`
	Error         string        `json:"error,omitempty"`
}

// documentOf returns the wanted outputs of a page.
func documentOf(url, id string, credits money.Credits, r *scrapes.Result, w wants) *document {
	m := &r.PageMetadata
	d := &document{Metadata: pageMetadata{
		Title: m.Title, Description: m.Description, Language: m.Language, PublishedTime: m.PublishedAt, Author: m.Author,
		SourceURL: url, URL: url, StatusCode: m.StatusCode, ScrapeID: id, CreditsUsed: credits, ProxyUsed: "basic",
	}}
	if w.has("markdown") {
		d.Markdown = r.Markdown
	}
	if w.has("html") {
		d.HTML = r.HTML
	}
	if w.has("rawHtml") {
		d.RawHTML = r.HTML
	}
	if w.has("links") {
		d.Links = r.LinksOnPage
	}
	if w.has("images") && r.HTML != nil {
		d.Images = imagesIn(*r.HTML)
	}
	d.Screenshot = r.ScreenshotHostedURL
	d.setJSON(r, w)
	if r.SizeExceeded {
		d.Warning = "The content is too large for a response: GET /v1/scrapes or /v1/retrieve have the addresses to download it from."
	}
	if m.LLMExtract != nil && m.LLMExtract.Truncated {
		d.Warning = "Part of the page was left out because it is too long for the language model."
	}
	return d
}

// setJSON sets the outputs of a language model.
func (d *document) setJSON(r *scrapes.Result, w wants) {
	if r.JSON == nil {
		return
	}
	if w.has("json") {
		d.JSON = json.RawMessage(*r.JSON)
	}
	if w.has("summary") {
		var said struct {
			Summary string `json:"summary"`
		}
		if json.Unmarshal([]byte(*r.JSON), &said) != nil || said.Summary == "" {
			said.Summary = *r.JSON
		}
		d.Summary = &said.Summary
	}
}

// imagesIn returns the addresses of the images in HTML whose references are absolute, each once.
func imagesIn(text string) []string {
	found, seen := []string{}, map[string]bool{}
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			for _, a := range token.Attr {
				if token.Data == "img" && a.Key == "src" && strings.HasPrefix(a.Val, "http") && !seen[a.Val] {
					seen[a.Val] = true
					found = append(found, a.Val)
				}
			}
		default:
		}
	}
}

// stored is a page of a job.
type stored struct {
	url, retrieveID string
	statusCode      int
	title           *string
}

const (
	// documentsMax is how many documents a response has, and documentsBytes where it ends after one.
	documentsMax   = 10
	documentsBytes = 8 << 20
)

// documents returns the documents of a job's pages, as many as fit into a response.
func (s *Service) documents(ctx context.Context, c *principal.Caller, pages []stored, w wants, each money.Credits) ([]*document, error) {
	out, bytes := []*document{}, 0
	for _, p := range pages[:min(len(pages), documentsMax)] {
		kept, err := s.config.Scrapes.Retrieve(ctx, c, p.retrieveID, nil)
		switch {
		case err != nil && problem.From(err).Code == problem.NotFound:
			gone := &document{Warning: "The content has expired.", Metadata: pageMetadata{
				Title: p.title, SourceURL: p.url, URL: p.url, StatusCode: p.statusCode, ScrapeID: p.retrieveID, CreditsUsed: each, ProxyUsed: "basic",
			}}
			out = append(out, gone)
			continue
		case err != nil:
			return nil, err
		}
		d := documentOf(p.url, p.retrieveID, each, &kept.Result, w)
		out = append(out, d)
		for _, text := range []*string{kept.Markdown, kept.HTML, kept.JSON} {
			if text != nil {
				bytes += len(*text)
			}
		}
		if bytes > documentsBytes {
			break
		}
	}
	return out, nil
}
