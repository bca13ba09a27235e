package turnpike

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
)

// fill copies a request, so that what the caller passed stays as it is, and lets set change the copy.
func fill[T any](request *T, set func(*T)) *T {
	var filled T
	if request != nil {
		filled = *request
	}
	set(&filled)
	return &filled
}

// Scrape reads a page. Without formats in request, which may be nil, it is returned as markdown.
func (c *Client) Scrape(ctx context.Context, pageURL string, request *ScrapeRequest, opts ...Option) (*Scrape, error) {
	return c.CreateScrape(ctx, fill(request, func(r *ScrapeRequest) {
		r.URLToScrape = pageURL
		if r.Formats == nil {
			r.Formats = []string{"markdown"}
		}
	}), opts...)
}

// Search searches the web. The request may be nil.
func (c *Client) Search(ctx context.Context, query string, request *SearchRequest, opts ...Option) (*Search, error) {
	return c.CreateSearch(ctx, fill(request, func(r *SearchRequest) { r.Query = query }), opts...)
}

// Answer answers a task from the web, with the sources of what it says. The request may be nil.
func (c *Client) Answer(ctx context.Context, task string, request *AnswerRequest, opts ...Option) (*Answer, error) {
	return c.CreateAnswer(ctx, fill(request, func(r *AnswerRequest) { r.Task = task }), opts...)
}

// Map lists the URLs of a site. The request may be nil. A long list has a cursor: see [Client.MapURLs].
func (c *Client) Map(ctx context.Context, siteURL string, request *MapRequest, opts ...Option) (*Map, error) {
	return c.CreateMap(ctx, fill(request, func(r *MapRequest) { r.URL = siteURL }), opts...)
}

// MapURLs iterates over all URLs of a site. Only the first request is paid for.
func (c *Client) MapURLs(ctx context.Context, siteURL string, request *MapRequest, opts ...Option) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		part, err := c.Map(ctx, siteURL, request, opts...)
		for {
			if err != nil {
				yield("", err)
				return
			}
			for _, u := range part.URLs {
				if !yield(u, nil) {
					return
				}
			}
			if part.Cursor == "" {
				return
			}
			part, err = c.GetMap(ctx, part.ID, &GetMapQuery{Cursor: part.Cursor})
		}
	}
}

// Crawl starts a crawl of a site. Wait for its end with [Client.WaitCrawl], or iterate over its pages meanwhile with
// [Client.CrawlPages].
func (c *Client) Crawl(ctx context.Context, startURL string, request *CrawlRequest, opts ...Option) (*Crawl, error) {
	return c.CreateCrawl(ctx, fill(request, func(r *CrawlRequest) { r.StartURL = startURL }), opts...)
}

// Batch starts to read many pages. Wait for its end with [Client.WaitBatch], or iterate over its items meanwhile with
// [Client.BatchItems]. The request may be nil.
func (c *Client) Batch(ctx context.Context, urls []string, request *BatchRequest, opts ...Option) (*Batch, error) {
	return c.CreateBatch(ctx, fill(request, func(r *BatchRequest) {
		for _, u := range urls {
			r.Items = append(r.Items[:len(r.Items):len(r.Items)], BatchRequestItem{URL: u})
		}
	}), opts...)
}

// Monitor starts to watch what the query describes. The request may be nil. [Client.WaitMonitor] waits for its plan.
func (c *Client) Monitor(ctx context.Context, query string, request *MonitorRequest, opts ...Option) (*Monitor, error) {
	return c.CreateMonitor(ctx, fill(request, func(r *MonitorRequest) { r.Query = query }), opts...)
}

// Retrieve returns the content of a page of a crawl, an item of a batch or a scrape, by its retrieve id. What is too large
// for a response is downloaded from its hosted URL. Without formats, all that were made are returned.
func (c *Client) Retrieve(ctx context.Context, retrieveID string, formats ...string) (*ScrapeRetrieved, error) {
	content, err := c.RetrieveContent(ctx, &RetrieveContentQuery{RetrieveID: retrieveID, Formats: formats})
	if err != nil || !content.SizeExceeded {
		return content, err
	}
	for _, part := range []struct {
		to  *string
		url string
	}{
		{&content.MarkdownContent, content.MarkdownHostedURL},
		{&content.HTMLContent, content.HTMLHostedURL},
		{&content.TextContent, content.TextHostedURL},
		{&content.JSONContent, content.JSONHostedURL},
	} {
		if *part.to != "" || part.url == "" {
			continue
		}
		whole, err := c.Download(ctx, part.url)
		if err != nil {
			return nil, err
		}
		*part.to = string(whole)
	}
	return content, nil
}

// Download reads a signed URL, such as a hosted URL of content. It needs no key.
func (c *Client) Download(ctx context.Context, signed string) ([]byte, error) {
	for tries := c.tries(); ; {
		whole, err := c.downloadOnce(ctx, signed)
		if err == nil {
			return whole, nil
		}
		if err := tries.next(ctx, err); err != nil {
			return nil, err
		}
	}
}

func (c *Client) downloadOnce(ctx context.Context, signed string) ([]byte, error) {
	resp, err := c.direct(ctx, http.MethodGet, signed, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// direct sends a request to a signed URL.
func (c *Client) direct(ctx context.Context, method, signed string, content io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, signed, content)
	if err != nil {
		return nil, err
	}
	if content != nil {
		req.Header.Set("Content-Type", jsonType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(resp.Body)
		return nil, errors.Join(readError(resp, body), err, resp.Body.Close())
	}
	return resp, nil
}

// CrawlWARC returns the WARC file of a finished crawl that was created with Record. The caller closes it.
func (c *Client) CrawlWARC(ctx context.Context, crawlID string) (io.ReadCloser, error) {
	resp, _, err := c.do(ctx, &request{
		method: http.MethodGet, path: "/v1/crawls/" + url.PathEscape(crawlID) + "/warc", stream: true,
		header: http.Header{"Accept": {"application/warc, application/json"}},
	}, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Upload uploads a JSON file with the purpose batch or context.
func (c *Client) Upload(ctx context.Context, filename, purpose string, content io.Reader) (*File, error) {
	created, err := c.CreateFile(ctx, &FileCreateBody{Filename: filename, Purpose: purpose})
	if err != nil {
		return nil, err
	}
	resp, err := c.direct(ctx, http.MethodPut, created.UploadURL, content)
	if err != nil {
		return nil, fmt.Errorf("uploading %s: %w", filename, err)
	}
	resp.Body.Close()
	return c.CompleteFile(ctx, created.ID)
}
