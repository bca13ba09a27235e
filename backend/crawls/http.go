package crawls

import (
	"context"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/paging"
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
	DryRun string `query:"dry_run" enum:"true,false" doc:"true: check the request, answer with its price, do nothing and charge nothing."`
	Body   Request
}

type pricedOutput struct{ Body caller.Priced[Crawl] }

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

type crawlList struct {
	Object string   `json:"object" enum:"list"`
	Data   []*Crawl `json:"data" nullable:"false" doc:"From the latest."`
	Cursor *string  `json:"cursor,omitempty" doc:"Asks for what follows; absent where nothing does."`
}

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
		Description: "Fetches the pages of a site after the answer, from start_url on, each once. What max_pages cost is set aside; each page is charged " +
			"when it is there, what fails costs nothing, and the rest is given back at the end. A wallet pays for max_pages beforehand.",
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
		Summary: "Read a crawl", Metadata: caller.Readable.Metadata(),
		Errors: []int{400, 401, 404, 500},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "cancelCrawl", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Cancel a crawl",
		Description: "What is done stays and is charged; the rest is given back. A crawl that is completed stays as it is.",
		Errors:      []int{400, 401, 403, 404},
	}, s.cancelCrawl)
	s.registerLists(api)
	s.registerWARC(api)
}

func (s *Service) registerLists(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listCrawls", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List crawls",
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only crawls of this status; leave it out for all.", string(StatusInProgress), string(StatusCompleted)),
			paging.NumberParam("limit", "How many to answer.", 1, listLimitMax, listLimitDefault),
			paging.TextParam("cursor", "The cursor of the answer before; leave it out for the first."),
		},
		Errors: []int{400, 401},
	}, s.listCrawls)
	huma.Register(api, huma.Operation{
		OperationID: "listCrawlPages", Method: http.MethodGet, Path: one + "/pages", Tags: []string{tag},
		Summary: "List a crawl's pages",
		Description: "Pages are listed when they are there, in that order, also while the crawl is in progress: asking on with the last cursor gets " +
			"each page once. Those of a crawl with a search_query are listed by relevance when it is completed; a cursor keeps its order. " +
			"Get content with a page's retrieve_id from GET /v1/retrieve.",
		Metadata: caller.Readable.Metadata(),
		Parameters: []*huma.Param{
			paging.TextParam("search_query", "Only pages whose title or URL has these words, the most relevant first."),
			paging.NumberParam("limit", "How many to answer.", 1, pagesLimitMax, pagesLimitDefault),
			paging.NumberParam("cursor", "The cursor of the answer before; leave it out for the first.", 0, math.MaxInt32, nil),
		},
		Errors: []int{400, 401, 404, 500, 504},
	}, s.listPages)
}

func (s *Service) create(ctx context.Context, in *createInput) (*pricedOutput, error) {
	c := caller.From(ctx)
	o, err := s.order(ctx, c.TeamID, &in.Body)
	if err != nil {
		return nil, err
	}
	crawl, err := s.Create(ctx, c, o)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{caller.Priced[Crawl]{Result: crawl, Quote: c.DryRun}}, nil
}

func answer(c *Crawl, err error) (*crawlOutput, error) {
	if err != nil {
		return nil, err
	}
	return &crawlOutput{c}, nil
}

func (s *Service) get(ctx context.Context, in *crawlInput) (*crawlOutput, error) {
	return answer(s.Crawl(ctx, caller.From(ctx), in.ID))
}

func (s *Service) cancelCrawl(ctx context.Context, in *crawlInput) (*crawlOutput, error) {
	return answer(s.Cancel(ctx, caller.From(ctx), in.ID))
}

func (s *Service) listCrawls(ctx context.Context, in *listInput) (*listOutput, error) {
	data, cursor, err := s.list(ctx, caller.From(ctx), in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &listOutput{&crawlList{Object: "list", Data: data, Cursor: cursor}}, nil
}

func (s *Service) listPages(ctx context.Context, in *pagesInput) (*pagesOutput, error) {
	pages, err := s.pages(ctx, caller.From(ctx), in)
	if err != nil {
		return nil, err
	}
	return &pagesOutput{pages}, nil
}
