package batches

import (
	"context"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/metadata"
	"github.com/turnpike-edge/turnpike/backend/paging"
	"github.com/turnpike-edge/turnpike/backend/problem"
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
	DryRun string `query:"dry_run" enum:"true,false" doc:"true: check the request, answer with its price, do nothing and charge nothing."`
	Body   Request
}

type pricedOutput struct{ Body caller.Priced[Batch] }

type retryInput struct {
	ID     string `path:"batch_id" maxLength:"100"`
	DryRun string `query:"dry_run" enum:"true,false" doc:"true: answer with the price, do nothing and charge nothing."`
}

type batchInput struct {
	ID string `path:"batch_id" maxLength:"100"`
}

type batchOutput struct{ Body *Batch }

type describeInput struct {
	ID   string `path:"batch_id" maxLength:"100"`
	Body update
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
	ID         string `json:"id" doc:"The batch's."`
	BatchID    string `json:"batch_id" doc:"The same as id."`
	Object     string `json:"object" enum:"list"`
	Status     Status `json:"status" enum:"in_progress,completed" doc:"The batch's."`
	Items      []Item `json:"items" nullable:"false" doc:"Items that have ended, in the order in which they did."`
	ItemsCount int    `json:"items_count" doc:"How many items this answer has."`
	Cursor     *int32 `json:"cursor,omitempty" doc:"Asks for what follows. Absent where nothing does; while the batch is in progress more may."`
}

type itemsOutput struct{ Body *itemList }

type listInput struct {
	status string
	cursor string
	limit  int32
}

type batchList struct {
	Object string   `json:"object" enum:"list"`
	Data   []*Batch `json:"data" nullable:"false" doc:"From the latest."`
	Cursor *string  `json:"cursor,omitempty" doc:"Asks for what follows; absent where nothing does."`
}

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
		Description: "Takes 1 to 10,000 items, in the body or from a file, and fetches them after the answer. What all of them cost is set " +
			"aside; each completed item is charged when it is done, failed ones cost nothing, and the rest is given back at the end. " +
			"A batch ends after 72 hours at the latest.",
		Metadata:         caller.Keyed.Metadata(caller.BodyMax(BodyBytesMax)),
		SkipValidateBody: true, // Quote has done that, before every creation
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"items": []map[string]any{{"custom_id": "a-1", "url": "https://example.com/"}}, "formats": []string{"markdown"}},
		}}},
		Errors: []int{400, 401, 402, 403, 404, 409, 413, 501, 503},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "retryBatch", Method: http.MethodPost, Path: one + retrySuffix, Tags: []string{tag},
		Summary: "Run a batch's failed items again",
		Description: "Takes no body. The batch is in progress again; items that completed keep their places, and the retried ones get new ones at the " +
			"end of the list. 409 invalid_state: it is in progress, was canceled, or has no failed items.",
		Errors: []int{400, 401, 402, 403, 404, 409, 503},
	}, s.retry)
	huma.Register(api, huma.Operation{
		OperationID: "getBatch", Method: http.MethodGet, Path: one, Tags: []string{tag},
		Summary: "Read a batch", Metadata: caller.Readable.Metadata(),
		Errors: []int{400, 401, 404, 500},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "updateBatch", Method: http.MethodPatch, Path: one, Tags: []string{tag},
		Summary:     "Change a batch's metadata",
		Description: `Keys that are given are set; a value of "" or null deletes its key.`,
		Errors:      []int{400, 401, 403, 404},
	}, s.describe)
	huma.Register(api, huma.Operation{
		OperationID: "cancelBatch", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Cancel a batch",
		Description: "What is done stays and is charged; the rest is given back. A batch that is completed stays as it is.",
		Errors:      []int{400, 401, 403, 404},
	}, s.cancelBatch)
	s.registerLists(api)
}

func (s *Service) registerLists(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listBatches", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List batches",
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only batches of this status; leave it out for all.", string(StatusInProgress), string(StatusCompleted)),
			paging.NumberParam("limit", "How many to answer.", 1, listLimitMax, listLimitDefault),
			paging.TextParam("cursor", "The cursor of the answer before; leave it out for the first."),
		},
		Errors: []int{400, 401},
	}, s.listBatches)
	huma.Register(api, huma.Operation{
		OperationID: "listBatchItems", Method: http.MethodGet, Path: one + "/items", Tags: []string{tag},
		Summary: "List a batch's items",
		Description: "Items are listed when they end, in that order, also while the batch is in progress: asking on with the last cursor gets each " +
			"item once. Get content with its retrieve_id from GET /v1/retrieve.",
		Metadata: caller.Readable.Metadata(),
		Parameters: []*huma.Param{
			paging.WordParam("status", "Only items of this status; leave it out for both.", itemCompleted, itemFailed),
			paging.NumberParam("limit", "How many to answer.", 1, itemsLimitMax, itemsLimitDefault),
			paging.NumberParam("cursor", "The cursor of the answer before; leave it out for the first.", 0, math.MaxInt32, nil),
		},
		Errors: []int{400, 401, 404, 500},
	}, s.listItems)
}

func (s *Service) create(ctx context.Context, in *createInput) (*pricedOutput, error) {
	c := caller.From(ctx)
	b, err := s.Create(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{caller.Priced[Batch]{Result: b, Quote: c.DryRun}}, nil
}

func (s *Service) retry(ctx context.Context, in *retryInput) (*pricedOutput, error) {
	c := caller.From(ctx)
	b, err := s.Retry(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	return &pricedOutput{caller.Priced[Batch]{Result: b, Quote: c.DryRun}}, nil
}

func answer(b *Batch, err error) (*batchOutput, error) {
	if err != nil {
		return nil, err
	}
	return &batchOutput{b}, nil
}

func (s *Service) get(ctx context.Context, in *batchInput) (*batchOutput, error) {
	return answer(s.Batch(ctx, caller.From(ctx), in.ID))
}

func (s *Service) cancelBatch(ctx context.Context, in *batchInput) (*batchOutput, error) {
	return answer(s.Cancel(ctx, caller.From(ctx), in.ID))
}

func (s *Service) describe(ctx context.Context, in *describeInput) (*batchOutput, error) {
	if in.Body.Metadata == nil {
		return nil, problem.Validation(problem.BodyFault("metadata", "must be an object of keys and values"))
	}
	return answer(s.Describe(ctx, caller.From(ctx), in.ID, in.Body.Metadata))
}

func (s *Service) listBatches(ctx context.Context, in *listInput) (*listOutput, error) {
	data, cursor, err := s.list(ctx, caller.From(ctx), in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &listOutput{&batchList{Object: "list", Data: data, Cursor: cursor}}, nil
}

func (s *Service) listItems(ctx context.Context, in *itemsInput) (*itemsOutput, error) {
	p, err := s.items(ctx, caller.From(ctx), in.ID, in.status, in.cursor, int(in.limit))
	if err != nil {
		return nil, err
	}
	return &itemsOutput{&itemList{
		ID: p.batch.ID, BatchID: p.batch.ID, Object: "list", Status: Status(p.batch.Status), Items: p.items, ItemsCount: len(p.items), Cursor: p.cursor,
	}}, nil
}
