package batches

import (
	"context"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	tag         = "Batches"
	path        = "/v1/batches"
	one         = path + "/{batch_id}"
	retrySuffix = "/retry"

	itemsLimitMax     = 50
	itemsLimitDefault = 20
	listLimitMax      = 100
	listLimitDefault  = 20
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"If true, the request is validated and its price is returned. Nothing is done or charged."`
	Body   decode.Body[Request]
}

type pricedOutput struct{ Body principal.Priced[Batch] }

type retryInput struct {
	ID     string `path:"batch_id" maxLength:"100"`
	DryRun string `query:"dry_run" enum:"true,false" doc:"If true, only the price is returned. Nothing is done or charged."`
}

type batchInput struct {
	ID string `path:"batch_id" maxLength:"100"`
}

type batchOutput struct{ Body *Batch }

type describeInput struct {
	ID   string `path:"batch_id" maxLength:"100"`
	Body decode.Body[update]
}

type update struct {
	Metadata metadata.Input `json:"metadata"`
}

type itemsInput struct {
	ID string `path:"batch_id" maxLength:"100"`

	status string
	cursor int32
	limit  int32
}

type itemList struct {
	ID         string `json:"id" doc:"The id of the batch."`
	BatchID    string `json:"batch_id" doc:"The same as id."`
	Status     Status `json:"status" enum:"in_progress,completed" doc:"The status of the batch."`
	Items      []Item `json:"items" nullable:"false" doc:"The finished items, in the order in which they finished."`
	ItemsCount int    `json:"items_count" doc:"The number of items in this response."`

	paging.Page[Item, int32]
}

type itemsOutput struct{ Body *itemList }

type listInput struct {
	status string
	cursor string
	limit  int32
}

type batchList struct{ paging.Page[*Batch, string] }

type listOutput struct{ Body *batchList }

// Resolve reads the query.
func (in *itemsInput) Resolve(ctx huma.Context) []error {
	q := paging.NewQuery(ctx)
	in.status = q.Word("status", itemCompleted, itemFailed)
	in.cursor = q.Number("cursor", 0, math.MaxInt32, 0)
	in.limit = q.Number("limit", 1, itemsLimitMax, itemsLimitDefault)
	return q.Errors()
}

// Resolve reads the query.
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
		OperationID: "createBatch", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Fetch many pages",
		Description: "Accepts 1 to 10,000 items, in the body or from a file, and fetches them in the background. The price of all items is held. " +
			"Each item is charged when it is completed, failed items cost nothing, and the rest is returned at the end. " +
			"A batch ends after 72 hours at the latest.",
		Metadata: principal.Keyed.Metadata(principal.BodyMax(BodyBytesMax)),
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"items": []map[string]any{{"custom_id": "a-1", "url": "https://example.com/"}}, "formats": []string{"markdown"}},
		}}},
		Errors: []int{400, 401, 402, 403, 404, 409, 413, 501, 503},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "retryBatch", Method: http.MethodPost, Path: one + retrySuffix, Tags: []string{tag},
		Summary: "Retry a batch's failed items",
		Description: "Takes no body. The batch is in progress again. Completed items keep their positions in the list, and retried items are added " +
			"at its end. The error is 409 invalid_state if the batch is in progress, was canceled, or has no failed items.",
		Errors: []int{400, 401, 402, 403, 404, 409, 503},
	}, s.retry)
	huma.Register(api, huma.Operation{
		OperationID: "getBatch", Method: http.MethodGet, Path: one, Tags: []string{tag},
		Summary: "Read a batch", Metadata: principal.Readable.Metadata(),
		Errors: []int{400, 401, 404, 500},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "updateBatch", Method: http.MethodPatch, Path: one, Tags: []string{tag},
		Summary:     "Update a batch's metadata",
		Description: `The given keys are set. A value of "" or null deletes its key.`,
		Errors:      []int{400, 401, 403, 404},
	}, s.describe)
	huma.Register(api, huma.Operation{
		OperationID: "cancelBatch", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Cancel a batch",
		Description: "Completed items are kept and charged, and the rest of the price is returned. A completed batch is not changed.",
		Errors:      []int{400, 401, 403, 404},
	}, s.cancelBatch)
	s.registerLists(api)
}

func (s *Service) registerLists(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listBatches", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List batches, newest first",
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only return batches with this status. Default: all.", string(StatusInProgress), string(StatusCompleted)),
			paging.NumberParam("limit", "The maximum number of objects to return.", 1, listLimitMax, listLimitDefault),
			paging.TextParam("cursor", "The cursor from the previous response. Omit it for the first page."),
		},
		Errors: []int{400, 401},
	}, s.listBatches)
	huma.Register(api, huma.Operation{
		OperationID: "listBatchItems", Method: http.MethodGet, Path: one + "/items", Tags: []string{tag},
		Summary: "List a batch's items",
		Description: "Lists finished items in the order in which they finished, also while the batch is in progress. Requests that continue with the " +
			"last cursor return each item once. Get the content of an item with its retrieve_id from GET /v1/retrieve.",
		Metadata: principal.Readable.Metadata(),
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only return items with this status. Default: both.", itemCompleted, itemFailed),
			paging.NumberParam("limit", "The maximum number of objects to return.", 1, itemsLimitMax, itemsLimitDefault),
			paging.NumberParam("cursor", "The cursor from the previous response. Omit it for the first page.", 0, math.MaxInt32, nil),
		},
		Errors: []int{400, 401, 404, 500},
	}, s.listItems)
}

func (s *Service) create(ctx context.Context, in *createInput) (*pricedOutput, error) {
	c := principal.From(ctx)
	b, err := s.Create(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{principal.Priced[Batch]{Result: b, Quote: c.DryRun}}, nil
}

func (s *Service) retry(ctx context.Context, in *retryInput) (*pricedOutput, error) {
	c := principal.From(ctx)
	b, err := s.Retry(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{principal.Priced[Batch]{Result: b, Quote: c.DryRun}}, nil
}

func answer(b *Batch, err error) (*batchOutput, error) {
	if err != nil {
		return nil, err
	}
	return &batchOutput{b}, nil
}

func (s *Service) get(ctx context.Context, in *batchInput) (*batchOutput, error) {
	return answer(s.Batch(ctx, principal.From(ctx), in.ID))
}

func (s *Service) cancelBatch(ctx context.Context, in *batchInput) (*batchOutput, error) {
	return answer(s.Cancel(ctx, principal.From(ctx), in.ID))
}

func (s *Service) describe(ctx context.Context, in *describeInput) (*batchOutput, error) {
	if in.Body.Value.Metadata == nil {
		return nil, problem.Validation(problem.BodyFault("metadata", "must be an object of keys and values"))
	}
	return answer(s.Describe(ctx, principal.From(ctx), in.ID, in.Body.Value.Metadata))
}

func (s *Service) listBatches(ctx context.Context, in *listInput) (*listOutput, error) {
	data, cursor, err := s.list(ctx, principal.From(ctx), in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &listOutput{&batchList{paging.NewPage(data, cursor != nil, cursor)}}, nil
}

func (s *Service) listItems(ctx context.Context, in *itemsInput) (*itemsOutput, error) {
	p, err := s.items(ctx, principal.From(ctx), in.ID, in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &itemsOutput{&itemList{
		ID: p.batch.ID, BatchID: p.batch.ID, Status: Status(p.batch.Status), Items: p.items, ItemsCount: len(p.items),
		Page: paging.NewPage(p.items, p.more, p.cursor),
	}}, nil
}
