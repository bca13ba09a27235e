package maps

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/caller"
)

const (
	tag  = "Maps"
	path = "/v1/maps"
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"true: check the request, answer with its price at most, do nothing and charge nothing."`
	Body   Request
}

type createOutput struct{ Body caller.Priced[Map] }

type getInput struct {
	ID     string `path:"map_id" maxLength:"100" doc:"The map's id."`
	Cursor string `query:"cursor" maxLength:"200" doc:"The cursor of the answer before; leave it out for the first."`
}

type getOutput struct{ Body *Map }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createMap", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "List the URLs of a site",
		Description: "From its sitemaps, feeds and links, each URL once. It takes up to 120 seconds, and answers with what was found by then. " +
			"An answer has at most 100,000 URLs or 10 MB; send the same body with its cursor for more. It costs 1 credit, and 1 for each " +
			"further 1,000 URLs; where the balance ends, so does the answer, with a cursor.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"url": "https://example.com/", "include_urls": []string{"/blog/**"}},
		}}},
		Errors: []int{400, 401, 402, 403, 409, 502, 503, 504},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getMap", Method: http.MethodGet, Path: path + "/{map_id}", Tags: []string{tag},
		Summary:     "Read a map again",
		Description: "All of it, cursor by cursor, for seven days.",
		Errors:      []int{400, 401, 404},
	}, s.get)
}

func (s *Service) create(ctx context.Context, in *createInput) (*createOutput, error) {
	c := caller.From(ctx)
	m, err := s.Create(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	return &createOutput{caller.Priced[Map]{Result: m, Quote: c.DryRun}}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	m, err := s.Map(ctx, caller.From(ctx), in.ID, in.Cursor)
	if err != nil {
		return nil, err
	}
	return &getOutput{m}, nil
}
