package crawls

import (
	"context"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const (
	tag  = "Crawls"
	path = "/v1/crawls"
	one  = path + "/{crawl_id}"

	pagesLimitMax     = 100
	pagesLimitDefault = 20
	listLimitMax      = 100
	listLimitDefault  = 20
	// queryBytesMax limits search_query of a page list.
	queryBytesMax = 500
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"If true, the request is validated and its price is returned. Nothing is done or charged."`
	Body   decode.Body[Request]
}

type pricedOutput struct{ Body principal.Priced[Crawl] }

type crawlInput struct {
	ID string `path:"crawl_id" maxLength:"100"`
}

type crawlOutput struct{ Body *Crawl }

type pagesInput struct {
	ID string `path:"crawl_id" maxLength:"100"`

	cursor *cursor // nil: from the start
	limit  int32
	query  string
}

type pagesOutput struct{ Body *PageList }

type listInput struct {
	status string
	cursor string
	limit  int32
}

type crawlList struct{ paging.Page[*Crawl, string] }

type listOutput struct{ Body *crawlList }

// Resolve reads the query parameters.
func (in *pagesInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	if n := q.Number("cursor", 0, math.MaxInt32, -1); n >= 0 {
		in.cursor = parseCursor(n)
	}
	in.limit = q.Number("limit", 1, pagesLimitMax, pagesLimitDefault)
	in.query = q.Text("search_query", queryBytesMax)
	return q.Errors()
}

// Resolve reads the query parameters.
func (in *listInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	in.status = q.Word("status", string(StatusInProgress), string(StatusCompleted))
	in.cursor = q.Opaque("cursor")
	in.limit = q.Number("limit", 1, listLimitMax, listLimitDefault)
	return q.Errors()
}

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createCrawl", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Crawl a site",
		Description: "Fetches the pages of a site in the background, starting at start_url, each page once. The price of max_pages is held. Each page is " +
			"charged when it is fetched, failed URLs cost nothing, and the rest is returned at the end. A wallet pays for max_pages in advance.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{
				"start_url": "https://example.com/", "max_pages": 100, "include_urls": []string{"/blog/**"},
				"scrape_options": map[string]any{"formats": []string{"markdown"}},
			},
		}}},
		Errors: []int{400, 401, 402, 403, 404, 409, 413, 501, 503},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getCrawl", Method: http.MethodGet, Path: one, Tags: []string{tag},
		Summary: "Read a crawl", Metadata: principal.Readable.Metadata(),
		Errors: []int{400, 401, 404, 500},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "cancelCrawl", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Cancel a crawl",
		Description: "Fetched pages are kept and charged, and the rest of the price is returned. A completed crawl is not changed.",
		Errors:      []int{400, 401, 403, 404},
	}, s.cancelCrawl)
	s.registerLists(api)
	s.registerWARC(api)
}

func (s *Service) registerLists(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listCrawls", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List crawls, newest first",
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only return crawls with this status. Default: all.", string(StatusInProgress), string(StatusCompleted)),
			paging.NumberParam("limit", "The maximum number of objects to return.", 1, listLimitMax, listLimitDefault),
			paging.TextParam("cursor", "The cursor from the previous response. Omit it for the first page."),
		},
		Errors: []int{400, 401},
	}, s.listCrawls)
	huma.Register(api, huma.Operation{
		OperationID: "listCrawlPages", Method: http.MethodGet, Path: one + "/pages", Tags: []string{tag},
		Summary: "List a crawl's pages",
		Description: "Lists pages in the order in which they were fetched, also while the crawl is in progress. Requests that continue with the last " +
			"cursor return each page once. The pages of a completed crawl with a search_query are listed by relevance; a cursor keeps its order. " +
			"Get the content of a page with its retrieve_id from GET /v1/retrieve.",
		Metadata: principal.Readable.Metadata(),
		Parameters: []*huma.Param{
			paging.TextParam("search_query", "Only return pages whose title or URL contains these words, the most relevant first."),
			paging.NumberParam("limit", "The maximum number of objects to return.", 1, pagesLimitMax, pagesLimitDefault),
			paging.NumberParam("cursor", "The cursor from the previous response. Omit it for the first page.", 0, math.MaxInt32, nil),
		},
		Errors: []int{400, 401, 404, 500, 504},
	}, s.listPages)
}

func (s *Service) create(ctx context.Context, in *createInput) (*pricedOutput, error) {
	c := principal.From(ctx)
	crawl, err := s.Start(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{principal.Priced[Crawl]{Result: crawl, Quote: c.DryRun}}, nil
}

func answer(c *Crawl, err error) (*crawlOutput, error) {
	if err != nil {
		return nil, err
	}
	return &crawlOutput{c}, nil
}

func (s *Service) get(ctx context.Context, in *crawlInput) (*crawlOutput, error) {
	return answer(s.Crawl(ctx, principal.From(ctx), in.ID))
}

func (s *Service) cancelCrawl(ctx context.Context, in *crawlInput) (*crawlOutput, error) {
	return answer(s.Cancel(ctx, principal.From(ctx), in.ID))
}

func (s *Service) listCrawls(ctx context.Context, in *listInput) (*listOutput, error) {
	data, cursor, err := s.List(ctx, principal.From(ctx), in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &listOutput{&crawlList{paging.NewPage(data, cursor != nil, cursor)}}, nil
}

func (s *Service) listPages(ctx context.Context, in *pagesInput) (*pagesOutput, error) {
	pages, err := s.pages(ctx, principal.From(ctx), in)
	if err != nil {
		return nil, err
	}
	return &pagesOutput{pages}, nil
}
