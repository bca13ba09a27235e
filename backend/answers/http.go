package answers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const (
	tag  = "Answers"
	path = "/v1/answers"
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"If true, the request is validated and its price is returned. Nothing is done or charged."`
	Body   decode.Body[Request]
}

type createOutput struct{ Body principal.Priced[Answer] }

type getInput struct {
	ID string `path:"answer_id" maxLength:"100" doc:"The answer's id."`
}

type getOutput struct{ Body *Answer }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createAnswer", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Answer a task from the web",
		Description: "Searches the web, reads pages and context files, and returns JSON in the form given by json_format. Each value is cited; " +
			"a value that no source supports is \"NOT_FOUND\". A response usually takes 3 to 30 seconds. After at most 60 seconds, the values " +
			"supported by then are returned. If nothing can be searched or read at all, the request fails and nothing is charged.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{
				"task": "How many berths has the harbour of Elmsworth, and who runs it?", "json_format": map[string]any{"berths": "", "operator": ""},
			},
		}}},
		Errors: []int{400, 401, 402, 403, 404, 409, 413, 502, 503, 504},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getAnswer", Method: http.MethodGet, Path: path + "/{answer_id}", Tags: []string{tag},
		Summary:     "Read an answer",
		Description: "The content is available for seven days; afterwards json_content is null. Nothing is searched or charged.",
		Metadata:    principal.Readable.Metadata(),
		Errors:      []int{400, 401, 404},
	}, s.get)
}

func (s *Service) create(ctx context.Context, in *createInput) (*createOutput, error) {
	c := principal.From(ctx)
	a, err := s.Create(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &createOutput{principal.Priced[Answer]{Result: a, Quote: c.DryRun}}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	a, err := s.Answer(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &getOutput{a}, nil
}
