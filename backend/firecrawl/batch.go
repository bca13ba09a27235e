package firecrawl

import (
	"context"
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// batchRequest is the body of POST /v2/batch/scrape.
type batchRequest struct {
	URLs              []string `json:"urls"`
	IgnoreInvalidURLs *bool    `json:"ignoreInvalidURLs,omitempty"`
	Webhook           *webhook `json:"webhook,omitempty"`
	Options
}

func (*batchRequest) fields() []string { return []string{"ignoreInvalidURLs"} }

// batch returns r as batches takes it, and the URLs that are left out because they are none.
func (r *batchRequest) batch() (out *batches.Request, invalid []string, err error) {
	options, w, faults := r.jobPage("")
	webhook, more := r.Webhook.address("completed")
	if faults = append(faults, more...); len(faults) > 0 {
		return nil, nil, refuse(faults...)
	}
	type item struct {
		URL string `json:"url"`
	}
	var items []item
	for i, text := range r.URLs {
		if _, err := fetch.ParseURL(text); err == nil {
			items = append(items, item{text})
			continue
		}
		if r.IgnoreInvalidURLs != nil && !*r.IgnoreInvalidURLs {
			return nil, nil, problem.Validation(problem.Fault{
				Loc: []any{"body", "urls", i}, Msg: "must be an absolute http or https URL", Type: problem.FaultInvalid,
			})
		}
		invalid = append(invalid, text)
	}
	if len(items) == 0 {
		return nil, nil, refuse(fault("urls", "has no valid URL"))
	}
	list, err := json.Marshal(items)
	if err != nil {
		return nil, nil, problem.Internal(err)
	}
	return &batches.Request{Items: list, Pages: &options, Metadata: w.note(), Webhook: webhook}, invalid, nil
}

func (s *Service) startBatch(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[batchRequest](ctx)
	if err != nil {
		return nil, err
	}
	out, invalid, err := r.batch()
	if err != nil {
		return nil, err
	}
	answer := func(id string) *started {
		return &started{done: ok(), ID: id, URL: s.address("/v2/batch/scrape/", id), InvalidURLs: invalid}
	}
	c.RecordAs(func(recorded any) any {
		made, _ := recorded.(principal.Priced[batches.Batch])
		return answer(made.Result.ID)
	})
	made, err := s.config.Batches.Create(ctx, c, out)
	if err != nil || made == nil {
		return nil, err
	}
	return answer(made.ID), nil
}

func (s *Service) batchStatus(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	after, err := r.place()
	if err != nil {
		return nil, err
	}
	p, err := s.config.Batches.Progress(ctx, c, r.id(), after, documentsMax+1)
	if err != nil {
		return nil, err
	}
	out := &status{
		done: ok(), Status: statusOf(p.Batch.Outcome), Completed: p.Batch.CompletedURLs, Total: p.Batch.TotalURLs, CreditsUsed: p.Credits,
		ExpiresAt: time.Unix(p.Batch.Created, 0).Add(retention).UTC().Format(time.RFC3339),
	}
	pages := make([]stored, len(p.Items))
	for i := range p.Items {
		pages[i] = stored{url: p.Items[i].URL, retrieveID: p.Items[i].RetrieveID}
	}
	err = s.fill(ctx, c, out, pages, p.Places, wantsOf(p.Batch.Metadata), s.address("/v2/batch/scrape/", r.id()))
	return out, err
}

// failedMax is how many failed pages of a batch are listed.
const failedMax = 1000

func (s *Service) batchErrors(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	failed, err := s.config.Batches.Failed(ctx, c, r.id(), failedMax)
	if err != nil {
		return nil, err
	}
	out := &jobErrors{done: ok(), Errors: []pageError{}, RobotsBlocked: []string{}}
	for _, item := range failed {
		out.add(item.RetrieveID, item.URL, item.Error.Code, item.Error.Detail)
	}
	return out, nil
}

func (s *Service) cancelBatch(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	batch, err := s.config.Batches.Cancel(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	return notOver(statusOf(batch.Outcome))
}
