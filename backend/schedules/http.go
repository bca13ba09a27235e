package schedules

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

const tag = "Schedules"

type createInput struct{ Body decode.Body[Request] }

type oneInput struct {
	ID string `path:"schedule_id" maxLength:"100" doc:"The schedule's id."`
}

type scheduleAnswer struct {
	Schedule *Schedule `json:"schedule" nullable:"false"`
}

type oneOutput struct{ Body scheduleAnswer }

type listInput struct {
	IncludeDeleted string `query:"include_deleted" enum:"true,false" doc:"Whether to include deleted schedules."`
}

type scheduleList struct {
	Schedules []*Schedule `json:"schedules" nullable:"false"`
	Count     int         `json:"count" doc:"The number of schedules in this response."`

	paging.List[*Schedule]
}

type listOutput struct{ Body scheduleList }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createSchedule", Method: http.MethodPost, Path: "/v1/schedules", Tags: []string{tag},
		Summary: "Create a schedule",
		Description: "Calls an endpoint of this API on behalf of your team. A call costs the same and passes the same checks as one that you make yourself. " +
			"Set the times with cron_expression, text or, for a single call, execute_at. Missed times are skipped, as are times at which the " +
			"previous call has not finished.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{
				"method": "POST", "endpoint": "v1/scrapes", "payload": map[string]any{"url_to_scrape": "https://example.com/"}, "text": "every weekday at 9am",
			},
		}}},
		Errors: []int{400, 401, 409, 413},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "listSchedules", Method: http.MethodGet, Path: "/v1/schedules", Tags: []string{tag},
		Summary: "List schedules, newest first", Description: "Includes the schedules of monitors. The outcome of the latest run is in last_run.",
		Errors: []int{400, 401},
	}, s.list)
	huma.Register(api, huma.Operation{
		OperationID: "getSchedule", Method: http.MethodGet, Path: "/v1/schedules/{schedule_id}", Tags: []string{tag},
		Summary: "Read a schedule", Errors: []int{400, 401, 404},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "deleteSchedule", Method: http.MethodDelete, Path: "/v1/schedules/{schedule_id}", Tags: []string{tag},
		Summary: "Delete a schedule",
		Description: "No further calls are made; a call in progress is completed. The schedule is stored for thirty days in the state DELETED, without its " +
			"payload. A monitor's schedule is deleted with the monitor.",
		Errors: []int{400, 401, 404, 409},
	}, s.delete)
}

func (s *Service) create(ctx context.Context, in *createInput) (*oneOutput, error) {
	made, err := s.Create(ctx, principal.From(ctx), in.Body.Value)
	return output(made, err)
}

func (s *Service) get(ctx context.Context, in *oneInput) (*oneOutput, error) {
	return output(s.Schedule(ctx, principal.From(ctx), in.ID))
}

func (s *Service) delete(ctx context.Context, in *oneInput) (*oneOutput, error) {
	return output(s.Delete(ctx, principal.From(ctx), in.ID))
}

func output(made *Schedule, err error) (*oneOutput, error) {
	if err != nil {
		return nil, err
	}
	return &oneOutput{scheduleAnswer{made}}, nil
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	all, err := s.Schedules(ctx, principal.From(ctx), in.IncludeDeleted == "true")
	if err != nil {
		return nil, err
	}
	list := paging.Whole(all)
	return &listOutput{scheduleList{Schedules: list.Data, Count: len(all), List: list}}, nil
}
