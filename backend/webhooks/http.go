package webhooks

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	tag  = "Webhooks"
	path = "/v1/webhooks"
	// noStore keeps a secret out of every cache on the way to the client.
	noStore = "no-store"
)

type listInput struct {
	Status string `query:"status" enum:"pending,delivered,failed" doc:"Only return deliveries with this status."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of deliveries to return."`
	Cursor string `query:"cursor" maxLength:"500" doc:"The cursor from the previous response. Omit it for the first page."`
}

type list struct{ paging.Page[*Delivery, string] }

type listOutput struct{ Body *list }

type deliveryInput struct {
	ID string `path:"delivery_id" maxLength:"200"`
}

type deliveryOutput struct{ Body *Delivery }

type secretOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         *Secret
}

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listWebhookDeliveries", Method: http.MethodGet, Path: path + "/deliveries", Tags: []string{tag},
		Summary:     "List webhook deliveries",
		Description: "Lists the deliveries of the last 30 days, each with a log of its attempts.",
		Errors:      []int{400, 401},
	}, s.list)
	huma.Register(api, huma.Operation{
		OperationID: "redeliverWebhook", Method: http.MethodPost, Path: path + "/deliveries/{delivery_id}/redeliver", Tags: []string{tag},
		Summary: "Redeliver a webhook",
		Description: "Takes no body. A pending delivery is attempted at once. For a delivery that was delivered or has failed, a new delivery of the " +
			"same event with the same id is created and returned.",
		Errors: []int{400, 401, 403, 404, 409, 422},
	}, s.redeliverRoute)
	huma.Register(api, huma.Operation{
		OperationID: "getWebhookSecret", Method: http.MethodGet, Path: path + "/secret", Tags: []string{tag},
		Summary: "Read the webhook signing secret",
		Errors:  []int{401, 403},
	}, s.showSecret)
	huma.Register(api, huma.Operation{
		OperationID: "rotateWebhookSecret", Method: http.MethodPost, Path: path + "/secret", Tags: []string{tag},
		Summary: "Rotate the webhook signing secret",
		Description: "Takes no body. For 24 hours, webhooks have two signatures: one by the new secret and one by the previous secret. " +
			"Any older secret becomes invalid at once.",
		Errors: []int{400, 401, 403, 409, 422},
	}, s.rotateSecret)
}

func (s *Service) redeliverRoute(ctx context.Context, in *deliveryInput) (*deliveryOutput, error) {
	out, err := s.Redeliver(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{out}, nil
}

func (s *Service) showSecret(ctx context.Context, _ *struct{}) (*secretOutput, error) {
	return oneSecret(s.ShowSecret(ctx, principal.From(ctx)))
}

func (s *Service) rotateSecret(ctx context.Context, _ *struct{}) (*secretOutput, error) {
	return oneSecret(s.RotateSecret(ctx, principal.From(ctx)))
}

func oneSecret(secret *Secret, err error) (*secretOutput, error) {
	if err != nil {
		return nil, err
	}
	return &secretOutput{CacheControl: noStore, Body: secret}, nil
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	after, err := paging.Parse(in.Cursor, "delivery")
	if err != nil {
		return nil, err
	}
	rows, err := s.store.list(ctx, principal.From(ctx).TeamID, in.Status, after, in.Limit+1)
	if err != nil {
		return nil, problem.Internal(err)
	}
	var next *string
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := &rows[in.Limit-1].WebhookDelivery
		next = paging.Position{Created: last.CreatedAt, ID: last.ID}.Cursor()
	}
	tries, err := s.store.tries(ctx, rows...)
	if err != nil {
		return nil, problem.Internal(err)
	}
	data := make([]*Delivery, 0, len(rows))
	for i := range rows {
		data = append(data, object(&rows[i], tries[rows[i].WebhookDelivery.ID]))
	}
	return &listOutput{&list{paging.NewPage(data, next != nil, next)}}, nil
}
