package accounts

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const tag = "Account"

type infoOutput struct{ Body *Info }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "getCredits", Method: http.MethodGet, Path: "/user/credits/info", Tags: []string{tag},
		Summary: "Read the team's credits",
		Errors:  []int{401, 403},
	}, s.info)
	huma.Register(api, huma.Operation{
		OperationID: "getUsage", Method: http.MethodGet, Path: "/user/usage", Tags: []string{tag},
		Summary: "Read the team's usage",
		Description: "Returns the credits charged, in total and by UTC day, operation or API key. Requests that cost nothing are not counted, and " +
			"days without charges are not listed.",
		Errors: []int{400, 401, 403},
	}, s.usage)
	s.registerKeys(api)
}

func (s *Service) info(ctx context.Context, _ *struct{}) (*infoOutput, error) {
	info, err := s.Info(ctx, principal.From(ctx))
	if err != nil {
		return nil, err
	}
	return &infoOutput{info}, nil
}
