package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// unpaidRead is a read that needs no payment. It needs no key either if a payment created the resource.
type unpaidRead struct {
	path    string
	missing problem.Code
	detail  string
}

// unpaidReads are those of the service contract. A feature that creates such resources registers the path itself. Until
// then no such resource exists, and the response is the one for an unknown id.
var unpaidReads = []unpaidRead{
	{"/v1/scrapes/{scrape_id}", problem.ScrapeNotFound, "There is no scrape with this id."},
	{"/v1/crawls/{crawl_id}", problem.CrawlNotFound, "There is no crawl with this id."},
	{"/v1/crawls/{crawl_id}/pages", problem.CrawlNotFound, "There is no crawl with this id."},
	{"/v1/batches/{batch_id}", problem.BatchNotFound, "There is no batch with this id."},
	{"/v1/batches/{batch_id}/items", problem.BatchNotFound, "There is no batch with this id."},
	{"/v1/answers/{answer_id}", problem.AnswerNotFound, "There is no answer with this id."},
	{"/v1/retrieve", problem.NotFound, "There is no content with this retrieve_id."},
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// registerReads serves the unpaid reads that no feature has registered. They are not in the OpenAPI document, which
// shows what clients can do. The error names the reads that a feature has registered for key holders only.
func (s *Server) registerReads() error {
	made := map[string]*huma.Operation{}
	for _, op := range s.adapter.operations {
		if op.Method == http.MethodGet {
			made[pathParameter.ReplaceAllString(op.Path, "{}")] = op
		}
	}
	var errs []error
	for i := range unpaidReads {
		read := &unpaidReads[i]
		if op := made[pathParameter.ReplaceAllString(read.path, "{}")]; op == nil {
			s.registerUnmade(read)
		} else if principal.AccessOf(op) != principal.Readable {
			errs = append(errs, fmt.Errorf("GET %s must be readable without a key, for resources created by a payment", op.Path))
		}
	}
	return errors.Join(errs...)
}

func (s *Server) registerUnmade(read *unpaidRead) {
	huma.Register(s.api, huma.Operation{
		Method: http.MethodGet, Path: read.path, Hidden: true, Metadata: principal.Readable.Metadata(),
	}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
		if principal.From(ctx).Anonymous() {
			return nil, problem.NeedsKey(nil)
		}
		return nil, problem.New(read.missing, read.detail)
	})
}
