package maps

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const (
	tag  = "Maps"
	path = "/v1/maps"
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"Whether to only check the request and return its maximum price, without doing or charging anything."`
	Body   decode.Body[Request]
}

type createOutput struct{ Body principal.Priced[Map] }

type getInput struct {
	ID     string `path:"map_id" maxLength:"100" doc:"The map's id."`
	Cursor string `query:"cursor" maxLength:"200" doc:"The cursor from the previous response. Omit it for the first page."`
}

type getOutput struct{ Body *Map }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createMap", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "List the URLs of a site",
		Description: "Finds URLs in the sitemaps, feeds and links of a site, each URL once. It takes up to 120 seconds and returns what was found by then. " +
			"A response has at most 100,000 URLs or 10 MB; send the same body with its cursor to get more. It costs 1 credit, plus 1 " +
			"for each further 1,000 URLs. If the balance runs out, the response ends there, with a cursor.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"url": "https://example.com/", "include_urls": []string{"/blog/**"}},
		}}},
		Errors: []int{400, 401, 402, 403, 409, 502, 503, 504},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getMap", Method: http.MethodGet, Path: path + "/{map_id}", Tags: []string{tag},
		Summary:     "Read a map",
		Description: "Returns all URLs of a map, page by page. A map is stored for seven days.",
		Errors:      []int{400, 401, 404},
	}, s.get)
}

func (s *Service) create(ctx context.Context, in *createInput) (*createOutput, error) {
	c := principal.From(ctx)
	m, err := s.Create(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &createOutput{principal.Priced[Map]{Result: m, Quote: c.DryRun}}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	m, err := s.Map(ctx, principal.From(ctx), in.ID, in.Cursor)
	if err != nil {
		return nil, err
	}
	return &getOutput{m}, nil
}
