package batches_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// pages is a double of the page service. The test sets its replies.
type pages struct {
	price money.Credits // of each; 0: 1
	keep  func(ctx context.Context, j page.Job) (page.Kept, error)

	mu        sync.Mutex
	discarded []string
	checked   map[string]int // checks by URL
	unable    error          // the error for all pages
}

func (p *pages) Check(_ context.Context, _ string, options page.Options, urls []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unable != nil {
		return p.unable
	}
	if p.checked == nil {
		p.checked = map[string]int{}
	}
	for _, u := range urls {
		p.checked[u]++
	}
	var faults []problem.Fault
	if options.Country == "XX" {
		faults = append(faults, problem.BodyFault("country", "is none"))
	}
	for i, u := range urls {
		if !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
			faults = append(faults, page.URLFault(i, "must be an absolute http or https URL"))
		}
	}
	if len(faults) > 0 {
		return problem.Validation(faults...)
	}
	return nil
}

func (p *pages) Price(context.Context, string, page.Options) (money.Credits, error) {
	if p.price == 0 {
		return 1, nil
	}
	return p.price, nil
}

func (p *pages) Keep(ctx context.Context, j page.Job) (page.Kept, error) {
	if p.keep == nil {
		return kept(j), nil
	}
	return p.keep(ctx, j)
}

func (p *pages) Discard(_ context.Context, retrieveID string, attempts int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.discarded = append(p.discarded, fmt.Sprintf("%s %d", retrieveID, attempts))
	return nil
}

func kept(j page.Job) page.Kept {
	return page.Kept{RetrieveID: j.RetrieveID, Attempts: j.Attempt, StatusCode: 200, Outcome: json.RawMessage(`{}`), Expires: j.Expires}
}

func failure(class page.Class, code problem.Code) error {
	return &page.Error{Class: class, Problem: problem.New(code, "It failed. Nothing was charged.")}
}

type hooks struct{}

func (hooks) Check(rawURL string) error {
	if strings.Contains(rawURL, "localhost") {
		return errors.New("must be publicly reachable")
	}
	return nil
}

func (hooks) Secret(context.Context, string) (string, error) { return "whsec_test", nil }

// files is a double whose file ids are lists of items.
type files struct{}

func (files) Items(_ context.Context, _, id string, fn func(int, []byte) error) error {
	var list []json.RawMessage
	if json.Unmarshal([]byte(id), &list) != nil {
		return problem.New(problem.FileNotFound, "There is no file with this id.")
	}
	for i, raw := range list {
		if err := fn(i, raw); err != nil {
			return err
		}
	}
	return nil
}

// failing makes pages whose URL ends with suffix fail for good.
func failing(suffix string) func(context.Context, page.Job) (page.Kept, error) {
	return func(_ context.Context, j page.Job) (page.Kept, error) {
		if strings.HasSuffix(j.URL, suffix) {
			return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
		}
		return kept(j), nil
	}
}
