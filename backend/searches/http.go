package searches

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const (
	tag = "Searches"
	// path is also used to look up the price of a search.
	path = "/v1/searches"
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"Whether to only check the request and return its maximum price, without doing or charging anything."`
	Body   decode.Body[Request]
}

type createOutput struct{ Body principal.Priced[Search] }

type getInput struct {
	ID string `path:"search_id" maxLength:"100" doc:"The search's id."`
}

type getOutput struct{ Body *Search }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createSearch", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Search for pages",
		Description: "Returns the links that were found, by relevance. With scrape_options, the links are also scraped, all at once and for at most " +
			"timeout; the content of a link that failed or took longer is null. A search costs 5 credits, plus 1 for each scraped link. " +
			"The cost of all links up to limit is held in the meantime.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"query": "ferry timetable Skagen", "limit": 5, "scrape_options": map[string]any{"formats": []string{"markdown"}}},
		}}},
		Errors: []int{400, 401, 402, 403, 409, 413, 501, 502, 503, 504},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getSearch", Method: http.MethodGet, Path: path + "/{search_id}", Tags: []string{tag},
		Summary:     "Read a search",
		Description: "Returns the stored search: nothing is searched, scraped or charged again. The content of links is available for seven days. After that, it is null.",
		Errors:      []int{400, 401, 404},
	}, s.get)
}

func (s *Service) create(ctx context.Context, in *createInput) (*createOutput, error) {
	c := principal.From(ctx)
	search, err := s.Create(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &createOutput{principal.Priced[Search]{Result: search, Quote: c.DryRun}}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	search, err := s.Search(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &getOutput{search}, nil
}
