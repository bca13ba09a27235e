package accounts

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/caller"
)

type infoOutput struct{ Body *Info }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "getCredits", Method: http.MethodGet, Path: "/user/credits/info", Tags: []string{"Account"},
		Summary: "Read the team's credits",
		Errors:  []int{401, 403},
	}, s.info)
}

func (s *Service) info(ctx context.Context, _ *struct{}) (*infoOutput, error) {
	info, err := s.Info(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return &infoOutput{info}, nil
}
